// The options that are chosen less often, behind "More".
import { choice, make, offer, pick } from "./elements.js";
import { Hidden } from "./hidden.js";
import { say } from "./words.js";

// By the request's field: the values that are offered, and the text of one.
const fields = {
    fps: { values: [10, 24, 30, 60], text: String },
    size: { values: ["1280x720", "1920x1080", "2560x1440", "3840x2160"], text: (value) => value.replace("x", "×") },
    // 23 is the default of kinecast record. Six more halve a file, roughly.
    quality: { values: [16, 23, 30], text: (value) => say(`quality.${value}`) },
    showKeys: { values: ["none", "shortcuts", "all"], text: (value) => say(`showKeys.${value}`) },
    showClicks: { values: [true, false], text: (value) => say(`showClicks.${value}`) },
    noCursor: { values: [false, true], text: (value) => say(`noCursor.${value}`) },
    countdown: { values: [0, 3, 5, 10], text: (seconds) => say(seconds ? "keep" : "noCountdown", { seconds }) },
};

/** A value of a list as the request has it. */
function read(name, value) {
    if (name === "showKeys") return value;
    if (name !== "size") return JSON.parse(value);
    const [width, height] = value.split("x").map(Number);
    return { width, height };
}

function write(value) {
    return value.width ? `${value.width}x${value.height}` : String(value);
}

/** The text of the choice that leaves a value out. `text`: of the value that holds then, if any. */
export function asConfigured(text) {
    return text ? say("configuredAs", { value: text }) : say("configured");
}

export class More {
    element;
    #lists = {};
    #hidden = new Hidden();

    constructor() {
        for (const name of Object.keys(fields)) this.#lists[name] = choice(say(name));
        const lists = Object.values(this.#lists).map(({ field }) => field);
        this.element = make(
            "details", { class: "more" }, make("summary", {}, say("more")), make("div", { class: "fields" }, ...lists),
            this.#hidden.element);
        this.show({}, {});
    }

    /** Shows a choice, and what holds where it says nothing. */
    show(choice, configured) {
        for (const [name, { values, text }] of Object.entries(fields)) {
            const named = (value) => values.some((one) => String(one) === value) ? text(read(name, value)) : value;
            const pairs = values.map((value) => [String(value), text(value)]);
            const set = configured[name] == null ? undefined : named(write(configured[name]));
            const { select } = this.#lists[name];
            select.value = "";
            offer(select, [["", asConfigured(set)], ...pairs]);
            pick(select, choice[name] == null ? "" : write(choice[name]));
        }
        this.#hidden.show(choice.exclude, configured.exclude);
    }

    /** The windows that can be hidden, as in the event `choices`. */
    offer(choices) { this.#hidden.offer(choices.filter(({ source }) => source === "window")); }

    /** The request's fields. */
    get values() {
        const values = { exclude: this.#hidden.rules };
        for (const [name, { select }] of Object.entries(this.#lists)) {
            if (select.value) values[name] = read(name, select.value);
        }
        return values;
    }
}
