// The page's end of the thread that receives: see receiver-thread.js.

/**
 * Reads the stream at `url` on a thread of its own. `listener`: as for `LiveStream`; `failed` is called on the thread's errors,
 * `soundFailed` when sound cannot be decoded.
 */
export class Receiver {
  #thread;
  #source;

  constructor(url, headers, listener) {
    this.#source = { url, headers };
    this.#thread = new Worker("receiver-thread.js", { type: "module" });
    this.#thread.onmessage = ({ data }) => {
      if (data.record) listener.record(data.record);
      else if (data.gone) listener.gone();
      else if (data.soundFailed) listener.soundFailed(data.soundFailed);
      else if (data.lost) listener.lost(data.lost);
    };
    this.#thread.onerror = () => listener.failed();
  }

  run() { this.#thread.postMessage({ run: this.#source }); }

  /** Drops the connection; another is opened. */
  restart() { this.#thread.postMessage({ restart: true }); }

  /** Ends it for good. */
  stop() { this.#thread.terminate(); }

  /** Has the samples of `sound`, an entry of the stream's description, decoded and sent to `port` instead of to the page. */
  play(sound, port) { this.#thread.postMessage({ play: sound, port }, [port]); }

  /** No sound is decoded any more. */
  silence() { this.#thread.postMessage({ silence: true }); }
}
