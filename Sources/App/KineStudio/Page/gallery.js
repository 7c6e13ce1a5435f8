// Monitors and windows as pictures, of which one is chosen.
import { button, make, write } from "./elements.js";
import { getFile } from "./session.js";
import { say } from "./words.js";

// The server makes pictures for fifteen seconds after each request.
export const lookInterval = 5000;
// Radio buttons of the same name exclude each other, in other galleries too.
let galleries = 0;

export class Gallery {
    element = make("fieldset", { class: "gallery" }, make("legend", {}, say("source")));
    // By the value of their radio buttons: JSON of the request's `source` and `name`.
    #cards = new Map();
    #fixed = [];
    #choices = [];
    #monitors = [];
    // The region that was drawn, or is wanted.
    #region;
    #draw;
    #changed;
    #wanted = {};
    // The name of the kept choice that is shown.
    #kept;
    #isChosen = false;
    #group = `source-${galleries += 1}`;

    /** `changed` is called when another source is chosen, or its picture is there. */
    constructor(complain, changed = () => {}) {
        this.#changed = changed;
        this.#draw = button(say("drawRegion"), () => this.#drawRegion(), complain, { class: "draw", hidden: true });
        this.element.append(this.#draw);
        this.element.addEventListener("change", () => {
            this.#isChosen = true;
            changed();
        });
    }

    async #drawRegion() {
        const { draw } = await import("./region.js");
        const drawn = await draw(this.#monitors);
        if (!drawn) return;
        const { image, ...region } = drawn;
        this.#region = region;
        this.#isChosen = true;
        this.#update();
        const value = JSON.stringify(region);
        this.#choose(value);
        const place = this.#cards.get(value).querySelector(".picture");
        if (image) place.replaceChildren(image);
        this.#changed();
    }

    /**
     * Chooses the source of a choice, once it is there, unless the person chooses before. One that has no picture is
     * offered as what the choice with that name has.
     */
    want({ source, name }, kept) {
        this.#wanted = { source, name };
        this.#kept = kept;
        this.#isChosen = false;
        if (source === "region" && /^\d+x\d+\+/.test(name)) this.#region = { source, name };
        this.#update();
    }

    /** The request's `source` and `name`. */
    get chosen() { return JSON.parse(this.#value || "{}"); }

    /** The same to be kept: a window by its title, since its id is another one tomorrow. */
    get lasting() {
        const { chosen } = this;
        const title = chosen.source === "window" && this.#choices.find(({ value }) => value === this.#value)?.title;
        return title ? { source: "window", name: `title:${[...title].slice(0, 200).join("")}` } : chosen;
    }

    /** The chosen source's picture, if it is there, and its width and height. */
    get picture() {
        const value = this.#value;
        const image = this.#cards.get(value)?.querySelector(".picture :is(img, canvas)");
        const [, width, height] = /^(\d+)x(\d+)\+/.exec(this.chosen.name ?? "") ?? [];
        const { width: ownWidth = 16, height: ownHeight = 9 } = this.#choices.find((choice) => choice.value === value) ?? {};
        return { image, width: width ?? ownWidth, height: height ?? ownHeight };
    }

    get #value() { return this.element.querySelector("input:checked")?.value; }

    get isEmpty() { return this.#cards.size === 0; }

    /** What can be chosen without a picture: the whole screen, and what the desktop's dialog offers. */
    setFixed({ screenBackend, dialogs, monitors }) {
        this.#fixed = [];
        // A picture of a monitor to draw on, for those whose desktop does not ask.
        this.#monitors = screenBackend && screenBackend !== "portal" ? monitors : [];
        this.#draw.hidden = !this.#monitors.length;
        if (screenBackend && monitors.length !== 1) {
            this.#fixed.push({ value: JSON.stringify({ source: "monitor", name: "all" }), title: say("wholeScreen") });
        }
        if (dialogs.includes("window")) {
            const value = JSON.stringify({ source: "window", name: "ask" });
            this.#fixed.push({ value, title: say("chooseWindow") });
        }
        if (screenBackend && monitors.length === 1 && !this.#choices.length) this.setChoices(monitors.map(monitorChoice));
        this.#update();
    }

    setChoices(choices) {
        this.#choices = choices.map(({ source, name, title, application, width, height, picture }) => ({
            value: JSON.stringify({ source, name }), picture, isMonitor: source === "monitor", width, height,
            title: source === "monitor" ? say("monitor", { name }) : title,
            application: source === "monitor" ? `${width}×${height}` : application === title ? undefined : application,
        }));
        this.#update();
    }

    /** Removes all pictures. */
    forget() {
        for (const card of this.#cards.values()) {
            delete card.dataset.picture;
            card.querySelector(".picture").replaceChildren();
        }
    }

    /** The card of what is wanted. */
    get #match() {
        const { source, name } = this.#wanted;
        const title = source === "window" && name.startsWith("title:") ? name.slice("title:".length) : undefined;
        const found = title && this.#choices.find((choice) => !choice.isMonitor && choice.title.includes(title));
        return found?.value ?? JSON.stringify({ source, name });
    }

    #update() {
        const wanted = this.#match;
        const entries = [
            ...this.#choices.filter(({ isMonitor }) => isMonitor), ...this.#fixed, ...this.#regions,
            ...this.#choices.filter(({ isMonitor }) => !isMonitor),
        ];
        if (this.#kept && !entries.some(({ value }) => value === wanted)) {
            entries.unshift({ value: "{}", title: say("asKept", { name: this.#kept }), isWanted: true });
        }
        const known = new Set(entries.map(({ value }) => value));
        for (const [value, card] of this.#cards) {
            if (known.has(value)) continue;
            card.remove();
            this.#cards.delete(value);
        }
        let previous = this.element.querySelector("legend");
        for (const entry of entries) {
            const card = this.#cards.get(entry.value) ?? this.#add(entry);
            // Moving a card would take the focus from it.
            if (previous.nextElementSibling !== card) previous.after(card);
            previous = card;
            write(card.querySelector(".title"), entry.title);
            write(card.querySelector(".application"), entry.application ?? "");
            draw(card, entry.picture).then((isNew) => { if (isNew && entry.value === this.#value) this.#changed(); });
        }
        if (!this.#isChosen) this.#choose(entries[0]?.isWanted ? "{}" : wanted);
        if (!this.#value) this.#choose(entries[0]?.value);
    }

    get #regions() {
        if (!this.#region) return [];
        const size = this.#region.name.split("+")[0].replace("x", "×");
        return [{ value: JSON.stringify(this.#region), title: say("region", { size }) }];
    }

    #choose(value) {
        const input = this.#cards.get(value)?.querySelector("input");
        if (input) input.checked = true;
    }

    #add({ value }) {
        const input = make("input", { type: "radio", name: this.#group, value });
        const card = make(
            "label", { class: "card" }, input, make("span", { class: "picture" }),
            make("span", { class: "title" }), make("span", { class: "application" }));
        this.#cards.set(value, card);
        return card;
    }
}

function monitorChoice({ name, bounds }) {
    return { source: "monitor", name, title: name, width: bounds.width, height: bounds.height };
}

/** Shows a picture once it is loaded, so that the place is never empty in between. Returns whether it is another one. */
async function draw(card, picture) {
    if (picture == null || card.dataset.picture === String(picture)) return false;
    card.dataset.picture = picture;
    const file = await getFile(`api/pictures/${picture}`).catch(() => null);
    // A newer one may have taken its place.
    if (!file || card.dataset.picture !== String(picture)) return false;
    const image = make("img", { src: URL.createObjectURL(file), alt: "" });
    await image.decode().catch(() => {});
    URL.revokeObjectURL(image.src);
    card.querySelector(".picture").replaceChildren(image);
    return true;
}
