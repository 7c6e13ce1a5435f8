// @ts-check
// The window's views: Record, and Recordings, whose modules are loaded once it is opened.
import { attempt, complain, element, make } from "../shared/elements.js";
import { loadModule } from "../shared/session.js";
import { say } from "../words/words.js";

// Reloading the page keeps the view. An entry in the history for each would keep the window from closing itself.
const place = "kinecast-view";

/**
 * Shows the last view. `changed` is called when a view is shown; it gets whether that is
 * Record. The result's `refresh` is for a list of recordings that may have changed, and `open` shows the one with an ID; `justRecorded`:
 * as in the viewer.
 * @param {(isRecord: boolean) => unknown} changed
 */
export function showViews(changed) {
  const [views, record, section] = ["views", "record", "library"].map(element);
  /** @type {ReturnType<typeof import("../library/library.js").showLibrary> | undefined} */
  let library;
  let isLibrary = false;
  const links = ["record", "recordings"].map((name) => make("a", { href: "#", click: (event) => {
    event.preventDefault();
    attempt(() => show(name === "recordings"));
  } }, say(name)));

  /** @param {string} [recording] */
  function keep(recording) { sessionStorage.setItem(place, JSON.stringify({ isLibrary, recording })); }

  /** @param {boolean} isWanted @param {string} [recording] @param {boolean} [justRecorded] */
  async function show(isWanted, recording, justRecorded) {
    complain();
    const returns = !isLibrary;
    isLibrary = isWanted;
    record.hidden = isLibrary;
    section.hidden = !isLibrary;
    links.forEach((one, index) => { one.ariaCurrent = isLibrary === (index === 1) ? "page" : null; });
    keep();
    if (!isLibrary) library?.leave();
    await changed(!isLibrary);
    if (!isLibrary) return;
    const { showLibrary } = await loadModule("library/library");
    library ??= showLibrary(section, { record: () => show(false), opened: keep });
    await library.enter(recording, returns, justRecorded);
  }

  views.setAttribute("aria-label", say("views"));
  views.append(...links);
  views.hidden = false;
  const last = JSON.parse(sessionStorage.getItem(place) ?? "{}");
  const recorded = new URLSearchParams(location.search).get("recorded");
  attempt(() => recorded && !last.recording ? show(true, recorded, true) : show(Boolean(last.isLibrary), last.recording));
  return { refresh() { if (isLibrary) library?.refresh(); }, open: show.bind(null, true) };
}
