// Plays by Media Source, which every browser has: appends fragments and keeps the playhead at the live edge.
import { kinds } from "./stream.js";

/**
 * Seconds that the playhead stays behind the newest sample, at least and at most; it grows each time playback runs dry. Audio
 * leaves the decoder about a tenth of a second before it is heard, and comes in access units.
 */
const leastTarget = { silent: 0.05, audible: 0.16 };
const mostTarget = 0.5;
const growth = 0.03;
/** Taken off the target every second. */
const shrinkage = 0.003;
/** Seconds from the target at which the playhead jumps instead of hurrying. After a jump, audio takes a while to begin. */
const jump = { silent: 0.25, audible: 0.6 };
/** Seconds from the target at which the pace is changed, and at which it is normal again. */
const mostError = 0.015;
const leastError = 0.005;
/** Seconds between two checks of the playhead. */
const steeringInterval = 0.1;
/** The largest change of pace. It can be heard, so it is smaller while audio plays. */
const mostBend = { silent: 0.3, audible: 0.2 };
/** Seconds kept behind the playhead. */
const kept = 8;

export class BufferingPlayer {
  static name = "mse";

  static async supports(description) {
    return (self.ManagedMediaSource ?? self.MediaSource).isTypeSupported(description.mediaType);
  }

  #video;
  #fail;
  #rejoin;
  #description;
  #hasAudio;
  /** Whether the current segment has audio, and whether the next one should. */
  #playsAudio = false;
  #wantsAudio = true;
  #videoInitialization = null;
  #audioKind;
  #source = null;
  #buffer = null;
  #queue = [];
  #target = leastTarget.silent;
  #edges = [];
  #lastJump = 0;
  #hasBegun = false;
  #isPaused = false;
  #isHurrying = false;
  #timer;
  #closed = new AbortController();

  /**
   * `fail` is called when playing cannot go on, `shown` when the first frame of a connection is shown, `rejoin` when the stream
   * has to begin anew because audio was switched on or off.
   */
  constructor(video, description, { fail, shown, rejoin }) {
    this.#video = video;
    this.#fail = fail;
    this.#rejoin = rejoin;
    this.#description = description;
    this.#hasAudio = description.audio.length > 0;
    this.#audioKind = description.audio[0]?.kind;
    video.hidden = false;
    video.muted = true;
    const options = { signal: this.#closed.signal };
    video.addEventListener("waiting", () => {
      if (this.#hasBegun && !this.#isPaused) this.#target = Math.min(mostTarget, this.#target + growth);
    }, options);
    video.addEventListener("loadeddata", () => shown(), options);
    video.addEventListener("error", () => this.#fail(video.error?.message), options);
    this.#timer = setInterval(() => this.#steer(), steeringInterval * 1000);
  }

  get element() { return this.#video; }
  /** The instant of the take that is shown, in microseconds, and the page's clock. */
  get shown() {
    if (!this.#hasBegun || this.#isPaused || this.#video.paused || this.#video.readyState < 3) return null;
    return { time: this.#video.currentTime * 1e6, at: performance.now() };
  }
  get hasAudio() { return this.#hasAudio; }
  get isAudible() { return this.#hasAudio && !this.#video.muted; }

  setVolume(volume) { this.#video.volume = volume; }

  async setAudio(on) {
    this.#video.muted = !on;
    try {
      await this.#video.play();
    } catch (error) {
      if (error.name === "NotAllowedError") {
        // The browser wants a click first: go on without audio.
        this.#video.muted = true;
        this.#video.play().catch(() => {});
      }
    }
    this.#wantsAudio = this.isAudible;
    if (this.#videoInitialization && this.#wantsAudio !== this.#playsAudio) this.#rejoin();
    return this.isAudible;
  }

  pause() {
    this.#isPaused = true;
    this.#video.pause();
  }

  resume() {
    this.#isPaused = false;
    this.#edges = [];
    if (this.#hasBegun) this.#video.play().catch(() => {});
  }

  /** Begins anew. `videoOnly`: the segment without audio; null if there is none. */
  initialize(all, videoOnly) {
    this.#videoInitialization = videoOnly;
    this.#playsAudio = this.#hasAudio && (this.#wantsAudio || !videoOnly);
    const segment = this.#hasAudio && !this.#playsAudio ? videoOnly : all;
    const { mediaType, video: format } = this.#description;
    const type = segment === all ? mediaType : `video/mp4; codecs="${format.codec}"`;
    const Source = self.ManagedMediaSource ?? self.MediaSource;
    const source = new Source();
    this.#source = source;
    this.#buffer = null;
    this.#queue = [segment];
    this.#edges = [];
    this.#hasBegun = false;
    this.#isHurrying = false;
    this.#target = leastTarget[this.#manner];
    this.#video.disableRemotePlayback = true;
    const url = URL.createObjectURL(source);
    source.addEventListener("sourceopen", () => {
      URL.revokeObjectURL(url);
      if (source !== this.#source) return;
      let buffer = null;
      try {
        buffer = source.addSourceBuffer(type);
      } catch (error) {
        return this.#fail(error.message);
      }
      buffer.addEventListener("updateend", () => { this.#append(); this.#begin(); });
      buffer.addEventListener("error", () => {
        if (buffer === this.#buffer) this.#fail(this.#video.error?.message || "a fragment could not be added to the buffer");
      });
      this.#buffer = buffer;
      this.#append();
    }, { once: true });
    this.#video.src = url;
  }

  sample(record) {
    // The movie has only the first audio track.
    if (record.kind !== kinds.video && (!this.#playsAudio || record.kind !== this.#audioKind)) return;
    // In a hidden page the source may stay closed for hours: the queue then begins with the newest keyframe.
    if (!this.#buffer && this.#isBeginning(record)) this.#queue.length = 1;
    this.#queue.push(record.content);
    if (this.#isEdge(record)) this.#noteEdge(record.time / 1e6);
    this.#append();
  }

  close() {
    clearInterval(this.#timer);
    this.#closed.abort();
    this.#source = null;
    this.#buffer = null;
    this.#video.removeAttribute("src");
    this.#video.load();
    this.#video.hidden = true;
  }

  get #manner() { return this.#playsAudio ? "audible" : "silent"; }

  /** Whether a record moves the live edge. Audio does if it plays: it arrives after its frame, and nothing plays without it. */
  #isEdge(record) { return this.#playsAudio ? record.kind !== kinds.video : record.kind === kinds.video; }

  /** Whether decoding can start with this record. */
  #isBeginning(record) { return !this.#description.video || (record.kind === kinds.video && record.isKeyframe); }

  /** Notes how far a sample's time is ahead of the page's clock; the largest recent value is of a sample without delay. */
  #noteEdge(time) {
    const now = performance.now() / 1000;
    this.#edges.push({ at: now, ahead: time - now });
    while (this.#edges[0].at < now - 5) this.#edges.shift();
  }

  /** The newest instant that can be shown now. It follows from arrivals: the last frame's fragment claims to last seconds. */
  #edge() {
    const ahead = this.#edges.reduce((most, edge) => Math.max(most, edge.ahead), -Infinity);
    return ahead + performance.now() / 1000;
  }

  #append() {
    const buffer = this.#buffer;
    if (!buffer || buffer.updating || this.#queue.length === 0 || this.#video.error) return;
    const parts = this.#queue;
    this.#queue = [];
    let whole = parts[0];
    if (parts.length > 1) {
      whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
      let offset = 0;
      for (const part of parts) {
        whole.set(part, offset);
        offset += part.length;
      }
    }
    try {
      buffer.appendBuffer(whole);
    } catch (error) {
      if (error.name !== "QuotaExceededError") return this.#fail(error.message);
      this.#queue.unshift(whole);
      // Removing makes room, and its updateend event tries again; where nothing can be removed, it would wait for ever.
      if (!this.#trim(1)) this.#fail(error.message);
    }
  }

  #begin() {
    const ranges = this.#video.buffered;
    if (this.#hasBegun || ranges.length === 0 || this.#edges.length === 0) return;
    this.#hasBegun = true;
    this.#video.currentTime = this.#startingPoint(ranges);
    if (!this.#isPaused) this.#video.play().catch(() => {});
  }

  #startingPoint(ranges) {
    const last = ranges.length - 1;
    return Math.max(ranges.start(last), Math.min(this.#edge() - this.#target, ranges.end(last) - 0.001));
  }

  /** Keeps the playhead at the live edge. */
  #steer() {
    const video = this.#video;
    const ranges = video.buffered;
    if (!this.#hasBegun || this.#isPaused || ranges.length === 0 || this.#edges.length === 0) return;
    this.#target = Math.max(leastTarget[this.#manner], this.#target - shrinkage * steeringInterval);
    const behind = this.#edge() - video.currentTime - this.#target;
    const now = performance.now();
    const last = ranges.length - 1;
    const isOutside = video.currentTime < ranges.start(last) - 0.01;
    if ((Math.abs(behind) > jump[this.#manner] || isOutside) && now - this.#lastJump > 1500) {
      this.#lastJump = now;
      video.currentTime = this.#startingPoint(ranges);
      video.playbackRate = 1;
    } else {
      // A change of pace can be heard, so small errors are left alone.
      this.#isHurrying = Math.abs(behind) > (this.#isHurrying ? leastError : mostError);
      const most = mostBend[this.#manner];
      const bend = Math.max(-most, Math.min(most, behind * 1.5));
      video.playbackRate = this.#isHurrying ? 1 + bend : 1;
    }
    if (video.paused) video.play().catch(() => {});
    this.#trim(kept);
  }

  /** Removes everything more than `seconds` behind the playhead; returns false if that is too little. */
  #trim(seconds) {
    const buffer = this.#buffer;
    if (!buffer || buffer.updating || buffer.buffered.length === 0) return false;
    const end = this.#video.currentTime - seconds;
    if (end <= buffer.buffered.start(0) + 2) return false;
    buffer.remove(0, end);
    return true;
  }
}
