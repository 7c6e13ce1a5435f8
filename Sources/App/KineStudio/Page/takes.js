// The running takes: their time, their destinations, and the buttons that control them.
import { button, make, write } from "./elements.js";
import { post } from "./session.js";
import { clock, name, say, state } from "./words.js";

const openPhases = ["starting", "recording", "paused"];

export class Takes {
    #place;
    #complain;
    #summarize;
    #cards = new Map();
    // Seconds of the server's clock at an instant of this page's (performance.now).
    #server = { seconds: 0, at: 0 };

    /** `summarize` gets the newest take in a few words, at each change and each second. */
    constructor(place, complain, summarize) {
        this.#place = place;
        this.#complain = complain;
        this.#summarize = summarize;
        place.setAttribute("aria-label", say("takes"));
        setInterval(() => { if (!document.hidden) this.update(); }, 500);
        document.addEventListener("visibilitychange", () => this.update());
    }

    get isAnyOpen() { return [...this.#cards.values()].some((card) => openPhases.includes(card.take.phase)); }

    setClock(seconds, at) {
        this.#server = { seconds, at };
        this.update();
    }

    show(takes) {
        for (const [id, card] of this.#cards) {
            if (takes.some((take) => take.id === id)) continue;
            card.element.remove();
            this.#cards.delete(id);
        }
        for (const take of takes) {
            if (!this.#cards.has(take.id)) {
                const card = new Card(take, this.#complain);
                this.#cards.set(take.id, card);
                this.#place.prepend(card.element);
            }
            this.#cards.get(take.id).show(take);
        }
        this.#place.hidden = takes.length === 0;
        this.update();
    }

    /** Shows the time that has passed. */
    update() {
        const now = this.#server.seconds + (performance.now() - this.#server.at) / 1000;
        let newest;
        for (const card of this.#cards.values()) {
            card.setTime(now);
            newest = card;
        }
        if (!newest) return this.#summarize({ text: say("idle"), isRunning: false });
        const isRunning = newest.take.phase === "recording";
        this.#summarize({ text: state(newest.take), time: newest.time, isRunning });
    }
}

class Card {
    take;
    time = "";
    element;
    #complain;
    #time = make("p", { class: "time" });
    #state = make("p", { class: "state" });
    #source = make("p", { class: "source" });
    #destinations = make("ul", { class: "destinations" });
    #pause;
    #microphone;
    #clip;
    #mark;
    #end;

    constructor(take, complain) {
        this.#complain = complain;
        this.#end = this.#control("end", "stop", () => ({}), { class: "primary" });
        this.#pause = button("", () => this.#post(this.take.phase === "paused" ? "resume" : "pause"), complain);
        this.#microphone = button("", () => this.#post("microphone", { isOn: !this.take.isMicrophoneOn }), complain);
        this.#clip = this.#control("saveClip", "clip", () => ({}));
        this.#mark = this.#control("mark", "mark", () => ({}));
        const buttons = [this.#end, this.#pause, this.#microphone, this.#clip, this.#mark];
        this.element = make(
            "article", { class: "take", "data-take": take.id, "aria-label": say("take", { source: take.source }) },
            this.#state, this.#time, this.#source, make("div", { class: "buttons" }, ...buttons), this.#destinations);
    }

    #control(label, path, body, attributes) {
        return button(say(label), () => this.#post(path, body()), this.#complain, attributes);
    }

    async #post(path, body) {
        this.#complain();
        return post(`api/takes/${encodeURIComponent(this.take.id)}/${path}`, body);
    }

    show(take) {
        this.take = take;
        const isOpen = openPhases.includes(take.phase);
        const isRunning = isOpen && take.phase !== "starting" && !take.isOtherVersion;
        this.element.dataset.phase = take.phase;
        write(this.#state, state(take));
        write(this.#source, take.file ? say("into", { source: take.source, name: name(take.file) }) : take.source);
        if (take.file) this.#source.title = take.file;
        write(this.#pause, say(take.phase === "paused" ? "resume" : "pause"));
        write(this.#microphone, say(take.isMicrophoneOn ? "mute" : "unmute"));
        this.#end.hidden = !isOpen;
        this.#pause.hidden = !isRunning;
        this.#microphone.hidden = !isRunning || take.isMicrophoneOn == null;
        this.#clip.hidden = !isRunning || take.clipBuffer == null;
        if (take.clipBuffer != null) write(this.#clip, say("saveClip", { seconds: Math.round(take.clipBuffer) }));
        this.#mark.hidden = !isRunning || !take.file;
        this.#destinations.hidden = take.destinations.length === 0;
        this.#destinations.replaceChildren(...take.destinations.map((destination) => this.#row(destination)));
    }

    #row({ label, phase, link, problem }) {
        const copy = link && button(say("copyLink"), () => this.#copy(link), this.#complain);
        return make(
            "li", { "data-phase": phase }, make("span", { class: "label" }, label),
            make("span", { class: "phase" }, problem ?? say(`destination.${phase}`)), copy);
    }

    async #copy(link) {
        try {
            await navigator.clipboard.writeText(link);
        } catch {
            throw new Error(say("cannotCopy", { link }));
        }
    }

    setTime(now) {
        const { recorded, runsSince } = this.take;
        this.time = clock(recorded + (runsSince == null ? 0 : Math.max(0, now - runsSince)));
        write(this.#time, this.time);
    }
}
