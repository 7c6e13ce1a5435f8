// The recording as a strip of pictures with its waveform, and on it the position and the two ends of a cut.
import { attempt, hint, make, setText } from "../shared/elements.js";
import { follow, within } from "../shared/pointer.js";
import { stillStep } from "./playback.js";
import { pathOf, precise } from "./recordings.js";
import { get } from "../shared/session.js";
import { say } from "../words/words.js";

// CSS pixels.
const stripHeight = 56;
const waveHeight = 36;
// Seconds: less than any frame.
const least = 0.001;

export class Timeline {
  /** Seconds. The cut ends before `to`. */
  from = 0;
  to = 0;
  #playback;
  #changed;
  #duration = 0;
  #recording;
  // The cuts of recordings shown before.
  #cuts = new Map();
  #images = [];
  #peaks = [];
  #canvas = make("canvas", { "aria-hidden": "true" });
  #hint = hint();
  #outside = ["before", "after"].map((side) => make(`div.outside.${side}`));
  #handles = {};
  #moving = Promise.resolve();
  element;

  /** `changed` is called when the cut changes. */
  constructor(playback, changed) {
    this.#playback = playback;
    this.#changed = changed;
    for (const name of ["position", "from", "to"]) {
      this.#handles[name] = make(`div.handle.${name}`, {
        role: "slider", tabindex: 0, "aria-label": say(`cut.${name}`), "aria-valuemin": 0,
        keydown: (event) => name !== "position" && this.#key(event, name),
      });
    }
    this.element = make(
      "div.timeline", { role: "group", "aria-label": say("timeline"), pointerdown: (event) => this.#drag(event) },
      this.#canvas, ...this.#outside, this.#hint, ...Object.values(this.#handles));
    new ResizeObserver(() => this.#draw()).observe(this.element);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.#draw());
  }

  /** Whether something is cut away. */
  get isCut() { return this.from > 0 || this.to < this.#duration; }

  /** Shows a recording, with its cut if it was shown before. `load` has to follow. */
  open(recording) {
    const key = ({ id, version }) => `${id} ${version}`;
    if (this.#recording) this.#cuts.set(key(this.#recording), [this.from, this.to]);
    this.#recording = recording;
    this.#duration = recording.duration ?? 0;
    [this.from, this.to] = this.#cuts.get(key(recording)) ?? [0, this.#duration];
    this.#images = [];
    this.#peaks = [];
    setText(this.#hint, say("loadingStrip"));
    this.#draw();
    this.update();
    this.#changed();
  }

  /** Shows the strip, or why there is none. Two decoders at once would delay the picture. */
  async load() {
    const recording = this.#recording;
    const parts = await Promise.allSettled([this.#loadWaveform(recording), this.#loadStrip(recording)]);
    if (recording === this.#recording) setText(this.#hint, parts.find(({ reason }) => reason)?.reason.message ?? "");
  }

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
    const sheet = this.#canvas.getContext("2d");
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
    const values = { position: this.#playback.time, from: this.from, to: this.to };
    const percent = (value) => `${this.#duration ? value / this.#duration * 100 : 0}%`;
    for (const [name, handle] of Object.entries(this.#handles)) {
      handle.style.left = percent(values[name]);
      handle.ariaValueMax = this.#duration.toFixed(3);
      handle.ariaValueNow = values[name].toFixed(3);
      handle.ariaValueText = precise(values[name]);
    }
    this.#outside[0].style.width = percent(this.from);
    this.#outside[1].style.width = percent(this.#duration - this.to);
  }

  /** Begins the cut with the frame that is shown. */
  async setFrom() { this.#set(await this.#playback.frame(this.#playback.time), this.to); }

  /** Ends the cut after the frame that is shown. */
  async setTo() { this.#set(this.from, await this.#after(this.#playback.time)); }

  clear() { this.#set(0, this.#duration); }

  #set(from, to) {
    // If the ends cross, the other end is reset.
    if (from >= to) [from, to] = from === this.from ? [0, to] : [from, this.#duration];
    [this.from, this.to] = [from, to];
    this.update();
    this.#changed();
  }

  /** The end of the frame at a time. */
  async #after(time, frames = 1) {
    const next = await this.#playback.frame(time, frames);
    const end = next > time ? next : this.#duration;
    return frames === 1 && end - time > stillStep * 1.5 ? await this.#playback.frame(time) + stillStep : end;
  }

  async #move(name, frames) {
    const playback = this.#playback;
    const value = this[name];
    let moved;
    if (name === "to" && frames > 0) moved = await this.#after(value, frames);
    // The recording's end is no frame's beginning.
    else if (value >= this.#duration) moved = await playback.frame(value, frames + 1);
    else moved = await playback.frame(value, frames);
    await this.#try(name, moved);
  }

  async #moveTo(name, time) {
    const end = this.#duration;
    const isEnd = name === "to" && time >= end;
    await this.#try(name, isEnd ? end : await this.#playback.frame(Math.min(Math.max(0, time), end)));
  }

  /** Moves one end of the cut, keeps at least one frame in it, and shows that end's frame. */
  async #try(name, value) {
    if (name === "from") this.from = value < this.to ? value : await this.#playback.frame(this.to - least);
    else this.to = value > this.from ? value : await this.#after(this.from);
    this.update();
    this.#changed();
    await this.#playback.move(name === "from" ? this.from : this.to - least);
  }

  #key(event, name) {
    const direction = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 }[event.key];
    const edge = { Home: 0, End: this.#duration }[event.key];
    if ((!direction && edge == null) || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation();
    // A key that is held down begins where the last step ends.
    this.#moving = this.#moving.then(() => attempt(() => {
      if (edge != null) return this.#moveTo(name, edge);
      return event.shiftKey ? this.#moveTo(name, this[name] + direction) : this.#move(name, direction);
    }));
  }

  #drag(event) {
    if (event.button) return;
    const name = Object.keys(this.#handles).find((one) => this.#handles[one].contains(event.target)) ?? "position";
    const { left, width } = this.element.getBoundingClientRect();
    const at = ({ clientX }) => within((clientX - left) / width, 0, 1) * this.#duration;
    let time = at(event);
    this.#handles[name].focus({ focusVisible: false });
    this.#playback.pause();
    const move = (moved) => {
      time = at(moved);
      if (name === "from") this.from = Math.min(time, this.to - least);
      if (name === "to") this.to = Math.max(time, this.from + least);
      this.#playback.seek(name === "to" ? this.to - least : time);
      this.update();
    };
    follow(this.element, event, move, () =>
      attempt(() => name === "position" ? this.#playback.move(time) : this.#moveTo(name, this[name])));
    if (name === "position") move(event);
  }
}
