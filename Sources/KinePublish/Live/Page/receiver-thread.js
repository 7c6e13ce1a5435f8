// Receives the stream on a thread of its own. Pictures go to the page; sound is decoded here and goes straight to the sound
// thread, so that it does not wait for a page that paints.
import { LiveStream, kinds } from "./stream.js";

/** A decoder that failed so often without a result will not do better the next time. */
const mostFailures = 5;

/** Decodes one sound's access units. */
class SoundDecoder {
  #sound;
  #port;
  #decoder = null;
  #failures = 0;

  constructor(sound, port) {
    this.#sound = sound;
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

  /** What comes next does not follow what came. */
  clear() { this.#port.postMessage("clear"); }

  close() {
    if (this.#decoder && this.#decoder.state !== "closed") this.#decoder.close();
    this.#port.close();
  }

  /** The next access unit opens another decoder, until it has been tried often enough. */
  #failed(error) {
    this.#decoder = null;
    this.#failures += 1;
    if (this.#failures === mostFailures) postMessage({ soundFailed: error.message || error.name });
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
      codec: this.#sound.codec,
      description: new Uint8Array(this.#sound.description),
      sampleRate: this.#sound.sampleRate,
      numberOfChannels: this.#sound.channels,
    });
  }
}

/** By the kind of their records. */
const decoders = new Map();

const listener = {
  record(record) {
    const decoder = decoders.get(record.kind);
    if (decoder) return decoder.decode(record);
    if (record.kind === kinds.initialization) decoders.forEach((decoder) => decoder.clear());
    // A copy, which can be handed over: the bytes around it belong to other records.
    const content = record.content.slice();
    const unit = record.accessUnit && content.subarray(record.accessUnit.byteOffset - record.content.byteOffset);
    postMessage({ record: { ...record, content, accessUnit: unit } }, [content.buffer]);
  },
  lost(how) { postMessage({ lost: how }); },
  gone() { postMessage({ gone: true }); },
};

let stream = null;

onmessage = ({ data }) => {
  if (data.run) {
    stream = new LiveStream(data.run.url, data.run.headers, listener);
    stream.run();
  } else if (data.restart) {
    stream.restart();
  } else if (data.play) {
    decoders.set(data.play.kind, new SoundDecoder(data.play, data.port));
  } else if (data.silence) {
    decoders.forEach((decoder) => decoder.close());
    decoders.clear();
  }
};
