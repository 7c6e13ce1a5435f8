// The sentence after a deletion, with a button that undoes it.
import { button, make, write } from "./elements.js";
import { post } from "./session.js";
import { say } from "./words.js";

// Milliseconds. After it, the next action hides the sentence.
const shortest = 10_000;

export class Undo {
    #text = make("span", { role: "status" });
    #button;
    #token;
    #since = 0;
    element;

    /** `undone` gets the recording that is there again. */
    constructor(complain, undone) {
        this.#button = button(say("undo"), async () => {
            const recording = await post("api/recordings/undo", { undo: this.#token });
            this.#hide();
            await undone(recording);
        }, complain, { hidden: true });
        this.element = make("div", { class: "undo" }, this.#text, this.#button);
        for (const type of ["pointerdown", "keydown"]) {
            document.addEventListener(type, ({ target }) => {
                if (!this.element.contains(target) && performance.now() - this.#since > shortest) this.#hide();
            });
        }
    }

    show(sentence, token) {
        this.#token = token;
        this.#since = performance.now();
        write(this.#text, sentence);
        this.#button.hidden = false;
    }

    #hide() {
        write(this.#text, "");
        this.#button.hidden = true;
    }
}
