// Choices with names, which kinecast.conf keeps as profiles.
import { button, choice, make, offer, pick, write } from "./elements.js";
import { get, post } from "./session.js";
import { say } from "./words.js";

export class Names {
    element;
    #read;
    #choose;
    #list = choice(say("choice"));
    #profiles = [];
    #input = make("input", { maxlength: 40, autocomplete: "off", spellcheck: "false" });
    #keepAs;
    #keep;
    #remove;
    #naming;
    #hint = make("p", { class: "hint", role: "status" });

    /** `read` returns the choice to keep. `choose` gets a choice to show, and its name; undefined: the last one. */
    constructor(complain, { read, choose }) {
        this.#read = read;
        this.#choose = choose;
        this.#keepAs = button(say("keepAs"), () => this.#name(true), complain);
        this.#remove = button(say("remove"), () => this.#removeChosen(), complain);
        this.#keep = button(say("keepName"), () => this.#keepNamed(complain), complain);
        const cancel = button(say("cancel"), () => this.#name(false), complain);
        this.#naming = make(
            "div", { class: "naming", hidden: true },
            make("label", { class: "field" }, make("span", {}, say("name")), this.#input), this.#keep, cancel);
        this.#naming.addEventListener("keydown", ({ key, target }) => {
            if (key === "Escape") this.#name(false);
            else if (key === "Enter" && target === this.#input) this.#keep.click();
        });
        this.#list.select.addEventListener("change", () => this.#fill());
        this.element = make(
            "div", { class: "names" }, this.#list.field, this.#keepAs, this.#remove, this.#naming, this.#hint);
        this.#show([]);
    }

    /** The name of the choice that is shown, unless it has none. */
    get name() { return this.#chosen?.name; }

    get #chosen() { return this.#profiles.find(({ name }) => name === this.#list.select.value); }

    /** Reads the names. Returns what is configured without one. */
    async load() { return this.#receive(await get("api/profiles")); }

    /** Selects a name, if there is such a choice. */
    select(name) {
        pick(this.#list.select, this.#profiles.some((one) => one.name === name) ? name : "");
        this.#update();
    }

    #receive({ configured, profiles }) {
        this.#show(profiles);
        return configured;
    }

    /** Fills the form with the selected choice. */
    #fill() {
        this.#update();
        this.#choose(this.#chosen?.choice, this.#chosen?.name);
    }

    #show(profiles) {
        const { name } = this;
        this.#profiles = profiles;
        this.#list.select.value = "";
        offer(this.#list.select, [["", say("lastUsed")], ...profiles.map((one) => [one.name, one.name])]);
        this.select(name);
    }

    #update() {
        const chosen = this.#chosen;
        this.#remove.hidden = !chosen;
        write(this.#hint, chosen?.others.length ? say("alsoSets", { name: chosen.name, options: chosen.others.join(", ") }) : "");
    }

    #name(isOpen) {
        this.#naming.hidden = !isOpen;
        this.#keepAs.hidden = isOpen;
        this.#input.value = this.name ?? "";
        (isOpen ? this.#input : this.#keepAs).focus();
    }

    async #keepNamed(complain) {
        complain();
        const name = this.#input.value.trim();
        this.#receive(await post("api/profiles", { name, choice: this.#read() }));
        this.select(name);
        this.#fill();
        this.#name(false);
    }

    async #removeChosen() {
        const { name } = this;
        if (!confirm(say("removeSure", { name }))) return;
        this.#receive(await post(`api/profiles/${encodeURIComponent(name)}/remove`));
        this.#fill();
        this.#keepAs.focus();
    }
}
