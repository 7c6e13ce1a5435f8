// The choice of what to record, by pictures and lists, and the button that begins it.
import { CameraChoice } from "./camera.js";
import * as countdown from "./countdown.js";
import { button, choice, make, offer, pick, write } from "./elements.js";
import { Gallery, lookInterval } from "./gallery.js";
import { Levels } from "./levels.js";
import { asConfigured, More } from "./more.js";
import { Names } from "./names.js";
import { get, post } from "./session.js";
import { Targets } from "./targets.js";
import { say } from "./words.js";

const defaultCountdown = 3;

/** Fills the section. The result's `refresh` asks for the sources again. */
export function show(section, complain) {
    let isRunning = false;
    let isStarting = false;
    let isLocked = false;
    // A microphone is not opened because it was used last time.
    let measuresMicrophone = false;
    // The last recording; absent until the form is filled.
    let last;
    // In force without a name, by kinecast.conf and the environment.
    let configured = {};
    const status = make("p", { class: "hint", role: "status" });
    const [audio, microphone, clips] = ["audio", "microphone", "clips"].map((name) => choice(say(name)));
    const fields = make("div", { class: "fields" }, audio.field, microphone.field, clips.field);
    const camera = new CameraChoice(look);
    fields.append(camera.field);
    const gallery = new Gallery(complain, () => camera.setSource(gallery.picture));
    const more = new More();
    const targets = new Targets(update);
    const levels = new Levels();
    const names = new Names(complain, {
        read: () => ({ ...values(), ...gallery.lasting }),
        choose: (chosen, name) => showChoice(chosen ?? last ?? {}, name),
    });
    const start = button(say("record"), begin, complain, { class: "primary", disabled: true });
    const cancel = button(say("cancel"), () => post("api/takes/cancel"), complain, { hidden: true });
    section.setAttribute("aria-labelledby", "recording-title");
    const title = make("h2", { id: "recording-title" }, say("newRecording"));
    const buttons = make("div", { class: "buttons" }, start, cancel);
    audio.field.append(levels.audio);
    microphone.field.append(levels.microphone);
    audio.select.addEventListener("change", look);
    microphone.select.addEventListener("change", () => {
        measuresMicrophone = true;
        look();
    });
    section.append(
        title, names.element, gallery.element, fields, levels.hint, camera.element, targets.element, more.element, buttons, status);
    setInterval(look, lookInterval);
    document.addEventListener("visibilitychange", () => {
        if (!document.hidden && !section.hidden) refresh();
    });

    /** Asks for pictures and levels while they are seen. */
    function look() {
        if (document.hidden || !section.checkVisibility() || section.inert) return;
        const chosen = { audio: audio.select.value || "none" };
        if (measuresMicrophone) chosen.microphone = microphone.select.value;
        if (camera.shown) chosen.camera = camera.shown;
        post("api/survey", chosen).catch(() => {});
    }

    /** The request. */
    function values() {
        return {
            profile: names.name, ...gallery.chosen, audio: audio.select.value, microphone: microphone.select.value,
            ...camera.request, clipBuffer: Number(clips.select.value) || undefined, ...more.values, ...targets.request,
        };
    }

    async function begin() {
        complain();
        const request = values();
        await post("api/takes", { ...request, settings: targets.settings });
        last = request;
    }

    function update() {
        section.hidden = isRunning;
        write(start, say(targets.isLive ? "goLive" : "record"));
        start.disabled = isStarting || !last || gallery.isEmpty;
        cancel.hidden = !isStarting;
        status.textContent = isStarting ? say("starting") : isLocked ? say("locked") : "";
    }

    async function refresh() {
        if (section.inert || !section.parentElement.checkVisibility()) return;
        status.textContent = say("looking");
        look();
        try {
            const [sources, kept] = await Promise.all([get("api/sources"), last ?? get("api/choice"), readNames()]);
            fill(sources, kept);
        } catch (error) {
            status.textContent = "";
            complain(error.message);
        }
    }

    /** A file that cannot be used is no reason to offer nothing. */
    async function readNames() {
        configured = await names.load().catch((error) => complain(error.message)) ?? {};
    }

    function fill(sources, kept) {
        gallery.setFixed(sources);
        offer(audio.select, [
            ...(sources.outputs.length ? [["system", say("systemAudio")]] : []),
            ...sources.applications.map((name) => [`app:${name}`, say("appAudio", { name })]), ["none", say("noAudio")],
        ]);
        offer(microphone.select, [
            ["none", say("noMicrophone")], ...sources.microphones.map(({ name, description }) => [name, description]),
        ]);
        camera.offer(sources.cameras);
        const set = configured.clipBuffer;
        offer(clips.select, [
            ["", asConfigured(set && say("keep", { seconds: set }))],
            ...[30, 60, 300].map((seconds) => [`${seconds}`, say("keep", { seconds })]),
        ]);
        if (!last) {
            last = kept;
            targets.offer(kept).catch((error) => complain(error.message));
            // A person who has chosen nothing yet is not surprised by a recording.
            if (!kept.source) kept.countdown ??= defaultCountdown;
            names.select(kept.profile);
            showChoice(kept, names.name);
        }
        update();
        look();
        if (gallery.isEmpty) complain(sources.problems[0] ?? say("nothingToRecord"));
    }

    /** Fills the form. `name`: of a kept choice. */
    function showChoice(chosen, name) {
        gallery.want(chosen, name);
        for (const [{ select }, field] of [[audio, "audio"], [microphone, "microphone"]]) {
            const value = chosen[field] ?? configured[field];
            if (value) pick(select, value);
            else select.selectedIndex = 0;
        }
        camera.show(chosen, configured);
        const { clipBuffer } = chosen;
        pick(clips.select, `${clipBuffer ?? ""}`, clipBuffer && say("keep", { seconds: clipBuffer }));
        more.show(chosen, configured);
    }

    return {
        refresh,
        locked(value) {
            isLocked = value;
            if (value) gallery.forget();
            update();
        },
        levels: (values) => levels.show(values),
        camera: (values) => camera.setCamera(values),
        choices(list) {
            gallery.setChoices(list);
            more.offer(list);
            update();
        },
        setStarting(value, since) {
            isStarting = value.isStarting;
            const seconds = (value.countdown ?? 0) - (performance.now() - since) / 1000;
            if (isStarting && seconds > 0) countdown.show(seconds, () => post("api/takes/cancel").catch(() => {}));
            else countdown.hide();
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
