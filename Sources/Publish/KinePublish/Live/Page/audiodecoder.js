// Decodes one audio track for the receiving thread, which loads this once audio is played.

/** Failures in a row without a result, after which decoding is given up. */
const mostFailures = 5;

/** Decodes a track's access units, and sends the samples to a port. */
export class TrackDecoder {
  #track;
  #port;
  #decoder = null;
  #failures = 0;

  constructor(track, port) {
    this.#track = track;
    this.#port = port;
  }

  decode(record) {
    if (this.#failures >= mostFailures) return;
    try {
      if (!this.#decoder || this.#decoder.state === "closed") this.#open();
      this.#decoder.decode(new EncodedAudioChunk({ type: "key", timestamp: record.time, data: record.accessUnit }));
    } catch (error) {
      this.#failed(error);
    }
  }

  /** Called when the next access unit does not continue the previous one. */
  clear() { this.#port.postMessage("clear"); }

  close() {
    if (this.#decoder && this.#decoder.state !== "closed") this.#decoder.close();
    this.#port.close();
  }

  /** The next access unit opens another decoder, until there have been too many failures. */
  #failed(error) {
    this.#decoder = null;
    this.#failures += 1;
    if (this.#failures === mostFailures) postMessage(["audioFailed", error.message || error.name]);
  }

  #open() {
    this.#decoder = new AudioDecoder({
      output: (data) => {
        this.#failures = 0;
        const channels = [];
        for (let channel = 0; channel < data.numberOfChannels; channel += 1) {
          const samples = new Float32Array(data.numberOfFrames);
          data.copyTo(samples, { planeIndex: channel, format: "f32-planar" });
          channels.push(samples);
        }
        const block = { channels, time: data.timestamp, rate: data.sampleRate };
        data.close();
        this.#port.postMessage(block, channels.map((samples) => samples.buffer));
      },
      error: (error) => this.#failed(error),
    });
    this.#decoder.configure({
      codec: this.#track.codec,
      description: new Uint8Array(this.#track.description),
      sampleRate: this.#track.sampleRate,
      numberOfChannels: this.#track.channels,
    });
  }
}
