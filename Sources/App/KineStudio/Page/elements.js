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

/** A list with its label, empty until `offer`. */
export function choice(label) {
    const select = make("select");
    return { select, field: make("label", { class: "field" }, make("span", {}, label), select) };
}

/** Replaces a list's choices, pairs of a value and a text. The chosen one stays. */
export function offer(select, choices) {
    const { value, selectedOptions: [chosen] } = select;
    select.replaceChildren(...choices.map(([value, text]) => make("option", { value }, text)));
    if (value) pick(select, value, chosen.text);
}

/** Chooses a value, which a list that lacks it gets. */
export function pick(select, value, text = value) {
    if (![...select.options].some((option) => option.value === value)) select.append(make("option", { value }, text));
    select.value = value;
}
