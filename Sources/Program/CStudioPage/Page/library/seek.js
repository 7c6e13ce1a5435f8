// @ts-check
// Which frame of a recording is to be shown, and where its video has to be for that. Knows neither the video nor the server:
// what happens to them comes in, and what is returned says what to do next. Times and positions are in seconds.

// Seconds after a frame's beginning, so that rounding leads to no other frame.
const within = 0.0005;
/** Seconds. A picture that stands still for longer is one frame; the server gives the times within it in such steps. */
export const stillStep = 0.1;

/** @template File */
export class SeekMachine {
  /**
   * What is open; undefined: nothing.
   * @type {File | undefined}
   */
  file;
  /** While it is paused, where the frame that is shown begins, or a time within a still picture. */
  time = 0;
  duration = 0;
  // The frame that was shown last, where the browser says so.
  /** @type {number | undefined} */
  #shown;
  // Where playing ends; infinite: with the recording.
  #end = Infinity;
  // The next position, while a seek runs.
  /** @type {number | undefined} */
  #wanted;
  // Frames that the person has asked for, but that the server has not found yet.
  #steps = 0;
  #isStepping = false;

  /**
   * A file is opened in place of another. Returns the position to begin at.
   * @param {File} file
   * @param {number} duration
   * @param {number} time
   */
  open(file, duration, time) {
    this.close();
    [this.file, this.duration, this.time] = [file, duration, time];
    return time && time + within;
  }

  close() {
    this.file = this.#shown = this.#wanted = undefined;
    this.#steps = 0;
    this.#end = Infinity;
  }

  /**
   * The position for the frame at a time.
   * @param {number} time
   */
  position(time) { return Math.min(time + within, this.duration); }

  /**
   * The frame at a time is asked for. Returns the position to seek; undefined: `seeked` gives it, after the seek that runs.
   * @param {number} time
   * @param {boolean} isSeeking
   */
  seek(time, isSeeking) {
    this.time = Math.min(Math.max(0, time), this.duration);
    this.#shown = undefined;
    this.#end = Infinity;
    if (!isSeeking) return this.position(this.time);
    this.#wanted = this.position(this.time);
  }

  /** A seek has ended. Returns the next one's position, if one was asked for meanwhile. */
  seeked() {
    const next = this.#wanted;
    this.#wanted = undefined;
    return next;
  }

  /**
   * The browser shows a frame. One from before a seek may come while it seeks.
   * @param {number} time
   * @param {boolean} isSeeking
   */
  found(time, isSeeking) {
    if (!isSeeking) this.#shown = time;
  }

  /** It is played, to the recording's end. */
  play() { this.#end = Infinity; }

  /**
   * It is played from one time to another. Returns the position to seek, even while another seek runs.
   * @param {number} from
   * @param {number} to
   */
  playCut(from, to) {
    const position = this.seek(from, false);
    this.#wanted = undefined;
    this.#end = to;
    return position;
  }

  /**
   * It plays, and is at a position. Returns the seconds until it has to be paused.
   * @param {number} position
   */
  played(position) {
    this.time = Math.min(position, this.duration);
    const rest = this.#end - position;
    return rest <= within ? 0 : rest;
  }

  /**
   * It was paused, or has ended. Returns a question: the server has to say where the frame at `time` begins, and then, if
   * `isOpen` says so, that frame is asked for. Undefined: it stands where it should.
   * @param {number} position
   * @param {boolean} hasEnded
   * @returns {FrameQuestion<File> | undefined}
   */
  paused(position, hasEnded) {
    if (!this.file || this.#isStepping) return;
    if (hasEnded) {
      this.time = this.duration;
      return;
    }
    const isStill = this.#shown == null || this.time - this.#shown > stillStep;
    const isCutOver = position >= this.#end - within;
    const time = isCutOver ? this.#end - 2 * within : isStill ? this.time : this.#shown ?? this.time;
    this.#end = Infinity;
    return { file: this.file, asked: this.time, time };
  }

  /**
   * Whether nothing else was asked for since a question of `paused`.
   * @param {FrameQuestion<File>} question
   */
  isOpen({ file, asked }) { return file === this.file && asked === this.time; }

  /**
   * So many frames further are asked for. Returns whether the server has to be asked; else it is asked already.
   * @param {number} frames
   */
  step(frames) {
    this.#steps += frames;
    const begins = !this.#isStepping;
    this.#isStepping = true;
    return begins;
  }

  /** The frames to ask the server for next; 0: none. */
  nextSteps() {
    const next = this.#steps;
    this.#steps = 0;
    return next;
  }

  /** The server has answered all, or has failed. */
  endSteps() {
    this.#steps = 0;
    this.#isStepping = false;
  }
}
