// The way with the least delay: every picture is decoded and painted as it comes, sound goes to an audio worklet.
import { kinds } from "./stream.js";

/** Microseconds by which a picture may be older than the newest that came and still be shown. */
const oldest = 250_000;
/** Microseconds by which a picture may be ahead of its sound: less than people notice (ITU-R BT.1359-1, 45 ms one way, 125 the other). */
const lead = 40_000;
/** A picture waits for its sound no longer than this. Milliseconds. */
const longestWait = 200;
/** Seconds by which sound may be ahead of its picture, and by which it should at least be behind before less is held back. */
const mostAhead = 0.02;
const leastBehind = 0.03;
const longestHold = 0.3;

export class DecodingPlayer {
  static name = "webcodecs";

  static async supports(description) {
    if (!isSecureContext || !("VideoDecoder" in self) || !description.video) return false;
    const result = await VideoDecoder.isConfigSupported(DecodingPlayer.#configuration(description.video));
    return result.supported === true;
  }

  static #configuration(video) {
    return {
      codec: video.codec,
      description: new Uint8Array(video.description),
      codedWidth: video.width,
      codedHeight: video.height,
      optimizeForLatency: true,
    };
  }

  #canvas;
  #paint;
  #fail;
  #video;
  #decoder = null;
  #needsKeyframe = true;
  #newest = -Infinity;
  #waiting = [];
  #sound;

  /** `fail` is called when decoding cannot go on. */
  constructor(canvas, description, fail) {
    this.#canvas = canvas;
    this.#fail = fail;
    this.#video = description.video;
    canvas.hidden = false;
    canvas.width = description.video.width;
    canvas.height = description.video.height;
    this.#paint = canvas.getContext("2d", { alpha: false, desynchronized: true });
    this.#open();
    this.#sound = new SoundPlayer(description.sounds);
    requestAnimationFrame(() => this.#tick());
  }

  get element() { return this.#canvas; }
  get hasSound() { return this.#sound.isPossible; }
  get isAudible() { return this.#sound.isOn; }
  setSound(on) { return this.#sound.set(on); }
  pause() { this.#sound.clear(); }
  resume() {}

  initialize() {
    this.#needsKeyframe = true;
    this.#newest = -Infinity;
    this.#sound.clear();
  }

  sample(record) {
    if (record.kind !== kinds.video) return this.#sound.sample(record);
    if (this.#needsKeyframe && !record.isKeyframe) return;
    // A jump back is another take behind the same link.
    if (record.isKeyframe && this.#decoder.decodeQueueSize > 30) this.#open();
    this.#needsKeyframe = false;
    this.#newest = record.time;
    this.#decoder.decode(
      new EncodedVideoChunk({
        type: record.isKeyframe ? "key" : "delta",
        timestamp: record.time,
        data: record.accessUnit,
      }),
    );
  }

  close() {
    if (this.#decoder && this.#decoder.state !== "closed") this.#decoder.close();
    this.#decoder = null;
    for (const { frame } of this.#waiting) frame.close();
    this.#waiting = [];
    this.#sound.close();
    this.#canvas.hidden = true;
  }

  #open() {
    if (this.#decoder && this.#decoder.state !== "closed") this.#decoder.close();
    this.#needsKeyframe = true;
    const decoder = new VideoDecoder({
      output: (frame) => this.#decoded(frame),
      error: () => { if (decoder === this.#decoder) this.#fail(); },
    });
    this.#decoder = decoder;
    decoder.configure(DecodingPlayer.#configuration(this.#video));
  }

  #decoded(frame) {
    if (frame.timestamp < this.#newest - oldest) return frame.close();
    const heard = this.#sound.heard();
    if (heard === null || frame.timestamp <= heard + lead) return this.#show(frame);
    this.#waiting.push({ frame, until: performance.now() + longestWait });
  }

  /** Shows the newest of the waiting pictures whose sound is heard by now. */
  #tick() {
    if (!this.#decoder) return;
    requestAnimationFrame(() => this.#tick());
    const heard = this.#sound.heard();
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

  #show(frame) {
    while (this.#waiting.length > 0 && this.#waiting[0].frame.timestamp <= frame.timestamp) {
      this.#waiting.shift().frame.close();
    }
    const heard = this.#sound.heard();
    if (heard !== null) this.#sound.keepBehind((heard - frame.timestamp) / 1e6);
    this.#paint.drawImage(frame, 0, 0, this.#canvas.width, this.#canvas.height);
    frame.close();
  }
}

/** All sounds of the stream, mixed. Silent until it is switched on and the browser allows it. */
class SoundPlayer {
  #sounds;
  #context = null;
  #tracks = new Map();
  #wanted = false;
  #clock = null;
  #ahead = 0;
  #adjusted = 0;
  /** Seconds of sound held back for pictures that come late. */
  #hold = 0;

  constructor(sounds) {
    this.#sounds = "AudioDecoder" in self && "AudioWorkletNode" in self ? sounds : [];
  }

  get isPossible() { return this.#sounds.length > 0; }
  get isOn() { return this.#wanted && this.#context?.state === "running"; }

  /** Returns whether sound is on now. Switching on works inside a click, and where the browser allows it anyway. */
  async set(on) {
    this.#wanted = on && this.isPossible;
    if (!this.#wanted) {
      this.clear();
      await this.#context?.suspend();
      return false;
    }
    try {
      await this.#open();
      // Where the browser insists on a click, this stays undone until one comes.
      await Promise.race([this.#context.resume(), new Promise((resolve) => setTimeout(resolve, 300))]);
    } catch {
      this.#wanted = false;
    }
    return this.isOn;
  }

  async #open() {
    if (this.#context) return;
    const context = new AudioContext({ latencyHint: "interactive", sampleRate: this.#sounds[0].sampleRate });
    this.#context = context;
    await context.audioWorklet.addModule("sound.js");
    for (const sound of this.#sounds) {
      const node = new AudioWorkletNode(context, "live-sound", {
        numberOfInputs: 0,
        outputChannelCount: [Math.min(2, sound.channels)],
      });
      if (this.#tracks.size === 0) node.port.onmessage = ({ data }) => { this.#clock = data; };
      node.connect(context.destination);
      this.#tracks.set(sound.kind, { node, sound, decoder: null });
    }
  }

  sample(record) {
    const track = this.#tracks.get(record.kind);
    if (!track || !this.isOn) return;
    if (!track.decoder || track.decoder.state === "closed") this.#configure(track);
    track.decoder.decode(new EncodedAudioChunk({ type: "key", timestamp: record.time, data: record.accessUnit }));
  }

  #configure(track) {
    track.decoder = new AudioDecoder({
      output: (data) => {
        const channels = [];
        for (let channel = 0; channel < data.numberOfChannels; channel += 1) {
          const samples = new Float32Array(data.numberOfFrames);
          data.copyTo(samples, { planeIndex: channel, format: "f32-planar" });
          channels.push(samples);
        }
        const block = { channels, time: data.timestamp, rate: data.sampleRate };
        data.close();
        track.node.port.postMessage(block, channels.map((samples) => samples.buffer));
      },
      error: () => { track.decoder = null; },
    });
    track.decoder.configure({
      codec: track.sound.codec,
      description: new Uint8Array(track.sound.description),
      sampleRate: track.sound.sampleRate,
      numberOfChannels: track.sound.channels,
    });
  }

  /** The instant of the take that is heard now, in microseconds; null while nothing is. */
  heard() {
    if (!this.isOn || !this.#clock) return null;
    const context = this.#context;
    let behind = context.outputLatency || 0;
    const age = context.currentTime - this.#clock.at;
    if (age > 0.5) return null;
    const stamp = context.getOutputTimestamp?.();
    if (stamp && stamp.performanceTime > 0) {
      const heardAt = stamp.contextTime + (performance.now() - stamp.performanceTime) / 1000;
      behind = Math.max(0, Math.min(0.5, context.currentTime - heardAt));
    }
    return this.#clock.time + (age - behind) * 1e6;
  }

  /** Told with each picture by how many seconds its sound is ahead of it. Sound that is ahead for long is held back. */
  keepBehind(ahead) {
    this.#ahead += (ahead - this.#ahead) * 0.05;
    const now = performance.now();
    if (now - this.#adjusted < 1000 || Math.abs(ahead) > 1) return;
    let hold = this.#hold;
    if (this.#ahead > mostAhead) hold = Math.min(longestHold, hold + this.#ahead);
    else if (this.#ahead < -leastBehind) hold = Math.max(0, hold - 0.01);
    if (hold === this.#hold) return;
    this.#hold = hold;
    this.#adjusted = now;
    for (const { node } of this.#tracks.values()) node.port.postMessage({ hold });
  }

  clear() {
    this.#clock = null;
    for (const { node } of this.#tracks.values()) node.port.postMessage("clear");
  }

  close() {
    this.#context?.close();
    this.#context = null;
    this.#tracks.clear();
  }
}
