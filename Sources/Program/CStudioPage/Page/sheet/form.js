// @ts-check
// The fields of a service, checked by the server while the person types.
import { make, setText } from "../shared/elements.js";
import { say } from "../words/words.js";

// Milliseconds after the last key.
const checkDelay = 300;
// A browser offers to keep the value of a field that ever was one for passwords. Password managers heed marks of their own.
const hidesText = CSS.supports("-webkit-text-security", "disc");
const noPassword = { "data-1p-ignore": true, "data-bwignore": true, "data-lpignore": "true", "data-form-type": "other" };
// Counts the fields of all forms, for unique ids.
let count = 0;

export class Form {
  // The fields that few people need.
  #advanced = make("div.fields");
  element = make("div.fields");
  /** @type {Map<string, FilledField>} */
  #fields = new Map();
  #check;
  /** @type {Promise<void> | undefined} */
  #checking;

  /**
   * `check` returns the problems of values, by their keys.
   * @param {Field[]} fields
   * @param {Check} check
   */
  constructor(fields, check) {
    this.#check = check;
    for (const field of fields) this.#add(field, `field-${count++}`);
    if (!this.#advanced.childElementCount) return;
    this.element.append(make("details", {}, make("summary", {}, say("advanced")), this.#advanced));
  }

  get values() { return Object.fromEntries([...this.#fields].map(([key, { input }]) => [key, input.value])); }

  /**
   * Shows problems, by the fields' keys, and focuses the first field with one.
   * @param {Problems} problems
   */
  show(problems) {
    for (const [key, field] of this.#fields) mark(field, problems[key]);
    [...this.#fields].find(([key]) => key in problems)?.[1].input.focus();
  }

  /** Focuses the first field. */
  focus() { [...this.#fields.values()][0]?.input.focus(); }

  /** Ends the checks while typing: the answer is checked as a whole, and nothing is asked for after it. */
  async settle() {
    for (const { timer } of this.#fields.values()) clearTimeout(timer);
    await this.#checking;
  }

  /** @param {Field} field @param {string} id */
  #add(field, id) {
    const title = field.title ?? field.key;
    const label = field.advanced ? title : say(field.required ? "fieldRequired" : "fieldOptional", { title });
    const described = { id, "aria-describedby": `${id}-hint ${id}-problem`, "aria-required": String(field.required ?? false) };
    const input = control(field, described);
    const problem = make("p.field-problem", { id: `${id}-problem`, role: "alert" });
    const isSecret = field.type === "secret" && input instanceof HTMLInputElement;
    const row = make("div.field-row", {}, input, isSecret ? reveal(input, label) : null);
    (field.advanced ? this.#advanced : this.element).append(make(
      "div.field", {}, make("label", { for: id }, make("span", {}, label)), row,
      make("p.hint", { id: `${id}-hint` }, field.hint ?? ""), problem));
    /** @type {FilledField} */
    const filled = { input, problem };
    this.#fields.set(field.key, filled);
    input.addEventListener("input", () => {
      clearTimeout(filled.timer);
      filled.timer = setTimeout(() => { this.#checking = this.#checkNow(field.key, filled); }, checkDelay);
    });
  }

  /** @param {string} key @param {FilledField} field */
  async #checkNow(key, field) {
    const { input } = field;
    const { value } = input;
    if (!input.isConnected) return;
    // The answer is checked again, so a lost check does not matter.
    const { problems } = await this.#check({ [key]: value }).catch(() => ({ problems: /** @type {Problems} */ ({}) }));
    if (input.value === value) mark(field, problems[key]);
  }
}

/** @param {FilledField} field @param {string} [sentence] */
function mark({ input, problem }, sentence) {
  setText(problem, sentence ?? "");
  const closed = sentence && problem.closest("details");
  if (closed) closed.open = true;
  input.setAttribute("aria-invalid", String(sentence != null));
}

/** @param {Field} field @param {Attributes} attributes */
function control(field, attributes) {
  if (field.type === "choice") {
    const select = make("select", attributes);
    if (!field.default) select.append(make("option", { value: "" }, say("fieldEmpty")));
    for (const { value, title } of field.choices ?? []) select.append(make("option", { value }, title ?? value));
    select.value = field.default ?? "";
    return select;
  }
  const isSecret = field.type === "secret";
  return make(isSecret && hidesText ? "input.masked" : "input", {
    ...attributes, ...isSecret && noPassword, type: isSecret && !hidesText ? "password" : "text",
    autocomplete: "off", spellcheck: "false",
    inputmode: field.type === "number" ? (field.whole && !((field.minimum ?? 0) < 0) ? "numeric" : "decimal") : null,
    value: field.default,
  });
}

/** @param {HTMLInputElement} input @param {string} label */
function reveal(input, label) {
  let isShown = false;
  const show = () => {
    isShown = !isShown;
    if (hidesText) input.classList.toggle("masked", !isShown);
    else input.type = isShown ? "text" : "password";
    toggle.ariaPressed = String(isShown);
  };
  const attributes = { type: "button", "aria-pressed": "false", "aria-label": say("showSecretOf", { label }), click: show };
  /** @type {HTMLButtonElement} */
  const toggle = make("button", attributes, say("showSecret"));
  return toggle;
}
