// @ts-check
// The seconds before a recording begins, which the server counts. A key, a click or Cancel ends them.
import { showDialog } from "../shared/dialogs.js";
import { button, make, setText } from "../shared/elements.js";
import { say } from "../words/words.js";

// Milliseconds. The second click of two on the button that began it is no answer.
const idleTime = 600;
/** @type {HTMLDialogElement | undefined} */
let dialog;
let remark = "";
/** @type {number | undefined} */
let timer;
/** @type {() => void} */
let abandon;
// A person who closes the window does not expect to be recorded.
addEventListener("pagehide", () => { if (dialog) abandon(); });

/**
 * Whether a key is for the page: the others switch windows or silence speech.
 * @param {KeyboardEvent} event
 */
export function isOwn({ key }) {
  return !["Control", "Alt", "AltGraph", "Shift", "Meta", "Tab"].includes(key);
}

/**
 * Shows the seconds until the recording begins, in every window. `cancel` is called for a key or a click, `leave` so many
 * milliseconds before the end.
 * @param {number} seconds
 * @param {() => void} cancel
 * @param {number} margin
 * @param {() => void} [leave]
 */
export function show(seconds, cancel, margin = 0, leave) {
  hide();
  abandon = cancel;
  const begun = performance.now();
  const end = begun + seconds * 1000;
  const count = make("p.count", { "aria-live": "assertive" });
  /** @param {Event} event */
  const stop = (event) => {
    const key = event instanceof KeyboardEvent ? event : null;
    if (key && !isOwn(key)) return;
    event.preventDefault();
    if (key?.repeat || performance.now() - begun < idleTime) return;
    if (dialog) cancel();
    hide();
  };
  dialog = make(
    "dialog.countdown", { "aria-label": say("countdown"), keydown: stop, pointerdown: stop, click: stop, cancel: stop },
    count, make("p", {}, say("cancelHint")), remark ? make("p", {}, remark) : null, button(say("cancel"), () => {}));
  const update = () => {
    const left = end - performance.now() - margin;
    if (left > 0) return setText(count, String(Math.ceil((left + margin) / 1000)));
    hide();
    leave?.();
  };
  showDialog(dialog);
  timer = setInterval(update, 100);
  update();
}

/**
 * What the next countdown says beside its seconds.
 * @param {string} text
 */
export function note(text) { remark = text; }

export function hide() {
  clearInterval(timer);
  dialog?.close();
  dialog = undefined;
}
