// A dialog in which another source is chosen for a running take.
import { button, make } from "./elements.js";
import { Gallery, lookInterval } from "./gallery.js";
import { get, post } from "./session.js";
import { say } from "./words.js";

export class SourceDialog {
    #gallery;
    #list = [];

    /** Offers the monitors and windows of the event `choices`. */
    choices(list) {
        this.#list = list;
        this.#gallery?.setChoices(list);
    }

    /** The request's `source` and `name`; undefined if the person closes the dialog. */
    async ask(complain) {
        const gallery = new Gallery();
        this.#gallery = gallery;
        gallery.setChoices(this.#list);
        const look = () => post("api/survey").catch(() => {});
        look();
        const timer = setInterval(() => { if (!document.hidden) look(); }, lookInterval);
        const dialog = make("dialog", { class: "sources", "aria-label": say("showAnother") }, gallery.element);
        const chosen = new Promise((resolve) => {
            const show = button(say("showAnother"), () => resolve(gallery.chosen), complain, { class: "primary" });
            const cancel = button(say("cancel"), () => resolve(), complain);
            dialog.append(make("div", { class: "buttons" }, show, cancel));
            dialog.addEventListener("close", () => resolve());
        });
        document.body.append(dialog);
        dialog.showModal();
        try {
            gallery.setFixed(await get("api/sources"));
            return await chosen;
        } finally {
            clearInterval(timer);
            this.#gallery = undefined;
            dialog.close();
            dialog.remove();
        }
    }
}
