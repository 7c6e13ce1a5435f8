// @ts-check
// The sentence after a deletion, with a button that undoes it.
import { button, make, setText } from "../shared/elements.js";
import { post } from "../shared/session.js";
import { say } from "../words/words.js";

// Milliseconds. After it, the next action hides the sentence.
const shortest = 10_000;

/**
 * A sentence in an `element`. `undone` gets the recording that is there again.
 * @param {(recording: Recording) => unknown} undone
 */
export function makeUndo(undone) {
  /** @type {string} */
  let token;
  let since = 0;
  const text = make("span", { role: "status" });
  const undo = button(say("undo"), async () => {
    const recording = await post("api/recordings/undo", { undo: token });
    hide();
    await undone(recording);
  }, { hidden: true });
  const element = make("div.undo", {}, text, undo);

  function hide() {
    setText(text, "");
    undo.hidden = true;
  }

  for (const type of ["pointerdown", "keydown"]) {
    document.addEventListener(type, ({ target }) => {
      if (!element.contains(/** @type {Node} */ (target)) && performance.now() - since > shortest) hide();
    });
  }
  return {
    element,
    /** @param {string} sentence @param {string} newest */
    show(sentence, newest) {
      token = newest;
      since = performance.now();
      setText(text, sentence);
      undo.hidden = false;
    },
  };
}
