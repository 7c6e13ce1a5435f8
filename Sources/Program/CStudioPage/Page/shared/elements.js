// @ts-check
// Elements of the page, made by scripts, and the sentence about what went wrong.
import { getImage } from "./session.js";

/**
 * One of index.html.
 * @param {string} id
 */
export const element = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

/**
 * The message of what was thrown.
 * @param {unknown} error
 */
export const messageOf = (error) => /** @type {Error} */ (error).message;

const problem = element("problem");

/** Shows a sentence until the next action; without one, none. */
export function complain(sentence = "") {
  setText(problem, sentence);
  problem.hidden = !sentence;
}

/**
 * Runs an action. `failed` gets the sentence of its error.
 * @template T
 * @param {() => T} action
 * @param {Fail} failed
 * @returns {Promise<Awaited<T> | undefined>}
 */
export async function attempt(action, failed = complain) {
  try {
    return await action();
  } catch (error) {
    failed(messageOf(error));
  }
}

/**
 * Makes an element: `p`, or `p.hint` with a class. Attributes that are functions are listeners; null and undefined children
 * are left out.
 * @template {string} T
 * @param {T} tag
 * @param {Attributes} attributes
 * @param {Child[]} children
 * @returns {Made<T>}
 */
export function make(tag, attributes = {}, ...children) {
  const [name, ...classes] = tag.split(".");
  const element = document.createElement(name);
  if (classes.length) element.className = classes.join(" ");
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, /** @type {EventListener} */ (value));
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value != null) element.setAttribute(name, String(value));
  }
  for (const child of children) if (child != null) element.append(child);
  return /** @type {Made<T>} */ (/** @type {unknown} */ (element));
}

/**
 * Sets an element's text, unless it has it: assistive technology reports every change.
 * @param {Element} element
 * @param {string} text
 */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/**
 * A button that does nothing while its action runs. Calls `failed()` before the action and `failed(sentence)` if it throws.
 * @param {string} label
 * @param {Action} action
 * @param {Attributes} attributes
 * @param {Fail} failed
 */
export function button(label, action, attributes = {}, failed = complain) {
  const element = make("button", { type: "button", ...attributes }, label);
  element.addEventListener("click", async ({ detail }) => {
    // A disabled button would lose the focus. The second of two quick clicks would undo what the first one did.
    if (element.ariaBusy === "true" || detail > 1) return;
    element.ariaBusy = "true";
    failed();
    await attempt(action, failed);
    element.ariaBusy = null;
  });
  return element;
}

/**
 * A picture of icons.svg, for those who see.
 * @param {string} name
 */
export function icon(name) {
  const place = make("span.icon", { "aria-hidden": "true" });
  place.innerHTML = `<svg><use href="icons.svg#${name}"/></svg>`;
  return place;
}

/**
 * The icon of a service, in place of the first letter of its name if there is one. As an image, an SVG file runs no script.
 * @param {Rights} service
 */
export function serviceIcon({ id, name }) {
  const place = make("span.service-icon", { "aria-hidden": "true", "data-letter": [...name][0] });
  getImage(`api/services/${encodeURIComponent(id)}/icon`).then((image) => { if (image) place.replaceChildren(image); });
  return place;
}

/**
 * For clicks in an element: those of a mouse leave no focus on its buttons, where Space would press them again.
 * @param {UIEvent} event
 */
export function leave({ target, detail }) {
  if (detail && target instanceof Element) target.closest("button")?.blur();
}

/** A line that assistive technology reports. */
export function hint() { return make("p.hint", { role: "status" }); }

/**
 * A control with its label.
 * @param {string} label
 * @param {Element} control
 */
export function field(label, control) {
  return make("label.field", {}, make("span", {}, label), control);
}

/**
 * A box to tick, with its label, and an icon if one is given.
 * @param {string} text
 * @param {boolean} [isChecked]
 * @param {(() => void) | null} [change]
 * @param {Element} [icon]
 */
export function checkbox(text, isChecked, change, icon) {
  const input = make("input", { type: "checkbox", checked: Boolean(isChecked), change });
  return { input, label: make("label.box", {}, input, icon, make("span", {}, text)) };
}

/**
 * Controls that belong together, with their title.
 * @param {string} name
 * @param {string} title
 * @param {Child[]} children
 */
export function group(name, title, ...children) {
  return make(`fieldset.${name}`, {}, make("legend", {}, title), ...children);
}

/**
 * A list with its label, empty until `setOptions`. `change` is called when the person chooses.
 * @param {string} label
 * @param {() => void} [change]
 */
export function choice(label, change) {
  const select = make("select", { change });
  return { select, field: field(label, select) };
}

/**
 * Replaces a list's choices, pairs of a value and a text. The chosen one stays.
 * @param {HTMLSelectElement} select
 * @param {string[][]} choices
 */
export function setOptions(select, choices) {
  const { value, selectedOptions: [chosen] } = select;
  select.replaceChildren(...choices.map(([value, text]) => make("option", { value }, text)));
  if (value) pick(select, value, chosen.text);
}

/**
 * Chooses a value, which a list that lacks it gets.
 * @param {HTMLSelectElement} select
 * @param {string} value
 */
export function pick(select, value, text = value) {
  if (![...select.options].some((option) => option.value === value)) select.append(make("option", { value }, text));
  select.value = value;
}

/**
 * Keeps a list's elements in step with items, in their order, after `previous` if that is given. `rows` has them by the
 * items' keys; `add` makes one, with an `element` and a function `show`. One that is not needed any more is removed, after
 * its `close` if it has one.
 * @template Item, Key
 * @template {Row<Item>} Shown
 * @param {Element} list
 * @param {Map<Key, Shown>} rows
 * @param {Item[]} items
 * @param {(item: Item) => Key} key
 * @param {(item: Item) => Shown} add
 * @param {Element | null} [previous]
 */
export function arrange(list, rows, items, key, add, previous) {
  const known = new Set(items.map(key));
  for (const [id, row] of rows) {
    if (known.has(id)) continue;
    row.close?.();
    row.element.remove();
    rows.delete(id);
  }
  for (const item of items) {
    const id = key(item);
    const row = rows.get(id) ?? add(item);
    rows.set(id, row);
    // Moving an element would take the focus from it.
    const place = previous ? previous.nextElementSibling : list.firstElementChild;
    if (place !== row.element) list.insertBefore(row.element, place);
    previous = row.element;
    row.show(item);
  }
}
