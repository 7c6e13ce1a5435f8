// @ts-check
// The fields of a service, checked by the server while the person types.
import { make, setText } from "../shared/elements.js";
import { say } from "../words/words.js";

// Milliseconds after the last key.
const checkDelay = 300;
// Counts the fields of all forms, for unique ids.
let count = 0;

export class Form {
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
  }

  get values() { return Object.fromEntries([...this.#fields].map(([key, { input }]) => [key, input.value])); }

  /**
   * Shows problems, by the fields' keys.
   * @param {Problems} problems
   */
  show(problems) {
    for (const [key, field] of this.#fields) mark(field, problems[key]);
  }

  /**
   * Focuses the first field with a problem; without problems, the first one.
   * @param {Problems} [problems]
   */
  focus(problems) {
    const found = [...this.#fields].find(([key]) => !problems || key in problems);
    found?.[1].input.focus();
  }

  /** Ends the checks while typing: the answer is checked as a whole, and nothing is asked for after it. */
  async settle() {
    for (const { timer } of this.#fields.values()) clearTimeout(timer);
    await this.#checking;
  }

  /** @param {Field} field @param {string} id */
  #add(field, id) {
    const label = say(field.required ? "fieldRequired" : "fieldOptional", { title: field.title ?? field.key });
    const described = { id, "aria-describedby": `${id}-hint ${id}-problem`, "aria-required": String(field.required ?? false) };
    const input = control(field, described);
    const problem = make("p.field-problem", { id: `${id}-problem`, role: "alert" });
    const isSecret = field.type === "secret" && input instanceof HTMLInputElement;
    const row = make("div.field-row", {}, input, isSecret ? reveal(input, label) : null);
    this.element.append(make(
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
  return make("input", {
    ...attributes, type: field.type === "secret" ? "password" : "text", autocomplete: "off", spellcheck: "false",
    inputmode: field.type === "number" ? (field.whole && !((field.minimum ?? 0) < 0) ? "numeric" : "decimal") : null,
    value: field.default,
  });
}

/** @param {HTMLInputElement} input @param {string} label */
function reveal(input, label) {
  const show = () => {
    const isShown = input.type === "text";
    input.type = isShown ? "password" : "text";
    toggle.ariaPressed = String(!isShown);
  };
  const attributes = { type: "button", "aria-pressed": "false", "aria-label": say("showSecretOf", { label }), click: show };
  /** @type {HTMLButtonElement} */
  const toggle = make("button", attributes, say("showSecret"));
  return toggle;
}
