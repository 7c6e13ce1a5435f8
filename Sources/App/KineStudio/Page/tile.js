// One recording in the library's grid.
import { button, make, write } from "./elements.js";
import { facts, title, trouble } from "./recordings.js";
import { clock, say } from "./words.js";

export class Tile {
    recording;
    picture = make("span", { class: "picture" }, make("img", { src: "icon.svg", alt: "", class: "none" }));
    #title = make("span", { class: "title" });
    #length = make("span", { class: "length" });
    #facts = make("p", { class: "hint" });
    #trouble = make("p", { class: "trouble" });
    #open;
    #summary = make("summary", {}, "⋯");
    #menu;
    #recover;
    #save;

    /** `actions`: `open`, `rename`, `remove`, `recover` and `save`; each gets the recording. */
    constructor(actions, complain) {
        const action = (label, name) => button(say(label), () => {
            this.#closeMenu();
            return actions[name](this.recording);
        }, complain);
        this.#open = make(
            "button", { type: "button", class: "open", click: () => actions.open(this.recording) },
            this.picture, this.#length, this.#title);
        this.#recover = action("recover", "recover");
        this.#save = action("saveToVideos", "save");
        this.#menu = make(
            "details", { class: "menu" }, this.#summary,
            make("div", {}, action("rename", "rename"), this.#save, action("remove", "remove")));
        this.#menu.addEventListener("focusout", ({ relatedTarget }) => {
            if (!this.#menu.contains(relatedTarget)) this.#menu.open = false;
        });
        this.#menu.addEventListener("keydown", ({ key }) => {
            if (key === "Escape") this.#closeMenu();
        });
        this.element = make(
            "li", { class: "tile" }, this.#open, this.#menu, this.#facts, this.#trouble, this.#recover);
    }

    show(recording) {
        this.recording = recording;
        const { state, duration, place } = recording;
        const isRunning = state === "recording";
        this.element.dataset.state = state;
        write(this.#title, title(recording));
        this.#title.title = recording.name;
        write(this.#length, isRunning ? say("phase.recording") : duration == null ? "" : clock(Math.round(duration)));
        write(this.#facts, facts(recording));
        write(this.#trouble, isRunning ? "" : trouble(recording));
        this.#menu.hidden = isRunning;
        this.#summary.ariaLabel = say("moreFor", { name: title(recording) });
        this.#recover.hidden = state !== "recoverable";
        this.#save.hidden = place !== "app" || state !== "finished";
    }

    #closeMenu() {
        if (!this.#menu.open) return;
        this.#menu.open = false;
        this.#summary.focus();
    }

    focus() { this.#open.focus(); }
}
