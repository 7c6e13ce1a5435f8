// Reads the stream from the network: splits it into records (see LiveRecord), and reconnects whenever a connection is lost.

export const kinds = {
  description: 0, initialization: 1, video: 2, audioApp: 3, audioMic: 4, state: 5, tick: 6, videoInitialization: 7,
};

const headerBytes = 16;
/** Milliseconds without a byte after which a connection is dead: the server sends something at least once a second. */
const silenceLimit = 4000;
const firstDelay = 150;
const longestDelay = 2000;
/** Bytes of the largest record; a larger one means that the bytes are no such stream. */
export const recordLimit = 64 << 20;

/** Splits bytes, in whatever pieces they arrive, into records. */
export class RecordReader {
  #pieces = [];
  #length = 0;

  /** Calls `deliver` with each record that `bytes` complete. */
  push(bytes, deliver) {
    this.#pieces.push(bytes);
    this.#length += bytes.length;
    while (this.#length >= 4) {
      if (this.#pieces[0].length < 4) this.#join();
      const first = this.#pieces[0];
      const size = 4 + new DataView(first.buffer, first.byteOffset, 4).getUint32(0);
      if (size < headerBytes || size > recordLimit) throw new Error(`a record of ${size} bytes`);
      if (this.#length < size) return;
      if (this.#pieces[0].length < size) this.#join();
      const all = this.#pieces[0];
      this.#pieces[0] = all.subarray(size);
      if (this.#pieces[0].length === 0) this.#pieces.shift();
      this.#length -= size;
      deliver(RecordReader.#record(all.subarray(0, size)));
    }
  }

  #join() {
    const joined = new Uint8Array(this.#length);
    let offset = 0;
    for (const piece of this.#pieces) {
      joined.set(piece, offset);
      offset += piece.length;
    }
    this.#pieces = [joined];
  }

  static #record(bytes) {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    const unit = view.getUint16(6);
    if (unit > bytes.length) throw new Error("an access unit beyond its record");
    return {
      kind: view.getUint8(4),
      isKeyframe: (view.getUint8(5) & 1) !== 0,
      /** Microseconds on the take's timeline. */
      time: Number(view.getBigInt64(8)),
      content: bytes.subarray(headerBytes),
      accessUnit: unit >= headerBytes ? bytes.subarray(unit) : null,
    };
  }
}

/** Statuses of HTTP: the stream does not exist, or no longer, as for an old token; the server has no room for another viewer. */
const [gone, full] = [404, 503];

/**
 * Reads `url` until it is stopped. `options`: of `fetch`; `ready`, if there, is awaited before each connection. `listener.record` gets each record, `listener.lost` is called when a connection was lost
 * (`isAsked`: `restart` dropped it; `isFull`: the server has no room), and `listener.gone` when the server knows no such stream,
 * which ends it.
 */
export class LiveStream {
  #url;
  #options;
  #listener;
  #stopped = false;
  /** Aborts the current connection; null between two. */
  #abort = null;
  #isAsked = false;

  constructor(url, options, listener) {
    this.#url = url;
    this.#options = options;
    this.#listener = listener;
  }

  async run() {
    let delay = firstDelay;
    while (!this.#stopped) {
      const began = performance.now();
      let isFull = false;
      this.#isAsked = false;
      try {
        await this.#read();
      } catch (error) {
        if (error.status === gone && !this.#stopped) return this.#listener.gone();
        // Any other failure has the same remedy: connect again.
        isFull = error.status === full;
      }
      if (this.#stopped) return;
      this.#listener.lost({ isAsked: this.#isAsked, isFull });
      if (performance.now() - began > 3000) delay = firstDelay;
      await new Promise((resolve) => setTimeout(resolve, delay));
      delay = Math.min(delay * 2, longestDelay);
    }
  }

  /** Drops the connection, if there is one; `run` opens another. */
  restart() {
    this.#isAsked = this.#abort !== null;
    this.#abort?.abort();
  }

  /** Ends the stream for good. */
  stop() {
    this.#stopped = true;
    this.#abort?.abort();
  }

  async #read() {
    const abort = new AbortController();
    this.#abort = abort;
    let timer = setTimeout(() => abort.abort(), silenceLimit);
    try {
      await this.#options.ready?.();
      const response = await fetch(this.#url, {
        credentials: "omit",
        ...this.#options,
        signal: abort.signal,
        cache: "no-store",
      });
      if (!response.ok || !response.body) throw Object.assign(new Error("refused"), { status: response.status });
      const source = response.body.getReader();
      const records = new RecordReader();
      for (;;) {
        const { done, value } = await source.read();
        if (done) return;
        clearTimeout(timer);
        timer = setTimeout(() => abort.abort(), silenceLimit);
        records.push(value, (record) => { if (!abort.signal.aborted) this.#listener.record(record); });
      }
    } finally {
      this.#abort = null;
      clearTimeout(timer);
      abort.abort();
    }
  }
}
