// The way with the least delay: every picture is decoded and painted as it comes, or when its sound is heard.
import { SoundPlayer } from "./soundplayer.js";
import { kinds } from "./stream.js";

/** Microseconds by which a picture may be older than the newest that came and still be shown. */
const oldest = 250_000;
/**
 * Microseconds by which a picture may be ahead of its sound. Late sound is noticed from 125 ms on, early sound from 45 (ITU-R
 * BT.1359-1), and what browsers say of their sound's delay is often too much.
 */
const lead = 55_000;
/** A picture waits for its sound no longer than this. Milliseconds. */
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
  #sound;

  /**
   * `fail` is called when decoding cannot go on, `shown` when the first picture of a connection is there; `receiver` is where the
   * stream comes from.
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
    this.#sound = new SoundPlayer(description.sounds, receiver);
    requestAnimationFrame(() => this.#tick());
  }

  get element() { return this.#canvas; }
  /** The picture that is shown: its instant of the take, in microseconds, and when it was painted by the page's clock. */
  get shown() { return this.#last; }
  get hasSound() { return this.#sound.isPossible; }
  get isAudible() { return this.#sound.isOn; }
  setSound(on) { return this.#sound.set(on); }
  setVolume(volume) { this.#sound.setVolume(volume); }
  pause() { this.#sound.clear(); }
  resume() {}

  initialize() {
    this.#hasShown = false;
    this.#needsKeyframe = true;
    this.#newest = -Infinity;
    this.#sound.clear();
  }

  sample(record) {
    if (record.kind !== kinds.video) return;
    if (this.#needsKeyframe && !record.isKeyframe) return;
    // A jump back is another take behind the same link.
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
      // A decoder that has closed by itself says so only here.
      this.#fail(error.message);
    }
  }

  close() {
    if (this.#decoder && this.#decoder.state !== "closed") this.#decoder.close();
    this.#decoder = null;
    for (const { frame } of this.#waiting) frame.close();
    this.#waiting = [];
    this.#sound.close();
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
    if (frame.timestamp < this.#newest - oldest) return frame.close();
    const heard = this.#sound.heard();
    // Nobody sees a hidden page, and there are no repaints that waiting pictures could wait for.
    if (heard === null || document.hidden || frame.timestamp <= heard + lead) return this.#show(frame);
    this.#waiting.push({ frame, until: performance.now() + longestWait });
  }

  /** Shows the newest of the waiting pictures whose sound is heard by now. */
  #tick() {
    if (!this.#decoder) return;
    requestAnimationFrame(() => this.#tick());
    const heard = this.#sound.heard();
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
    const heard = this.#sound.heard();
    if (heard !== null) this.#sound.keepBehind((heard - frame.timestamp) / 1e6);
    this.#paint.drawImage(frame, 0, 0, this.#canvas.width, this.#canvas.height);
    this.#last = { time: frame.timestamp, at: performance.now() };
    frame.close();
    if (!this.#hasShown) this.#shown();
    this.#hasShown = true;
  }
}
