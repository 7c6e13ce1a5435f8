// Plays a live stream: chooses a player for it that the browser has, and begins anew when one fails.
import { LiveStream, kinds } from "./stream.js";

/** The players that may be possible, the best first. A browser loads the one that it plays by. */
const players = [
  {
    name: "webcodecs", element: "canvas", isPossible: isSecureContext && "VideoDecoder" in self,
    load: async () => (await import("./webcodecs.js")).DecodingPlayer,
  },
  {
    name: "mse", element: "video", isPossible: "ManagedMediaSource" in self || "MediaSource" in self,
    load: async () => (await import("./mediasource.js")).BufferingPlayer,
  },
].filter(({ isPossible }) => isPossible);

/** Milliseconds: a player that fails sooner than this is likely to fail again. */
const quickFailure = 10_000;
/** Quick failures in a row after which the page gives up and says why. */
const mostFailures = 6;

/** The text that a record has. */
function text({ content }) {
  return new TextDecoder().decode(content);
}

export class StreamPlayer {
  #parts;
  #listener;
  #players;
  #receiver;
  #player = null;
  /** The newest description, as JSON. */
  #description = null;
  /** The description that the player was made for; null when it has failed. */
  #playing = null;
  #initialization = null;
  /** The initialization segment without audio, where the stream has audio. */
  #videoInitialization = null;
  /** Records that arrived while the player was being chosen; null at other times. */
  #early = null;
  /** Quick failures in a row. */
  #failures = 0;
  /** This connection's last phase; null before there is one. */
  #phase = null;
  /** Whether this connection's first frame is shown. Until then there is black, or an old frame. */
  #isShown = false;
  /** The state that the listener has. */
  #state = "connecting";

  /**
   * - `url`, `options`: as for `LiveStream`.
   * - `parts`: a `canvas` and a `video`, of which the player shows one. A page that plays audio has `AudioPlayer` and `Receiver`,
   *   which reads the stream on its own thread; other pages read it themselves.
   * - `wanted`: the name of the only player allowed; null: any.
   * - `listener.show(state, reason)`: the stream is live, paused, ended, reconnecting, full, gone, failing, broken, stopped or
   *   impossible; `reason` has the browser's own words, where it has some.
   * - `listener.opened(player, description)`: a player was made. Optional, like the next ones.
   * - `listener.tick(status)`, `listener.lost()`, `listener.audioFailed(reason)`: as the stream reports them.
   */
  constructor(url, options, parts, wanted, listener) {
    this.#parts = parts;
    this.#listener = listener;
    this.#players = players.filter(({ name }) => wanted === null || name === wanted);
    this.#receiver = new (parts.Receiver ?? LiveStream)(url, options, {
      record: (record) => this.#receive(record),
      lost: (how) => this.#lost(how),
      gone: () => this.#gone(),
      // A player that already shows something may go on.
      failed: () => { if (!this.#isShown) this.#show("stopped"); },
      audioFailed: (reason) => listener.audioFailed?.(reason),
    });
  }

  /** The player; null while there is none. */
  get player() { return this.#player; }
  get isOver() { return this.#phase === "ended"; }
  /** While frames are shown live: the last one's instant, as players report it; otherwise null. */
  get shown() { return this.#phase === "live" && this.#isShown ? this.#player?.shown ?? null : null; }

  run() { this.#receiver.run(); }

  /** Ends the stream and the player. */
  close() {
    this.#receiver.stop();
    this.#early = null;
    this.#player?.close();
    this.#player = null;
  }

  #show(state, reason = "") {
    if (state === this.#state) return;
    this.#state = state;
    this.#listener.show(state, reason);
  }

  /** Shows the connection's phase; "live" only once there is something to see. */
  #showPhase() {
    if (this.#phase !== null && (this.#phase !== "live" || this.#isShown)) this.#show(this.#phase);
  }

  #shown() {
    this.#isShown = true;
    this.#showPhase();
  }

  async #open() {
    const waiting = [];
    this.#early = waiting;
    this.#player?.close();
    this.#player = null;
    const json = this.#description;
    const description = JSON.parse(json);
    this.#playing = json;
    const opened = performance.now();
    let choice;
    try {
      choice = await this.#choose(description);
    } catch (error) {
      if (this.#early === waiting) this.#failed(json, opened, error.message);
      return;
    }
    if (this.#early !== waiting) return;
    if (!choice) {
      this.#receiver.stop();
      return this.#show("impossible");
    }
    const { Player, element } = choice;
    const player = new Player(this.#parts[element], description, {
      receiver: this.#receiver,
      AudioPlayer: this.#parts.AudioPlayer,
      shown: () => this.#shown(),
      fail: (reason) => this.#failed(json, opened, reason),
      rejoin: () => this.#receiver.restart(),
    });
    this.#player = player;
    player.initialize(this.#initialization, this.#videoInitialization);
    if (!description.video) this.#shown();
    this.#listener.opened?.(player, description);
    this.#early = null;
    for (const record of waiting) this.#deliver(record);
  }

  /** The player's class and the name of its element; null if the browser has none. Throws if a player cannot be loaded. */
  async #choose(description) {
    const candidates = this.#failures > 1 ? [...this.#players].reverse() : this.#players;
    for (const { element, load } of candidates) {
      const Player = await load();
      if (await Player.supports(description).catch(() => false)) return { Player, element };
    }
    return null;
  }

  #failed(json, opened, reason) {
    // A player counts as failed once, whatever it reports until the connection is dropped.
    if (this.#playing !== json) return;
    this.#failures = performance.now() - opened < quickFailure ? this.#failures + 1 : 0;
    this.#playing = null;
    this.#isShown = false;
    if (this.#failures >= mostFailures) {
      this.#receiver.stop();
      this.#show("broken", reason);
    } else {
      this.#show("failing", reason);
      this.#receiver.restart();
    }
  }

  #receive(record) {
    if (record.kind === kinds.description) {
      const json = text(record);
      // The player continues if the formats are the same as before.
      this.#early = this.#player && json === this.#playing ? null : [];
      this.#description = json;
      this.#videoInitialization = null;
    } else if (record.kind === kinds.videoInitialization) {
      this.#videoInitialization = record.content;
    } else if (record.kind === kinds.initialization) {
      this.#initialization = record.content;
      if (this.#early) this.#open();
      else this.#player?.initialize(this.#initialization, this.#videoInitialization);
    } else if (this.#early !== null || this.#player !== null) {
      this.#deliver(record);
    }
  }

  #deliver(record) {
    if (this.#early) {
      this.#early.push(record);
    } else if (record.kind === kinds.tick) {
      if (record.content.length > 0) this.#listener.tick?.(JSON.parse(text(record)));
    } else if (record.kind === kinds.state) {
      if (this.#state === "ended") return;
      ({ phase: this.#phase } = JSON.parse(text(record)));
      this.#showPhase();
      if (this.#phase === "live") this.#player.resume();
      else this.#player.pause();
      if (this.#phase === "ended") this.#receiver.stop();
    } else if (record.accessUnit) {
      this.#player.sample(record);
    }
  }

  #lost({ isAsked, isFull }) {
    this.#listener.lost?.();
    // The viewer need not know of a restart that the page asked for.
    if (isAsked) return;
    this.#phase = null;
    this.#isShown = false;
    if (this.#state !== "ended") this.#show(isFull ? "full" : "reconnecting");
  }

  #gone() {
    this.#player?.pause();
    this.#phase = "ended";
    this.#show("gone");
  }
}
