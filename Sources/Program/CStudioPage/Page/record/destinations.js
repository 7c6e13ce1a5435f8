// @ts-check
// The destinations of a running take: how each is doing, its link, and which others can be added.
import { arrange, attempt, button, icon, make, setText } from "../shared/elements.js";
import { get, post } from "../shared/session.js";
import { explain, number, rate, say } from "../words/words.js";

// Milliseconds that a frame waits on a connection that is too slow.
const slow = 1000;
// Milliseconds for which a button says that it has copied.
const copiedTime = 2000;

/** How far links lead. */
export const reaches = ["computer", "network", "public"];

/**
 * The name of a destination for a person.
 * @param {string} name
 */
export function destinationTitle(name) {
  return name === "live" ? say("livePage") : name.replace(/^@/, "");
}

/**
 * Who watches a take, and whether it is recorded too, in words.
 * @param {Take} take
 */
export function audience({ destinations, output }) {
  const counts = destinations.flatMap(({ viewers }) => viewers ?? []);
  const viewers = counts.reduce((sum, count) => sum + count, 0);
  return [
    ...counts.length ? [watching(viewers)] : [], ...destinations.length && output && output !== "-" ? [say("recordsCopy")] : [],
  ];
}

/** @param {number} viewers */
function watching(viewers) { return say(viewers ? "viewers" : "noViewers", { count: number(viewers) }); }

/**
 * How a destination is doing, in words.
 * @param {Destination} one
 */
function standing({ phase, problem, viewers, bitrate, queueMilliseconds, ...coded }) {
  if (problem) return explain({ message: problem, ...coded });
  if (phase !== "live") return say(`destination.${phase}`);
  if (viewers != null) return watching(viewers);
  return [say((queueMilliseconds ?? 0) > slow ? "slow" : "good"), ...bitrate ? [rate(bitrate)] : []].join(" · ");
}

/**
 * Links in `links`, and a list with its `element`. `path`: of requests for the take's destinations.
 * @param {string} path
 */
export function makeDestinations(path) {
  // By the destinations' numbers.
  /** @type {Map<number, ReturnType<typeof makeRow>>} */
  const rows = new Map();
  /** @type {Map<number, ReturnType<typeof makeLink>>} */
  const shownLinks = new Map();
  const list = make("ul.destinations");
  const links = make("div.links");
  const choices = make("div.buttons");
  /** @type {HTMLDetailsElement} */
  const further = make("details", { toggle: () => attempt(showChoices) }, make("summary", {}, say("addDestination")), choices);

  async function showChoices() {
    if (!further.open) return;
    const [names, services, { link }] = await Promise.all([get("api/destinations"), get("api/services"), get("api/choice")]);
    const kept = services.filter(({ settings }) => settings === "kept").map(({ id, name }) => [`service:${id}`, name]);
    // A link that leads elsewhere is a second one, and viewers of the first stay.
    const links = reaches.filter((reach) => reach !== "public" || link).map((reach) =>
      [reach === "computer" ? "live" : `live:${reach}`, `${say("livePage")}: ${say(`reach.${reach}`)}`]);
    const titled = [...links, ...names.filter((name) => name !== "live").map((name) => [name, destinationTitle(name)]), ...kept];
    choices.replaceChildren(...titled.map(([name, text]) => button(text, async () => {
      await post(path, { destination: name, ...name === "live:public" && { link } });
      further.open = false;
    })));
  }

  return {
    links, element: make("div.broadcasts", {}, make("h2", {}, say("whereItGoes")), list, further),
    /** @param {Destination[]} destinations @param {boolean} canChange */
    show(destinations, canChange) {
      further.hidden = !canChange;
      const items = destinations.filter(({ removed }) => !removed).map((one) => ({ ...one, canChange }));
      list.hidden = items.length === 0;
      arrange(list, rows, items, ({ destination }) => destination, (one) => makeRow(`${path}/${one.destination}/remove`));
      const linked = items.filter(({ link, phase }) => link && phase !== "ended");
      arrange(links, shownLinks, linked, ({ destination }) => destination, makeLink);
    },
  };
}

/** A link with the button that copies it. */
function makeLink() {
  /** @type {string | undefined} */
  let link;
  const [text, name] = [make("code"), make("span.hint")];
  const copy = button(say("copyLink"), async () => {
    await navigator.clipboard.writeText(link ?? "").catch(() => {
      throw new Error(say("cannotCopy", { link }));
    });
    setText(copy, say("copied"));
    setTimeout(() => setText(copy, say("copyLink")), copiedTime);
  }, { class: "primary" });
  return {
    element: make("div.link", {}, icon("live"), text, name, copy),
    /** @param {Destination} destination */
    show(destination) {
      ({ link } = destination);
      setText(text, link ?? "");
      setText(name, destination.reach ? say(`reach.${destination.reach}`) : destination.label);
    },
  };
}

/** @param {string} removal */
function makeRow(removal) {
  const [name, state] = [make("span"), make("small")];
  const remove = button(say("disconnect"), () => post(removal));
  const element = make("li.row", {}, icon("live"), make("div", {}, name, state), remove);
  return {
    element,
    /** @param {Destination & { canChange: boolean }} destination */
    show(destination) {
      const { label, phase, canChange } = destination;
      element.dataset.phase = phase;
      setText(name, label);
      setText(state, standing(destination));
      remove.ariaLabel = say("disconnectFrom", { name: label });
      remove.hidden = !canChange || phase === "ended";
    },
  };
}
