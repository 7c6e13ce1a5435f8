// Elements of the page, made by scripts.

/** Makes an element. Attributes that are functions are listeners; null and undefined children are left out. */
export function make(tag, attributes = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
        if (typeof value === "function") element.addEventListener(name, value);
        else if (value === true) element.setAttribute(name, "");
        else if (value !== false && value != null) element.setAttribute(name, value);
    }
    element.append(...children.filter((child) => child != null));
    return element;
}

/** Sets an element's text, unless it has it: assistive technology reports every change. */
export function write(element, text) {
    if (element.textContent !== text) element.textContent = text;
}

/** A button that does nothing while its action runs. `failed` gets the error's sentence. */
export function button(label, action, failed, attributes = {}) {
    const element = make("button", { type: "button", ...attributes }, label);
    element.addEventListener("click", async () => {
        // A disabled button would lose the focus.
        if (element.ariaBusy === "true") return;
        element.ariaBusy = "true";
        try {
            await action();
        } catch (error) {
            failed(error.message);
        } finally {
            element.ariaBusy = null;
        }
    });
    return element;
}

/** A list of choices with its label. `choices`: pairs of a value and a text. */
export function choice(label, choices, chosen = "") {
    const select = make("select", {}, ...choices.map(([value, text]) => make("option", { value }, text)));
    if (choices.some(([value]) => value === chosen)) select.value = chosen;
    return { select, field: make("label", { class: "field" }, make("span", {}, label), select) };
}
