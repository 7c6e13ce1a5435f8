// The library of recordings: a grid that is sorted and searched, or the viewer of one of them.
import { ask, line } from "./dialogs.js";
import { button, choice, make, offer, write } from "./elements.js";
import { Jobs } from "./jobs.js";
import { Posters } from "./posters.js";
import { path, title } from "./recordings.js";
import { get, post } from "./session.js";
import { Tile } from "./tile.js";
import { Undo } from "./undo.js";
import { language, say } from "./words.js";

// Nothing is shown without its style.
await new Promise((resolve) => document.head.append(
    make("link", { rel: "stylesheet", href: "library.css", load: resolve, error: resolve })));

const names = new Intl.Collator(language, { numeric: true });
const orders = {
    date: (one, other) => other.modified - one.modified,
    name: (one, other) => names.compare(one.name, other.name),
    duration: (one, other) => (other.duration ?? 0) - (one.duration ?? 0),
    size: (one, other) => other.bytes - one.bytes,
};

export class Library {
    #section;
    #complain;
    #leaveFor;
    #recordings;
    #loading = Promise.resolve();
    #tiles = new Map();
    #posters = new Posters();
    #viewer;
    // The ID of the recording in the viewer.
    #opened;
    #jobs;
    #undo;
    #order = choice(say("sortBy"));
    #search = line(say("search"), "", { type: "search" });
    #grid = make("ul", { class: "tiles" });
    #status = make("p", { class: "hint", role: "status" });
    #again;
    #place = make("p", { class: "hint" });
    #empty;
    #list;
    #actions = {
        open: ({ id }) => this.#open(id),
        rename: (recording) => this.#name(recording, "rename"),
        remove: (recording) => this.#remove(recording),
        save: (recording) => this.#name(recording, "save", "saveToVideos"),
        recover: (recording) => this.#change(post(`${path(recording)}/recover`)),
    };

    /** `leaveFor.record` shows the other view. `leaveFor.opened` gets the ID of what the viewer shows, if anything. */
    constructor(section, complain, leaveFor) {
        this.#section = section;
        this.#complain = complain;
        this.#leaveFor = leaveFor;
        this.#jobs = new Jobs(complain);
        this.#undo = new Undo(complain, (recording) => this.#change(Promise.resolve(recording)));
        this.#again = button(say("tryAgain"), () => this.refresh(), complain, { hidden: true });
        this.#empty = make(
            "div", { class: "empty", hidden: true }, make("h2", {}, say("noRecordings")),
            make("p", { class: "hint" }, say("noRecordingsHint")),
            button(say("newRecording"), () => leaveFor.record(), complain, { class: "primary" }));
        offer(this.#order.select, Object.keys(orders).map((name) => [name, say(`sort.${name}`)]));
        this.#order.select.addEventListener("change", () => this.#show());
        this.#search.input.addEventListener("input", () => this.#show());
        this.#list = make(
            "div", { class: "list" },
            make("div", { class: "fields", role: "search" }, this.#search.field, this.#order.field),
            this.#status, this.#again, this.#empty, this.#grid, this.#place);
        section.setAttribute("aria-label", say("recordings"));
        section.append(this.#jobs.element, this.#list, this.#undo.element);
    }

    /** Shows the grid, or one recording. */
    async enter(id) {
        await this.refresh();
        if (id) await this.#open(id);
        else this.#close();
    }

    /** Another view is shown. */
    leave() { this.#viewer?.close(); }

    job(job) { this.#jobs.show(job); }

    /** Asks for the list, after those who have asked before. */
    refresh() {
        this.#loading = this.#loading.then(() => this.#load());
        return this.#loading;
    }

    async #load() {
        if (!this.#recordings) write(this.#status, say("lookingForRecordings"));
        try {
            const { recordings, directory } = await get("api/recordings");
            this.#recordings = recordings;
            write(this.#place, directory ? say("recordingsIn", { directory }) : "");
            this.#again.hidden = true;
        } catch (error) {
            write(this.#status, error.message);
            this.#empty.hidden = true;
            this.#again.hidden = false;
            return;
        }
        this.#show();
        if (this.#opened) this.#viewer?.update(this.#find(this.#opened));
    }

    #find(id) { return this.#recordings?.find((one) => one.id === id); }

    #show() {
        if (!this.#recordings) return;
        const wanted = this.#search.input.value.trim().toLocaleLowerCase();
        const shown = this.#recordings
            .filter(({ name, app }) => `${name} ${app ?? ""}`.toLocaleLowerCase().includes(wanted))
            .sort(orders[this.#order.select.value]);
        const isEmpty = !this.#recordings.length;
        this.#empty.hidden = !isEmpty;
        this.#place.hidden = isEmpty;
        this.#list.classList.toggle("none", isEmpty);
        write(this.#status, shown.length || isEmpty ? "" : say("notFound"));
        const known = new Set(shown.map(({ id }) => id));
        for (const [id, tile] of this.#tiles) {
            if (known.has(id)) continue;
            this.#posters.forget(tile.picture);
            tile.element.remove();
            this.#tiles.delete(id);
        }
        let previous = null;
        for (const recording of shown) {
            const { id, state, version } = recording;
            if (!this.#tiles.has(id)) this.#tiles.set(id, new Tile(this.#actions, this.#complain));
            const tile = this.#tiles.get(id);
            tile.show(recording);
            // Moving a tile would take the focus from it.
            const place = previous ? previous.nextElementSibling : this.#grid.firstElementChild;
            if (place !== tile.element) this.#grid.insertBefore(tile.element, place);
            previous = tile.element;
            if (state === "finished") this.#posters.show(tile.picture, `${path(recording)}/poster`, version);
        }
    }

    async #open(id) {
        this.#complain();
        const recording = this.#find(id);
        if (!recording) {
            this.#close();
            return this.#complain(say("recordingGone"));
        }
        if (!this.#viewer) {
            const { Viewer } = await import("./viewer.js");
            this.#viewer ??= new Viewer(this.#complain, this.#jobs, {
                ...this.#actions, back: () => this.#close(), made: (id, replaced) => this.#made(id, replaced),
            });
        }
        this.#opened = id;
        this.#list.hidden = true;
        this.#section.insertBefore(this.#viewer.element, this.#list);
        this.#leaveFor.opened(id);
        await this.#viewer.open(recording);
    }

    /** Back to the grid. */
    #close() {
        const id = this.#opened;
        this.#opened = undefined;
        this.#viewer?.close();
        this.#viewer?.element.remove();
        this.#list.hidden = false;
        this.#leaveFor.opened();
        if (id) (this.#tiles.get(id) ?? this.#tiles.values().next().value)?.focus();
    }

    /** A job has made a recording, in place of `replaced` if that is given. Returns a button that opens it. */
    #made(id, replaced) {
        const isReplaced = replaced && replaced === this.#opened;
        this.refresh().then(() => isReplaced && this.#open(id)).catch((error) => this.#complain(error.message));
        return button(say("openRecording"), async () => {
            if (!this.#find(id)) await this.refresh();
            await this.#open(id);
        }, this.#complain);
    }

    /** Shows a recording that a request has changed, in the viewer if the old one is there. */
    async #change(answer, { id } = {}) {
        this.#complain();
        const isOpen = id && id === this.#opened;
        // The event of the change may come before the answer.
        if (isOpen) this.#opened = undefined;
        try {
            const changed = await answer;
            if (isOpen) this.#opened = changed.id;
            await this.refresh();
            if (isOpen) await this.#open(changed.id);
            else this.#tiles.get(changed.id)?.focus();
        } catch (error) {
            if (isOpen) this.#opened = id;
            throw error;
        }
    }

    /** Asks for a name, and sends it. `operation`: of the request; `word`: for the dialog. */
    #name(recording, operation, word = operation) {
        const name = line(say("name"), title(recording), { maxlength: 200 });
        ask(say(word), name.field, [say(word), () =>
            this.#change(post(`${path(recording)}/${operation}`, { name: name.input.value.trim() }), recording)]);
    }

    async #remove(recording) {
        this.#complain();
        const { undo } = await post(`${path(recording)}/delete`);
        this.#undo.show(say("deleted", { name: title(recording) }), undo);
        if (recording.id === this.#opened) this.#close();
        const tile = this.#tiles.get(recording.id)?.element;
        const next = tile?.nextElementSibling ?? tile?.previousElementSibling;
        await this.refresh();
        (next?.querySelector(".open") ?? this.#empty.querySelector("button")).focus();
    }
}
