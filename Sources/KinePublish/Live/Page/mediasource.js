// The way that every browser knows: fragments into Media Source, and a playhead that is kept at the live edge.
import { kinds } from "./stream.js";

/**
 * Seconds behind the newest that the playhead is kept, at least and at most; more after each time it ran dry. Sound that is
 * heard now has left the decoder about a tenth of a second ago, and comes in access units.
 */
const leastTarget = { silent: 0.05, audible: 0.16 };
const mostTarget = 0.5;
const growth = 0.03;
/** What it shrinks by every second. */
const shrinkage = 0.003;
/** Seconds from the target from which on the playhead jumps instead of hurrying. After a jump, sound takes a while to begin. */
const jump = { silent: 0.25, audible: 0.6 };
/** Seconds from the target at which the pace is changed, and at which it is right again. */
const mostError = 0.015;
const leastError = 0.005;
/** Seconds between two looks at where the playhead is. */
const steeringInterval = 0.1;
/** The most that the pace is changed by. Hurrying is heard, dragging as well: less of both where somebody listens. */
const mostBend = { silent: 0.3, audible: 0.2 };
/** Seconds kept behind the playhead. */
const kept = 8;

export class BufferingPlayer {
  static name = "mse";

  static async supports(description) {
    const Source = self.ManagedMediaSource ?? self.MediaSource;
    return Source !== undefined && Source.isTypeSupported(description.mediaType);
  }

  #video;
  #fail;
  #rejoin;
  #description;
  #hasSound;
  /** Whether sound is in what plays now, and whether it should be from the next beginning on. */
  #playsSound = false;
  #wantsSound = true;
  #pictures = null;
  #soundKind;
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
   * `fail` is called when playing cannot go on, `shown` when the first picture of a connection is there, `rejoin` when the stream
   * has to begin anew for sound to come or go.
   */
  constructor(video, description, { fail, shown, rejoin }) {
    this.#video = video;
    this.#fail = fail;
    this.#rejoin = rejoin;
    this.#description = description;
    this.#hasSound = description.sounds.length > 0;
    this.#soundKind = description.sounds[0]?.kind;
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
  /** What is shown: an instant of the take, in microseconds, and the page's clock. */
  get shown() {
    if (!this.#hasBegun || this.#isPaused || this.#video.paused || this.#video.readyState < 3) return null;
    return { time: this.#video.currentTime * 1e6, at: performance.now() };
  }
  get hasSound() { return this.#hasSound; }
  get isAudible() { return this.#hasSound && !this.#video.muted; }

  setVolume(volume) { this.#video.volume = volume; }

  async setSound(on) {
    this.#video.muted = !on;
    try {
      await this.#video.play();
    } catch (error) {
      if (error.name === "NotAllowedError") {
        // Not without a click, then: go on without sound.
        this.#video.muted = true;
        this.#video.play().catch(() => {});
      }
    }
    this.#wantsSound = this.isAudible;
    if (this.#pictures && this.#wantsSound !== this.#playsSound) this.#rejoin();
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

  /** Begins anew; `pictures` is the segment without sound, where there is one. */
  initialize(all, pictures) {
    this.#pictures = pictures;
    this.#playsSound = this.#hasSound && (this.#wantsSound || !pictures);
    const segment = this.#hasSound && !this.#playsSound ? pictures : all;
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
        if (buffer === this.#buffer) this.#fail(this.#video.error?.message || "what came could not be added to its buffer");
      });
      this.#buffer = buffer;
      this.#append();
    }, { once: true });
    this.#video.src = url;
  }

  sample(record) {
    // The movie has the first sound only.
    if (record.kind !== kinds.video && (!this.#playsSound || record.kind !== this.#soundKind)) return;
    // In a page that nobody looks at, the source may not open for hours: what is kept for it begins with the newest keyframe.
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

  get #manner() { return this.#playsSound ? "audible" : "silent"; }

  /** Sound comes behind its picture, and without sound nothing plays: it makes the edge where there is any. */
  #isEdge(record) { return this.#playsSound ? record.kind !== kinds.video : record.kind === kinds.video; }

  /** Whether what follows can be decoded without what came before. */
  #isBeginning(record) { return !this.#description.video || (record.kind === kinds.video && record.isKeyframe); }

  /** How far the take's clock is ahead of the page's, by each sample that came lately; the largest came without delay. */
  #noteEdge(time) {
    const now = performance.now() / 1000;
    this.#edges.push({ at: now, ahead: time - now });
    while (this.#edges[0].at < now - 5) this.#edges.shift();
  }

  /** The newest instant that can be shown by now: known from what arrived, for the last picture claims to last seconds. */
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
      // What is removed makes room, and then an update's end has this tried again; without it there is no end to waiting.
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
      // Each change of pace is heard a little, so there is none for little.
      this.#isHurrying = Math.abs(behind) > (this.#isHurrying ? leastError : mostError);
      const most = mostBend[this.#manner];
      const bend = Math.max(-most, Math.min(most, behind * 1.5));
      video.playbackRate = this.#isHurrying ? 1 + bend : 1;
    }
    if (video.paused) video.play().catch(() => {});
    this.#trim(kept);
  }

  /** Removes what is further behind the playhead; false where there is too little of it. */
  #trim(seconds) {
    const buffer = this.#buffer;
    if (!buffer || buffer.updating || buffer.buffered.length === 0) return false;
    const end = this.#video.currentTime - seconds;
    if (end <= buffer.buffered.start(0) + 2) return false;
    buffer.remove(0, end);
    return true;
  }
}
