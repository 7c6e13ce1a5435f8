// The choice of what to record, by pictures, and the button that begins it.
import { button, choice, make } from "./elements.js";
import { Gallery } from "./gallery.js";
import { get, post } from "./session.js";
import { say } from "./words.js";

// The newest choice, by the names that the server has for its parts.
const place = "kinecast-recording";
// The server makes pictures for fifteen seconds after each request.
const lookInterval = 5000;

function remembered() {
    try {
        return JSON.parse(localStorage.getItem(place)) ?? {};
    } catch {
        return {};
    }
}

/** Fills the section. The result's `refresh` asks for the sources again. */
export function show(section, complain) {
    let isRunning = false;
    let isStarting = false;
    let fields;
    const status = make("p", { class: "hint", role: "status" });
    const form = make("div", { class: "fields" });
    const gallery = new Gallery(remembered().source);
    const start = button(say("record"), begin, complain, { class: "primary" });
    section.setAttribute("aria-labelledby", "recording-title");
    section.append(make("h2", { id: "recording-title" }, say("newRecording")), gallery.element, form, start, status);
    setInterval(look, lookInterval);
    document.addEventListener("visibilitychange", look);

    /** Asks for pictures while they are seen. */
    function look() {
        if (document.hidden || section.hidden || section.inert) return;
        post("api/survey").catch(() => {});
    }

    async function begin() {
        complain();
        const body = { audio: fields.audio.value, ...gallery.chosen };
        if (fields.microphone.value) body.microphone = fields.microphone.value;
        if (fields.clips.value) body.clipBuffer = Number(fields.clips.value);
        localStorage.setItem(place, JSON.stringify({ ...body, source: gallery.value }));
        isStarting = true;
        update();
        try {
            await post("api/takes", body);
        } catch (error) {
            isStarting = false;
            update();
            throw error;
        }
    }

    function update() {
        section.hidden = isRunning;
        start.disabled = isStarting || !fields || gallery.isEmpty;
        status.textContent = isStarting ? say("starting") : "";
    }

    async function refresh() {
        status.textContent = say("looking");
        look();
        let sources;
        try {
            sources = await get("api/sources");
        } catch (error) {
            status.textContent = "";
            return complain(error.message);
        }
        fill(sources);
    }

    function fill(sources) {
        const last = fields ? {} : remembered();
        gallery.setFixed(sources);
        const outputs = sources.outputs.length ? [["system", say("systemAudio")]] : [];
        const audio = choice(say("audio"), [
            ...outputs, ...sources.applications.map((name) => [`app:${name}`, say("appAudio", { name })]),
            ["none", say("noAudio")],
        ], fields?.audio.value ?? last.audio);
        const microphone = choice(say("microphone"), [
            ["", say("noMicrophone")], ...sources.microphones.map(({ name, description }) => [name, description]),
        ], fields?.microphone.value ?? last.microphone);
        const clips = choice(say("clips"), [
            ["", say("noClips")], ...[30, 60, 300].map((seconds) => [`${seconds}`, say("keep", { seconds })]),
        ], fields?.clips.value ?? String(last.clipBuffer ?? ""));
        fields = { audio: audio.select, microphone: microphone.select, clips: clips.select };
        form.replaceChildren(audio.field, microphone.field, clips.field);
        update();
        if (gallery.isEmpty) complain(sources.problems[0] ?? say("nothingToRecord"));
    }

    return {
        refresh,
        choices(list) {
            gallery.setChoices(list);
            update();
        },
        setRunning(value) {
            const wasRunning = isRunning;
            isRunning = value;
            if (value) isStarting = false;
            update();
            if (wasRunning && !value) refresh();
        },
        failed({ take, text }) {
            isStarting = false;
            update();
            if (!take) complain(text);
        },
    };
}
