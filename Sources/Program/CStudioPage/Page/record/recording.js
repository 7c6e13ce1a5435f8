// @ts-check
// The choice of what to record: the picture, its sound and camera, where it goes, and the button that begins it.
import { attempt, button, complain, element, hint, make, setText } from "../shared/elements.js";
import { on } from "../shared/events.js";
import { get, post } from "../shared/session.js";
import { say } from "../words/words.js";
import * as bar from "./bar.js";
import { makeCameraChoice } from "./camera.js";
import * as countdown from "./countdown.js";
import { showSpace } from "./disk.js";
import { lookInterval, makeGallery } from "./gallery.js";
import { makeMeters } from "./meters.js";
import { makeMoreOptions } from "./more.js";
import { makeNameChoice } from "./names.js";
import { leave, margin, prepare } from "./leaving.js";
import { listRow } from "./rows.js";
import { isOpen } from "./takes.js";
import { Targets } from "./targets.js";

const defaultCountdown = 3;

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
  const [status, problem, space] = [hint(), hint(), make("p.hint")];
  const meters = makeMeters();
  const audio = listRow("sound", say("audio"), say("whichAudio"), "none", look, meters.audio);
  const microphone = listRow("microphone", say("microphone"), say("whichMicrophone"), "none", () => {
    measuresMicrophone = true;
    look();
  }, meters.microphone, problem);
  const camera = makeCameraChoice(look);
  const gallery = makeGallery(() => {
    camera.setSource(gallery.picture);
    update();
  });
  const more = makeMoreOptions();
  const targets = new Targets(update);
  const names = makeNameChoice({
    read: () => ({ ...values(), ...gallery.lasting }),
    choose: (chosen, name) => showChoice(chosen ?? last ?? {}, name),
  });
  const start = button(say("record"), begin, { class: "main", disabled: true });
  const cancel = button(say("cancel"), () => post("api/takes/cancel"), { hidden: true });
  section.setAttribute("aria-label", say("newRecording"));
  section.append(
    make("div.side", {}, gallery.kinds, make("div.place", {}, camera.stage), gallery.element),
    make("div.rail", {}, audio.element, microphone.element, camera.element, make("hr"), targets.element, make("hr"), more.clips, more.element),
    make("div.foot", {}, space, status, cancel, more.countdown, start));
  element("tools").append(names.element);
  setInterval(look, lookInterval);
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden && !section.hidden) refresh();
  });
  // A device may have been plugged in meanwhile.
  addEventListener("focus", refresh);
  on("disk", (newest) => showSpace(space, newest));
  on("levels", (levels) => {
    meters.show(levels);
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
    const leaves = value.leaves && bar.canLeave;
    if (isStarting && seconds > 0) {
      countdown.show(seconds, () => post("api/takes/cancel").catch(() => {}), leaves ? margin : 0, leaves ? () => attempt(leave) : undefined);
    }
    else countdown.hide();
    // A start that fails at once may be known before it is answered.
    setTimeout(() => { if (!isStarting && !isRunning) bar.grow(); }, 500);
    update();
  });
  on("takes", (takes) => {
    const wasRunning = isRunning;
    isRunning = takes.some(isOpen);
    update();
    if (!wasRunning || isRunning) return;
    bar.grow();
    refresh();
  });

  /** Asks for pictures and levels while they are seen. */
  function look() {
    if (document.hidden || !section.checkVisibility() || section.inert) return;
    /** @type {{ audio: string, camera?: string, microphone?: string, shown?: Source }} */
    const chosen = { audio: audio.value, camera: camera.shown, shown: gallery.chosen };
    if (measuresMicrophone) chosen.microphone = microphone.value;
    post("api/survey", chosen).catch(() => {});
  }

  /** @returns {Choice} The request. */
  function values() {
    return {
      profile: names.chosen?.name, ...gallery.chosen, audio: audio.value, microphone: microphone.value, ...camera.request, ...more.values,
      ...targets.request,
    };
  }

  async function begin() {
    const request = values();
    request.countdown ??= configured.countdown;
    const ways = await prepare(request, gallery.findOwn, last);
    if (ways === null) return;
    countdown.note(ways);
    await post("api/takes", { ...request, ...targets.settings });
    const { window, ...kept } = request;
    if (window) bar.shrink(targets.isLive);
    last = kept;
    await targets.reload();
  }

  function update() {
    section.hidden = isRunning;
    names.element.hidden = isRunning;
    setText(start, say(targets.isLive ? "goLive" : "record"));
    start.disabled = isStarting || !isOffered || gallery.isEmpty;
    cancel.hidden = !isStarting;
    setText(status, isStarting ? say("starting") : isLocked ? say("locked") : gallery.isDrawn ? say("drawAreaHint") : "");
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
    bar.offer(sources);
    gallery.setFixed(sources);
    audio.offer([
      ...(sources.outputs.length ? [["system", say("systemAudio")]] : []),
      // A single output is the system's audio.
      ...(sources.outputs.length > 1 ? [["everything", say("allOutputs")], ...sources.outputs.map(({ name, description }) =>
        [`output:${name}`, say("outputAudio", { name: description })])] : []),
      // Some play without a name.
      ...sources.applications.filter(Boolean).map((name) => [`app:${name}`, say("appAudio", { name })]),
    ]);
    microphone.offer(sources.microphones.map(({ name, description }) => [name, description]));
    camera.setCameras(sources.cameras);
    if (!last) {
      last = kept;
      // The first recording must not surprise the person.
      if (!kept.source) kept.countdown ??= defaultCountdown;
      names.select(kept.profile);
      showChoice(kept, names.chosen?.title);
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
   * Fills the form. `name`: of a preset.
   * @param {Choice} chosen
   * @param {string} [name]
   */
  function showChoice(chosen, name) {
    gallery.want(chosen, name);
    audio.choose(chosen.audio ?? configured.audio ?? audio.first);
    microphone.choose(chosen.microphone ?? configured.microphone);
    camera.show(chosen, configured);
    more.show(chosen, configured);
  }

  return { refresh };
}
