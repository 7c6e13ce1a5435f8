// @ts-check
// The library of recordings: a grid that is sorted and searched, or the viewer of one of them.
import { askForName, textField } from "../shared/dialogs.js";
import { arrange, attempt, button, choice, complain, element, hint, make, messageOf, setOptions, setText } from "../shared/elements.js";
import { on } from "../shared/events.js";
import { Jobs } from "../shared/jobs.js";
import { get, post } from "../shared/session.js";
import { language, load, say } from "../words/words.js";
import { Posters } from "./posters.js";
import { lengthOf, pathOf, title } from "./recordings.js";
import { makeTile } from "./tile.js";
import { makeUndo } from "./undo.js";

await load("library");

const names = new Intl.Collator(language, { numeric: true });
/** @type {{ [order: string]: (one: Recording, other: Recording) => number }} */
const orders = {
  date: (one, other) => other.modified - one.modified,
  name: (one, other) => names.compare(one.name, other.name),
  duration: (one, other) => (lengthOf(other) ?? 0) - (lengthOf(one) ?? 0),
  size: (one, other) => other.bytes - one.bytes,
};

/**
 * Shows one recording, in a window for it and what is made of it.
 * @param {string} id
 */
export function showRecording(id) {
  const section = element("library");
  const library = showLibrary(section, { opened() {} });
  element("record").hidden = true;
  section.hidden = false;
  on("connection", (kind) => { if (kind === "open") library.refresh(); });
  on("recordings", library.refresh);
  return library.enter(id);
}

/**
 * Fills the section. `leaveFor.record` shows the other view, if there is one. `leaveFor.opened` gets the ID of what the viewer
 * shows, if anything.
 * @param {HTMLElement} section
 * @param {{ record?(): unknown, opened(id?: string): void }} leaveFor
 */
export function showLibrary(section, leaveFor) {
  /** @type {Recording[] | undefined} */
  let recordings;
  let loading = Promise.resolve();
  /** @type {import("./viewer.js").Viewer | undefined} */
  let viewer;
  // The ID of the recording in the viewer.
  /** @type {string | undefined} */
  let opened;
  /** @type {Map<string, ReturnType<typeof makeTile>>} */
  const tiles = new Map();
  const posters = new Posters();
  const jobs = new Jobs();
  const undo = makeUndo((recording) => change(Promise.resolve(recording)));
  const order = choice(say("sortBy"), show);
  const search = textField(say("search"), "", { type: "search", input: show });
  const grid = make("ul.tiles");
  const status = hint();
  const again = button(say("tryAgain"), refresh, { hidden: true });
  const place = make("p.hint");
  const empty = make(
    "div.empty", { hidden: true }, make("h2", {}, say("noRecordings")), make("p.hint", {}, say("noRecordingsHint")),
    leaveFor.record && button(say("newRecording"), leaveFor.record, { class: "primary" }));
  const list = make(
    "div.list", {}, make("div.fields", { role: "search" }, search.field, order.field), status, again, empty, grid, place);
  /** @type {Required<Pick<RecordingActions, TileAction>>} */
  const actions = {
    open: ({ id }) => attempt(() => open(id)),
    rename: (recording) => askForName("rename", title(recording), null, (name) => setName(recording, name)),
    remove,
    save: (recording, note) => askForName(
      "saveToVideos", title(recording), note, (name) => change(post(`${pathOf(recording)}/save`, { name }), recording)),
    recover: (recording) => change(post(`${pathOf(recording)}/recover`)),
  };
  setOptions(order.select, Object.keys(orders).map((name) => [name, say(`sort.${name}`)]));
  section.setAttribute("aria-label", say("recordings"));
  section.append(jobs.element, list, undo.element);

  /** Asks for the list, after earlier requests. */
  function refresh() {
    loading = loading.then(read);
    return loading;
  }

  async function read() {
    if (!recordings) setText(status, say("lookingForRecordings"));
    try {
      const answer = await get("api/recordings");
      ({ recordings } = answer);
      setText(place, answer.directory ? say("recordingsIn", { directory: answer.directory }) : "");
      again.hidden = true;
    } catch (error) {
      setText(status, messageOf(error));
      empty.hidden = true;
      again.hidden = false;
      return;
    }
    show();
    if (!opened) return;
    const renamed = find(opened) ? undefined : recordings.find(({ version }) => version === viewer?.version);
    if (renamed) leaveFor.opened(opened = renamed.id);
    viewer?.update(find(opened), renamed != null);
  }

  /** @param {string} id */
  function find(id) { return recordings?.find((one) => one.id === id); }

  function show() {
    if (!recordings) return;
    const wanted = search.input.value.trim().toLocaleLowerCase();
    const shown = recordings
      .filter(({ name, app, chapters = [] }) =>
        [name, app, ...chapters.map((one) => one.title)].join(" ").toLocaleLowerCase().includes(wanted))
      .sort(orders[order.select.value]);
    const isEmpty = !recordings.length;
    empty.hidden = !isEmpty;
    place.hidden = isEmpty;
    list.classList.toggle("none", isEmpty);
    setText(status, shown.length || isEmpty ? "" : say("notFound"));
    arrange(grid, tiles, shown, ({ id }) => id, () => makeTile(actions, posters));
  }

  /** @param {string} id @param {boolean} [justRecorded] */
  async function open(id, justRecorded) {
    complain();
    const recording = find(id);
    if (!recording) {
      close();
      return complain(say("recordingGone"));
    }
    const { Viewer } = await import("./viewer.js");
    viewer ??= new Viewer(jobs, { ...actions, setName, back: close, again: leaveFor.record, made });
    opened = id;
    list.hidden = true;
    section.insertBefore(viewer.element, list);
    leaveFor.opened(id);
    await viewer.open(recording, justRecorded);
  }

  /** Back to the grid. */
  function close() {
    const id = opened;
    opened = undefined;
    viewer?.close();
    viewer?.element.remove();
    list.hidden = false;
    leaveFor.opened();
    if (id) (tiles.get(id) ?? tiles.values().next().value)?.focus();
  }

  /**
   * A job has made a recording, in place of `replaced` if that is given. Returns a button that opens it.
   * @param {string} id
   * @param {string} [replaced]
   */
  function made(id, replaced) {
    const isReplaced = replaced && replaced === opened;
    attempt(() => refresh().then(() => { if (isReplaced) return open(id); }));
    return button(say("openRecording"), async () => {
      if (!find(id)) await refresh();
      await open(id);
    });
  }

  /**
   * Shows a recording that a request has changed. The viewer, if the old one is there, follows the file.
   * @param {Promise<Recording>} answer
   * @param {Recording} [old]
   */
  async function change(answer, old) {
    complain();
    const isOpen = old && old.id === opened;
    const changed = await answer;
    await refresh();
    // The dialog closes first.
    if (!isOpen) setTimeout(() => tiles.get(changed.id)?.focus());
    // On another disk it is another file.
    else if (old.id === opened && changed.id !== old.id) await open(changed.id);
  }

  /** @param {Recording} recording @param {string} name */
  function setName(recording, name) { return change(post(`${pathOf(recording)}/rename`, { name }), recording); }

  /** @param {Recording} recording */
  async function remove(recording) {
    complain();
    const answer = await post(`${pathOf(recording)}/delete`);
    undo.show(say("deleted", { name: title(recording) }), answer.undo);
    if (recording.id === opened) close();
    const tile = tiles.get(recording.id)?.element;
    const next = tile?.nextElementSibling ?? tile?.previousElementSibling;
    await refresh();
    /** @type {HTMLElement | null} */ (next?.querySelector(".open") ?? empty.querySelector("button"))?.focus();
  }

  return {
    refresh,
    /**
     * Shows the grid, or one recording. `returns`: from another view, to what was open. `justRecorded`: as in the viewer.
     * @param {string} [id]
     * @param {boolean} [returns]
     * @param {boolean} [justRecorded]
     */
    async enter(id, returns, justRecorded) {
      if (id) {
        // Posters would delay its picture.
        list.hidden = true;
        import("./viewer.js").catch(() => {});
      }
      await refresh();
      // The cut of a recording that was open is not lost.
      const wanted = id ?? (returns && opened && find(opened) ? opened : undefined);
      if (wanted) await open(wanted, justRecorded);
      else close();
    },
    /** Another view is shown. */
    leave() { viewer?.close(); },
  };
}
