// Plays one recording, exact to the frame: the server says where frames begin.
import { button, make, write } from "./elements.js";
import { path } from "./recordings.js";
import { post } from "./session.js";
import { say } from "./words.js";

// Seconds after a frame's beginning, so that rounding leads to no other frame.
const within = 0.0005;
const fastest = 4;

export class Playback {
    /** Seconds; while it is paused, where the frame that is shown begins. */
    time = 0;
    duration = 0;
    // Undefined while nothing is open.
    #recording;
    #path;
    #video = make("video", { playsinline: true, preload: "auto" });
    #hint = make("p", { class: "hint", role: "status" });
    #again;
    element;
    #changed;
    #complain;
    // The frame that was shown last, where the browser says so.
    #shown;
    // Where playing ends, and the timer for it.
    #end;
    #timer;
    // A position that is waiting for the last one to be found.
    #wanted;
    // Frames that the person has asked for, but that the server has not found yet.
    #frames = 0;
    #isStepping = false;

    /** `changed` is called when the time or the state is another one; `again` opens the recording as it is by then. */
    constructor(complain, changed, again) {
        this.#complain = complain;
        this.#changed = changed;
        this.#again = button(say("openAgain"), again, complain, { hidden: true });
        this.element = make("div", { class: "preview player" }, this.#video, this.#hint, this.#again);
        const video = this.#video;
        const on = (type, listener) => video.addEventListener(type, listener);
        on("loadeddata", () => {
            write(this.#hint, "");
            this.element.dataset.state = "ready";
        });
        on("click", () => this.toggle());
        on("play", changed);
        on("pause", () => this.#settle());
        on("timeupdate", () => this.#tick());
        on("seeked", () => {
            const wanted = this.#wanted;
            this.#wanted = undefined;
            if (wanted != null) video.currentTime = wanted;
        });
        on("error", () => this.#fail());
        this.#watch();
    }

    get isPlaying() { return !this.#video.paused && !this.#video.ended; }
    get rate() { return this.#video.playbackRate; }

    /** Loads the recording as it is. `time`: seconds. */
    async open(recording, time = 0) {
        this.close();
        this.#recording = recording;
        this.#path = path(recording);
        this.duration = recording.duration ?? 0;
        this.time = time;
        this.#video.setAttribute("aria-label", say("pictureOf", { name: recording.name }));
        write(this.#hint, say("opening"));
        try {
            const { address } = await post(`${this.#path}/open`);
            if (this.#recording !== recording) return;
            this.#video.src = address;
            this.#video.currentTime = time && time + within;
        } catch (error) {
            this.#say(error.message);
        }
        this.#changed();
    }

    close() {
        this.#recording = undefined;
        this.#endCut();
        this.#shown = undefined;
        this.#again.hidden = true;
        this.element.dataset.state = "loading";
        this.#video.pause();
        this.#video.removeAttribute("src");
        this.#video.load();
    }

    /** Says that the file is another one than that which was opened. */
    showChange(sentence) {
        this.#video.pause();
        this.#say(sentence);
    }

    #say(sentence) {
        write(this.#hint, sentence);
        this.#again.hidden = false;
        this.element.dataset.state = "failed";
    }

    async #fail() {
        const address = this.#video.getAttribute("src");
        if (!address) return;
        try {
            const { status } = await fetch(address, { headers: { Range: "bytes=0-0" } });
            this.#say(say(status === 410 ? "recordingChanged" : "cannotPlay"));
        } catch {
            this.#say(say("serverGone"));
        }
    }

    play(rate = 1) {
        this.#endCut();
        this.#start(rate);
    }

    /** Plays from one time to another, and stops there. */
    playCut(from, to) {
        this.#endCut();
        this.seek(from);
        this.#wanted = undefined;
        this.#video.currentTime = from + within;
        this.#end = to;
        this.#start(1);
    }

    #start(rate) {
        this.#video.playbackRate = rate;
        // It is aborted by a pause. The event `error` says more about a file that cannot be played.
        this.#video.play().catch(({ name, message }) => {
            if (name !== "AbortError" && !this.#video.error) this.#complain(message);
        });
    }

    pause() { this.#video.pause(); }

    toggle() {
        if (this.isPlaying) this.pause();
        else this.play();
    }

    /** Plays, or doubles the speed. */
    faster() { this.play(this.isPlaying ? Math.min(fastest, this.rate * 2) : 1); }

    /** Shows the frame at a time, as soon as the browser has it. */
    seek(time) {
        this.#endCut();
        this.time = Math.min(Math.max(0, time), this.duration);
        this.#shown = undefined;
        const wanted = Math.min(this.time + within, this.duration);
        if (this.#video.seeking) this.#wanted = wanted;
        else this.#video.currentTime = wanted;
        this.#changed();
    }

    /** Shows the frame at a time, and makes `time` its beginning. */
    async move(time) {
        this.seek(time);
        if (!this.isPlaying) await this.#settle();
    }

    /** The beginning of the frame that is so many frames away from the one at `time`, in seconds. */
    async frame(time, frames = 0) {
        const at = Math.min(time + within, this.duration);
        return (await post(`${this.#path}/step`, { time: at, frames })).time;
    }

    /** Shows the frame that is so many frames away. */
    async step(frames) {
        this.pause();
        this.#frames += frames;
        if (this.#isStepping) return;
        this.#isStepping = true;
        try {
            while (this.#frames) {
                const wanted = this.#frames;
                this.#frames = 0;
                this.seek(await this.frame(this.time, wanted));
            }
        } finally {
            this.#frames = 0;
            this.#isStepping = false;
        }
    }

    async #settle() {
        const recording = this.#recording;
        if (!recording || this.#isStepping) return this.#changed();
        if (this.#video.ended) {
            this.time = this.duration;
            return this.#changed();
        }
        const asked = this.time;
        const end = this.#end;
        const time = end != null && this.#video.currentTime >= end - within ? end - 2 * within : this.#shown ?? this.time;
        this.#endCut();
        try {
            const start = await this.frame(time);
            if (recording === this.#recording && asked === this.time && !this.isPlaying) this.seek(start);
        } catch (error) {
            this.#complain(error.message);
        }
    }

    #endCut() {
        clearTimeout(this.#timer);
        this.#end = undefined;
    }

    #tick() {
        const video = this.#video;
        if (!this.isPlaying) return;
        this.time = Math.min(video.currentTime, this.duration);
        if (this.#end != null) {
            clearTimeout(this.#timer);
            // Events come four times a second.
            const rest = this.#end - video.currentTime;
            if (rest <= within) video.pause();
            else if (rest < 0.6) this.#timer = setTimeout(() => this.#tick(), rest * 1000 / video.playbackRate);
        }
        this.#changed();
    }

    /** Notes which frame is shown. */
    #watch() {
        this.#video.requestVideoFrameCallback?.((_, { mediaTime }) => {
            this.#shown = mediaTime;
            this.#tick();
            this.#watch();
        });
    }
}
