// @ts-check
// The window as a bar beside what is recorded: small, in the screen's lower right corner, and left out of the picture by its number.

/** Whether a script can close and move this window: it has no tabs. */
export const canLeave = matchMedia("(display-mode: standalone)").matches;

// Pixels of the page.
const widths = { recording: 460, live: 560 };
const height = 100;
const gap = 24;
let isOffered = false;
/** @type {Place | undefined} */
let before;
let width = 0;
// The browser's menu would be another window, and in the picture.
addEventListener("contextmenu", (event) => { if (before) event.preventDefault(); });
// A bar has no room for a dialog. The window is left out of the picture with any size.
new MutationObserver(fit).observe(document.body, { childList: true });

/** @param {Sources} sources */
export function offer({ canShowBeneath }) { isOffered = canLeave && !!canShowBeneath; }

/** Whether the window can be a bar: a take shows what lies beneath it. That is so on X11 only, where pages also move their windows. */
export const canBeBar = () => isOffered;

/** @param {boolean} hasLink */
export function shrink(hasLink) {
  before ??= [screenX, screenY, outerWidth, outerHeight];
  width = hasLink ? widths.live : widths.recording;
  fit();
}

/** Gives the window its size and place again. */
export function grow() {
  if (before) put(before, false);
  before = undefined;
}

function fit() {
  if (!before) return;
  if (document.querySelector("body > dialog:not(.countdown)")) return put(before, false);
  put([screen.availLeft + screen.availWidth - width - gap, screen.availTop + screen.availHeight - height - gap, width, height], true);
}

/** @typedef {[x: number, y: number, width: number, height: number]} Place */

/** @param {Place} place @param {boolean} isBar */
function put([x, y, width, height], isBar) {
  document.body.classList.toggle("bar", isBar);
  resizeTo(width, height);
  moveTo(x, y);
}
