// The fields of a service, checked by the server while the person types.
import { make, setText } from "../shared/elements.js";
import { say } from "../words/words.js";

// Milliseconds after the last key.
const checkDelay = 300;
// Counts the fields of all forms, for unique ids.
let count = 0;

export class Form {
  element = make("div.fields");
  #fields = new Map();
  #check;
  #checking;

  /** `check` returns the problems of values, by their keys. */
  constructor(fields, check) {
    this.#check = check;
    for (const field of fields) this.#add(field, `field-${count++}`);
  }

  get values() { return Object.fromEntries([...this.#fields].map(([key, { input }]) => [key, input.value])); }

  /** Shows problems, by the fields' keys. */
  show(problems) {
    for (const [key, field] of this.#fields) mark(field, problems[key]);
  }

  /** Focuses the first field with a problem; without problems, the first one. */
  focus(problems) {
    const found = [...this.#fields].find(([key]) => !problems || key in problems);
    found?.[1].input.focus();
  }

  /** Ends the checks while typing: the answer is checked as a whole, and nothing is asked for after it. */
  async settle() {
    for (const { timer } of this.#fields.values()) clearTimeout(timer);
    await this.#checking;
  }

  #add(field, id) {
    const label = say(field.required ? "fieldRequired" : "fieldOptional", { title: field.title ?? field.key });
    const described = { id, "aria-describedby": `${id}-hint ${id}-problem`, "aria-required": String(field.required ?? false) };
    const input = control(field, described);
    const problem = make("p.field-problem", { id: `${id}-problem`, role: "alert" });
    const row = make("div.field-row", {}, input, field.type === "secret" ? reveal(input, label) : null);
    this.element.append(make(
      "div.field", {}, make("label", { for: id }, make("span", {}, label)), row,
      make("p.hint", { id: `${id}-hint` }, field.hint ?? ""), problem));
    const filled = { input, problem };
    this.#fields.set(field.key, filled);
    input.addEventListener("input", () => {
      clearTimeout(filled.timer);
      filled.timer = setTimeout(() => { this.#checking = this.#checkNow(field.key); }, checkDelay);
    });
  }

  async #checkNow(key) {
    const { input } = this.#fields.get(key);
    const { value } = input;
    if (!input.isConnected) return;
    // The answer is checked again, so a lost check does not matter.
    const { problems } = await this.#check({ [key]: value }).catch(() => ({ problems: {} }));
    if (input.value === value) mark(this.#fields.get(key), problems[key]);
  }
}

function mark({ input, problem }, sentence) {
  setText(problem, sentence ?? "");
  input.setAttribute("aria-invalid", sentence != null);
}

function control(field, attributes) {
  if (field.type === "choice") {
    const select = make("select", attributes);
    if (!field.default) select.append(make("option", { value: "" }, say("fieldEmpty")));
    for (const { value, title } of field.choices) select.append(make("option", { value }, title ?? value));
    select.value = field.default ?? "";
    return select;
  }
  return make("input", {
    ...attributes, type: field.type === "secret" ? "password" : "text", autocomplete: "off", spellcheck: "false",
    inputmode: field.type === "number" ? (field.whole && !(field.minimum < 0) ? "numeric" : "decimal") : null,
    value: field.default,
  });
}

function reveal(input, label) {
  const show = () => {
    const isShown = input.type === "text";
    input.type = isShown ? "password" : "text";
    toggle.ariaPressed = !isShown;
  };
  const attributes = { type: "button", "aria-pressed": "false", "aria-label": say("showSecretOf", { label }), click: show };
  const toggle = make("button", attributes, say("showSecret"));
  return toggle;
}
