// @ts-check
// The two ends of a cut, which are where frames begin. Only a request says where that is; `frame` makes it.
import { stillStep } from "./seek.js";

/** Seconds: less than any frame. */
const least = 0.001;

export class Cut {
  /** Seconds. The cut ends before `to`. */
  from = 0;
  to = 0;
  duration = 0;
  #frame;

  /**
   * `frame` returns the beginning of the frame that is so many frames, or none, away from the one at a time.
   * @param {(time: number, frames?: number) => Promise<number>} frame
   */
  constructor(frame) { this.#frame = frame; }

  /** Whether something is cut away. */
  get isCut() { return this.from > 0 || this.to < this.duration; }

  /**
   * Shows a recording, with ends that were set before.
   * @param {number} duration
   * @param {number[]} [ends]
   */
  open(duration, ends = [0, duration]) {
    this.duration = duration;
    [this.from, this.to] = ends;
  }

  /**
   * Sets both ends. If they cross, the one that was not set goes back to the recording's.
   * @param {number} from
   * @param {number} to
   */
  set(from, to) {
    if (from >= to) [from, to] = from === this.from ? [0, to] : [from, this.duration];
    [this.from, this.to] = [from, to];
  }

  clear() { this.set(0, this.duration); }

  /**
   * Begins the cut with the frame at a time.
   * @param {number} time
   */
  async beginAt(time) { this.set(await this.#frame(time), this.to); }

  /**
   * Ends the cut after the frame at a time.
   * @param {number} time
   */
  async endAfter(time) { this.set(this.from, await this.#after(time)); }

  /**
   * Moves one end by frames, and keeps at least one frame in the cut.
   * @param {CutEnd} name
   * @param {number} frames
   */
  async move(name, frames) {
    const value = this[name];
    let moved;
    if (name === "to" && frames > 0) moved = await this.#after(value, frames);
    // The recording's end is no frame's beginning.
    else if (value >= this.duration) moved = await this.#frame(value, frames + 1);
    else moved = await this.#frame(value, frames);
    await this.#try(name, moved);
  }

  /**
   * Moves one end to the frame at a time, as `move`.
   * @param {CutEnd} name
   * @param {number} time
   */
  async moveTo(name, time) {
    const isEnd = name === "to" && time >= this.duration;
    await this.#try(name, isEnd ? this.duration : await this.#frame(Math.min(Math.max(0, time), this.duration)));
  }

  /**
   * Follows a pointer, anywhere between frames. `moveTo` has to follow.
   * @param {CutEnd} name
   * @param {number} time
   */
  drag(name, time) {
    if (name === "from") this.from = Math.min(time, this.to - least);
    else this.to = Math.max(time, this.from + least);
  }

  /**
   * The time of the frame at an end of the cut. Its last frame begins before its end.
   * @param {CutEnd} name
   */
  shown(name) { return name === "from" ? this.from : this.to - least; }

  /**
   * The end of the frame at a time.
   * @param {number} time
   */
  async #after(time, frames = 1) {
    const next = await this.#frame(time, frames);
    const end = next > time ? next : this.duration;
    return frames === 1 && end - time > stillStep * 1.5 ? await this.#frame(time) + stillStep : end;
  }

  /** @param {CutEnd} name @param {number} value */
  async #try(name, value) {
    if (name === "from") this.from = value < this.to ? value : await this.#frame(this.to - least);
    else this.to = value > this.from ? value : await this.#after(this.from);
  }
}
