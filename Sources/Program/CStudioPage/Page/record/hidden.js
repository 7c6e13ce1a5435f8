// @ts-check
// The windows that a recording leaves out, as a list to tick.
import { checkbox, group } from "../shared/elements.js";
import { say } from "../words/words.js";

/**
 * A window as a value of --exclude that is valid tomorrow too.
 * @param {SourceChoice} window
 */
function rule({ name, title, application }) {
  if (application) return `app:${application}`;
  return title ? `title:${title}` : name;
}

/** @param {string} rule */
function text(rule) {
  const [, kind, name] = /^(app|title):(.*)$/s.exec(rule) ?? [];
  return kind === "title" ? say("titled", { name }) : name ?? rule;
}

/** Boxes in an `element`. */
export function makeHiddenWindows() {
  const element = group("hiding", say("hide"));
  // By rule.
  /** @type {Map<string, HTMLInputElement>} */
  const boxes = new Map();
  // False: the configured windows are hidden.
  let isChosen = false;
  element.hidden = true;
  element.addEventListener("change", () => { isChosen = true; });

  /** @param {Iterable<string>} rules */
  function add(rules) {
    for (const one of rules) {
      if (boxes.has(one)) continue;
      const { input, label } = checkbox(text(one));
      input.value = one;
      boxes.set(one, input);
      element.append(label);
    }
    element.hidden = boxes.size === 0;
  }

  return {
    element,
    /**
     * Ticks the rules of a choice, or the configured ones.
     * @param {string[]} [rules]
     * @param {string[]} configured
     */
    show(rules, configured = []) {
      isChosen = rules != null;
      const ticked = new Set(rules ?? configured);
      add(ticked);
      for (const [one, input] of boxes) input.checked = ticked.has(one);
    },
    /**
     * Offers these windows, one box for each rule.
     * @param {SourceChoice[]} windows
     */
    setWindows(windows) {
      const rules = new Set(windows.map(rule));
      for (const [one, input] of boxes) {
        if (rules.has(one) || input.checked || input === document.activeElement) continue;
        input.parentElement?.remove();
        boxes.delete(one);
      }
      add(rules);
    },
    /** What is hidden, in words. */
    get names() { return [...boxes].filter(([, { checked }]) => checked).map(([rule]) => text(rule)); },
    /** The request's `exclude`, in an order that does not depend on which windows appeared first. */
    get rules() { return isChosen ? [...boxes.keys()].filter((one) => boxes.get(one)?.checked).sort() : undefined; },
  };
}
