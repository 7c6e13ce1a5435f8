// Where a new take goes: into a file, to destinations, or both.
import { make } from "./elements.js";
import { title } from "./destinations.js";
import { get } from "./session.js";
import { say } from "./words.js";

export class Targets {
    #boxes = make("fieldset", { class: "targets" }, make("legend", {}, say("broadcastTo")));
    #record = box(say("recordToo"), true);
    element = make("div", { class: "targets-all" }, this.#boxes, this.#record.label);
    #destinations = new Map();

    /** `changed` is called when the person has chosen something. */
    constructor(changed) {
        this.element.addEventListener("change", () => {
            this.#update();
            changed();
        });
        this.#update();
    }

    /** Offers what there is, and chooses what was chosen last. */
    async offer(last) {
        const names = await get("api/destinations");
        for (const name of names) {
            const chosen = box(title(name), last.destinations?.includes(name) ?? false);
            this.#destinations.set(name, chosen.input);
            this.#boxes.append(chosen.label);
        }
        this.#record.input.checked = last.isRecorded ?? true;
        this.#update();
    }

    get isLive() { return this.#chosen.length > 0; }

    /** The request's keys. */
    get request() {
        return this.isLive ? { destinations: this.#chosen, isRecorded: this.#record.input.checked } : {};
    }

    get #chosen() { return [...this.#destinations].filter(([, input]) => input.checked).map(([name]) => name); }

    #update() {
        // Without a destination, a file is all there is.
        this.#record.label.hidden = !this.isLive;
    }
}

function box(text, isChecked) {
    const input = make("input", { type: "checkbox" });
    input.checked = isChecked;
    return { input, label: make("label", { class: "box" }, input, make("span", {}, text)) };
}
