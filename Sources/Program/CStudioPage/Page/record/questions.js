// @ts-check
// Apps' questions whether they may record, which every window shows until one of them, or the desktop, has the answer.
import { showDialog } from "../shared/dialogs.js";
import { button, make, setText } from "../shared/elements.js";
import { post } from "../shared/session.js";
import { language, say } from "../words/words.js";

// Milliseconds. A click or key that was meant for something else is no answer.
const idleTime = 700;
const lists = new Intl.ListFormat(language);
// The id of the question that is shown, and its dialog.
/** @type {{ id: string, dialog: HTMLDialogElement } | undefined} */
let shown;

/**
 * Shows the first open question of these takes.
 * @param {TakeQuestion[]} takes
 */
export function showQuestion(takes) {
  const take = takes.find((one) => one.question);
  const id = take && `${take.id} ${take.question.number}`;
  if (id === shown?.id) return;
  const old = shown?.dialog;
  const dialog = take && make("dialog.permission", {
    role: "alertdialog", "aria-labelledby": "permission", "aria-describedby": "permission-hint",
  });
  shown = id && dialog ? { id, dialog } : undefined;
  old?.close();
  if (take && dialog) fill(dialog, take.question, `api/takes/${encodeURIComponent(take.id)}/permission`);
}

/** @param {HTMLDialogElement} dialog @param {TakeQuestion["question"]} question @param {string} path */
function fill(dialog, { number, name, subject, kinds }, path) {
  const title = say("permissionAsks", { name, kinds: lists.format(kinds.map((kind) => say(`kind.${kind}`))) });
  const problem = make("p.problem", { role: "alert" });
  /** @param {boolean} [isAllowed] */
  const answer = (isAllowed) => post(path, { question: number, isAllowed });
  const fail = (sentence = "") => setText(problem, sentence);
  /** @type {[string, boolean?][]} */
  const answers = [["allow", true], ["deny", false], ["notNow"]];
  const buttons = answers.map(([word, isAllowed]) => button(say(word), () => answer(isAllowed), { disabled: true }, fail));
  const isEarly = () => buttons[0].disabled;
  setTimeout(() => { for (const one of buttons) one.disabled = false; }, idleTime);
  dialog.append(
    // The focus is on no button: a key that was meant for the page behind would be an answer.
    make("h2", { id: "permission", tabindex: -1, autofocus: true }, title),
    make("p.hint", { id: "permission-hint" }, say("permissionHint", { executable: subject.executable })),
    problem, make("div.buttons", {}, ...buttons));
  // Keys of the page behind, as those that cancel a countdown.
  dialog.addEventListener("keydown", (event) => event.stopPropagation());
  dialog.addEventListener("cancel", (event) => { if (isEarly()) event.preventDefault(); });
  dialog.addEventListener("close", () => { if (shown?.dialog === dialog) answer().catch(() => {}); });
  showDialog(dialog);
}
