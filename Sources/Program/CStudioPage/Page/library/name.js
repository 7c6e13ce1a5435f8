// @ts-check
// The name of the recording that is shown: a title, which becomes a field for another name.
import { attempt, make, setText } from "../shared/elements.js";
import { say } from "../words/words.js";

/**
 * A name in an `element`. `rename` gets one that was typed, and throws with a sentence; `attributes` are the title's.
 * @param {(name: string) => unknown} rename
 * @param {Attributes} attributes
 */
export function makeName(rename, attributes) {
  const title = make("h2", { tabindex: -1, ...attributes });
  const problem = make("p.field-problem", { role: "alert" });
  const input = make("input", {
    "aria-label": say("name"), maxlength: 200, autocomplete: "off", spellcheck: "false", hidden: true,
    // The whole window may lose the focus.
    blur: () => { if (document.hasFocus()) commit(); },
    keydown: ({ key, isComposing }) => {
      if (key === "Escape") close(true);
      if (key === "Enter" && !isComposing) commit(true);
    },
  });

  /** @param {boolean} [takesFocus] */
  function close(takesFocus) {
    [input.hidden, title.hidden] = [true, false];
    setText(problem, "");
    if (takesFocus) title.focus();
  }

  /** @param {boolean} [takesFocus] */
  async function commit(takesFocus) {
    if (input.hidden || input.readOnly) return;
    input.readOnly = true;
    await attempt(async () => {
      const typed = input.value.trim();
      if (typed !== title.textContent) await rename(typed);
      close(takesFocus);
    }, (sentence) => setText(problem, sentence ?? ""));
    input.readOnly = false;
  }

  return {
    element: make("div.name", {}, title, input, problem),
    /** @param {string} name */
    show: (name) => setText(title, name),
    edit() {
      if (!input.hidden) return;
      input.value = title.textContent ?? "";
      [input.hidden, title.hidden] = [false, true];
      input.focus();
      input.select();
    },
    close,
    /** The field keeps the focus. */
    focus() { if (input.hidden) title.focus(); },
  };
}
