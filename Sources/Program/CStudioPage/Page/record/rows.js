// @ts-check
// The rows beside the picture: what a recording has besides it, each with a switch.
import { icon, make, pick, setOptions } from "../shared/elements.js";

/**
 * A row with a switch. `details` stand below its title.
 * @param {string} image
 * @param {string} title
 * @param {() => void} change
 * @param {Child[]} details
 */
export function switchRow(image, title, change, ...details) {
  const input = make("input", { type: "checkbox", role: "switch", change });
  return { input, element: make("div.row", {}, icon(image), make("label", {}, make("span", {}, title), input), ...details) };
}

/**
 * A row whose switch is on while something is chosen in its list. `off`: the value of the row without that. `listTitle`: the list's
 * name for who does not see the row.
 * @param {string} image
 * @param {string} title
 * @param {string} listTitle
 * @param {string} off
 * @param {() => void} change
 * @param {Child[]} details
 */
export function listRow(image, title, listTitle, off, change, ...details) {
  const select = make("select", { "aria-label": listTitle, change });
  const { input, element } = switchRow(image, title, () => {
    update();
    change();
  }, select, ...details);

  function update() {
    select.disabled = !input.checked;
    input.disabled = !select.options.length;
  }

  return {
    element, input,
    get value() { return input.checked && select.value ? select.value : off; },
    /** The value that is offered first; undefined: there is nothing to choose. */
    get first() { return select.options[0]?.value; },
    /** Whether there is anything to choose. */
    get isEmpty() { return !select.options.length; },
    /**
     * Offers pairs of a value and a text, the first one at first.
     * @param {string[][]} choices
     */
    offer(choices) {
      setOptions(select, choices);
      update();
    },
    /**
     * Shows a value; `off` and what is absent turn the switch off.
     * @param {string | undefined} value
     * @param {string} [text]
     */
    choose(value, text) {
      input.checked = value != null && value !== off;
      if (input.checked) pick(select, /** @type {string} */ (value), text);
      update();
    },
  };
}
