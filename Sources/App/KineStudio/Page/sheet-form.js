// The fields of a service, checked by the server while the person types.
import { make, write } from "./elements.js";
import { say } from "./words.js";

// Milliseconds after the last key.
const checkDelay = 300;
// Of all forms, whose fields need ids of their own.
let count = 0;

export class Form {
    element = make("div", { class: "fields" });
    #fields = new Map();
    #check;

    /** `check` returns the problems of values, by their keys. */
    constructor(fields, check) {
        this.#check = check;
        for (const field of fields) this.#add(field, `field-${count++}`);
    }

    get values() { return Object.fromEntries([...this.#fields].map(([key, { input }]) => [key, input.value])); }

    /** Shows problems, by the fields' keys. */
    show(problems) {
        for (const [key, { input, problem }] of this.#fields) {
            write(problem, problems[key] ?? "");
            input.setAttribute("aria-invalid", key in problems);
        }
    }

    /** Focuses the first field with a problem; without problems, the first one. */
    focus(problems) {
        const found = [...this.#fields].find(([key]) => !problems || key in problems);
        found?.[1].input.focus();
    }

    #add(field, id) {
        const label = say(field.required ? "fieldRequired" : "fieldOptional", { title: field.title ?? field.key });
        const described = { id, "aria-describedby": `${id}-hint ${id}-problem`, "aria-required": field.required ?? false };
        const input = control(field, described);
        const problem = make("p", { id: `${id}-problem`, class: "field-problem", role: "alert" });
        const row = make("div", { class: "field-row" }, input, field.type === "secret" ? reveal(input, label) : null);
        this.element.append(make(
            "div", { class: "field" }, make("label", { for: id }, make("span", {}, label)), row,
            make("p", { id: `${id}-hint`, class: "hint" }, field.hint ?? ""), problem));
        this.#fields.set(field.key, { input, problem });
        let timer;
        input.addEventListener("input", () => {
            clearTimeout(timer);
            timer = setTimeout(() => this.#checkNow(field.key), checkDelay);
        });
    }

    async #checkNow(key) {
        const { input, problem } = this.#fields.get(key);
        const { value } = input;
        if (!input.isConnected) return;
        // The answer is checked again, so a lost check does not matter.
        const { problems } = await this.#check({ [key]: value }).catch(() => ({ problems: {} }));
        if (input.value !== value) return;
        write(problem, problems[key] ?? "");
        input.setAttribute("aria-invalid", key in problems);
    }
}

function control(field, attributes) {
    if (field.type === "choice") {
        const select = make("select", attributes);
        if (!field.default) select.append(make("option", { value: "" }, say("fieldEmpty")));
        for (const { value, title } of field.choices) select.append(make("option", { value }, title ?? value));
        select.value = field.default ?? "";
        return select;
    }
    const input = make("input", {
        ...attributes, type: field.type === "secret" ? "password" : "text", autocomplete: "off", spellcheck: "false",
        inputmode: field.type === "number" ? (field.whole && !(field.minimum < 0) ? "numeric" : "decimal") : null,
    });
    input.value = field.default ?? "";
    return input;
}

function reveal(input, label) {
    const toggle = make("button", { type: "button", "aria-pressed": "false", "aria-label": say("showSecretOf", { label }) }, say("showSecret"));
    toggle.addEventListener("click", () => {
        const isShown = input.type === "text";
        input.type = isShown ? "password" : "text";
        toggle.ariaPressed = !isShown;
    });
    return toggle;
}
