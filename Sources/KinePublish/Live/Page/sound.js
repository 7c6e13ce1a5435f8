// Runs on the browser's sound thread: plays samples as they come, a little behind, at the sender's pace.

/** Seconds of sound held ready, at first and at least. */
const leastTarget = 0.03;
const mostTarget = 0.5;
/** What it grows by when sound ran out, and what it shrinks by every second. */
const growth = 0.015;
const shrinkage = 0.005;
/** More than this beyond the target is skipped rather than caught up with. */
const excess = 0.1;
/** The most the pace is changed by, half a semitone, and how much of it for each second of difference. */
const mostBend = 0.03;
const bend = 0.5;
/** Seconds over which what is held is averaged: samples come in access units, a fiftieth of a second each. */
const levelTime = 0.2;

class LiveSound extends AudioWorkletProcessor {
  /** Where samples come from. */
  #source = null;
  #blocks = [];
  /** The last sample of each channel before the first block. */
  #last = [];
  /** In the first block, in its samples. */
  #position = 0;
  /** Samples of all blocks. */
  #held = 0;
  /** Samples a second of what comes; the browser's own rate is `sampleRate`. */
  #rate = sampleRate;
  /** Seconds held, on average. */
  #level = 0;
  #target = leastTarget;
  /** More than `leastTarget` where pictures come late. */
  #least = leastTarget;
  #isPlaying = false;
  #sinceReport = 0;

  constructor() {
    super();
    this.port.onmessage = ({ data }) => {
      if (data.source) this.#listen(data.source);
      else this.#take(data);
    };
  }

  #listen(source) {
    this.#source?.close();
    this.#source = source;
    source.onmessage = ({ data }) => this.#take(data);
  }

  /** A block of samples from the receiver, or a word from the page. */
  #take(data) {
    if (data === "clear") return this.#clear();
    if (data.hold !== undefined) {
      this.#target += Math.max(0, leastTarget + data.hold - this.#least);
      this.#least = leastTarget + data.hold;
      return;
    }
    this.#blocks.push(data);
    this.#held += data.channels[0].length;
    this.#rate = data.rate;
    const ahead = this.#ready - this.#target;
    if (ahead > (this.#isPlaying ? excess : mostTarget)) this.#skip(ahead * this.#rate);
  }

  #clear() {
    this.#blocks = [];
    this.#last = [];
    this.#held = 0;
    this.#position = 0;
    this.#isPlaying = false;
  }

  /** Seconds that are held and not played yet. */
  get #ready() { return (this.#held - this.#position) / this.#rate; }

  process(_inputs, [output]) {
    const frames = output[0].length;
    const seconds = frames / sampleRate;
    this.#target = Math.max(this.#least, this.#target - shrinkage * seconds);
    if (!this.#isPlaying) {
      const ahead = this.#ready - this.#target - seconds;
      if (ahead < 0) return true;
      // What has gathered beyond that would stay for seconds.
      this.#skip(ahead * this.#rate);
      this.#level = this.#target;
      this.#isPlaying = true;
    }
    this.#level += (this.#ready - this.#level) * (seconds / levelTime);
    const pace = 1 + Math.max(-mostBend, Math.min(mostBend, (this.#level - this.#target) * bend));
    this.#report(frames);
    this.#play(output, pace * (this.#rate / sampleRate));
    return true;
  }

  /** Fills `output`, going on by `step` of the blocks' samples for each of its own. */
  #play(output, step) {
    for (let frame = 0; frame < output[0].length; frame += 1) {
      const block = this.#blocks[0];
      if (!block) {
        this.#clear();
        this.#target = Math.min(this.#least + mostTarget, this.#target + growth);
        return;
      }
      const index = Math.floor(this.#position);
      const share = this.#position - index;
      for (let channel = 0; channel < output.length; channel += 1) {
        output[channel][frame] = this.#between(Math.min(channel, block.channels.length - 1), index, share);
      }
      this.#skip(step);
    }
  }

  /** A curve through four samples (Catmull and Rom's), where a straight line would dull what is high. */
  #between(channel, index, share) {
    const before = this.#sample(channel, index - 1);
    const here = this.#sample(channel, index);
    const next = this.#sample(channel, index + 1);
    const after = this.#sample(channel, index + 2);
    const cubic = 3 * (here - next) + after - before;
    const square = 2 * before - 5 * here + 4 * next - after;
    return here + 0.5 * share * (next - before + share * (square + share * cubic));
  }

  /** A sample counted from the beginning of the first block; beyond what is held, the nearest. */
  #sample(channel, index) {
    const first = this.#blocks[0].channels[channel];
    if (index < 0) return this.#last[channel] ?? first[0];
    if (index < first.length) return first[index];
    return this.#blocks[1]?.channels[channel][index - first.length] ?? first[first.length - 1];
  }

  /** Goes on by so many samples, and lets go of what has been played. */
  #skip(samples) {
    this.#position += samples;
    while (this.#blocks.length > 0 && this.#position >= this.#blocks[0].channels[0].length) {
      this.#position -= this.#blocks[0].channels[0].length;
      const { channels } = this.#blocks.shift();
      this.#held -= channels[0].length;
      this.#last = channels.map((samples) => samples[samples.length - 1]);
    }
  }

  /** Says twenty times a second which instant of the take is being played. */
  #report(frames) {
    this.#sinceReport += frames;
    if (this.#sinceReport < sampleRate / 20 || this.#blocks.length === 0) return;
    this.#sinceReport = 0;
    const block = this.#blocks[0];
    this.port.postMessage({ time: block.time + (this.#position / block.rate) * 1e6, at: currentTime });
  }
}

registerProcessor("live-sound", LiveSound);
