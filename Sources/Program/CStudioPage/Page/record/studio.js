// @ts-check
// The studio's window: takes, the form for a new one, recordings, and events.
import { button, complain, element, make, setText } from "../shared/elements.js";
import { on } from "../shared/events.js";
import { isOpen, showTakes } from "./takes.js";
import { language, noticeText, say } from "../words/words.js";
import { showViews } from "./views.js";

// Milliseconds.
const newAge = 2000;
// Another machine's clock differs from this one's.
const longestSkew = 20_000;
const mostNotices = 200;
const times = new Intl.DateTimeFormat(language, { hour: "2-digit", minute: "2-digit", second: "2-digit" });
/** @type {{ [phase: string]: string }} */
const marks = { recording: "● ", paused: "⏸ " };
const icon = document.querySelector("link[rel=icon]");
const [section, state, elapsed, ended, notices] = ["takes", "state", "elapsed", "ended", "notices"].map(element);
const list = make("ol");
notices.append(make("summary", {}, say("events")), list);

/**
 * A control that vanishes takes the focus with it, which then goes to this one.
 * @param {HTMLElement | null} next
 */
function keepFocus(next) {
  setTimeout(() => { if (document.activeElement === document.body) next?.focus({ preventScroll: true }); }, 100);
}

/** Shows takes, the form, recordings and events. */
export function showStudio() {
  const takes = showTakes(section, ({ text, time = "", phase = "", isLive = false }) => {
    const isConnected = document.body.dataset.phase === "open";
    if (isConnected) setText(state, text);
    Object.assign(state.dataset, { phase, live: isLive });
    const mark = isConnected && marks[phase] || "";
    elapsed.hidden = !mark;
    setText(elapsed, mark && time);
    // The title of a hidden window is seldom renewed.
    document.title = `${mark}${mark && !document.hidden ? `${time} ` : ""}Kinecast`;
    const wanted = mark && phase === "recording" ? "icon-recording.svg" : "icon.svg";
    // The browser loads it.
    if (isConnected && icon?.getAttribute("href") !== wanted) icon?.setAttribute("href", wanted);
  });
  // The form is loaded when its view is shown first.
  /** @type {{ refresh(): unknown } | undefined} */
  let form;
  const views = showViews(async (isRecord) => {
    takes.showPreviews();
    if (!isRecord) return;
    const { showForm } = await import("./recording.js");
    form ??= showForm(element("recording"));
    placeNotices();
    form.refresh();
  });
  on("connection", (kind) => {
    takes.update();
    takes.showPreviews();
    if (kind !== "open") return;
    form?.refresh();
    views.refresh();
  });
  let isRunning = false;
  // A window that opens just after a take shows what the person wants to see now.
  let hasRun = false;
  on("takes", (newest) => {
    const wasRunning = isRunning;
    isRunning = newest.some(isOpen);
    hasRun ||= isRunning;
    placeNotices();
    if (wasRunning || !isRunning) return;
    ended.hidden = true;
    keepFocus(section.querySelector("article"));
  });
  on("recordings", views.refresh);
  on("notice", (notice, at) => {
    // A window that opens later lists older ones, too.
    const isNew = performance.now() - at <= newAge && Math.abs(Date.now() - notice.time) <= longestSkew;
    addNotice(notice, views.open, isNew);
    if (!isNew) return;
    if (["failed", "warning"].includes(notice.kind)) complain(noticeText(notice));
    if (notice.kind !== "ended") return;
    if (notice.isOwn && notice.recording && hasRun) return views.open(notice.recording, true);
    ended.replaceChildren(...describeNotice(notice, views.open));
    ended.hidden = false;
    keepFocus(ended.querySelector("button"));
  });
}

/** Moves the list of events to the details of the shown take, or to the form. */
function placeNotices() {
  const place = section.querySelector("article:not([hidden]) .statistics") ?? element("recording").querySelector(".rail");
  place?.append(notices);
}

/**
 * A notice as a sentence, with a button if it has a recording. `open` shows the one with an ID.
 * @param {Notice} notice
 * @param {(id: string) => unknown} open
 */
function describeNotice(notice, open) {
  const { file, recording } = notice;
  return [
    make("span", { title: file }, noticeText(notice)),
    ...(recording ? [button(say("openRecording"), () => open(recording))] : []),
  ];
}

/**
 * Adds to the list of events, the newest first. `open` is as for `describeNotice`. Old notices are shown, and not reported.
 * @param {Notice} notice
 * @param {(id: string) => unknown} open
 * @param {boolean} isNew
 */
function addNotice(notice, open, isNew) {
  notices.hidden = false;
  list.ariaLive = isNew ? "polite" : "off";
  const time = make("time", { datetime: new Date(notice.time).toISOString() }, times.format(notice.time));
  list.prepend(make("li", { "data-kind": notice.kind }, time, ...describeNotice(notice, open)));
  while (list.children.length > mostNotices) list.lastElementChild?.remove();
}
