// Questions in a dialog.
import { button, make, write } from "./elements.js";
import { say } from "./words.js";

/**
 * Shows a dialog. `actions`: pairs of a label and a function. The dialog closes after an action; one that fails leaves it
 * open, with the error's sentence. Enter in a field is the first action.
 */
export function ask(title, content, ...actions) {
    const problem = make("p", { role: "alert" });
    const dialog = make(
        "dialog", { class: "question", "aria-labelledby": "question" }, make("h2", { id: "question" }, title), content,
        problem);
    const buttons = actions.map(([label, action], index) => button(label, async () => {
        write(problem, "");
        await action();
        dialog.close();
    }, (sentence) => write(problem, sentence), { class: index ? null : "primary" }));
    const cancel = button(say(actions.length ? "cancel" : "close"), () => dialog.close());
    dialog.append(make("div", { class: "buttons" }, ...buttons, cancel));
    dialog.addEventListener("keydown", (event) => {
        // Enter also ends the composition of a word, as in Chinese.
        if (event.key !== "Enter" || event.isComposing || event.target.localName !== "input") return;
        event.preventDefault();
        buttons[0]?.click();
    });
    dialog.addEventListener("close", () => dialog.remove());
    document.body.append(dialog);
    dialog.showModal();
    dialog.querySelector("input:not([type])")?.select();
}

/** Shows something to choose in. Returns what `value` gives once the button is pressed; undefined if the dialog is closed. */
export async function choose(title, label, content, value) {
    const dialog = make("dialog", { class: "sources", "aria-label": title }, ...content);
    const chosen = new Promise((resolve) => {
        const use = button(label, () => resolve(value()), () => {}, { class: "primary" });
        dialog.append(make("div", { class: "buttons" }, use, button(say("cancel"), () => resolve())));
        dialog.addEventListener("close", () => resolve());
    });
    document.body.append(dialog);
    dialog.showModal();
    try {
        return await chosen;
    } finally {
        dialog.close();
        dialog.remove();
    }
}

/** A field for a line of text, with its label. */
export function line(label, value = "", attributes = {}) {
    const input = make("input", { value, autocomplete: "off", spellcheck: "false", ...attributes });
    return { input, field: make("label", { class: "field" }, make("span", {}, label), input) };
}
