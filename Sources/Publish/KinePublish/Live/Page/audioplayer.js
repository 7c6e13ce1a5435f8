// Plays audio with little delay: an audio worklet plays what the receiver decodes and reports what is heard. Frames that
// are early wait for their audio.

/** Seconds by which audio may be ahead of its frame, and by which it must be behind before the delay is reduced. */
const mostAhead = 0.02;
const leastBehind = 0.03;
const longestHold = 0.3;
/** Microseconds: a larger difference means that the clock has changed. */
const leap = 50_000;
/**
 * Microseconds by which a frame may be ahead of its audio. Late audio is noticed from 125 ms on, early audio from 45 (ITU-R
 * BT.1359-1), and the audio delay that browsers report is often too long.
 */
const lead = 55_000;
/** Milliseconds that a frame waits for its audio at most. */
const longestWait = 400;

/** Plays all audio tracks of the stream, mixed. Silent until it is switched on and the browser allows it. */
export class AudioPlayer {
  #tracks;
  #receiver;
  #context = null;
  /** Sets the volume of all nodes. */
  #gain = null;
  #volume = 1;
  #nodes = [];
  #isConnected = false;
  #wanted = false;
  #clock = null;
  /** Microseconds by which the take's clock, as it is heard, is ahead of the page's. */
  #ahead = null;
  /** Seconds by which audio was ahead of its frames lately. */
  #lead = 0;
  #adjusted = 0;
  /** Seconds by which audio is delayed because frames arrive late. */
  #hold = 0;
  /** Frames that wait for their audio, the oldest first. */
  #waiting = [];
  #show;
  #isClosed = false;

  /** `tracks`: the description's; `receiver` decodes them. `show` gets each frame that has waited for its audio. */
  constructor(tracks, receiver, show) {
    this.#receiver = receiver;
    this.#show = show;
    this.#tracks = "AudioDecoder" in self && "AudioWorkletNode" in self ? tracks : [];
    requestAnimationFrame(() => this.#tick());
  }

  get isPossible() { return this.#tracks.length > 0; }
  get isOn() { return this.#wanted && this.#context?.state === "running"; }

  /** Returns whether audio is on now. It can be switched on in a click's handler, or in browsers that allow it anyway. */
  async set(on) {
    this.#wanted = on && this.isPossible;
    if (!this.#wanted) {
      this.#disconnect();
      await this.#context?.suspend();
      return false;
    }
    try {
      await this.#open();
      // In a browser that insists on a click, the promise stays pending until there is one.
      await Promise.race([this.#context.resume(), new Promise((resolve) => setTimeout(resolve, 300))]);
      if (this.isOn) this.#connect();
    } catch {
      this.#wanted = false;
    }
    return this.isOn;
  }

  /** From 0 to 1. */
  setVolume(volume) {
    this.#volume = volume;
    if (this.#gain) this.#gain.gain.value = volume;
  }

  async #open() {
    if (this.#context) return;
    // At the device's own rate: the worklet resamples as it plays, while browsers add a delay that they do not report.
    const context = new AudioContext({ latencyHint: "interactive" });
    this.#context = context;
    context.onstatechange = () => { if (this.isOn) this.#connect(); };
    try {
      await context.audioWorklet.addModule("audio.js");
    } catch (error) {
      // Another try, at the next click, needs another context.
      this.#context = null;
      context.close().catch(() => {});
      throw error;
    }
    this.#gain = new GainNode(context, { gain: this.#volume });
    this.#gain.connect(context.destination);
    for (const track of this.#tracks) {
      const node = new AudioWorkletNode(context, "live-audio", {
        numberOfInputs: 0,
        outputChannelCount: [Math.min(2, track.channels)],
      });
      if (this.#nodes.length === 0) node.port.onmessage = ({ data }) => { this.#clock = data; };
      node.connect(this.#gain);
      this.#nodes.push(node);
    }
  }

  /** Requests each track for its node. */
  #connect() {
    if (this.#isConnected || this.#nodes.length === 0) return;
    this.#isConnected = true;
    this.#nodes.forEach((node, index) => {
      const { port1, port2 } = new MessageChannel();
      node.port.postMessage({ source: port1 }, [port1]);
      this.#receiver.play(this.#tracks[index], port2);
    });
  }

  #disconnect() {
    if (this.#isConnected) this.#receiver.silence();
    this.#isConnected = false;
    this.clear();
  }

  /** Whether a decoded frame has to wait for its audio. */
  holds(frame) {
    const heard = this.#heard();
    // A hidden page is not repainted, so a frame that waited for a repaint would wait for ever.
    if (heard === null || document.hidden || frame.timestamp <= heard + lead) return false;
    this.#waiting.push({ frame, until: performance.now() + longestWait });
    return true;
  }

  /** Shows the newest of the waiting frames whose audio has been heard. */
  #tick() {
    if (this.#isClosed) return;
    requestAnimationFrame(() => this.#tick());
    const heard = this.#heard();
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

  /** Call for each frame that is shown. Older ones that still wait are dropped. */
  shows(frame) {
    while (this.#waiting.length > 0 && this.#waiting[0].frame.timestamp <= frame.timestamp) {
      this.#waiting.shift().frame.close();
    }
    const heard = this.#heard();
    if (heard !== null) this.#noteLead((heard - frame.timestamp) / 1e6);
  }

  /** The instant of the take that is heard now, in microseconds; null while nothing is heard. */
  #heard() {
    const raw = this.#report();
    if (raw === null) {
      this.#ahead = null;
      return null;
    }
    // The delay that browsers report jumps by some milliseconds; the audio itself does not.
    const now = performance.now() * 1000;
    const ahead = raw - now;
    if (this.#ahead === null || Math.abs(ahead - this.#ahead) > leap) this.#ahead = ahead;
    else this.#ahead += (ahead - this.#ahead) * 0.05;
    return now + this.#ahead;
  }

  /** The instant that is heard, from the last report of the worklet and the browser. */
  #report() {
    if (!this.isOn || !this.#clock) return null;
    const context = this.#context;
    const age = context.currentTime - this.#clock.at;
    if (age > 0.5) return null;
    let behind = context.outputLatency || 0;
    const stamp = context.getOutputTimestamp?.();
    if (stamp && stamp.performanceTime > 0) {
      const heardAt = stamp.contextTime + (performance.now() - stamp.performanceTime) / 1000;
      behind = Math.max(0, Math.min(0.5, context.currentTime - heardAt));
    }
    return this.#clock.time + (age - behind) * 1e6;
  }

  /** Notes the seconds by which a shown frame's audio is ahead of it. Delays audio that stays ahead. */
  #noteLead(ahead) {
    this.#lead += (ahead - this.#lead) * 0.05;
    const now = performance.now();
    if (now - this.#adjusted < 1000 || Math.abs(ahead) > 1) return;
    let hold = this.#hold;
    if (this.#lead > mostAhead) hold = Math.min(longestHold, hold + this.#lead);
    else if (this.#lead < -leastBehind) hold = Math.max(0, hold - 0.01);
    if (hold === this.#hold) return;
    this.#hold = hold;
    this.#adjusted = now;
    for (const node of this.#nodes) node.port.postMessage({ hold });
  }

  clear() {
    this.#clock = null;
    for (const node of this.#nodes) node.port.postMessage("clear");
  }

  close() {
    this.#isClosed = true;
    for (const { frame } of this.#waiting) frame.close();
    this.#waiting = [];
    this.#disconnect();
    this.#context?.close();
    this.#context = null;
    this.#nodes = [];
  }
}
