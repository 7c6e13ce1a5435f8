// @ts-check
// The recording as a strip of pictures with its waveform, and on it the position and the two ends of a cut.
import { attempt, hint, make, messageOf, setText } from "../shared/elements.js";
import { follow, within } from "../shared/pointer.js";
import { get } from "../shared/session.js";
import { precise } from "../words/format.js";
import { say } from "../words/words.js";
import { Cut } from "./cut.js";
import { pathOf } from "./recordings.js";

// CSS pixels.
const stripHeight = 56;
const waveHeight = 36;

/** @typedef {CutEnd | "position"} HandleName */
/** @type {HandleName[]} */
const handleNames = ["position", "from", "to"];

export class Timeline {
  #playback;
  #changed;
  #cut;
  /** @type {Recording | undefined} */
  #recording;
  // The cuts of recordings shown before, by their versions: another name keeps the cut.
  /** @type {Map<string, number[]>} */
  #cuts = new Map();
  /** @type {ImageBitmap[]} */
  #images = [];
  /** @type {number[]} */
  #peaks = [];
  #canvas = make("canvas", { "aria-hidden": "true" });
  #hint = hint();
  #outside = ["before", "after"].map((side) => make(`div.outside.${side}`));
  /** @type {Map<HandleName, HTMLElement>} */
  #handles = new Map();
  /** @type {Promise<unknown>} */
  #moving = Promise.resolve();
  element;

  /**
   * `changed` is called when the cut changes.
   * @param {Player} playback
   * @param {() => void} changed
   */
  constructor(playback, changed) {
    this.#playback = playback;
    this.#cut = new Cut(playback.frame);
    this.#changed = changed;
    for (const name of handleNames) {
      this.#handles.set(name, make(`div.handle.${name}`, {
        role: "slider", tabindex: 0, "aria-label": say(`cut.${name}`), "aria-valuemin": 0,
        keydown: (event) => name !== "position" && this.#key(event, name),
      }));
    }
    this.element = make(
      "div.timeline", { role: "group", "aria-label": say("timeline"), pointerdown: (event) => this.#drag(event) },
      this.#canvas, ...this.#outside, this.#hint, ...this.#handles.values());
    new ResizeObserver(() => this.#draw()).observe(this.element);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.#draw());
  }

  /** As the cut's. */
  get isCut() { return this.#cut.isCut; }
  get from() { return this.#cut.from; }
  get to() { return this.#cut.to; }

  /**
   * Shows a recording, with its cut if it was shown before. `load` has to follow.
   * @param {Recording} recording
   */
  open(recording) {
    if (this.#recording) this.#cuts.set(this.#recording.version, [this.from, this.to]);
    this.#recording = recording;
    this.#cut.open(recording.duration ?? 0, this.#cuts.get(recording.version));
    this.#images = [];
    this.#peaks = [];
    setText(this.#hint, say("loadingStrip"));
    this.#draw();
    this.update();
    this.#changed();
  }

  /** @param {Recording} recording The same one with another name; what is being read has the old one. */
  follow(recording) {
    this.#recording = recording;
    if (this.#hint.textContent) this.load();
  }

  /** Shows the strip, or why there is none. Two decoders at once would delay the picture. */
  async load() {
    const recording = this.#recording;
    if (recording?.state !== "finished") return;
    const parts = await Promise.allSettled([this.#loadWaveform(recording), this.#loadStrip(recording)]);
    const failed = parts.find(({ status }) => status === "rejected");
    if (recording === this.#recording) setText(this.#hint, failed ? messageOf(/** @type {PromiseRejectedResult} */ (failed).reason) : "");
  }

  /** @param {Recording} recording */
  async #loadStrip(recording) {
    const { images } = await get(`${pathOf(recording)}/strip`);
    const loaded = await Promise.all(images.map(({ jpeg }) => {
      const bytes = Uint8Array.from(atob(jpeg), (character) => character.charCodeAt(0));
      return createImageBitmap(new Blob([bytes], { type: "image/jpeg" }));
    }));
    if (recording !== this.#recording) return;
    this.#images = loaded;
    this.#draw();
  }

  /** @param {Recording} recording */
  async #loadWaveform(recording) {
    if (!recording.hasAudio) return;
    const { peaks } = await get(`${pathOf(recording)}/waveform`);
    if (recording !== this.#recording) return;
    this.#peaks = peaks;
    this.#draw();
  }

  #draw() {
    const width = this.element.clientWidth;
    if (!width) return;
    const height = stripHeight + (this.#peaks.length ? waveHeight : 0);
    const scale = devicePixelRatio;
    [this.#canvas.width, this.#canvas.height] = [width * scale, height * scale];
    this.element.style.height = `${height}px`;
    const sheet = /** @type {CanvasRenderingContext2D} */ (this.#canvas.getContext("2d"));
    sheet.scale(scale, scale);
    const step = width / this.#images.length;
    this.#images.forEach((image, index) => {
      // The middle of each picture fills its place.
      const fit = Math.max(step / image.width, stripHeight / image.height);
      const [wide, tall] = [step / fit, stripHeight / fit];
      sheet.drawImage(
        image, (image.width - wide) / 2, (image.height - tall) / 2, wide, tall, index * step, 0, step, stripHeight);
    });
    sheet.fillStyle = getComputedStyle(this.element).color;
    const bar = width / this.#peaks.length;
    this.#peaks.forEach((peak, index) => {
      const tall = Math.max(1, peak / 255 * (waveHeight - 4));
      sheet.fillRect(index * bar, stripHeight + (waveHeight - tall) / 2, Math.max(1, bar - 0.5), tall);
    });
  }

  /** Shows the position and the cut. */
  update() {
    const { duration, from, to } = this.#cut;
    const values = { position: this.#playback.time, from, to };
    /** @param {number} value */
    const percent = (value) => `${duration ? value / duration * 100 : 0}%`;
    for (const [name, handle] of this.#handles) {
      handle.style.left = percent(values[name]);
      handle.ariaValueMax = duration.toFixed(3);
      handle.ariaValueNow = values[name].toFixed(3);
      handle.ariaValueText = precise(values[name]);
    }
    this.#outside[0].style.width = percent(from);
    this.#outside[1].style.width = percent(duration - to);
  }

  /** Begins the cut with the frame that is shown. */
  async setFrom() {
    await this.#cut.beginAt(this.#playback.time);
    this.#show();
  }

  /** Ends the cut after the frame that is shown. */
  async setTo() {
    await this.#cut.endAfter(this.#playback.time);
    this.#show();
  }

  clear() {
    this.#cut.clear();
    this.#show();
  }

  #show() {
    this.update();
    this.#changed();
  }

  /**
   * Shows the end that was moved, and its frame.
   * @param {CutEnd} name
   */
  async #showEnd(name) {
    this.#show();
    await this.#playback.move(this.#cut.shown(name));
  }

  /** @param {KeyboardEvent} event @param {CutEnd} name */
  #key(event, name) {
    const direction = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 }[event.key] ?? 0;
    const edge = { Home: 0, End: this.#cut.duration }[event.key];
    if ((!direction && edge == null) || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation();
    // A key that is held down begins where the last step ends.
    this.#moving = this.#moving.then(() => attempt(async () => {
      if (edge != null) await this.#cut.moveTo(name, edge);
      else if (event.shiftKey) await this.#cut.moveTo(name, this[name] + direction);
      else await this.#cut.move(name, direction);
      await this.#showEnd(name);
    }));
  }

  /** @param {PointerEvent} event */
  #drag(event) {
    if (event.button) return;
    const target = /** @type {Node} */ (event.target);
    const name = handleNames.find((one) => this.#handles.get(one)?.contains(target)) ?? "position";
    const { left, width } = this.element.getBoundingClientRect();
    /** @param {PointerEvent} event */
    const at = ({ clientX }) => within((clientX - left) / width, 0, 1) * this.#cut.duration;
    let time = at(event);
    this.#handles.get(name)?.focus({ focusVisible: false });
    this.#playback.pause();
    /** @param {PointerEvent} moved */
    const move = (moved) => {
      time = at(moved);
      if (name !== "position") this.#cut.drag(name, time);
      this.#playback.seek(name === "to" ? this.#cut.shown(name) : time);
      this.update();
    };
    follow(this.element, event, move, () => attempt(async () => {
      if (name === "position") return this.#playback.move(time);
      await this.#cut.moveTo(name, this[name]);
      await this.#showEnd(name);
    }));
    if (name === "position") move(event);
  }
}
