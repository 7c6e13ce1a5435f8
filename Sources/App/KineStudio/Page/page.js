// The page: opens the session, and shows the studio, or an app's sheet.
import { attempt, complain, write } from "./elements.js";
import { listen, on } from "./events.js";
import { open } from "./session.js";
import { language, say } from "./words.js";

const element = (id) => document.getElementById(id);

document.documentElement.lang = language;

function setPhase(phase) {
  document.body.dataset.phase = phase;
  const isOpen = phase === "open";
  for (const section of ["views", "takes", "recording", "notices", "library"]) element(section).inert = !isOpen;
  if (!isOpen) write(element("state"), say(phase));
  complain(phase === "refused" || phase === "lost" ? say(`${phase}Help`) : "");
}

// The takes of the last event.
let known = [];

async function showQuestions(takes) {
  const isNeeded = [...known, ...takes].some(({ question }) => question);
  known = takes;
  if (isNeeded) (await import("./questions.js")).show(known);
}

/** Fetches what a window may come to load, after the first paint. Later, another server may be at its address. */
function fetchRest(...names) {
  const next = document.hidden ? setTimeout : requestAnimationFrame;
  next(() => setTimeout(() => { for (const name of names) import(`./${name}.js`).catch(() => {}); }));
}

setPhase("connecting");
const sheet = new URLSearchParams(location.search).get("sheet");
await attempt(async () => {
  const challenger = await open();
  on("takes", showQuestions);
  if (!sheet) {
    (await import("./studio.js")).showStudio(setPhase);
    listen(challenger);
    return fetchRest(
      "library", "viewer", "region", "cameraframe", "services", "sheet-form", "questions", "player", "webcodecs", "mediasource",
      "recording");
  }
  setPhase("open");
  element("state").hidden = true;
  listen(challenger);
  fetchRest("review", "sheet-form", "questions");
  await (await import("./sheet.js")).show(sheet);
}, (sentence) => {
  setPhase("closed");
  complain(sentence);
});
