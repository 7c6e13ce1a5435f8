// Measures how late the page shows the screen. The page asks the server for its clock now and then, and the stream says how far
// the take's timeline is ahead of that clock.

/** Requests each time; the fastest answer counts. */
const requests = 3;
/** Milliseconds between two measurements: in that time two machines' clocks drift apart by some milliseconds. */
const interval = 60_000;
/** Milliseconds between two measurements until the first answer. */
const retryInterval = 5000;
/** Milliseconds after which the last frame shown is too old to measure by. */
const longestAge = 3000;

export class DelayMeter {
  #headers;
  /** Microseconds by which the server's clock is ahead of the page's. */
  #offset = null;
  /** Microseconds by which the take's timeline is ahead of the server's clock. */
  #ahead = null;
  #asked = -Infinity;

  /** `headers`: the token's, without which the server does not answer. */
  constructor(headers) { this.#headers = headers; }

  /** Notes the clock in a tick. */
  note(standing) { this.#ahead = standing.ahead ?? null; }

  /** Call when the connection is lost: the next server may differ. */
  forget() {
    this.#offset = null;
    this.#ahead = null;
    this.#asked = -Infinity;
  }

  /**
   * Milliseconds from when the server had a frame until it was shown, for a player that showed the instant `time` of the take,
   * in microseconds, when the page's clock said `at`. Null where that is not known.
   */
  delay(shown) {
    const now = performance.now();
    if (now - this.#asked > (this.#offset === null ? retryInterval : interval) && !document.hidden) {
      this.#asked = now;
      this.#measure();
    }
    if (!shown || this.#offset === null || this.#ahead === null || now - shown.at > longestAge) return null;
    return Math.max(0, (shown.at * 1000 + this.#offset + this.#ahead - shown.time) / 1000);
  }

  async #measure() {
    let best = Infinity;
    for (let request = 0; request < requests; request += 1) {
      try {
        const began = performance.now();
        const response = await fetch("state", { headers: this.#headers, cache: "no-store", credentials: "omit" });
        const ended = performance.now();
        const { clock } = await response.json();
        if (ended - began >= best || typeof clock !== "number") continue;
        best = ended - began;
        this.#offset = clock - ((began + ended) / 2) * 1000;
      } catch {
        // The stream notices by itself when the server is gone.
        return;
      }
    }
  }
}
