// @ts-check
// The destinations of a running take: how each is doing, its link, and which others can be added.
import { arrange, attempt, button, make, setText } from "../shared/elements.js";
import { get, post } from "../shared/session.js";
import { say } from "../words/words.js";
import { activity } from "./statistics.js";

/**
 * The name of a destination for a person.
 * @param {string} name
 */
export function destinationTitle(name) {
  return name === "live" ? say("livePage") : name;
}

/**
 * A list with its `element`. `path`: of requests for the take's destinations.
 * @param {string} path
 */
export function makeDestinations(path) {
  // By the destinations' numbers.
  /** @type {Map<number, ReturnType<typeof makeRow>>} */
  const rows = new Map();
  const list = make("ul.destinations");
  const choices = make("div.buttons");
  /** @type {HTMLDetailsElement} */
  const further = make("details", { toggle: () => attempt(showChoices) }, make("summary", {}, say("broadcastTo")), choices);

  async function showChoices() {
    if (!further.open) return;
    const [names, services] = await Promise.all([get("api/destinations"), get("api/services")]);
    const kept = services.filter(({ settings }) => settings === "kept").map(({ id, name }) => [`service:${id}`, name]);
    const titled = [...names.map((name) => [name, destinationTitle(name)]), ...kept];
    choices.replaceChildren(...titled.map(([name, text]) => button(text, async () => {
      await post(path, { destination: name });
      further.open = false;
    })));
  }

  return {
    element: make("div.broadcasts", {}, list, further),
    /** @param {Destination[]} destinations @param {boolean} canChange */
    show(destinations, canChange) {
      further.hidden = !canChange;
      const items = destinations.filter(({ removed }) => !removed).map((one) => ({ ...one, canChange }));
      list.hidden = items.length === 0;
      arrange(list, rows, items, ({ destination }) => destination, (one) => makeRow(`${path}/${one.destination}/remove`));
    },
  };
}

/** @param {string} removal */
function makeRow(removal) {
  /** @type {string | undefined} */
  let link;
  const [name, state, numbers] = ["label", "phase", "activity"].map((name) => make(`span.${name}`));
  const copy = button(say("copyLink"), () => navigator.clipboard.writeText(link ?? "").catch(() => {
    throw new Error(say("cannotCopy", { link }));
  }));
  const remove = button(say("endBroadcast"), () => post(removal));
  const element = make("li", {}, name, state, numbers, copy, remove);
  return {
    element,
    /** @param {Destination & { canChange: boolean }} destination */
    show(destination) {
      const { label, phase, problem, canChange } = destination;
      ({ link } = destination);
      element.dataset.phase = phase;
      setText(name, label);
      setText(state, problem ?? say(`destination.${phase}`));
      copy.hidden = !link;
      remove.hidden = !canChange || phase === "ended";
      if (phase === "ended") setText(numbers, "");
      else if (destination.bytes != null) setText(numbers, activity(destination));
    },
  };
}
