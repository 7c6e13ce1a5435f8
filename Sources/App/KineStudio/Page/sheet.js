// A sheet: the person chooses a service for an app, fills in its fields, logs in, and may cancel the countdown; or sees what
// the app has recorded.
import { attempt, box, button, complain, group, make, write } from "./elements.js";
import { isOwn } from "./countdown.js";
import { icon } from "./service-icon.js";
import { place } from "./places.js";
import { headers, post } from "./session.js";
import { load, say } from "./words.js";

await load("sheet");

// Milliseconds. A window that does not listen for three seconds counts as closed.
const retryInterval = 500;
const mostRetries = 5;
const endings = ["done", "cancelled", "appLost"];

/** Shows the sheet until it is over: an app's in its own window, or a setup program's in a place of the studio's. */
export async function show(id, parent) {
    const sheet = new Sheet(`api/sheets/${encodeURIComponent(id)}`, parent != null);
    (parent ?? document.querySelector("main")).append(sheet.element);
    const free = await place(undefined, true);
    await attempt(() => follow(`${sheet.path}/events`, (content) => sheet.show(content)), (sentence) => {
        sheet.element.inert = true;
        complain(sentence);
    });
    free?.();
}

/** Calls `receive` with each content until it returns true. Throws with a sentence if there are no more. */
async function follow(path, receive) {
    for (let failures = 0; failures <= mostRetries; failures++) {
        if (failures) await new Promise((done) => setTimeout(done, retryInterval));
        const response = await fetch(path, { headers: headers() }).catch(() => null);
        if (!response) continue;
        if (!response.ok) throw new Error((await response.json().catch(() => ({}))).message ?? say("serverGone"));
        for await (const content of contents(response.body)) {
            failures = 0;
            if (receive(content)) return;
        }
    }
    throw new Error(say("serverGone"));
}

async function* contents(body) {
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    for (;;) {
        // A connection that breaks off is opened again.
        const { done, value } = await reader.read().catch(() => ({ done: true }));
        if (done) return;
        const events = (text + value).split("\n\n");
        text = events.pop();
        for (const event of events) if (event.startsWith("data: ")) yield JSON.parse(event.slice(6));
    }
}

class Sheet {
    path;
    #title = make("h2", { id: "sheet-title", tabindex: -1 });
    #identifier = make("p.hint");
    #body = make("div.sheet-body");
    element = make(
        "section", { id: "sheet", "aria-labelledby": "sheet-title" }, this.#title, this.#identifier, this.#body);
    #content = {};
    #isInside;
    // The title's word, once something is asked for.
    #word;
    // The recording that is shown.
    #review;

    constructor(path, isInside) {
        this.path = path;
        this.#isInside = isInside;
        if (isInside) {
            this.element = this.#body;
            return;
        }
        document.addEventListener("keydown", (event) => {
            if (this.#content.kind !== "countdown" || !isOwn(event)) return;
            event.preventDefault();
            this.#cancel().catch(() => {});
        });
    }

    /** Returns whether it is the last content. */
    show(content) {
        const isSame = content.step === this.#content.step && content.kind === this.#content.kind;
        // The connection was restored: what the person has typed stays.
        if (isSame) return false;
        const isUpdate = content.kind === this.#content.kind;
        this.#content = content;
        if (isUpdate && content.kind === "countdown") return this.#count();
        if (isUpdate && content.kind === "recording") return this.#showRecording();
        const isOver = endings.includes(content.kind);
        if (this.#isInside) return this.#showInside(isOver);
        const { name, identifier } = content.app;
        if (!endings.includes(content.kind) && content.kind !== "waiting") {
            this.#word = content.kind === "recording" ? "sheetRecorded" : "sheetTitle";
        }
        document.title = this.#word ? say(this.#word, { name }) : name;
        write(this.#title, document.title);
        write(this.#identifier, name === identifier ? say("sheetClaim") : say("sheetNamed", { identifier }));
        complain();
        this.#body.replaceChildren(...(isOver ? this.#ending() : this[content.kind]()));
        (this.#body.querySelector("[data-focus]") ?? this.#title).focus();
        if (isOver && content.kind !== "appLost") close();
        return isOver;
    }

    #showInside(isOver) {
        this.#body.replaceChildren(...(isOver ? [] : this[this.#content.kind]()));
        this.#body.querySelector("button")?.focus();
        return isOver;
    }

    choice() {
        const { services, isMicrophoneEnabled } = this.#content;
        const only = services.length === 1;
        const cards = services.map((service, index) => make(
            "label.card.service", {},
            make("input", {
                type: "radio", name: "service", value: service.id, checked: only, "data-focus": index === 0,
                "aria-describedby": `rights-${index}`,
            }),
            icon(service), make("span.title", {}, service.name), make("span.application", {}, service.id),
            make("ul", { id: `rights-${index}` }, ...rights(service).map((text) => make("li", {}, text)))));
        const list = group("gallery", say(only ? "sheetOnly" : "sheetChoose"), ...cards);
        const microphone = box(say("sheetMicrophone"), isMicrophoneEnabled);
        const go = this.#continue(() => this.answer({
            service: list.querySelector(":checked").value, isMicrophoneEnabled: microphone.input.checked,
        }));
        go.disabled = !only;
        list.addEventListener("change", () => { go.disabled = false; });
        return [list, isMicrophoneEnabled == null ? "" : microphone.label, this.#buttons(go)];
    }

    form() {
        const { fields, service, message } = this.#content;
        const form = make("form.sheet-body", { novalidate: true, submit: (event) => event.preventDefault() });
        attempt(async () => {
            const { Form } = await import("./sheet-form.js");
            const filled = new Form(fields, (values) => post(`${this.path}/check`, { values }));
            const go = this.#continue(async () => {
                const { problems } = await this.answer({ values: filled.values });
                filled.show(problems);
                filled.focus(problems);
            });
            form.append(filled.element, this.#buttons(go));
            filled.focus();
        });
        // The place of a setup program has a title.
        return [this.#isInside ? "" : make("p", {}, say("sheetForm", { service })), message ? make("p", {}, message) : "", form];
    }

    login() {
        const { service, host, address } = this.#content;
        // The page opens no address by itself: the service's program made it.
        const open = button(
            say("sheetOpen", { host }), () => { window.open(address, "_blank", "noopener"); }, { class: this.#primary });
        return [
            make("p", {}, say("sheetLogin", { service })), make("p", {}, make("strong", {}, host)),
            make("p.hint", {}, make("code", {}, address)), this.#buttons(open),
        ];
    }

    countdown() {
        return [
            make("p", {}, say("sheetBegins")), make("p.count", { "aria-live": "assertive" }, this.#content.seconds),
            make("p.hint", {}, say("cancelHint")), this.#buttons(),
        ];
    }

    recording() {
        const place = make("div.sheet-body");
        this.#review = import("./review.js").then(({ makeReview }) => {
            const done = button(say("done"), () => this.answer({ finished: true }), { class: "primary" });
            const review = makeReview(this.path, this.#content, this.#buttons(done));
            place.append(review.element);
            return review;
        });
        this.#showRecording();
        return [place];
    }

    #showRecording() {
        attempt(async () => (await this.#review).show(this.#content));
        return false;
    }

    waiting() { return [make("p", { role: "status" }, say("sheetWaiting", { name: this.#content.app.name }))]; }

    #ending() {
        const { kind, app: { name } } = this.#content;
        return [make("p", { role: "status" }, say(`sheet.${kind}`, { name }), " ", say("sheetClose"))];
    }

    #count() {
        write(this.#body.querySelector(".count"), String(this.#content.seconds));
        return false;
    }

    answer(values) { return post(`${this.path}/answer`, { step: this.#content.step, ...values }); }

    #cancel() { return post(`${this.path}/cancel`); }

    #continue(action) { return button(say("sheetContinue"), action, { class: this.#primary, type: "submit" }); }

    /** The studio's form has a primary button of its own. */
    get #primary() { return this.#isInside ? null : "primary"; }

    #buttons(first) { return make("div.buttons", {}, first, button(say("cancel"), () => this.#cancel())); }
}

/** The service's rights in words. */
export function rights({ rights }) {
    return rights.length ? rights.map(({ kind, subject }) => say(`right.${kind}`, { subject })) : [say("right.none")];
}
