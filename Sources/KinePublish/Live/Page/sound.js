// Runs on the browser's sound thread: plays samples as they come, a little behind, at the pace of whoever sends them.

/** Seconds of sound held ready, at first and at least. */
const leastTarget = 0.03;
const mostTarget = 0.5;
/** What it grows by when sound ran out, and what it shrinks by every second. */
const growth = 0.015;
const shrinkage = 0.005;
/** More than this beyond the target is skipped rather than caught up with. */
const excess = 0.1;
/** The most the pace is changed by; half a semitone, for moments. */
const mostBend = 0.03;

class LiveSound extends AudioWorkletProcessor {
  #blocks = [];
  #position = 0;
  #held = 0;
  #target = leastTarget;
  /** More than `leastTarget` where pictures come late. */
  #least = leastTarget;
  #isPlaying = false;
  #sinceReport = 0;

  constructor() {
    super();
    this.port.onmessage = ({ data }) => {
      if (data === "clear") {
        this.#blocks = [];
        this.#held = 0;
        this.#position = 0;
        this.#isPlaying = false;
        return;
      }
      if (data.hold !== undefined) {
        this.#target += Math.max(0, leastTarget + data.hold - this.#least);
        this.#least = leastTarget + data.hold;
        return;
      }
      this.#blocks.push(data);
      this.#held += data.channels[0].length;
      const most = (this.#target + excess) * sampleRate;
      while (this.#held > most && this.#blocks.length > 1) this.#drop();
    };
  }

  #drop() {
    this.#held -= this.#blocks.shift().channels[0].length;
    this.#position = 0;
  }

  process(_inputs, [output]) {
    const frames = output[0].length;
    this.#target = Math.max(this.#least, this.#target - shrinkage * (frames / sampleRate));
    if (!this.#isPlaying) {
      if (this.#held < this.#target * sampleRate + frames) return true;
      this.#isPlaying = true;
    }
    const error = (this.#held - this.#position) / sampleRate - this.#target;
    const pace = 1 + Math.max(-mostBend, Math.min(mostBend, error * 0.2));
    this.#report(frames);
    for (let frame = 0; frame < frames; frame += 1) {
      while (this.#blocks.length > 0 && this.#position >= this.#blocks[0].channels[0].length) {
        this.#position -= this.#blocks[0].channels[0].length;
        this.#held -= this.#blocks.shift().channels[0].length;
      }
      const block = this.#blocks[0];
      if (!block) {
        this.#isPlaying = false;
        this.#held = 0;
        this.#position = 0;
        this.#target = Math.min(this.#least + mostTarget, this.#target + growth);
        break;
      }
      const index = Math.floor(this.#position);
      const share = this.#position - index;
      for (let channel = 0; channel < output.length; channel += 1) {
        const samples = block.channels[Math.min(channel, block.channels.length - 1)];
        const here = samples[index];
        const next = index + 1 < samples.length ? samples[index + 1] : here;
        output[channel][frame] = here + (next - here) * share;
      }
      this.#position += pace;
    }
    return true;
  }

  /** Says ten times a second which instant of the take is being played. */
  #report(frames) {
    this.#sinceReport += frames;
    if (this.#sinceReport < sampleRate / 20 || this.#blocks.length === 0) return;
    this.#sinceReport = 0;
    const block = this.#blocks[0];
    this.port.postMessage({ time: block.time + (this.#position / block.rate) * 1e6, at: currentTime });
  }
}

registerProcessor("live-sound", LiveSound);
