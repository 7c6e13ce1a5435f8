// The windows that a recording leaves out, as a list to tick.
import { make } from "./elements.js";
import { say } from "./words.js";

/** A window as a value of --exclude, by what it still has tomorrow. */
function rule({ name, title, application }) {
    if (application) return `app:${application}`;
    return title ? `title:${title}` : name;
}

function text(rule) {
    const [, kind, name] = /^(app|title):(.*)$/s.exec(rule) ?? [];
    return kind === "title" ? say("titled", { name }) : name ?? rule;
}

export class Hidden {
    element = make("fieldset", { class: "hiding" }, make("legend", {}, say("hide")));
    // By rule.
    #boxes = new Map();
    // Whether the person has said which; else those hold that are configured.
    #isChosen = false;

    constructor() {
        this.element.addEventListener("change", () => { this.#isChosen = true; });
        this.offer([]);
    }

    /** Ticks the rules of a choice, or those that are configured. */
    show(rules, configured = []) {
        this.#isChosen = rules != null;
        const ticked = new Set(rules ?? configured);
        for (const one of ticked) this.#add(one);
        for (const [one, box] of this.#boxes) box.checked = ticked.has(one);
    }

    /** Offers these windows, those of an application together. */
    offer(windows) {
        const rules = new Set(windows.map(rule));
        for (const [one, box] of this.#boxes) {
            if (rules.has(one) || box.checked || box === document.activeElement) continue;
            box.parentElement.remove();
            this.#boxes.delete(one);
        }
        for (const one of rules) this.#add(one);
        this.element.hidden = this.#boxes.size === 0;
    }

    #add(rule) {
        if (this.#boxes.has(rule)) return;
        const box = make("input", { type: "checkbox", value: rule });
        this.#boxes.set(rule, box);
        this.element.append(make("label", {}, box, text(rule)));
        this.element.hidden = false;
    }

    /** The request's `exclude`, in an order that does not depend on which windows appeared first. */
    get rules() {
        return this.#isChosen ? [...this.#boxes].filter(([, box]) => box.checked).map(([one]) => one).sort() : undefined;
    }
}
