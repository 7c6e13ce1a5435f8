// @ts-check
// One recording in the library's grid.
import { button, make, setText } from "../shared/elements.js";
import { lengthText } from "../words/format.js";
import { say } from "../words/words.js";
import { facts, isPlayed, lengthOf, title, trouble } from "./recordings.js";

/**
 * A tile with its `element`. `actions`: `open`, `rename`, `remove`, `recover` and `save`; each gets the recording.
 * @param {Required<Pick<RecordingActions, TileAction>>} actions
 * @param {import("./posters.js").Posters} posters
 */
export function makeTile(actions, posters) {
  /** @type {Recording} */
  let recording;
  const picture = make("span.picture", {}, make("img.none", { src: "icon.svg", alt: "" }));
  const [name, length] = [make("span.title"), make("span.length")];
  const [about, problem] = [make("p.hint"), make("p.trouble")];
  const open = make("button.open", { type: "button", click: () => actions.open(recording, null) }, picture, length, name);
  /** @param {TileAction} action */
  const act = (action, /** @type {string} */ label = action) => button(say(label), () => {
    close();
    return actions[action](recording, null);
  });
  const [recover, save] = [act("recover"), act("save", "saveToVideos")];
  const summary = make("summary", {}, "⋯");
  /** @type {HTMLDetailsElement} */
  const menu = make("details.menu", {
    focusout: ({ relatedTarget }) => { if (!menu.contains(/** @type {Node | null} */ (relatedTarget))) menu.open = false; },
    keydown: ({ key }) => { if (key === "Escape") close(); },
  }, summary, make("div", {}, act("rename"), save, act("remove")));

  function showLength() {
    const seconds = lengthOf(recording);
    setText(length, recording.state === "recording" ? say("phase.recording") : seconds == null ? "" : lengthText(seconds));
  }

  function close() {
    if (!menu.open) return;
    menu.open = false;
    summary.focus();
  }

  return {
    element: make("li.tile", {}, open, menu, about, problem, recover),
    /** @param {Recording} newest */
    show(newest) {
      recording = newest;
      const { state, place } = recording;
      const isRunning = state === "recording";
      this.element.dataset.state = state;
      setText(name, title(recording));
      name.title = recording.name;
      showLength();
      setText(about, facts(recording));
      setText(problem, isRunning || isPlayed(recording) ? "" : trouble(recording));
      menu.hidden = isRunning;
      summary.ariaLabel = say("moreFor", { name: title(recording) });
      recover.ariaLabel = say("recoverNamed", { name: title(recording) });
      recover.hidden = state !== "recoverable";
      save.hidden = place !== "app" || state !== "finished";
      if (isPlayed(recording)) posters.show(picture, recording, showLength);
    },
    close: () => posters.forget(picture),
    focus: () => open.focus(),
  };
}
