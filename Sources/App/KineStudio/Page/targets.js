// Where a new take goes: into a file, to destinations, or both.
import { make } from "./elements.js";
import { title } from "./destinations.js";
import { get, post } from "./session.js";
import { say } from "./words.js";

export class Targets {
    #boxes = make("fieldset", { class: "targets" }, make("legend", {}, say("broadcastTo")));
    #record = box(say("recordToo"), true);
    element = make("div", { class: "targets-all" }, this.#boxes, this.#record.label);
    #destinations = new Map();
    // The services with settings, by the names of their destinations.
    #services = new Map();

    /** `changed` is called when the person has chosen something. */
    constructor(changed) {
        this.element.addEventListener("change", () => {
            this.#update();
            changed();
        });
        this.#update();
    }

    /** Offers what there is, and chooses what was chosen last. */
    async offer(last) {
        const [names, services] = await Promise.all([get("api/destinations"), get("api/services")]);
        for (const name of names) {
            const chosen = box(title(name), last.destinations?.includes(name) ?? false);
            this.#destinations.set(name, chosen.input);
            this.#boxes.append(chosen.label);
        }
        for (const service of services) this.#addService(service, last);
        this.#record.input.checked = last.isRecorded ?? true;
        this.#update();
    }

    get isLive() { return this.#chosen.length > 0; }

    /** The request's keys. */
    get request() {
        return this.isLive ? { destinations: this.#chosen, isRecorded: this.#record.input.checked } : {};
    }

    /** The values for the chosen services, secrets among them, by the services' ids. They are not kept. */
    get settings() {
        const chosen = [...this.#services].filter(([name]) => this.#destinations.get(name).checked);
        return Object.fromEntries(chosen.map(([, { id, form }]) => [id, form?.values ?? {}]));
    }

    #addService({ id, name, fields }, last) {
        const destination = `service:${id}`;
        const chosen = box(name, last.destinations?.includes(destination) ?? false);
        const place = make("fieldset", { class: "settings", hidden: true }, make("legend", {}, say("sheetForm", { service: name })));
        this.#destinations.set(destination, chosen.input);
        this.#services.set(destination, { id, fields, place });
        this.#boxes.append(chosen.label);
        this.#record.label.before(place);
    }

    /** Shows the fields of chosen services. */
    async #showServices() {
        for (const [name, service] of this.#services) {
            service.place.hidden = !this.#destinations.get(name).checked;
            if (service.place.hidden || service.isLoaded) continue;
            service.isLoaded = true;
            const { Form } = await import("./sheet-form.js");
            service.form = new Form(service.fields, (values) => post(`api/services/${service.id}/check`, { values }));
            service.place.append(service.form.element);
        }
    }

    get #chosen() { return [...this.#destinations].filter(([, input]) => input.checked).map(([name]) => name); }

    #update() {
        // Without a destination, a file is all there is.
        this.#record.label.hidden = !this.isLive;
        this.#showServices();
    }
}

function box(text, isChecked) {
    const input = make("input", { type: "checkbox" });
    input.checked = isChecked;
    return { input, label: make("label", { class: "box" }, input, make("span", {}, text)) };
}
