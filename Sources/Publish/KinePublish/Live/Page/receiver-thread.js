// Receives the stream on a thread of its own. Frames go to the page; audio is decoded here and goes straight to the audio
// worklet, so that it does not wait for a page that is painting.
import { LiveStream, kinds } from "./stream.js";

/** Failures in a row without a result, after which decoding is given up. */
const mostFailures = 5;

/** Decodes one audio track's access units. */
class TrackDecoder {
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
    if (this.#failures === mostFailures) postMessage({ audioFailed: error.message || error.name });
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

/** Audio tracks that are decoded, by the kind of their records. */
const decoders = new Map();

/** Milliseconds that a frame waits for the page at most: on a slow computer, each further frame would be shown later still. */
const longestWait = 1000;
/** When the frames were sent that the page has not taken yet. */
const waiting = [];
let isSkipping = false;

/** Whether the page gets this frame. When it has missed one, it goes on with a keyframe. */
function fits(record) {
  if (waiting.length > 0 && performance.now() - waiting[0] > longestWait) isSkipping = true;
  else if (record.isKeyframe) isSkipping = false;
  return !isSkipping;
}

/** Notes that the page has taken a frame. */
function taken() {
  waiting.shift();
  if (!isSkipping || waiting.length > 0) return;
  // A screen that stands still has no next keyframe; a new connection begins with one.
  setTimeout(() => { if (isSkipping) stream.restart(); }, longestWait);
}

const listener = {
  record(record) {
    const decoder = decoders.get(record.kind);
    if (decoder) return decoder.decode(record);
    if (record.kind === kinds.initialization) decoders.forEach((decoder) => decoder.clear());
    if (record.kind === kinds.video) {
      if (!fits(record)) return;
      waiting.push(performance.now());
    }
    // A copy, whose memory can be transferred: the bytes around it belong to other records.
    const content = record.content.slice();
    const unit = record.accessUnit && content.subarray(record.accessUnit.byteOffset - record.content.byteOffset);
    postMessage({ record: { ...record, content, accessUnit: unit } }, [content.buffer]);
  },
  lost(how) {
    waiting.length = 0;
    isSkipping = false;
    postMessage({ lost: how });
  },
  gone() { postMessage({ gone: true }); },
};

let stream = null;

onmessage = ({ data }) => {
  if (data.run) {
    stream = new LiveStream(data.run.url, data.run.options, listener);
    stream.run();
  } else if (data.taken) {
    taken();
  } else if (data.restart) {
    stream.restart();
  } else if (data.play) {
    decoders.set(data.play.kind, new TrackDecoder(data.play, data.port));
  } else if (data.silence) {
    decoders.forEach((decoder) => decoder.close());
    decoders.clear();
  }
};
