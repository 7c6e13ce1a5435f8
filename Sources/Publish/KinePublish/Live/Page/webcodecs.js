// Plays by WebCodecs, with the least delay: decodes each frame and paints it at once, or when its audio is heard.
import { kinds } from "./stream.js";

/** Microseconds: a decoded frame that is older than the newest received by more than this is not shown. */
const longestLag = 250_000;

export class DecodingPlayer {
  static name = "webcodecs";

  static async supports(description) {
    if (!description.video) return false;
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
  #audio;

  /**
   * `fail` is called when decoding cannot go on, `shown` when the first frame of a connection is shown; `receiver` is the `Receiver`
   * that delivers the stream. Without `AudioPlayer` (audioplayer.js), there is no audio.
   */
  constructor(canvas, description, { fail, shown, receiver, AudioPlayer }) {
    this.#canvas = canvas;
    this.#fail = fail;
    this.#shown = shown;
    this.#video = description.video;
    canvas.hidden = false;
    canvas.width = description.video.width;
    canvas.height = description.video.height;
    this.#paint = canvas.getContext("2d", { alpha: false, desynchronized: true });
    this.#open();
    this.#audio = AudioPlayer && new AudioPlayer(description.audio, receiver, (frame) => this.#show(frame));
  }

  get element() { return this.#canvas; }
  /** The shown frame's instant of the take, in microseconds, and the time by the page's clock at which it was painted. */
  get shown() { return this.#last; }
  get hasAudio() { return this.#audio?.isPossible ?? false; }
  get isAudible() { return this.#audio?.isOn ?? false; }
  setAudio(on) { return this.#audio?.set(on); }
  setVolume(volume) { this.#audio?.setVolume(volume); }
  pause() { this.#audio?.clear(); }
  resume() {}

  initialize() {
    this.#hasShown = false;
    this.#needsKeyframe = true;
    this.#newest = -Infinity;
    this.#audio?.clear();
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
    this.#audio?.close();
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
    if (!this.#audio?.holds(frame)) this.#show(frame);
  }

  #show(frame) {
    this.#audio?.shows(frame);
    this.#paint.drawImage(frame, 0, 0, this.#canvas.width, this.#canvas.height);
    this.#last = { time: frame.timestamp, at: performance.now() };
    frame.close();
    if (!this.#hasShown) this.#shown();
    this.#hasShown = true;
  }
}
