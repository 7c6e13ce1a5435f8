// A dialog in which another source is chosen for a running take.
import { choose } from "./dialogs.js";
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
        const gallery = new Gallery(complain);
        this.#gallery = gallery;
        gallery.setChoices(this.#list);
        const look = () => post("api/survey").catch(() => {});
        look();
        const timer = setInterval(() => { if (!document.hidden) look(); }, lookInterval);
        const title = say("showAnother");
        get("api/sources").then((sources) => gallery.setFixed(sources), (error) => complain(error.message));
        try {
            return await choose(title, title, [gallery.element], () => gallery.chosen);
        } finally {
            clearInterval(timer);
            this.#gallery = undefined;
        }
    }
}
