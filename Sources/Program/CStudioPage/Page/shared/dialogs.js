// @ts-check
// Questions in a dialog.
import { say } from "../words/words.js";
import { button, field, make, setText } from "./elements.js";

/**
 * Shows a dialog until it is closed.
 * @param {HTMLDialogElement} dialog
 */
export function showDialog(dialog) {
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

/**
 * Shows a question. `actions`: pairs of a label and a function. The dialog closes after an action; one that fails leaves it
 * open, with the error's sentence. Enter in a field of text is the first action.
 * @param {string} title
 * @param {Element} content
 * @param {[string, Action][]} actions
 */
export function ask(title, content, ...actions) {
  const problem = make("p.problem", { role: "alert" });
  const buttons = actions.map(([label, action], index) => button(label, async () => {
    await action();
    dialog.close();
  }, { class: index ? null : "primary" }, (sentence = "") => setText(problem, sentence)));
  const cancel = button(say(actions.length ? "cancel" : "close"), () => dialog.close());
  const dialog = make(
    "dialog.question", { "aria-label": title }, make("h2", {}, title), content, problem,
    make("div.buttons", {}, ...buttons, cancel));
  dialog.addEventListener("keydown", (event) => {
    // A key that is still held answers no question that it has opened.
    if (event.key === "Enter" && event.repeat) return event.preventDefault();
    // Enter also ends the composition of a word, as in Chinese.
    if (event.key !== "Enter" || event.isComposing || !(/** @type {Element} */ (event.target)).matches("input:not([type=number])")) return;
    event.preventDefault();
    buttons[0]?.click();
  });
  showDialog(dialog);
  /** @type {HTMLInputElement | null} */ (dialog.querySelector("input:not([type])"))?.select();
  return dialog;
}

/**
 * Asks for a recording's name, and hands it to `send`. `word` names the question. `note` is shown below it.
 * @param {string} word
 * @param {string} name
 * @param {Element | null} note
 * @param {(name: string) => unknown} send
 */
export function askForName(word, name, note, send) {
  const { input, field } = textField(say("name"), name, { maxlength: 200 });
  ask(say(word), make("div", {}, field, note), [say(word), () => send(input.value.trim())]);
}

/**
 * A field for a line of text, with its label.
 * @param {string} label
 * @param {string | undefined} value
 * @param {Attributes} attributes
 */
export function textField(label, value, attributes) {
  const input = make("input", { value, autocomplete: "off", spellcheck: "false", ...attributes });
  return { input, field: field(label, input) };
}
