// @ts-check
// The running takes: their picture, their time, and the buttons that control them.
import { arrange, attempt, button, leave, make, setText } from "../shared/elements.js";
import { on } from "../shared/events.js";
import { post } from "../shared/session.js";
import { clock, fileName } from "../words/format.js";
import { say, takeState } from "../words/words.js";
import { makeDestinations } from "./destinations.js";
import { makePreview } from "./preview.js";
import { makeStatistics } from "./statistics.js";

// The takes report their statistics for fifteen seconds after each request.
const statisticsInterval = 5000;

/**
 * Whether a take can still be ended.
 * @param {Take} take
 */
export function isOpen({ phase }) {
  return ["starting", "recording", "paused"].includes(phase);
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

  function askForStatistics() {
    if (!document.hidden && !section.inert && isAnyOpen()) post("api/statistics").catch(() => {});
  }

  function showPreviews() { for (const card of cards.values()) card.showPreview(); }

  function update() {
    const now = server.seconds + (performance.now() - server.at) / 1000;
    for (const card of cards.values()) card.setTime(now);
    const shown = /** @type {HTMLElement | null} */ (section.firstElementChild);
    const newest = cards.get(shown?.dataset.take ?? "");
    if (!newest) return summarize({ text: say("idle") });
    const { take, time } = newest;
    summarize({ text: takeState(take), time, phase: take.phase });
  }

  section.setAttribute("aria-label", say("takes"));
  setInterval(() => { if (!document.hidden) update(); }, 500);
  setInterval(askForStatistics, statisticsInterval);
  document.addEventListener("visibilitychange", () => {
    update();
    askForStatistics();
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
    if (!wasOpen) askForStatistics();
    update();
  });
  on("statistics", (list) => {
    for (const statistics of list) cards.get(statistics.take)?.showStatistics(statistics);
  });
  return { showPreviews, update };
}

/**
 * A take with its `element`, its newest state `take`, and its `time` as a text.
 * @param {Take} first
 */
function makeCard(first) {
  const { id, source } = first;
  const path = `api/takes/${encodeURIComponent(id)}`;
  /** @param {string} operation @param {object} [body] */
  const ask = (operation, body) => post(`${path}/${operation}`, body);
  const preview = makePreview(`${path}/samples`, source);
  const destinations = makeDestinations(`${path}/destinations`);
  const statistics = makeStatistics();
  const [time, status, origin, problem] = ["time", "state", "source", "problem"].map((name) => make(`p.${name}`));
  // Shows the frame over the picture, once the take has had a camera.
  /** @type {ReturnType<typeof import("./cameraframe.js").frameOver> | undefined} */
  let showFrame;
  /** @type {TakeCamera} */
  let lastCamera = { device: "default", layout: { x: 1, y: 1, size: 0.25, shape: "rounded", isMirrored: false } };
  const actions = {
    end: () => ask("stop"),
    pause: () => ask(result.take.phase === "paused" ? "resume" : "pause"),
    microphone: () => ask("microphone", { isOn: !result.take.isMicrophoneOn }),
    audio: () => ask("audio", { isOn: !result.take.isAppAudioOn }),
    output: () => ask("output", { name: result.take.unrecordedAudio?.output }),
    camera: () => ask("camera", result.take.camera ? {} : { camera: lastCamera }),
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
    destinations.element, statistics.element);
  const isRunning = () => isOpen(result.take) && result.take.phase !== "starting" && !result.take.isOtherVersion;

  /** @param {Take} take */
  async function showCamera({ camera }) {
    if (camera) lastCamera = camera;
    if (!camera && !showFrame) return;
    const { frameOver } = await import("./cameraframe.js");
    showFrame ??= frameOver(preview.element, (layout) =>
      attempt(() => ask("camera", { camera: { ...result.take.camera, layout } })));
    showFrame(isRunning() ? result.take.camera : undefined, result.take.cameraSize);
  }

  /** @type {TakeCard} */
  const result = {
    element,
    take: first,
    time: "",
    show(take) {
      result.take = take;
      const { source, file, phase, isMicrophoneOn, isAppAudioOn, clipBuffer } = take;
      const runs = isRunning();
      element.dataset.phase = phase;
      setText(status, takeState(take));
      setText(origin, file ? say("into", { source, name: fileName(file) }) : source);
      origin.title = file ?? "";
      setText(problem, take.interruption ?? "");
      const labels = {
        end: isOpen(take) && say("end"),
        pause: runs && say(phase === "paused" ? "resume" : "pause"),
        microphone: runs && isMicrophoneOn != null && say(isMicrophoneOn ? "mute" : "unmute"),
        audio: runs && isAppAudioOn != null && say(isAppAudioOn ? "muteAudio" : "unmuteAudio"),
        output: runs && take.unrecordedAudio && say("recordOutput", { name: take.unrecordedAudio.description }),
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
      preview.element.hidden = !isOpen(result.take) || result.take.isOtherVersion;
      preview.want(isRunning() && !document.hidden && element.checkVisibility() && !element.closest("[inert]"));
    },
    showStatistics(newest) {
      statistics.show(newest, preview.delay);
      destinations.showStatistics(newest.destinations);
    },
    close: () => preview.want(false),
    setTime(now) {
      const { recorded, runsSince } = result.take;
      result.time = clock(recorded + (runsSince == null ? 0 : Math.max(0, now - runsSince)));
      setText(time, result.time);
    },
  };
  return result;
}
