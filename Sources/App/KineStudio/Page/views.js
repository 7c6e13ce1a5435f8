// The window's views: Record, and Recordings, whose modules are loaded once it is opened.
import { make } from "./elements.js";
import { say } from "./words.js";

// Reloading the page keeps the view. An entry in the history for each would keep the window from closing itself.
const place = "kinecast-view";
// Read here, since opening the session shortens the address.
const named = new URLSearchParams(location.search).get("recording");

export class Views {
    #links;
    #complain;
    #changed;
    #record = document.getElementById("record");
    #section = document.getElementById("library");
    #library;
    #isLibrary = false;

    /** `changed` is called when a view is shown; it gets whether that is Record. */
    constructor(complain, changed) {
        this.#complain = complain;
        this.#changed = changed;
        this.#links = ["record", "recordings"].map((name) => make("a", { href: "#", click: (event) => {
            event.preventDefault();
            this.#show(name === "recordings").catch((error) => complain(error.message));
        } }, say(name)));
        const views = document.getElementById("views");
        views.setAttribute("aria-label", say("views"));
        views.append(...this.#links);
    }

    /** Shows what the address names, else what was shown last. Called when the session is open. */
    open() {
        const { isLibrary, recording } = JSON.parse(sessionStorage.getItem(place) ?? "{}");
        document.getElementById("views").hidden = false;
        return this.#show(Boolean(named ?? isLibrary), named ?? recording)
            .catch((error) => this.#complain(error.message));
    }

    /** The list of recordings may have changed. */
    refresh() { if (this.#isLibrary) this.#library?.refresh(); }

    /** Shows how a job is doing. */
    job(job) { this.#library?.job(job); }

    async #show(isLibrary, recording) {
        this.#complain();
        this.#isLibrary = isLibrary;
        this.#record.hidden = isLibrary;
        this.#section.hidden = !isLibrary;
        this.#links.forEach((one, index) => { one.ariaCurrent = isLibrary === (index === 1) ? "page" : null; });
        this.#keep();
        if (!isLibrary) this.#library?.leave();
        await this.#changed(!isLibrary);
        if (!isLibrary) return;
        this.#library ??= await this.#load();
        await this.#library.enter(recording);
    }

    async #load() {
        const { Library } = await import("./library.js");
        return this.#library ?? new Library(this.#section, this.#complain, {
            record: () => this.#show(false), opened: (id) => this.#keep(id),
        });
    }

    #keep(recording) {
        sessionStorage.setItem(place, JSON.stringify({ isLibrary: this.#isLibrary, recording }));
    }
}
