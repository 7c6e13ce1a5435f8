// @ts-check
// The running takes: their picture, their time, and the buttons that control them.
import { arrange, attempt, button, icon, leave, make, setText } from "../shared/elements.js";
import { on } from "../shared/events.js";
import { post } from "../shared/session.js";
import { clock, fileName } from "../words/format.js";
import { say, screenName, takeState } from "../words/words.js";
import { audience, makeDestinations } from "./destinations.js";
import { showMeters } from "./meters.js";
import { makePreview } from "./preview.js";
import { makeStatistics } from "./statistics.js";

// The takes report their progress for fifteen seconds after each request.
const progressInterval = 5000;
// Milliseconds. The button that ends a take stands where the one that began it was, and a second click is not meant for it.
const idleTime = 700;
// Milliseconds for which a button shows what it has done.
const answerTime = 3000;

// A picture of the screen with this window in it would show itself, and so on.
const isOnScreen = ["127.0.0.1", "localhost"].includes(location.hostname);

/**
 * Whether a take can still be ended.
 * @param {Take} take
 */
export function isOpen({ phase }) {
  return ["starting", "recording", "broadcasting", "paused"].includes(phase);
}

/** @param {Take} take */
function name({ source, sourceName }) { return /^(screen|region|drawn)/.test(source) ? screenName(sourceName) : sourceName; }

/**
 * Fills the section. `summarize` gets the newest take in a few words, at each change and each second. The result's
 * `showPreviews` shows the pictures of takes while these are seen, `update` the time that has passed.
 * @param {HTMLElement} section
 * @param {(summary: TakeSummary) => void} summarize
 */
export function showTakes(section, summarize) {
  // By the takes' ids.
  /** @type {Map<string, TakeCard>} */
  const cards = new Map();
  // Seconds of the server's clock at an instant of this page's (performance.now).
  let server = { seconds: 0, at: 0 };
  // The take that the person wants to see; absent: the newest one.
  /** @type {string | undefined} */
  let wanted;
  const others = make("nav.others", { "aria-label": say("takes") });
  const isAnyOpen = () => [...cards.values()].some(({ take }) => isOpen(take));

  function askForProgress() {
    if (!document.hidden && !section.inert && isAnyOpen()) post("api/progress").catch(() => {});
  }

  function showPreviews() { for (const card of cards.values()) card.showPreview(); }

  function update() {
    const now = server.seconds + (performance.now() - server.at) / 1000;
    for (const card of cards.values()) card.setTime(now);
    const shown = cards.get(wanted ?? "") ?? [...cards.values()].at(-1);
    if (!shown) return summarize({ text: "" });
    const { take, time, element } = shown;
    summarize({ text: [takeState(take), ...audience(take)].join(" · "), time, phase: element.dataset.phase, isLive: take.destinations.length > 0 });
  }

  /**
   * Shows one take, and a button for each other one.
   * @param {Take[]} takes
   */
  function showOne(takes) {
    const shown = takes.find(({ id }) => id === wanted) ?? takes.at(-1);
    for (const [id, { element }] of cards) element.hidden = id !== shown?.id;
    others.replaceChildren(...takes.filter((take) => take !== shown).map((take) => button(say("take", { source: name(take) }), () => {
      wanted = take.id;
      showOne(takes);
      update();
      showPreviews();
    })));
  }

  section.append(others);
  setInterval(() => { if (!document.hidden) update(); }, 500);
  setInterval(askForProgress, progressInterval);
  document.addEventListener("visibilitychange", () => {
    update();
    askForProgress();
    showPreviews();
  });
  on("clock", (seconds, at) => {
    server = { seconds, at };
    update();
  });
  on("takes", (takes) => {
    // Pictures are shown only where they are seen.
    section.hidden = takes.length === 0;
    const wasOpen = isAnyOpen();
    arrange(section, cards, takes, ({ id }) => id, makeCard, others);
    showOne(takes);
    showPreviews();
    if (!wasOpen) askForProgress();
    update();
  });
  on("progress", (takes) => { for (const take of takes) cards.get(take.id)?.showProgress(take); });
  return { showPreviews, update };
}

/**
 * A take with its `element`, its newest state `take`, and its `time` as a text.
 * @param {Take} first
 */
function makeCard(first) {
  let take = first;
  const { id } = first;
  const path = `api/takes/${encodeURIComponent(id)}`;
  /** @param {string} operation @param {object} [body] */
  const ask = (operation, body) => post(`${path}/${operation}`, body);
  const preview = makePreview(`${path}/samples`, name(first));
  let isShown = false;
  const shared = make("div.shared", {}, make("p", {}, say("sharesScreen")), button(say("showPicture"), () => {
    isShown = true;
    result.showPreview();
  }));
  preview.element.append(shared);
  const destinations = makeDestinations(`${path}/destinations`);
  const statistics = makeStatistics();
  const meters = showMeters(id);
  const [origin, problem] = ["hint", "problem"].map((name) => make(`p.${name}`));
  // Shows the frame over the picture, once the take has had a camera.
  /** @type {ReturnType<typeof import("./cameraframe.js").frameOver> | undefined} */
  let showFrame;
  /** @type {TakeCamera} */
  let lastCamera = { device: "default", layout: { x: 1, y: 1, size: 0.25, shape: "rounded", isMirrored: false } };
  const shownAt = performance.now();
  const end = button("", async () => {
    if (performance.now() - shownAt > idleTime) await ask("stop");
  }, { class: "main" });
  const pause = button("", () => ask(take.phase === "paused" ? "resume" : "pause"));
  const otherOutput = button("", () => ask("output", { name: take.audioUnrecorded?.audioOutput }));
  const tools = {
    microphone: tool("microphone", () => ask("microphone", { isOn: !take.microphone })),
    audio: tool("sound", () => ask("audio", { isOn: !take.appAudio })),
    camera: tool("camera", () => ask("camera", take.camera ? {} : { camera: lastCamera })),
    source: tool("source", async () => {
      const { chooseSource } = await import("./gallery.js");
      const chosen = await chooseSource();
      if (chosen?.source) await ask("source", chosen);
    }),
    mark: tool("mark", async () => (await post(`${path}/mark`)).title),
    clip: tool("clip", async () => say("saved", { time: clock((await post(`${path}/clip`)).duration ?? 0) })),
  };
  const bar = make("div.controls", { click: leave }, ...Object.values(tools).map(({ element }) => element));
  const element = make(
    "article.take", { "data-take": id, tabindex: -1 },
    make("div.side", {}, destinations.links, preview.element, bar),
    make("div.rail", {}, problem, otherOutput, destinations.element, meters.element, statistics.element),
    make("div.foot", {}, origin, pause, end));
  const isRunning = () => isOpen(take) && take.phase !== "starting" && !take.otherVersion;

  /** @param {Take} take */
  async function showCamera({ camera, cameraLayout }) {
    if (camera && cameraLayout) lastCamera = { device: camera, layout: cameraLayout };
    if (!camera && !showFrame) return;
    const { frameOver } = await import("./cameraframe.js");
    showFrame ??= frameOver(preview.element, (layout) =>
      attempt(() => ask("camera", { camera: { ...lastCamera, layout } })));
    showFrame(isRunning() && camera ? lastCamera : undefined, take.cameraSize);
  }

  /** @type {TakeCard} */
  const result = {
    element,
    get take() { return take; },
    time: "",
    show(newest) {
      take = newest;
      const { output, phase, microphone, appAudio, audioUnrecorded, clipBuffer } = take;
      const file = output === "-" ? undefined : output;
      const [runs, source] = [isRunning(), name(take)];
      // It looks like a recording.
      element.dataset.phase = phase === "broadcasting" ? "recording" : phase;
      element.ariaLabel = say("take", { source });
      setText(origin, file ? say("into", { source, name: fileName(file) }) : source);
      origin.title = file ?? "";
      setText(problem, take.message ?? "");
      /** @type {[HTMLButtonElement, string | false | undefined][]} */
      const labels = [
        [end, isOpen(take) && say(take.destinations.length ? "endStream" : "stop")],
        [pause, runs && say(phase === "paused" ? "resume" : "pause")],
        [otherOutput, runs && !!audioUnrecorded && say("recordOutput", { name: audioUnrecorded.description })],
      ];
      for (const [button, label] of labels) {
        button.hidden = !label;
        if (label) setText(button, label);
      }
      tools.microphone.show(runs && microphone != null && say(microphone ? "mute" : "unmute"), !microphone);
      tools.audio.show(runs && appAudio != null && say(appAudio ? "muteAudio" : "unmuteAudio"), !appAudio);
      tools.camera.show(runs && say(take.camera ? "hideCamera" : "showCamera"), !take.camera && take.cameraSize != null);
      tools.source.show(runs && say("switchSource"));
      tools.mark.show(runs && !!file && say("mark"));
      tools.clip.show(runs && clipBuffer != null && say("saveClip", { seconds: Math.round(clipBuffer) }));
      showCamera(take);
      destinations.show(take.destinations, runs);
      statistics.element.hidden = !runs;
      result.showPreview();
    },
    showPreview() {
      preview.element.hidden = !isOpen(take) || !!take.otherVersion;
      shared.hidden = isShown || !isOnScreen || !/^(screen|region|drawn)/.test(take.source);
      preview.want(shared.hidden && isRunning() && !document.hidden && element.checkVisibility() && !element.closest("[inert]"));
    },
    showProgress(newest) {
      statistics.show(newest, preview.delay);
      destinations.show(newest.destinations, isRunning());
    },
    close() {
      preview.want(false);
      meters.close();
    },
    setTime(now) {
      const { duration, runsSince } = take;
      result.time = clock(duration + (runsSince == null ? 0 : Math.max(0, now - runsSince)));
    },
  };
  return result;
}

/**
 * A button with a picture and a word. What its action returns is shown at its place for a while.
 * @param {string} image
 * @param {() => unknown} action
 */
function tool(image, action) {
  const word = make("span");
  const answer = make("span.answer", { role: "status" });
  const element = button("", async () => {
    const text = await action();
    if (typeof text !== "string") return;
    setText(answer, text);
    setTimeout(() => setText(answer, ""), answerTime);
  });
  element.append(icon(image), word, answer);
  return {
    element,
    /**
     * Without a label there is no button. `isOff`: what it turns on is off.
     * @param {string | false} label
     */
    show(label, isOff = false) {
      element.hidden = !label;
      element.classList.toggle("off", isOff);
      if (label) setText(word, label);
    },
  };
}
