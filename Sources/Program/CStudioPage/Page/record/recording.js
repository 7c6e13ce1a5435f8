// @ts-check
// The choice of what to record, by pictures and lists, and the button that begins it.
import { attempt, button, choice, complain, hint, make, pick, setOptions, setText } from "../shared/elements.js";
import { on } from "../shared/events.js";
import { get, post } from "../shared/session.js";
import { say } from "../words/words.js";
import { makeCameraChoice } from "./camera.js";
import * as countdown from "./countdown.js";
import { lookInterval, makeGallery } from "./gallery.js";
import { makeMoreOptions } from "./more.js";
import { makeNameChoice } from "./names.js";
import { isOpen } from "./takes.js";
import { Targets } from "./targets.js";

const defaultCountdown = 3;
// dBFS of the least level that a meter shows.
const lowest = -60;

/**
 * Fills the section. The result's `refresh` asks for the sources again.
 * @param {HTMLElement} section
 */
export function showForm(section) {
  let isRunning = false;
  let isStarting = false;
  let isLocked = false;
  let isOffered = false;
  // A microphone is not opened because it was used last time.
  let measuresMicrophone = false;
  // The last recording; absent until the form is filled.
  /** @type {Choice | undefined} */
  let last;
  // In force without a name, by kinecast.conf and the environment.
  /** @type {Choice} */
  let configured = {};
  const [status, problem] = [hint(), hint()];
  const audio = choice(say("audio"), look);
  const microphone = choice(say("microphone"), () => {
    measuresMicrophone = true;
    look();
  });
  const meters = { audio: meter("audio"), microphone: meter("microphone") };
  const camera = makeCameraChoice(look);
  const gallery = makeGallery(() => camera.setSource(gallery.picture));
  const more = makeMoreOptions();
  const targets = new Targets(update);
  const names = makeNameChoice({
    read: () => ({ ...values(), ...gallery.lasting }),
    choose: (chosen, name) => showChoice(chosen ?? last ?? {}, name),
  });
  const start = button(say("record"), begin, { class: "primary", disabled: true });
  const cancel = button(say("cancel"), () => post("api/takes/cancel"), { hidden: true });
  section.setAttribute("aria-labelledby", "recording-title");
  audio.field.append(meters.audio);
  microphone.field.append(meters.microphone);
  section.append(
    make("h2", { id: "recording-title" }, say("newRecording")), names.element, gallery.element,
    make("div.fields", {}, audio.field, microphone.field, more.clips, camera.field), problem, camera.element, targets.element,
    more.element, make("div.buttons", {}, start, cancel), status);
  setInterval(look, lookInterval);
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden && !section.hidden) refresh();
  });
  // A device may have been plugged in meanwhile.
  addEventListener("focus", refresh);
  on("levels", (levels) => {
    showLevel(meters.audio, levels.audio);
    showLevel(meters.microphone, levels.microphone);
    setText(problem, levels.problem ?? "");
  });
  on("choices", (list) => {
    gallery.setChoices(list);
    more.setWindows(list);
    update();
  });
  on("locked", (value) => {
    isLocked = value;
    if (value) gallery.forget();
    update();
  });
  on("starting", (value, since) => {
    isStarting = value.isStarting;
    const seconds = (value.countdown ?? 0) - (performance.now() - since) / 1000;
    if (isStarting && seconds > 0) countdown.show(seconds, () => post("api/takes/cancel").catch(() => {}));
    else countdown.hide();
    update();
  });
  on("takes", (takes) => {
    const wasRunning = isRunning;
    isRunning = takes.some(isOpen);
    update();
    if (wasRunning && !isRunning) refresh();
  });

  /** Asks for pictures and levels while they are seen. */
  function look() {
    if (document.hidden || !section.checkVisibility() || section.inert) return;
    /** @type {{ audio: string, camera?: string, microphone?: string }} */
    const chosen = { audio: audio.select.value || "none", camera: camera.shown };
    if (measuresMicrophone) chosen.microphone = microphone.select.value;
    post("api/survey", chosen).catch(() => {});
  }

  /**
   * The request.
   * @returns {Choice}
   */
  function values() {
    return {
      profile: names.name, ...gallery.chosen, audio: audio.select.value, microphone: microphone.select.value,
      ...camera.request, ...more.values, ...targets.request,
    };
  }

  async function begin() {
    const request = values();
    await post("api/takes", { ...request, ...targets.settings });
    last = request;
    await targets.reload();
  }

  function update() {
    section.hidden = isRunning;
    setText(start, say(targets.isLive ? "goLive" : "record"));
    start.disabled = isStarting || !isOffered || gallery.isEmpty;
    cancel.hidden = !isStarting;
    setText(status, isStarting ? say("starting") : isLocked ? say("locked") : "");
  }

  async function refresh() {
    if (section.inert || !section.parentElement?.checkVisibility()) return;
    setText(status, say("looking"));
    look();
    await attempt(async () => {
      // Names that cannot be read are no reason to offer nothing.
      fill(...await Promise.all([get("api/sources"), last ?? get("api/choice"), attempt(() => names.load())]));
    }, (sentence) => {
      setText(status, "");
      complain(sentence);
    });
  }

  /** @param {Sources} sources @param {Choice} kept @param {Choice} [known] */
  function fill(sources, kept, known) {
    configured = known ?? {};
    gallery.setFixed(sources);
    setOptions(audio.select, [
      ...(sources.outputs.length ? [["system", say("systemAudio")]] : []),
      // A single output is the system's audio.
      ...(sources.outputs.length > 1 ? [["everything", say("allOutputs")], ...sources.outputs.map(outputChoice)] : []),
      ...sources.applications.map((name) => [`app:${name}`, say("appAudio", { name })]), ["none", say("none")],
    ]);
    setOptions(microphone.select, [
      ["none", say("none")], ...sources.microphones.map(({ name, description }) => [name, description]),
    ]);
    camera.setCameras(sources.cameras);
    if (!last) {
      last = kept;
      // The first recording must not surprise the person.
      if (!kept.source) kept.countdown ??= defaultCountdown;
      names.select(kept.profile);
      showChoice(kept, names.name);
    }
    // Enables Record only once the last destinations are known, or the button's label could be wrong.
    const shown = last;
    attempt(() => targets.load(shown)).then(() => {
      isOffered = true;
      update();
    });
    update();
    look();
    if (gallery.isEmpty) complain(sources.problems[0] ?? say("nothingToRecord"));
  }

  /**
   * Fills the form. `name`: of a kept choice.
   * @param {Choice} chosen
   * @param {string} [name]
   */
  function showChoice(chosen, name) {
    gallery.want(chosen, name);
    pickOrFirst(audio.select, chosen.audio ?? configured.audio);
    pickOrFirst(microphone.select, chosen.microphone ?? configured.microphone);
    camera.show(chosen, configured);
    more.show(chosen, configured);
  }

  return { refresh };
}

/** @param {HTMLSelectElement} select @param {string} [value] */
function pickOrFirst(select, value) {
  if (value) pick(select, value);
  else select.selectedIndex = 0;
}

/** @param {HTMLMeterElement} meter @param {number} [level] */
function showLevel(meter, level) {
  meter.hidden = level == null;
  meter.value = level ?? lowest;
}

/**
 * The audio of one output, for a list.
 * @param {Device} output
 */
function outputChoice({ name, description }) {
  return [`output:${name}`, say("outputAudio", { name: description })];
}

/**
 * A meter of the audio that is chosen, before a recording begins.
 * @param {string} name
 */
function meter(name) {
  return make("meter", { min: lowest, max: 0, high: -3, value: lowest, hidden: true, "aria-label": say(`level.${name}`) });
}
