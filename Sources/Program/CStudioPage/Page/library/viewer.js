// @ts-check
// One recording: its picture, the timeline on which it is cut, and what can be done with it.
import { ask, textField } from "../shared/dialogs.js";
import { attempt, button, leave, make, setText } from "../shared/elements.js";
import { get, post, postFile } from "../shared/session.js";
import { clock, lengthText, precise } from "../words/format.js";
import { say } from "../words/words.js";
import { makeFilm } from "./film.js";
import { makeName } from "./name.js";
import { makePlayback } from "./playback.js";
import { facts, isPlayed, pathOf, title, trouble } from "./recordings.js";
import { shareRecording } from "./share.js";
import { Timeline } from "./trim.js";

export class Viewer {
  /** @type {Recording | undefined} */
  #recording;
  // Whether it was moved or deleted since.
  #isGone = false;
  #isNew = false;
  #jobs;
  #actions;
  #name;
  #chapters;
  #facts = make("p.hint");
  #trouble = make("p.trouble", { role: "status" });
  #time = make("p.position");
  #playback;
  #timeline;
  #play;
  #cut;
  #keep;
  #whole;
  #tools;
  #remove;
  // Each with the recordings that it is for.
  /** @type {[HTMLElement, (recording: Recording) => unknown][]} */
  #buttons;
  element;

  /**
   * `actions`: those of a tile, `setName`, `back` and `again`, where they are offered, and `made`, which gets the recording
   * that a job has made. `work`: the beginning of the paths that cut and share; nil: the recording's own. `activities`: see `share`.
   * @param {import("../shared/jobs.js").Jobs} jobs
   * @param {RecordingActions} actions
   */
  constructor(jobs, actions) {
    this.#jobs = jobs;
    this.#actions = actions;
    this.#playback = makePlayback(
      () => this.#update(), () => this.#timeline.load(), () => this.open(this.#shown));
    this.#timeline = new Timeline(this.#playback, () => this.#update());
    this.#chapters = makeChapters((time) => this.#playback.move(time));
    const isDragged = "userAgentData" in navigator;
    this.#name = makeName((name) => actions.setName?.(this.#shown, name), {
      draggable: String(isDragged), title: isDragged ? say("dragHint") : null, dragstart: (event) => this.#drag(event),
    });
    /** @param {string} label @param {RecordingAction | undefined} action @param {Attributes} [attributes] */
    const tool = (label, action, attributes) => button(say(label), () => action?.(this.#shown, this.#note), attributes);
    this.#play = tool("play", () => this.#playback.toggle(), { class: "play" });
    this.#cut = tool("playCut", () => this.#playCut());
    this.#keep = tool("saveCut", () => this.#askForName(), { class: actions.back && "primary" });
    this.#whole = tool("wholeRecording", () => this.#timeline.clear());
    this.#tools = make(
      "div.tools", {}, this.#chapters.element, this.#timeline.element,
      make("div.buttons", {}, this.#play, this.#time, tool("setFrom", () => this.#timeline.setFrom()),
        tool("setTo", () => this.#timeline.setTo()), this.#cut, this.#whole, this.#keep));
    this.#remove = tool("remove", actions.remove);
    const copy = tool("copyPath", async ({ path }) => {
      await navigator.clipboard.writeText(path ?? "").catch(() => { throw new Error(say("cannotCopyPath", { path })); });
      setText(copy, say("copied"));
      setTimeout(() => setText(copy, say("copyPath")), 2000);
    });
    this.#buttons = [
      [tool("recover", actions.recover), ({ state }) => state === "recoverable"],
      [tool("saveToVideos", actions.save), ({ place, state }) => place === "app" && state === "finished"],
      [tool("film", (one) => this.#film(one)), ({ state }) => actions.back && state === "finished"],
      [tool("share", (one) => shareRecording(one, jobs, this.#work, actions.activities, this.#note)), isPlayed],
      [tool("showInFolder", (one) => post(`${pathOf(one)}/reveal`)), () => actions.back],
      [tool("recordAgain", actions.again), () => actions.again && this.#isNew],
      [this.#remove, ({ state }) => actions.back && state !== "recording"],
      [tool("activity.open", (one) => this.#openOutside(one)), (one) => actions.back && isPlayed(one)],
      [tool("rename", () => this.#name.edit()), ({ state }) => actions.back && state !== "recording"],
      [copy, ({ path }) => actions.back && path],
      [tool("saveFrame", () => this.#saveFrame()), ({ state }) => state === "finished"],
      [tool("keys", () => showKeys()), ({ state }) => state === "finished"],
    ];
    this.element = make(
      "article.viewer", { "aria-label": say("recordingTitle"), click: leave },
      make("div.buttons", {}, actions.back && tool("backToList", actions.back), this.#name.element, this.#facts),
      this.#playback.element, this.#trouble, this.#tools,
      make("div.buttons", {}, ...this.#buttons.map(([button]) => button)));
    document.addEventListener("keydown", (event) => this.#key(event));
  }

  /** The version of the file that is shown. */
  get version() { return this.#recording?.version; }

  /**
   * `justRecorded`: a take has just ended, so its name is ready for typing, and it can be discarded or recorded again.
   * @param {Recording} recording
   * @param {boolean} justRecorded
   */
  async open(recording, justRecorded = false) {
    const isOther = recording.id !== this.#recording?.id;
    this.#isNew = justRecorded || (this.#isNew && !isOther);
    this.#isGone = false;
    if (isOther) this.#name.close();
    this.#show(recording);
    this.#chapters.show(recording);
    if (justRecorded) this.#name.edit();
    else this.#name.focus();
    if (!isPlayed(recording)) return this.#playback.close();
    this.#timeline.open(recording);
    await this.#playback.open(recording);
  }

  close() {
    this.#playback.close();
    this.#recording = undefined;
  }

  /**
   * Shows a newer state of the recording; undefined: it is gone, until it is back. One with another ID has to be opened, unless
   * it is the same file with another name: that plays on.
   * @param {Recording} [recording]
   */
  update(recording, isRenamed = false) {
    const old = this.#recording;
    if (!old || (recording ? recording.id !== old.id && !isRenamed : this.#isGone)) return;
    if (recording && (this.#isGone || recording.state !== old.state)) {
      return attempt(() => this.open(recording));
    }
    this.#isGone = !recording;
    this.#show(recording ?? old);
    if (!recording) {
      this.#playback.close();
      this.#name.close(true);
    } else if (isRenamed) {
      this.#playback.follow(recording);
      this.#timeline.follow(recording);
    } else if (recording.version !== old.version && isPlayed(recording)) {
      this.#playback.showChange(say("recordingChanged"));
    }
  }

  /** @param {Recording} recording */
  #show(recording) {
    this.#recording = recording;
    const { width, height } = recording;
    this.#name.show(title(recording));
    setText(this.#facts, width ? `${facts(recording)} · ${width}×${height}` : facts(recording));
    setText(this.#trouble, this.#isGone ? say("recordingGone") : trouble(recording));
    this.#playback.element.hidden = this.#isGone || !isPlayed(recording);
    this.#tools.hidden = this.#isGone || recording.state !== "finished";
    setText(this.#remove, say(this.#isNew ? "discard" : "remove"));
    for (const [button, isFor] of this.#buttons) button.hidden = this.#isGone || !isFor(recording);
    this.#update();
  }

  #update() {
    const playback = this.#playback;
    const { isCut } = this.#timeline;
    this.#timeline.update();
    const speed = playback.isPlaying && playback.rate > 1 ? ` ${playback.rate}×` : "";
    setText(this.#time, `${precise(playback.time)} / ${lengthText(playback.duration)}${speed}`);
    setText(this.#play, say(playback.isPlaying ? "pause" : "play"));
    for (const one of [this.#cut, this.#whole, this.#keep]) one.hidden = !isCut;
  }

  /** The hint that sharing sends the whole recording, shown while a cut is set. */
  get #note() { return this.#timeline.isCut ? make("p.hint", {}, say("notCut")) : null; }

  get #work() { return this.#actions.work ?? pathOf(this.#shown); }

  /** What the buttons are for, which are there while a recording is. */
  get #shown() { return /** @type {Recording} */ (this.#recording); }

  /** @param {DragEvent} event */
  #drag(event) {
    const { address } = this.#playback;
    if (!address) return event.preventDefault();
    // Chromium gives what it is dropped on the file, as type, name and address.
    event.dataTransfer?.setData(
      "DownloadURL", `application/octet-stream:${this.#shown.name.replaceAll(":", ".")}:${address}`);
  }

  /** @param {Recording} recording */
  async #openOutside(recording) {
    this.#playback.pause();
    const { job } = await post(`${this.#work}/share`, { activity: "open" });
    this.#jobs.add(job, say("sharing", { name: title(recording), activity: say("activity.open") }));
  }

  /** @param {Recording} recording */
  #film(recording) {
    this.#playback.pause();
    makeFilm(recording, this.#jobs, this.#note, (made) => this.#actions.made?.(made));
  }

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
      [say("saveNew"), () => begin({ name: name.input.value.trim(), replaces: false })],
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
    if (this.#isGone || this.#recording?.state !== "finished" || !this.element.checkVisibility()) return;
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
    attempt(action);
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

/**
 * A button for each chapter, as wide as it is long, in an `element`. `go` shows the frame at a time in seconds.
 * @param {(time: number) => unknown} go
 */
function makeChapters(go) {
  const element = make("div.chapters", { role: "group", "aria-label": say("chapterList") });
  return {
    element,
    /** @param {Recording} recording */
    show({ chapters = [], duration = 0 }) {
      element.hidden = !chapters.length;
      element.replaceChildren(...chapters.map(({ start, title }, index) => {
        const text = `${clock(start)} ${title}`;
        const one = button(text, () => go(start), { title: text });
        one.style.flexGrow = String(Math.max(0, (chapters[index + 1]?.start ?? duration) - start));
        return one;
      }));
    },
  };
}
