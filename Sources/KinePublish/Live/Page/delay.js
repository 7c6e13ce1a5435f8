// How late the page shows what happens: the server's clock is asked for now and then, and the take's timeline beside it comes with
// the stream.

/** Questions each time; the one that is answered soonest counts. */
const questions = 3;
/** Milliseconds between two times: clocks of two machines drift apart by some milliseconds in that. */
const interval = 60_000;
/** The same where there was no answer yet. */
const retryInterval = 5000;
/** Milliseconds after which what was shown last says nothing any more. */
const longestAge = 3000;

export class DelayMeter {
  #headers;
  /** Microseconds by which the server's clock is ahead of the page's. */
  #offset = null;
  /** Microseconds by which the take's timeline is ahead of the server's clock. */
  #ahead = null;
  #asked = -Infinity;

  /** `headers`: for the server to answer. */
  constructor(headers) { this.#headers = headers; }

  /** What a tick says. */
  note(standing) { this.#ahead = standing.ahead ?? null; }

  /** It may be another server than before. */
  forget() {
    this.#offset = null;
    this.#ahead = null;
    this.#asked = -Infinity;
  }

  /**
   * Milliseconds between the server's having a picture and its being seen, for a player that showed the instant `time` of the take,
   * in microseconds, when the page's clock said `at`. Null where that is not known.
   */
  delay(shown) {
    const now = performance.now();
    if (now - this.#asked > (this.#offset === null ? retryInterval : interval) && !document.hidden) {
      this.#asked = now;
      this.#ask();
    }
    if (!shown || this.#offset === null || this.#ahead === null || now - shown.at > longestAge) return null;
    return Math.max(0, (shown.at * 1000 + this.#offset + this.#ahead - shown.time) / 1000);
  }

  async #ask() {
    let best = Infinity;
    for (let question = 0; question < questions; question += 1) {
      try {
        const began = performance.now();
        const response = await fetch("state", { headers: this.#headers, cache: "no-store", credentials: "omit" });
        const ended = performance.now();
        const { clock } = await response.json();
        if (ended - began >= best || typeof clock !== "number") continue;
        best = ended - began;
        this.#offset = clock - ((began + ended) / 2) * 1000;
      } catch {
        // The stream says by itself when the server is gone.
        return;
      }
    }
  }
}
