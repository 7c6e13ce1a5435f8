// The choice of what to record, and the button that begins it.
import { button, choice, make } from "./elements.js";
import { get, post } from "./session.js";
import { say } from "./words.js";

// The newest choice, by the names that the server has for its parts.
const place = "kinecast-recording";

function remembered() {
    try {
        return JSON.parse(localStorage.getItem(place)) ?? {};
    } catch {
        return {};
    }
}

/** The sources as values of a list: JSON of the request's `source` and `name`. */
function sourceChoices(sources) {
    const value = (source, name) => JSON.stringify({ source, name });
    const size = ({ width, height }) => `${width}×${height}`;
    const whole = sources.screenBackend ? [["{}", say("wholeScreen")]] : [];
    const monitors = sources.monitors.length > 1 ? sources.monitors : [];
    return [
        ...whole,
        ...monitors.map(({ name, bounds }) => [value("monitor", name), say("monitor", { name, size: size(bounds) })]),
        ...sources.dialogs.includes("window") ? [[value("window", "ask"), say("chooseWindow")]] : [],
        ...sources.windows.map(({ id, title, application }) => {
            return [value("window", `0x${id.toString(16)}`), say("window", { title: title || application })];
        }),
    ];
}

/** Fills the section. The result's `refresh` asks for the sources again. */
export function show(section, complain) {
    let isRunning = false;
    let isStarting = false;
    let fields = {};
    const status = make("p", { class: "hint", role: "status" });
    const form = make("div", { class: "fields" });
    const start = button(say("record"), begin, complain, { class: "primary" });
    section.setAttribute("aria-labelledby", "recording-title");
    section.append(make("h2", { id: "recording-title" }, say("newRecording")), form, start, status);

    async function begin() {
        complain();
        const { source, name } = JSON.parse(fields.source.value || "{}");
        const body = { audio: fields.audio.value || undefined, source, name };
        if (fields.microphone.value) body.microphone = fields.microphone.value;
        if (fields.clips.value) body.clipBuffer = Number(fields.clips.value);
        localStorage.setItem(place, JSON.stringify({ ...body, source: fields.source.value }));
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
        start.disabled = isStarting || !fields.source?.options.length;
        status.textContent = isStarting ? say("starting") : "";
    }

    async function refresh() {
        status.textContent = say("looking");
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
        const last = remembered();
        const source = choice(say("source"), sourceChoices(sources), last.source);
        const outputs = sources.outputs.length ? [["system", say("systemAudio")]] : [];
        const audio = choice(say("audio"), [
            ...outputs, ...sources.applications.map((name) => [`app:${name}`, say("appAudio", { name })]),
            ["none", say("noAudio")],
        ], last.audio);
        const microphone = choice(say("microphone"), [
            ["", say("noMicrophone")], ...sources.microphones.map(({ name, description }) => [name, description]),
        ], last.microphone);
        const clips = choice(say("clips"), [
            ["", say("noClips")], ...[30, 60, 300].map((seconds) => [`${seconds}`, say("keep", { seconds })]),
        ], String(last.clipBuffer ?? ""));
        fields = {
            source: source.select, audio: audio.select, microphone: microphone.select, clips: clips.select,
        };
        form.replaceChildren(source.field, audio.field, microphone.field, clips.field);
        update();
        if (!source.select.options.length) complain(sources.problems[0] ?? say("nothingToRecord"));
    }

    return {
        refresh,
        setRunning(value) {
            isRunning = value;
            if (value) isStarting = false;
            update();
        },
        failed({ take, text }) {
            isStarting = false;
            update();
            if (!take) complain(text);
        },
    };
}
