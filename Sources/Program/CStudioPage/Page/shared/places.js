// @ts-check
// Long requests, of all windows of a browser together. A browser has six connections to a host: one is for the events, and one
// for all other requests.

/** Takes one of the places, the last ones first; a preview, none but the first three. The result frees it; undefined: there is none. */
export async function takePlace(isPreview = false) {
  for (const number of isPreview ? [0, 1, 2] : [3, 2, 1, 0]) {
    const name = `kinecast-request-${number}`;
    const free = await /** @type {Promise<(() => void) | undefined>} */ (new Promise((resolve) => {
      navigator.locks.request(name, { ifAvailable: true }, (lock) => {
        if (lock) return /** @type {Promise<void>} */ (new Promise((end) => resolve(end)));
        resolve(undefined);
      });
    }));
    if (free) return free;
  }
}
