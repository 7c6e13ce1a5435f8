// The page's end of the receiving thread, receiver-thread.js.
import { kinds } from "./stream.js";

/**
 * Reads the stream at `url` on a thread of its own. `options` and `listener`: as for `LiveStream`; `failed` is called when the thread fails,
 * `audioFailed` when audio cannot be decoded.
 */
export class Receiver {
  #thread;
  #source;

  constructor(url, options, listener) {
    this.#source = [url, options];
    this.#thread = new Worker("receiver-thread.js", { type: "module" });
    this.#thread.onmessage = ({ data: [event, value] }) => {
      if (value?.kind === kinds.video) this.#thread.postMessage(["taken"]);
      listener[event](value);
    };
    this.#thread.onerror = () => listener.failed();
  }

  run() { this.#thread.postMessage(["run", ...this.#source]); }

  /** Drops the connection and opens another. */
  restart() { this.#thread.postMessage(["restart"]); }

  /** Ends the stream for good. */
  stop() { this.#thread.terminate(); }

  /** Decodes `track`, one of the description's, and sends its samples to `port` instead of to the page. */
  play(track, port) { this.#thread.postMessage(["play", track, port], [port]); }

  /** Stops decoding audio. */
  silence() { this.#thread.postMessage(["silence"]); }
}
