// Plays by WebCodecs, with the least delay: decodes each frame and paints it at once, or when its audio is heard.
import { AudioPlayer } from "./audioplayer.js";
import { kinds } from "./stream.js";

/** Microseconds: a decoded frame that is older than the newest received by more than this is not shown. */
const longestLag = 250_000;
/**
 * Microseconds by which a frame may be ahead of its audio. Late audio is noticed from 125 ms on, early audio from 45 (ITU-R
 * BT.1359-1), and the audio delay that browsers report is often too long.
 */
const lead = 55_000;
/** Milliseconds that a frame waits for its audio at most. */
const longestWait = 400;

export class DecodingPlayer {
  static name = "webcodecs";

  static async supports(description) {
    if (!isSecureContext || !("VideoDecoder" in self) || !description.video) return false;
    const result = await VideoDecoder.isConfigSupported(DecodingPlayer.#configuration(description.video));
    return result.supported === true;
  }

  static #configuration(video) {
    return {
      codec: video.codec,
      description: new Uint8Array(video.description),
      codedWidth: video.width,
      codedHeight: video.height,
      optimizeForLatency: true,
    };
  }

  #canvas;
  #paint;
  #fail;
  #shown;
  #hasShown = false;
  #last = null;
  #video;
  #decoder = null;
  #needsKeyframe = true;
  #newest = -Infinity;
  #waiting = [];
  #audio;

  /**
   * `fail` is called when decoding cannot go on, `shown` when the first frame of a connection is shown; `receiver` is the `Receiver`
   * that delivers the stream.
   */
  constructor(canvas, description, { fail, shown, receiver }) {
    this.#canvas = canvas;
    this.#fail = fail;
    this.#shown = shown;
    this.#video = description.video;
    canvas.hidden = false;
    canvas.width = description.video.width;
    canvas.height = description.video.height;
    this.#paint = canvas.getContext("2d", { alpha: false, desynchronized: true });
    this.#open();
    this.#audio = new AudioPlayer(description.audio, receiver);
    requestAnimationFrame(() => this.#tick());
  }

  get element() { return this.#canvas; }
  /** The shown frame's instant of the take, in microseconds, and the time by the page's clock at which it was painted. */
  get shown() { return this.#last; }
  get hasAudio() { return this.#audio.isPossible; }
  get isAudible() { return this.#audio.isOn; }
  setAudio(on) { return this.#audio.set(on); }
  setVolume(volume) { this.#audio.setVolume(volume); }
  pause() { this.#audio.clear(); }
  resume() {}

  initialize() {
    this.#hasShown = false;
    this.#needsKeyframe = true;
    this.#newest = -Infinity;
    this.#audio.clear();
  }

  sample(record) {
    if (record.kind !== kinds.video) return;
    if (this.#needsKeyframe && !record.isKeyframe) return;
    // A decoder that is far behind is replaced, which only a keyframe allows.
    if (record.isKeyframe && this.#decoder.decodeQueueSize > 30) this.#open();
    this.#needsKeyframe = false;
    this.#newest = record.time;
    try {
      this.#decoder.decode(
        new EncodedVideoChunk({
          type: record.isKeyframe ? "key" : "delta",
          timestamp: record.time,
          data: record.accessUnit,
        }),
      );
    } catch (error) {
      // A decoder that has closed itself reports it only here.
      this.#fail(error.message);
    }
  }

  close() {
    if (this.#decoder && this.#decoder.state !== "closed") this.#decoder.close();
    this.#decoder = null;
    for (const { frame } of this.#waiting) frame.close();
    this.#waiting = [];
    this.#audio.close();
    this.#canvas.hidden = true;
  }

  #open() {
    if (this.#decoder && this.#decoder.state !== "closed") this.#decoder.close();
    this.#needsKeyframe = true;
    const decoder = new VideoDecoder({
      output: (frame) => this.#decoded(frame),
      error: (error) => { if (decoder === this.#decoder) this.#fail(error.message); },
    });
    this.#decoder = decoder;
    decoder.configure(DecodingPlayer.#configuration(this.#video));
  }

  #decoded(frame) {
    if (frame.timestamp < this.#newest - longestLag) return frame.close();
    const heard = this.#audio.heard();
    // A hidden page is not repainted, so a frame that waited for a repaint would wait for ever.
    if (heard === null || document.hidden || frame.timestamp <= heard + lead) return this.#show(frame);
    this.#waiting.push({ frame, until: performance.now() + longestWait });
  }

  /** Shows the newest of the waiting frames whose audio has been heard. */
  #tick() {
    if (!this.#decoder) return;
    requestAnimationFrame(() => this.#tick());
    const heard = this.#audio.heard();
    const now = performance.now();
    let due = -1;
    this.#waiting.forEach(({ frame, until }, index) => {
      if (heard === null || frame.timestamp <= heard + lead || now >= until) due = index;
    });
    if (due < 0) return;
    const shown = this.#waiting.splice(0, due + 1);
    for (const { frame } of shown.slice(0, -1)) frame.close();
    this.#show(shown[shown.length - 1].frame);
  }

  #show(frame) {
    while (this.#waiting.length > 0 && this.#waiting[0].frame.timestamp <= frame.timestamp) {
      this.#waiting.shift().frame.close();
    }
    const heard = this.#audio.heard();
    if (heard !== null) this.#audio.noteLead((heard - frame.timestamp) / 1e6);
    this.#paint.drawImage(frame, 0, 0, this.#canvas.width, this.#canvas.height);
    this.#last = { time: frame.timestamp, at: performance.now() };
    frame.close();
    if (!this.#hasShown) this.#shown();
    this.#hasShown = true;
  }
}
