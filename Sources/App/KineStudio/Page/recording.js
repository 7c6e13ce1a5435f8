// The choice of what to record, by pictures and lists, and the button that begins it.
import { button, choice, make, offer, pick } from "./elements.js";
import { Gallery } from "./gallery.js";
import { asConfigured, More } from "./more.js";
import { Names } from "./names.js";
import { get, post } from "./session.js";
import { say } from "./words.js";

// The server makes pictures for fifteen seconds after each request.
const lookInterval = 5000;

/** Fills the section. The result's `refresh` asks for the sources again. */
export function show(section, complain) {
    let isRunning = false;
    let isStarting = false;
    // The last recording; absent until the form is filled.
    let last;
    // In force without a name, by kinecast.conf and the environment.
    let configured = {};
    const status = make("p", { class: "hint", role: "status" });
    const [audio, microphone, clips] = ["audio", "microphone", "clips"].map((name) => choice(say(name)));
    const fields = make("div", { class: "fields" }, audio.field, microphone.field, clips.field);
    const gallery = new Gallery();
    const more = new More();
    const names = new Names(complain, {
        read: () => ({ ...values(), ...gallery.lasting }),
        choose: (chosen, name) => showChoice(chosen ?? last ?? {}, name),
    });
    const start = button(say("record"), begin, complain, { class: "primary", disabled: true });
    const cancel = button(say("cancel"), () => post("api/takes/cancel"), complain, { hidden: true });
    section.setAttribute("aria-labelledby", "recording-title");
    const title = make("h2", { id: "recording-title" }, say("newRecording"));
    const buttons = make("div", { class: "buttons" }, start, cancel);
    section.append(title, names.element, gallery.element, fields, more.element, buttons, status);
    setInterval(look, lookInterval);
    document.addEventListener("visibilitychange", () => {
        if (!document.hidden && !section.hidden && !section.inert) refresh();
    });

    /** Asks for pictures while they are seen. */
    function look() {
        if (document.hidden || section.hidden || section.inert) return;
        post("api/survey").catch(() => {});
    }

    /** The request. */
    function values() {
        return {
            profile: names.name, ...gallery.chosen, audio: audio.select.value, microphone: microphone.select.value,
            clipBuffer: Number(clips.select.value) || undefined, ...more.values,
        };
    }

    async function begin() {
        complain();
        const request = values();
        await post("api/takes", request);
        last = request;
    }

    function update() {
        section.hidden = isRunning;
        start.disabled = isStarting || !last || gallery.isEmpty;
        cancel.hidden = !isStarting;
        status.textContent = isStarting ? say("starting") : "";
    }

    async function refresh() {
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
        const set = configured.clipBuffer;
        offer(clips.select, [
            ["", asConfigured(set && say("keep", { seconds: set }))],
            ...[30, 60, 300].map((seconds) => [`${seconds}`, say("keep", { seconds })]),
        ]);
        if (!last) {
            last = kept;
            names.select(kept.profile);
            showChoice(kept, names.name);
        }
        update();
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
        const { clipBuffer } = chosen;
        pick(clips.select, `${clipBuffer ?? ""}`, clipBuffer && say("keep", { seconds: clipBuffer }));
        more.show(chosen, configured);
    }

    return {
        refresh,
        choices(list) {
            gallery.setChoices(list);
            more.offer(list);
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
