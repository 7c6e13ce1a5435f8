// The running takes: their picture, their time, and the buttons that control them.
import { Destinations } from "./destinations.js";
import { button, make, write } from "./elements.js";
import { Preview } from "./preview.js";
import { post } from "./session.js";
import { Statistics } from "./statistics.js";
import { clock, name, say, state } from "./words.js";

const openPhases = ["starting", "recording", "paused"];
// The takes report their statistics for fifteen seconds after each request.
const statisticsInterval = 5000;

export class Takes {
    #place;
    #complain;
    #summarize;
    #cards = new Map();
    // The monitors and windows of the newest event `choices`, and the dialog that offers them.
    #choices = [];
    #dialog;
    // Seconds of the server's clock at an instant of this page's (performance.now).
    #server = { seconds: 0, at: 0 };

    /** `summarize` gets the newest take in a few words, at each change and each second. */
    constructor(place, complain, summarize) {
        this.#place = place;
        this.#complain = complain;
        this.#summarize = summarize;
        place.setAttribute("aria-label", say("takes"));
        setInterval(() => { if (!document.hidden) this.update(); }, 500);
        setInterval(() => this.#askForStatistics(), statisticsInterval);
        document.addEventListener("visibilitychange", () => {
            this.update();
            this.#askForStatistics();
            this.showPreviews();
        });
    }

    #askForStatistics() {
        if (!document.hidden && !this.#place.inert && this.isAnyOpen) post("api/statistics").catch(() => {});
    }

    /** Shows the pictures of takes, while these are seen. */
    showPreviews() { for (const card of this.#cards.values()) card.showPreview(); }

    /** Passes on what can be shown instead of a take's source. */
    choices(list) {
        this.#choices = list;
        this.#dialog?.choices(list);
    }

    async #askForSource() {
        const { SourceDialog } = await import("./sources.js");
        this.#dialog ??= new SourceDialog();
        this.#dialog.choices(this.#choices);
        return this.#dialog.ask(this.#complain);
    }

    showStatistics(list) {
        for (const statistics of list) this.#cards.get(statistics.take)?.showStatistics(statistics);
    }

    get isAnyOpen() { return [...this.#cards.values()].some((card) => openPhases.includes(card.take.phase)); }

    setClock(seconds, at) {
        this.#server = { seconds, at };
        this.update();
    }

    show(takes) {
        // Pictures are shown only where they are seen.
        this.#place.hidden = takes.length === 0;
        for (const [id, card] of this.#cards) {
            if (takes.some((take) => take.id === id)) continue;
            card.close();
            this.#cards.delete(id);
        }
        const wasOpen = this.isAnyOpen;
        for (const take of takes) {
            if (!this.#cards.has(take.id)) {
                const card = new Card(take, () => this.#askForSource(), this.#complain);
                this.#cards.set(take.id, card);
                this.#place.prepend(card.element);
            }
            this.#cards.get(take.id).show(take);
        }
        if (!wasOpen) this.#askForStatistics();
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
    #path;
    #askForSource;
    #complain;
    #preview;
    #destinations;
    #statistics = new Statistics();
    #time = make("p", { class: "time" });
    #state = make("p", { class: "state" });
    #source = make("p", { class: "source" });
    #pause;
    #microphone;
    #clip;
    #mark;
    #switch;
    #end;
    #cameraButton;
    // The frame over the picture, once the take has had a camera.
    #camera;
    #lastCamera;

    constructor(take, askForSource, complain) {
        this.#path = `api/takes/${encodeURIComponent(take.id)}`;
        this.#askForSource = askForSource;
        this.#complain = complain;
        this.#preview = new Preview(take.id, take.source);
        this.#destinations = new Destinations(this.#path, complain);
        this.#end = this.#control("end", "stop", () => ({}), { class: "primary" });
        this.#pause = button("", () => this.#post(this.take.phase === "paused" ? "resume" : "pause"), complain);
        this.#microphone = button("", () => this.#post("microphone", { isOn: !this.take.isMicrophoneOn }), complain);
        this.#clip = this.#control("saveClip", "clip", () => ({}));
        this.#mark = this.#control("mark", "mark", () => ({}));
        this.#switch = button(say("showAnother"), () => this.#showAnother(), complain);
        this.#cameraButton = button("", () => this.#toggleCamera(), complain);
        const buttons = [this.#end, this.#pause, this.#microphone, this.#cameraButton, this.#clip, this.#mark, this.#switch];
        this.element = make(
            "article", { class: "take", "data-take": take.id, "aria-label": say("take", { source: take.source }) },
            this.#preview.element, make("div", { class: "clock" }, this.#time, this.#state, this.#source),
            make("div", { class: "buttons" }, ...buttons), this.#destinations.element, this.#statistics.element);
    }

    #control(label, path, body, attributes) {
        return button(say(label), () => this.#post(path, body()), this.#complain, attributes);
    }

    async #post(path, body) {
        this.#complain();
        return post(`${this.#path}/${path}`, body);
    }

    async #showAnother() {
        const source = await this.#askForSource();
        if (source?.source) await this.#post("source", source);
    }

    #toggleCamera() {
        const layout = { x: 1, y: 1, size: 0.25, shape: "rounded", isMirrored: false };
        return this.#post("camera", this.take.camera ? {} : { camera: this.#lastCamera ?? { device: "default", layout } });
    }

    async #showCamera({ camera }) {
        if (camera) this.#lastCamera = camera;
        if (!camera && !this.#camera) return;
        const { TakeCamera } = await import("./takecamera.js");
        this.#camera ??= new TakeCamera(this.#preview.element, (layout) => {
            this.#post("camera", { camera: { ...this.take.camera, layout } }).catch((error) => this.#complain(error.message));
        });
        this.#camera.show(this.#isRunning ? this.take.camera : undefined, this.take.cameraSize);
    }

    get #isRunning() {
        return openPhases.includes(this.take.phase) && this.take.phase !== "starting" && !this.take.isOtherVersion;
    }

    show(take) {
        this.take = take;
        const isRunning = this.#isRunning;
        this.element.dataset.phase = take.phase;
        write(this.#state, state(take));
        write(this.#source, take.file ? say("into", { source: take.source, name: name(take.file) }) : take.source);
        if (take.file) this.#source.title = take.file;
        write(this.#pause, say(take.phase === "paused" ? "resume" : "pause"));
        write(this.#microphone, say(take.isMicrophoneOn ? "mute" : "unmute"));
        this.#end.hidden = !openPhases.includes(take.phase);
        this.#pause.hidden = !isRunning;
        this.#microphone.hidden = !isRunning || take.isMicrophoneOn == null;
        this.#clip.hidden = !isRunning || take.clipBuffer == null;
        if (take.clipBuffer != null) write(this.#clip, say("saveClip", { seconds: Math.round(take.clipBuffer) }));
        this.#mark.hidden = !isRunning || !take.file;
        this.#switch.hidden = !isRunning;
        this.#cameraButton.hidden = !isRunning;
        write(this.#cameraButton, say(take.camera ? "hideCamera" : "showCamera"));
        this.#showCamera(take);
        this.#destinations.show(take.destinations, isRunning);
        this.#statistics.element.hidden = !isRunning;
        this.showPreview();
    }

    showPreview() {
        const isSeen = this.#isRunning && !document.hidden && this.element.checkVisibility();
        this.#preview.element.hidden = !this.#isRunning;
        this.#preview.want(isSeen);
    }

    showStatistics(statistics) {
        this.#statistics.show(statistics);
        this.#destinations.showStatistics(statistics.destinations);
    }

    close() {
        this.#preview.want(false);
        this.element.remove();
    }

    setTime(now) {
        const { recorded, runsSince } = this.take;
        this.time = clock(recorded + (runsSince == null ? 0 : Math.max(0, now - runsSince)));
        write(this.#time, this.time);
    }
}
