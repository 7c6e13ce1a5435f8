// @ts-check
// Long requests, of all windows of a browser together. A browser has six connections to a host: one is for the events, and one
// for all other requests.
const most = 4;

/**
 * Takes one of the places, of `count` at most. The result frees it; undefined: there is none. `isLast` tries the last ones
 * first.
 */
export async function takePlace(count = most, isLast = false) {
  for (let number = 0; number < count; number += 1) {
    const name = `kinecast-request-${isLast ? most - 1 - number : number}`;
    const free = await /** @type {Promise<(() => void) | undefined>} */ (new Promise((resolve) => {
      navigator.locks.request(name, { ifAvailable: true }, (lock) => {
        if (lock) return /** @type {Promise<void>} */ (new Promise((end) => resolve(end)));
        resolve(undefined);
      });
    }));
    if (free) return free;
  }
}
