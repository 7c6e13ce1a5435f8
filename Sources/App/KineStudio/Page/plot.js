// A small plot of a value over the last two minutes.
import { make, write } from "./elements.js";

// One value a second.
const length = 120;
const width = 240;
const height = 48;

export class Plot {
    #value = make("span", { class: "value" });
    #format;
    #label;
    #picture = make("div", { role: "img" });
    element;
    #values = [];

    /** `format` makes a text of a value. */
    constructor(label, format) {
        this.#label = label;
        this.#format = format;
        this.#picture.innerHTML = `<svg viewBox="0 0 ${width} ${height}" preserveAspectRatio="none"><path fill="none"/></svg>`;
        this.element = make(
            "div", { class: "plot" }, make("span", { class: "label" }, label), this.#value, this.#picture);
    }

    /** Adds the value of this second; null: unknown. */
    add(value) {
        this.#values.push(value);
        if (this.#values.length > length) this.#values.shift();
        const known = this.#values.filter((one) => one != null);
        // A line along the bottom is zero.
        const top = Math.max(...known, 1e-9);
        let path = "";
        let isBroken = true;
        this.#values.forEach((one, index) => {
            const x = width - (this.#values.length - 1 - index) * (width / (length - 1));
            if (one != null) path += `${isBroken ? "M" : "L"}${x.toFixed(1)} ${(height - 2 - (one / top) * (height - 4)).toFixed(1)}`;
            isBroken = one == null;
        });
        this.#picture.querySelector("path").setAttribute("d", path);
        const text = value == null ? "–" : this.#format(value);
        write(this.#value, text);
        this.#picture.setAttribute("aria-label", `${this.#label}: ${text}`);
    }
}
