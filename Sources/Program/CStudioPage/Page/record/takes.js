// @ts-check
// The running takes: their picture, their time, and the buttons that control them.
import { arrange, attempt, button, leave, make, setText } from "../shared/elements.js";
import { on } from "../shared/events.js";
import { post } from "../shared/session.js";
import { clock, fileName } from "../words/format.js";
import { say, takeState } from "../words/words.js";
import { makeDestinations } from "./destinations.js";
import { makeMeters } from "./meters.js";
import { makePreview } from "./preview.js";
import { makeStatistics } from "./statistics.js";

// The takes report their progress for fifteen seconds after each request.
const progressInterval = 5000;

/**
 * Whether a take can still be ended.
 * @param {Take} take
 */
export function isOpen({ phase }) {
  return ["starting", "recording", "broadcasting", "paused"].includes(phase);
}

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
  const isAnyOpen = () => [...cards.values()].some(({ take }) => isOpen(take));

  function askForProgress() {
    if (!document.hidden && !section.inert && isAnyOpen()) post("api/progress").catch(() => {});
  }

  function showPreviews() { for (const card of cards.values()) card.showPreview(); }

  function update() {
    const now = server.seconds + (performance.now() - server.at) / 1000;
    for (const card of cards.values()) card.setTime(now);
    const shown = /** @type {HTMLElement | null} */ (section.firstElementChild);
    const newest = cards.get(shown?.dataset.take ?? "");
    if (!newest) return summarize({ text: say("idle") });
    const { take, time } = newest;
    summarize({ text: takeState(take), time, phase: shown?.dataset.phase });
  }

  section.setAttribute("aria-label", say("takes"));
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
    // The newest one is the first.
    arrange(section, cards, takes.toReversed(), ({ id }) => id, makeCard);
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
  const { id, source } = first;
  const path = `api/takes/${encodeURIComponent(id)}`;
  /** @param {string} operation @param {object} [body] */
  const ask = (operation, body) => post(`${path}/${operation}`, body);
  const preview = makePreview(`${path}/samples`, source);
  const destinations = makeDestinations(`${path}/destinations`);
  const statistics = makeStatistics();
  const meters = makeMeters(id);
  const [time, status, origin, problem] = ["time", "state", "source", "problem"].map((name) => make(`p.${name}`));
  // Shows the frame over the picture, once the take has had a camera.
  /** @type {ReturnType<typeof import("./cameraframe.js").frameOver> | undefined} */
  let showFrame;
  /** @type {TakeCamera} */
  let lastCamera = { device: "default", layout: { x: 1, y: 1, size: 0.25, shape: "rounded", isMirrored: false } };
  const actions = {
    end: () => ask("stop"),
    pause: () => ask(take.phase === "paused" ? "resume" : "pause"),
    microphone: () => ask("microphone", { isOn: !take.microphone }),
    audio: () => ask("audio", { isOn: !take.appAudio }),
    output: () => ask("output", { name: take.audioUnrecorded?.audioOutput }),
    camera: () => ask("camera", take.camera ? {} : { camera: lastCamera }),
    clip: () => ask("clip"),
    mark: () => ask("mark"),
    source: async () => {
      const { chooseSource } = await import("./gallery.js");
      const chosen = await chooseSource();
      if (chosen?.source) await ask("source", chosen);
    },
  };
  const buttons = Object.fromEntries(Object.entries(actions).map(([name, action]) =>
    [name, button("", action, { class: name === "end" ? "primary" : null })]));
  const element = make(
    "article.take", { "data-take": id, tabindex: -1, "aria-label": say("take", { source }) }, preview.element,
    make("div.clock", {}, time, status, origin, problem), make("div.buttons", { click: leave }, ...Object.values(buttons)),
    destinations.element, statistics.element, meters.element);
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
      const { source, output, phase, microphone, appAudio, audioUnrecorded, clipBuffer } = take;
      const file = output === "-" ? undefined : output;
      const runs = isRunning();
      // It looks like a recording.
      element.dataset.phase = phase === "broadcasting" ? "recording" : phase;
      setText(status, takeState(take));
      setText(origin, file ? say("into", { source, name: fileName(file) }) : source);
      origin.title = file ?? "";
      setText(problem, take.message ?? "");
      const labels = {
        end: isOpen(take) && say("end"),
        pause: runs && say(phase === "paused" ? "resume" : "pause"),
        microphone: runs && microphone != null && say(microphone ? "mute" : "unmute"),
        audio: runs && appAudio != null && say(appAudio ? "muteAudio" : "unmuteAudio"),
        output: runs && audioUnrecorded && say("recordOutput", { name: audioUnrecorded.description }),
        camera: runs && say(take.camera ? "hideCamera" : "showCamera"),
        clip: runs && clipBuffer != null && say("saveClip", { seconds: Math.round(clipBuffer) }),
        mark: runs && file && say("mark"),
        source: runs && say("showAnother"),
      };
      for (const [name, label] of Object.entries(labels)) {
        buttons[name].hidden = !label;
        if (label) setText(buttons[name], label);
      }
      showCamera(take);
      destinations.show(take.destinations, runs);
      statistics.element.hidden = !runs;
      result.showPreview();
    },
    showPreview() {
      preview.element.hidden = !isOpen(take) || !!take.otherVersion;
      preview.want(isRunning() && !document.hidden && element.checkVisibility() && !element.closest("[inert]"));
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
      setText(time, result.time);
    },
  };
  return result;
}
