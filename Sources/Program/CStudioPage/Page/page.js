// @ts-check
// The page: opens the session, and shows the studio, one recording, or an app's sheet.
import { attempt, complain, element, setText } from "./shared/elements.js";
import { listen, on } from "./shared/events.js";
import { takePlace } from "./shared/places.js";
import { loadModule, open } from "./shared/session.js";
import { language, say } from "./words/words.js";

document.documentElement.lang = language;

/** @param {string} phase */
function setPhase(phase) {
  document.body.dataset.phase = phase;
  const isOpen = phase === "open";
  for (const name of ["views", "takes", "recording", "notices", "library", "sheet"]) {
    const part = document.getElementById(name);
    if (part) part.inert = !isOpen;
  }
  if (!isOpen) setText(element("state"), say(phase));
  complain(phase === "refused" || phase === "lost" ? say(`${phase}Help`) : "");
}

/**
 * Fetches what a window may come to load, after the first paint. Later, another server may be at its address.
 * @param {string[]} names
 */
function fetchRest(...names) {
  const next = document.hidden ? setTimeout : requestAnimationFrame;
  next(() => setTimeout(() => { for (const name of names) loadModule(name).catch(() => {}); }));
}

setPhase("connecting");
const sheet = new URLSearchParams(location.search).get("sheet");
await attempt(async () => {
  const { recording, ...challenger } = await open();
  // A sheet that is over needs no connection.
  if (!sheet) on("connection", setPhase);
  if (!sheet && !recording) {
    on("questions", async (questions) => (await import("./record/questions.js")).showQuestion(questions));
    (await import("./record/studio.js")).showStudio();
    listen(challenger);
    return fetchRest(
      "record/recording", "library/library", "library/viewer", "record/cameraframe", "record/services",
      "record/questions", "player", "webcodecs", "mediasource");
  }
  // Each has a stream of its own.
  if (!await takePlace() && recording) throw new Error(say("manyWindows"));
  element("state").hidden = true;
  listen(challenger);
  if (sheet) {
    fetchRest("sheet/review", "sheet/form");
    return (await import("./sheet/sheet.js")).showSheet(sheet, setPhase);
  }
  fetchRest("library/viewer");
  (await import("./library/library.js")).showRecording(/** @type {string} */ (recording));
}, (sentence) => {
  setPhase("closed");
  complain(sentence);
});
