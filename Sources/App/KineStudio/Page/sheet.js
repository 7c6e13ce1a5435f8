// One app's sheet: the person chooses a service, fills in its fields, logs in, and may cancel the countdown.
import { button, make, write } from "./elements.js";
import { headers, post } from "./session.js";
import { say } from "./words.js";

// Milliseconds. A window that does not listen for three seconds counts as closed.
const retryInterval = 500;
const mostRetries = 5;
const endings = ["done", "cancelled", "appLost"];

/** Shows the sheet until it is over. */
export async function show(id, complain) {
    const sheet = new Sheet(`api/sheets/${encodeURIComponent(id)}`, complain);
    document.querySelector("main").append(sheet.element);
    try {
        await follow(`${sheet.path}/events`, (content) => sheet.show(content));
    } catch (error) {
        sheet.element.inert = true;
        complain(error.message);
    }
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
    element = make("section", { id: "sheet", "aria-labelledby": "sheet-title" });
    #complain;
    #title = make("h2", { id: "sheet-title", tabindex: -1 });
    #identifier = make("p", { class: "hint" });
    #body = make("div", { class: "sheet-body" });
    #content = {};

    constructor(path, complain) {
        this.path = path;
        this.#complain = complain;
        this.element.append(this.#title, this.#identifier, this.#body);
        document.addEventListener("keydown", (event) => {
            if (this.#content.kind !== "countdown" || ["Control", "Alt", "Shift", "Meta", "Tab"].includes(event.key)) return;
            event.preventDefault();
            this.#cancel().catch(() => {});
        });
    }

    /** Returns whether it is the last content. */
    show(content) {
        const isSame = content.step === this.#content.step && content.kind === this.#content.kind;
        // The connection was restored: what the person has typed stays.
        if (isSame) return false;
        const isCounting = content.kind === "countdown" && this.#content.kind === "countdown";
        this.#content = content;
        if (isCounting) return this.#count();
        const { name, identifier } = content.app;
        document.title = say("sheetTitle", { name });
        write(this.#title, document.title);
        write(this.#identifier, name === identifier ? say("sheetClaim") : say("sheetNamed", { identifier }));
        this.#complain();
        const isOver = endings.includes(content.kind);
        this.#body.replaceChildren(...(isOver ? this.#ending() : this[content.kind]()));
        (this.#body.querySelector("[data-focus]") ?? this.#title).focus();
        if (isOver && content.kind !== "appLost") close();
        return isOver;
    }

    choice() {
        const { services, isMicrophoneEnabled } = this.#content;
        const only = services.length === 1;
        const cards = services.map((service, index) => make(
            "label", { class: "card service" },
            make("input", {
                type: "radio", name: "service", value: service.id, checked: only, "data-focus": index === 0,
                "aria-describedby": `rights-${index}`,
            }),
            make("span", { class: "title" }, service.name), make("span", { class: "application" }, service.id),
            make("ul", { id: `rights-${index}` }, ...rights(service).map((text) => make("li", {}, text)))));
        const list = make("fieldset", { class: "gallery" }, make("legend", {}, say(only ? "sheetOnly" : "sheetChoose")), ...cards);
        const microphone = make("input", { type: "checkbox", checked: isMicrophoneEnabled });
        const withMicrophone = isMicrophoneEnabled != null
            && make("label", { class: "box" }, microphone, make("span", {}, say("sheetMicrophone")));
        const go = this.#continue(() => this.answer({
            service: list.querySelector(":checked").value, isMicrophoneEnabled: microphone.checked,
        }));
        go.disabled = !only;
        list.addEventListener("change", () => { go.disabled = false; });
        return [list, withMicrophone || "", this.#buttons(go)];
    }

    form() {
        const form = make("div", { class: "sheet-body" });
        const { fields, service, message } = this.#content;
        import("./sheet-form.js").then(({ Form }) => {
            const filled = new Form(fields, (values) => post(`${this.path}/check`, { values }));
            const go = this.#continue(async () => {
                const { problems } = await this.answer({ values: filled.values });
                filled.show(problems);
                filled.focus(problems);
            });
            form.append(make("form", { class: "sheet-body", novalidate: true, submit: (event) => event.preventDefault() },
                filled.element, this.#buttons(go)));
            filled.focus();
        }).catch((error) => this.#complain(error.message));
        return [make("p", {}, say("sheetForm", { service })), message ? make("p", {}, message) : "", form];
    }

    login() {
        const { service, host, address } = this.#content;
        // The page opens no address by itself: the service's program made it.
        const open = button(say("sheetOpen", { host }), () => { window.open(address, "_blank", "noopener"); }, this.#complain,
            { class: "primary" });
        return [make("p", {}, say("sheetLogin", { service })), make("p", {}, make("strong", {}, host)),
            make("p", { class: "hint" }, make("code", {}, address)), this.#buttons(open)];
    }

    countdown() {
        return [make("p", {}, say("sheetBegins")), make("p", { class: "count", "aria-live": "assertive" }, String(this.#content.seconds)),
            make("p", { class: "hint" }, say("cancelHint")), this.#buttons()];
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

    #continue(action) {
        return button(say("sheetContinue"), () => { this.#complain(); return action(); }, this.#complain,
            { class: "primary", type: "submit" });
    }

    #buttons(first) {
        return make("div", { class: "buttons" }, first, button(say("cancel"), () => this.#cancel(), this.#complain));
    }
}

/** The service's rights in words. */
function rights({ rights }) {
    return rights.length ? rights.map(({ kind, subject }) => say(`right.${kind}`, { subject })) : [say("right.none")];
}
