// @ts-check
// One recording: its picture, the timeline on which it is cut, and what can be done with it.
import { ask, textField } from "../shared/dialogs.js";
import { button, leave, make, setText } from "../shared/elements.js";
import { get, post, postFile } from "../shared/session.js";
import { precise } from "../words/format.js";
import { say } from "../words/words.js";
import { makePlayback } from "./playback.js";
import { facts, pathOf, title, trouble } from "./recordings.js";
import { shareRecording } from "./share.js";
import { Timeline } from "./trim.js";

export class Viewer {
  /** @type {Recording | undefined} */
  #recording;
  #complain;
  #jobs;
  #actions;
  #title = make("h2", { tabindex: -1 });
  #facts = make("p.hint");
  #trouble = make("p.trouble");
  #time = make("p.position");
  #playback;
  #timeline;
  #play;
  #cut;
  #keep;
  #whole;
  #recover;
  #save;
  #tools;
  #further;
  #rename;
  #remove;
  element;

  /**
   * `actions`: those of a tile and `back`, where they are offered, and `made`, which gets the recording that a job has
   * made. `work`: the beginning of the paths that cut and share; nil: the recording's own. `activities`: see `share`.
   * @param {Fail} complain
   * @param {import("../shared/jobs.js").Jobs} jobs
   * @param {RecordingActions} actions
   */
  constructor(complain, jobs, actions) {
    this.#complain = complain;
    this.#jobs = jobs;
    this.#actions = actions;
    this.#playback = makePlayback(
      () => this.#update(), () => this.#timeline.load(), () => this.open(this.#shown));
    this.#timeline = new Timeline(this.#playback, () => this.#update());
    /** @param {string} label @param {RecordingAction | undefined} action @param {Attributes} [attributes] */
    const tool = (label, action, attributes) => button(say(label), () => action?.(this.#shown, this.#note), attributes);
    this.#play = tool("play", () => this.#playback.toggle(), { class: "play" });
    this.#cut = tool("playCut", () => this.#playCut());
    this.#keep = tool("saveCut", () => this.#askForName(), { class: actions.back && "primary" });
    this.#whole = tool("wholeRecording", () => this.#timeline.clear());
    this.#recover = tool("recover", actions.recover);
    this.#save = tool("saveToVideos", actions.save);
    this.#tools = make(
      "div.tools", {}, this.#timeline.element,
      make("div.buttons", {}, this.#play, this.#time, tool("setFrom", () => this.#timeline.setFrom()),
        tool("setTo", () => this.#timeline.setTo()), this.#cut, this.#whole, this.#keep));
    this.#further = [
      tool("saveFrame", () => this.#saveFrame()),
      tool("share", (recording) => shareRecording(recording, jobs, this.#work, actions.activities, this.#note)),
      tool("keys", () => showKeys()),
    ];
    this.#rename = tool("rename", actions.rename);
    this.#remove = tool("remove", actions.remove);
    this.element = make(
      "article.viewer", { "aria-label": say("recordingTitle"), click: leave },
      make("div.buttons", {}, actions.back && tool("backToList", actions.back), this.#title),
      this.#playback.element,
      this.#trouble, this.#tools,
      make("div.buttons", {}, this.#recover, this.#save, ...this.#further, this.#rename, this.#remove),
      this.#facts);
    document.addEventListener("keydown", (event) => this.#key(event));
  }

  /** @param {Recording} recording */
  async open(recording) {
    this.#show(recording);
    this.#title.focus();
    if (recording.state !== "finished") return this.#playback.close();
    this.#timeline.open(recording);
    await this.#playback.open(recording);
  }

  close() {
    this.#playback.close();
    this.#recording = undefined;
  }

  /**
   * Shows a newer state of the recording; undefined: it is gone. One with another ID has to be opened.
   * @param {Recording} [recording]
   */
  update(recording) {
    const old = this.#recording;
    if (!old || (recording && recording.id !== old.id)) return;
    if (!recording) return this.#playback.showChange(say("recordingGone"));
    if (recording.state !== old.state) return this.open(recording).catch((error) => this.#complain(error.message));
    this.#show(recording);
    if (recording.version !== old.version && recording.state === "finished") {
      this.#playback.showChange(say("recordingChanged"));
    }
  }

  /** @param {Recording} recording */
  #show(recording) {
    this.#recording = recording;
    const { state, place, width, height } = recording;
    const isFinished = state === "finished";
    setText(this.#title, title(recording));
    setText(this.#facts, isFinished ? `${facts(recording)} · ${width}×${height}` : facts(recording));
    setText(this.#trouble, trouble(recording));
    this.#playback.element.hidden = !isFinished;
    this.#tools.hidden = !isFinished;
    for (const one of this.#further) one.hidden = !isFinished;
    for (const one of [this.#rename, this.#remove]) one.hidden = state === "recording" || !this.#actions.back;
    this.#recover.hidden = state !== "recoverable";
    this.#save.hidden = place !== "app" || !isFinished;
    this.#update();
  }

  #update() {
    const playback = this.#playback;
    const { isCut } = this.#timeline;
    this.#timeline.update();
    const speed = playback.isPlaying && playback.rate > 1 ? ` ${playback.rate}×` : "";
    setText(this.#time, `${precise(playback.time)} / ${precise(playback.duration)}${speed}`);
    setText(this.#play, say(playback.isPlaying ? "pause" : "play"));
    for (const one of [this.#cut, this.#whole, this.#keep]) one.hidden = !isCut;
  }

  /** The hint that sharing sends the whole recording, shown while a cut is set. */
  get #note() { return this.#timeline.isCut ? make("p.hint", {}, say("notCut")) : null; }

  get #work() { return this.#actions.work ?? pathOf(this.#shown); }

  /** What the buttons are for, which are there while a recording is. */
  get #shown() { return /** @type {Recording} */ (this.#recording); }

  #playCut() { this.#playback.playCut(this.#timeline.from, this.#timeline.to); }

  async #saveFrame() {
    const recording = this.#shown;
    const { time } = this.#playback;
    const file = await postFile(`${pathOf(recording)}/frame`, { time: await this.#playback.frame(time) });
    const name = `${title(recording)} ${precise(time).replaceAll(":", ".")}.png`;
    const link = make("a", { href: URL.createObjectURL(file), download: name });
    link.click();
    // The browser reads it after the click.
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  }

  #askForName() {
    this.#playback.pause();
    const recording = this.#shown;
    const { from, to } = this.#timeline;
    const name = textField(say("name"), say("cutOf", { name: title(recording) }), { maxlength: 200 });
    /** @param {CutRequest} options */
    const begin = (options) => this.#trim(recording, { from, to, ...options });
    const dialog = ask(
      say("saveCut"),
      make("div", {}, make("p.hint", {}, `${precise(from)} – ${precise(to)}`), name.field),
      [say("keepName"), () => begin({ name: name.input.value.trim(), replaces: false })],
      [say("replace"), () => ask(
        say("replaceSure", { name: title(recording) }), make("p.hint", {}, say("replaceHint")),
        [say("replace"), () => begin({ name: title(recording), replaces: true })])],
      [say("choosePlace"), () => begin({ name: name.input.value.trim(), dialog: say("saveCut") })]);
    const place = /** @type {HTMLElement} */ (dialog.querySelector(".buttons button:nth-of-type(3)"));
    place.hidden = true;
    get("api/dialog").then(({ isThere }) => { place.hidden = !isThere; }).catch(() => {});
  }

  /** @param {Recording} recording @param {CutRequest & { from: number, to: number }} request */
  async #trim(recording, request) {
    const { job } = await post(`${this.#work}/trim`, request);
    this.#jobs.add(job, say("cutting", { name: request.name }), (result) =>
      result && this.#actions.made?.(result, request.replaces ? recording.id : undefined));
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const { key } = event;
    const target = /** @type {Element} */ (event.target);
    if (!this.#recording || this.#recording.state !== "finished" || !this.element.checkVisibility()) return;
    if (event.ctrlKey || event.altKey || event.metaKey || document.querySelector("dialog[open]")) return;
    if (target.matches("input, select, textarea") || (key === " " && target.matches("button, summary"))) return;
    const playback = this.#playback;
    const seconds = event.shiftKey && { ArrowLeft: -1, ArrowRight: 1 }[key];
    const action = seconds ? () => playback.move(playback.time + seconds) : {
      " ": () => playback.toggle(), k: () => playback.pause(), l: () => playback.faster(),
      j: () => playback.move(playback.time - 1),
      i: () => this.#timeline.setFrom(), o: () => this.#timeline.setTo(), p: () => this.#playCut(),
      ArrowLeft: () => playback.step(-1), ",": () => playback.step(-1),
      ArrowRight: () => playback.step(1), ".": () => playback.step(1),
      Home: () => playback.move(0), End: () => playback.move(playback.duration), "?": showKeys,
    }[key.length === 1 ? key.toLowerCase() : key];
    if (!action) return;
    event.preventDefault();
    Promise.resolve(action()).catch((error) => this.#complain(error.message));
  }
}

const keys = [
  ["key.play", "Space", "K"], ["key.faster", "L"], ["key.back", "J"], ["key.frame", "←", "→", ",", "."],
  ["key.second", "⇧ ←", "⇧ →"], ["key.ends", "Home", "End"], ["setFrom", "I"], ["setTo", "O"], ["playCut", "P"],
];

function showKeys() {
  ask(say("keys"), make("dl.keys", {}, ...keys.map(([word, ...names]) => make(
    "div", {}, make("dt", {}, ...names.map((name) => make("kbd", {}, name))), make("dd", {}, say(word))))));
}
