// The choice of what to record, by pictures, and the button that begins it.
import { countDown } from "./countdown.js";
import { button, choice, make, write } from "./elements.js";
import { Gallery } from "./gallery.js";
import { Levels } from "./levels.js";
import { get, post } from "./session.js";
import { lookInterval } from "./sources.js";
import { Targets } from "./targets.js";
import { say } from "./words.js";

/** Fills the section. The result's `refresh` asks for the sources again. */
export function show(section, complain) {
    let isRunning = false;
    let isStarting = false;
    let isLocked = false;
    let fields;
    const status = make("p", { class: "hint", role: "status" });
    const form = make("div", { class: "fields" });
    const gallery = new Gallery();
    const start = button(say("record"), begin, complain, { class: "primary" });
    section.setAttribute("aria-labelledby", "recording-title");
    const targets = new Targets(update);
    const levels = new Levels();
    let measuresMicrophone = false;
    section.append(
        make("h2", { id: "recording-title" }, say("newRecording")), gallery.element, form, levels.hint, targets.element, start,
        status);
    setInterval(look, lookInterval);
    document.addEventListener("visibilitychange", () => {
        if (!document.hidden && !section.hidden && !section.inert) refresh();
    });

    /** Asks for pictures and levels while they are seen. */
    function look() {
        if (document.hidden || section.hidden || section.inert) return;
        const chosen = { audio: fields?.audio.value ?? "none" };
        // A microphone is not opened because it was used last time.
        if (measuresMicrophone) chosen.microphone = fields.microphone.value;
        post("api/survey", chosen).catch(() => {});
    }

    async function begin() {
        complain();
        const body = {
            audio: fields.audio.value, microphone: fields.microphone.value, ...gallery.chosen, ...targets.request,
        };
        if (fields.clips.value) body.clipBuffer = Number(fields.clips.value);
        if (!targets.countsDown || await countDown()) await post("api/takes", body);
    }

    function update() {
        section.hidden = isRunning;
        write(start, say(targets.isLive ? "goLive" : "record"));
        start.disabled = isStarting || !fields || gallery.isEmpty;
        status.textContent = isStarting ? say("starting") : isLocked ? say("locked") : "";
    }

    async function refresh() {
        status.textContent = say("looking");
        look();
        try {
            const [sources, last] = await Promise.all([get("api/sources"), fields ? {} : get("api/choice")]);
            fill(sources, last);
        } catch (error) {
            status.textContent = "";
            complain(error.message);
        }
    }

    function fill(sources, last) {
        if (!fields) {
            gallery.want(last);
            targets.offer(last).catch((error) => complain(error.message));
        }
        gallery.setFixed(sources);
        const outputs = sources.outputs.length ? [["system", say("systemAudio")]] : [];
        const audio = choice(say("audio"), [
            ...outputs, ...sources.applications.map((name) => [`app:${name}`, say("appAudio", { name })]),
            ["none", say("noAudio")],
        ], fields?.audio.value ?? last.audio);
        const microphone = choice(say("microphone"), [
            ["none", say("noMicrophone")], ...sources.microphones.map(({ name, description }) => [name, description]),
        ], fields?.microphone.value ?? last.microphone);
        const clips = choice(say("clips"), [
            ["", say("noClips")], ...[30, 60, 300].map((seconds) => [`${seconds}`, say("keep", { seconds })]),
        ], fields?.clips.value ?? String(last.clipBuffer ?? ""));
        fields = { audio: audio.select, microphone: microphone.select, clips: clips.select };
        audio.select.addEventListener("change", look);
        microphone.select.addEventListener("change", () => {
            measuresMicrophone = true;
            look();
        });
        audio.field.append(levels.audio);
        microphone.field.append(levels.microphone);
        form.replaceChildren(audio.field, microphone.field, clips.field);
        update();
        look();
        if (gallery.isEmpty) complain(sources.problems[0] ?? say("nothingToRecord"));
    }

    return {
        refresh,
        locked(value) {
            isLocked = value;
            if (value) gallery.forget();
            update();
        },
        levels: (values) => levels.show(values),
        choices(list) {
            gallery.setChoices(list);
            update();
        },
        setStarting(value) {
            isStarting = value;
            update();
        },
        setRunning(value) {
            const wasRunning = isRunning;
            isRunning = value;
            update();
            if (wasRunning && !value) refresh();
        },
    };
}
