// @ts-check
// The studio's window: takes, the form for a new one, recordings, and events.
import { complain, element, setText } from "../shared/elements.js";
import { on } from "../shared/events.js";
import { addNotice, describeNotice } from "./notices.js";
import { isOpen, showTakes } from "./takes.js";
import { noticeText } from "../words/words.js";
import { showViews } from "./views.js";

// Milliseconds.
const newAge = 2000;
// Another machine's clock differs from this one's.
const longestSkew = 20_000;
/** @type {{ [phase: string]: string }} */
const marks = { recording: "● ", paused: "⏸ " };
const icon = document.querySelector("link[rel=icon]");
const notices = element("notices");

/**
 * A control that vanishes takes the focus with it, which then goes to this one.
 * @param {HTMLElement | null} next
 */
function keepFocus(next) {
  setTimeout(() => { if (document.activeElement === document.body) next?.focus({ preventScroll: true }); }, 100);
}

/** Shows takes, the form, recordings and events. */
export function showStudio() {
  const takes = showTakes(element("takes"), ({ text, time = "", phase = "", isLive = false }) => {
    const isConnected = document.body.dataset.phase === "open";
    if (isConnected) setText(element("state"), text);
    Object.assign(element("state").dataset, { phase, live: isLive });
    const mark = isConnected && marks[phase] || "";
    element("elapsed").hidden = !mark;
    setText(element("elapsed"), mark && time);
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
  on("takes", (list) => {
    const begins = !isRunning && list.some(isOpen);
    isRunning = list.some(isOpen);
    // Events are told among the details of what is shown.
    (element("takes").querySelector("article:not([hidden]) .statistics") ?? element("recording").querySelector(".rail"))
      ?.append(notices);
    if (!begins) return;
    element("ended").hidden = true;
    keepFocus(element("takes").querySelector("article"));
  });
  on("recordings", views.refresh);
  on("notice", (notice, at) => {
    // A window that opens later lists older ones, too.
    const isNew = performance.now() - at <= newAge && Math.abs(Date.now() - notice.time) <= longestSkew;
    addNotice(notices, notice, views.open, isNew);
    if (!isNew) return;
    if (["failed", "warning"].includes(notice.kind)) complain(noticeText(notice));
    if (notice.kind !== "ended") return;
    if (notice.isOwn && notice.recording) return views.open(notice.recording, true);
    element("ended").replaceChildren(...describeNotice(notice, views.open));
    element("ended").hidden = false;
    keepFocus(element("ended").querySelector("button"));
  });
}
