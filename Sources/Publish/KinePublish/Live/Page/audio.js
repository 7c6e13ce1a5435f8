// Runs on the browser's audio thread: plays samples shortly after they arrive, at the sender's pace.

/** Seconds of audio kept ready: the initial value, which is also the least. */
const leastTarget = 0.03;
const mostTarget = 0.5;
/** Added when playback ran dry, and taken off every second. */
const growth = 0.015;
const shrinkage = 0.005;
/** Seconds beyond the target that are skipped: playing faster would take too long. */
const excess = 0.1;
/** The largest change of pace, half a semitone, and the change for each second of difference. */
const mostBend = 0.03;
const bend = 0.5;
/** Seconds over which the level is averaged: samples arrive in access units of about 20 ms. */
const levelTime = 0.2;

class LiveAudio extends AudioWorkletProcessor {
  /** The port that samples arrive on. */
  #source = null;
  #blocks = [];
  /** The last sample of each channel before the first block. */
  #last = [];
  /** The place in the first block, in samples. */
  #position = 0;
  /** Samples in all blocks. */
  #held = 0;
  /** Samples a second of the blocks; the browser's own rate is `sampleRate`. */
  #rate = sampleRate;
  /** Seconds held, on average. */
  #level = 0;
  #target = leastTarget;
  /** More than `leastTarget` while frames arrive later than their audio. */
  #least = leastTarget;
  #isPlaying = false;
  #sinceReport = 0;

  constructor() {
    super();
    this.port.onmessage = ({ data }) => {
      if (data.source) this.#listen(data.source);
      else this.#receive(data);
    };
  }

  #listen(source) {
    this.#source?.close();
    this.#source = source;
    source.onmessage = ({ data }) => this.#receive(data);
  }

  /** Handles a block of samples from the receiver, or a command from the page. */
  #receive(data) {
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

  /** Seconds of audio that have not been played. */
  get #ready() { return (this.#held - this.#position) / this.#rate; }

  process(_inputs, [output]) {
    const frames = output[0].length;
    const seconds = frames / sampleRate;
    this.#target = Math.max(this.#least, this.#target - shrinkage * seconds);
    if (!this.#isPlaying) {
      const ahead = this.#ready - this.#target - seconds;
      if (ahead < 0) return true;
      // Playing the rest faster would take seconds.
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

  /** Fills `output`, advancing by `step` samples of the blocks for each sample of `output`. */
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

  /** Interpolates by a Catmull-Rom spline: a straight line would dull high tones. */
  #between(channel, index, share) {
    const before = this.#sample(channel, index - 1);
    const here = this.#sample(channel, index);
    const next = this.#sample(channel, index + 1);
    const after = this.#sample(channel, index + 2);
    const cubic = 3 * (here - next) + after - before;
    const square = 2 * before - 5 * here + 4 * next - after;
    return here + 0.5 * share * (next - before + share * (square + share * cubic));
  }

  /** The sample at `index`, counted from the beginning of the first block, or the nearest one. */
  #sample(channel, index) {
    const first = this.#blocks[0].channels[channel];
    if (index < 0) return this.#last[channel] ?? first[0];
    if (index < first.length) return first[index];
    return this.#blocks[1]?.channels[channel][index - first.length] ?? first[first.length - 1];
  }

  /** Advances by a number of samples and frees the blocks that have been played. */
  #skip(samples) {
    this.#position += samples;
    while (this.#blocks.length > 0 && this.#position >= this.#blocks[0].channels[0].length) {
      this.#position -= this.#blocks[0].channels[0].length;
      const { channels } = this.#blocks.shift();
      this.#held -= channels[0].length;
      this.#last = channels.map((samples) => samples[samples.length - 1]);
    }
  }

  /** Reports the instant of the take that is being played, twenty times a second. */
  #report(frames) {
    this.#sinceReport += frames;
    if (this.#sinceReport < sampleRate / 20 || this.#blocks.length === 0) return;
    this.#sinceReport = 0;
    const block = this.#blocks[0];
    this.port.postMessage({ time: block.time + (this.#position / block.rate) * 1e6, at: currentTime });
  }
}

registerProcessor("live-audio", LiveAudio);
