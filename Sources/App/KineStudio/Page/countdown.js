// Three seconds before a recording begins. Any key, or a click, cancels it.
import { make, write } from "./elements.js";
import { say } from "./words.js";

const seconds = 3;

/** Returns false if the person cancels it. */
export async function countDown() {
    const count = make("p", { class: "count", "aria-live": "assertive" });
    const dialog = make("dialog", { class: "countdown", "aria-label": say("countdown") }, count, make("p", {}, say("cancelHint")));
    document.body.append(dialog);
    dialog.showModal();
    const cancelled = new Promise((resolve) => {
        for (const type of ["keydown", "pointerdown", "cancel"]) dialog.addEventListener(type, (event) => {
            event.preventDefault();
            resolve(true);
        });
    });
    try {
        for (let rest = seconds; rest > 0; rest -= 1) {
            write(count, String(rest));
            const second = new Promise((resolve) => setTimeout(resolve, 1000, false));
            if (await Promise.race([cancelled, second])) return false;
        }
        return true;
    } finally {
        dialog.close();
        dialog.remove();
    }
}
