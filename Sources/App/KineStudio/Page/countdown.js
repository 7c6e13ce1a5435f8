// The seconds before a recording begins, which the server counts. Any key, or a click, cancels it.
import { make, write } from "./elements.js";
import { say } from "./words.js";

let dialog;
let timer;

/** Shows the seconds until the recording begins, in every window. `cancel` is called for a key or a click. */
export function show(seconds, cancel) {
    hide();
    const end = performance.now() + seconds * 1000;
    const count = make("p", { class: "count", "aria-live": "assertive" });
    dialog = make("dialog", { class: "countdown", "aria-label": say("countdown") }, count, make("p", {}, say("cancelHint")));
    for (const type of ["keydown", "pointerdown", "cancel"]) {
        dialog.addEventListener(type, (event) => {
            event.preventDefault();
            if (dialog) cancel();
            hide();
        });
    }
    const update = () => {
        const rest = Math.ceil((end - performance.now()) / 1000);
        if (rest <= 0) return hide();
        write(count, String(rest));
        timer = setTimeout(update, end - performance.now() - (rest - 1) * 1000);
    };
    document.body.append(dialog);
    dialog.showModal();
    update();
}

export function hide() {
    clearTimeout(timer);
    dialog?.close();
    dialog?.remove();
    dialog = undefined;
}
