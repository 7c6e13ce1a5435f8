// @ts-check
// Monitors and windows as pictures, to choose one.
import { choose } from "../shared/dialogs.js";
import { arrange, attempt, button, group, make, setText } from "../shared/elements.js";
import { on } from "../shared/events.js";
import { get, getImage, post } from "../shared/session.js";
import { say } from "../words/words.js";

// The server makes pictures for fifteen seconds after each request.
export const lookInterval = 5000;
// Radio buttons of the same name exclude each other, in other galleries too.
let galleries = 0;

/**
 * Pictures in an `element`. `changed` is called when another source is chosen, or its picture is there.
 * @param {() => void} changed
 */
export function makeGallery(changed = () => {}) {
  const radios = `source-${galleries += 1}`;
  // By their values: JSON of the request's `source` and `name`.
  /** @type {Map<string, ReturnType<typeof makeCard>>} */
  const cards = new Map();
  // Some sources are offered beside the choices.
  /** @type {GalleryEntry[]} */
  let fixed = [];
  /** @type {(GalleryEntry & Size)[]} */
  let choices = [];
  /** @type {GalleryEntry[]} */
  let entries = [];
  /** @type {Monitor[]} */
  let monitors = [];
  // The region that was drawn, or is wanted.
  /** @type {Source | undefined} */
  let region;
  /** @type {Source} */
  let wanted = {};
  // The name of the kept choice that is shown.
  /** @type {string | undefined} */
  let kept;
  let isChosen = false;
  const draw = button(say("drawRegion"), drawRegion, { class: "draw", hidden: true });
  const element = group("gallery", say("source"), draw);
  element.addEventListener("change", () => {
    isChosen = true;
    update();
    changed();
  });
  const checked = () => /** @type {HTMLInputElement | null} */ (element.querySelector("input:checked"));
  const value = () => checked()?.value;
  /** @returns {Source} */
  const chosen = () => JSON.parse(value() ?? "{}");

  async function drawRegion() {
    const drawn = await (await import("./region.js")).draw(monitors);
    if (!drawn) return;
    const { image, ...rest } = drawn;
    region = rest;
    isChosen = true;
    update();
    select(JSON.stringify(region));
    if (image) cards.get(JSON.stringify(region))?.picture.replaceChildren(image);
    changed();
  }

  function regions() {
    if (!region?.name) return [];
    const [width, height] = region.name.split(/[x+]/).map(Number);
    return [{ value: JSON.stringify(region), title: say("region", { size: `${width}×${height}` }), width, height }];
  }

  /** The value of what is wanted. */
  function match() {
    const { source, name } = wanted;
    const title = source === "window" && name?.startsWith("title:") ? name.slice("title:".length) : undefined;
    const found = title ? choices.find((choice) => !choice.isMonitor && choice.title?.includes(title)) : undefined;
    return found?.value ?? JSON.stringify({ source, name });
  }

  function update() {
    let best = match();
    const last = isChosen && entries.find((entry) => entry.value === value());
    /** @param {boolean} isMonitor */
    const ofKind = (isMonitor) => choices.filter((choice) => choice.isMonitor === isMonitor);
    entries = [...ofKind(true), ...fixed, ...regions(), ...ofKind(false)];
    if (kept && !entries.some(({ value }) => value === best)) {
      best = "{}";
      entries.unshift({ value: best, title: say("asKept", { name: kept }) });
    }
    // A window that is minimized or has ended stays what the person has chosen: nothing else is shown in its place.
    if (last && !entries.some(({ value }) => value === last.value)) entries.push({ ...last, application: say("notSeen") });
    /** @param {GalleryEntry} entry */
    const add = (entry) => makeCard(radios, entry.value, () => { if (entry.value === value()) changed(); });
    arrange(element, cards, entries, ({ value }) => value, add, element.firstElementChild);
    if (!isChosen) select(best);
    if (!value()) select(entries[0]?.value);
  }

  /** @param {string} [value] */
  function select(value) {
    const card = cards.get(value ?? "");
    if (card) card.input.checked = true;
  }

  /** @param {SourceChoice[]} list */
  function setChoices(list) {
    choices = list.map(({ source, name, title, application, ...choice }) => {
      const entry = { ...choice, value: JSON.stringify({ source, name }), isMonitor: source === "monitor" };
      if (!entry.isMonitor) return { ...entry, title, application: application === title ? "" : application };
      return { ...entry, title: say("monitor", { name }), application: `${choice.width}×${choice.height}` };
    });
    update();
  }

  return {
    element,
    /** Offers the monitors and windows of the event `choices`. */
    setChoices,
    /**
     * Chooses the source of a choice, once it is there, unless the person chooses before. A source without a picture is
     * offered under the choice's name.
     * @param {Source} source
     * @param {string} [keptName]
     */
    want({ source, name }, keptName) {
      wanted = { source, name };
      kept = keptName;
      isChosen = false;
      if (source === "region" && /^\d+x\d+\+/.test(name ?? "")) region = wanted;
      update();
    },
    /** The request's `source` and `name`. */
    get chosen() { return chosen(); },
    /** @returns {Source} The same to be kept: a window by its title, since its id changes. */
    get lasting() {
      const title = chosen().source === "window" && choices.find((choice) => choice.value === value())?.title;
      return title ? { source: "window", name: `title:${[...title].slice(0, 200).join("")}` } : chosen();
    },
    /** The chosen source's picture, if it is there, and its width and height. */
    get picture() {
      const { width = 16, height = 9 } = entries.find((entry) => entry.value === value()) ?? {};
      return { image: cards.get(value() ?? "")?.picture.firstElementChild, width, height };
    },
    get isEmpty() { return cards.size === 0; },
    /**
     * Offers what has no picture: the whole screen, what the desktop's dialog offers, and regions.
     * @param {Sources} offered
     */
    setFixed({ screenBackend, dialogs, ...sources }) {
      // Monitors whose pictures can be drawn on: the desktop does not ask.
      monitors = screenBackend && screenBackend !== "portal" ? sources.monitors : [];
      draw.hidden = !monitors.length;
      const isSingle = sources.monitors.length === 1;
      /** @param {string} source @param {string} name @param {string} title */
      const fix = (source, name, title) => ({ value: JSON.stringify({ source, name }), title });
      fixed = [
        ...screenBackend && !isSingle ? [fix("monitor", "all", say("wholeScreen"))] : [],
        ...dialogs.includes("window") ? [fix("window", "ask", say("chooseWindow"))] : [],
      ];
      if (!screenBackend || !isSingle || choices.length) return update();
      setChoices(sources.monitors.map(({ name, bounds }) => ({ ...bounds, source: "monitor", name, title: name })));
    },
    /** Removes all pictures. */
    forget() { for (const card of cards.values()) card.forget(); },
  };
}

/**
 * A radio button with a picture. `drawn` is called when another picture is shown.
 * @param {string} name
 * @param {string} value
 * @param {() => void} drawn
 */
function makeCard(name, value, drawn) {
  const input = make("input", { type: "radio", name, value });
  const [place, title, application] = ["picture", "title", "application"].map((name) => make(`span.${name}`));
  // The number of the picture that is shown, or will be.
  /** @type {number | undefined} */
  let number;

  /**
   * Shows a picture once it is loaded, so that the place is never empty in between.
   * @param {number} picture
   */
  async function load(picture) {
    number = picture;
    const image = await getImage(`api/pictures/${picture}`);
    // A newer picture may be shown.
    if (!image || picture !== number) return;
    place.replaceChildren(image);
    drawn();
  }

  return {
    input, picture: place, element: make("label.card", {}, input, place, title, application),
    /** @param {GalleryEntry} entry */
    show(entry) {
      setText(title, entry.title ?? "");
      setText(application, entry.application ?? "");
      if (entry.picture != null && entry.picture !== number) load(entry.picture);
    },
    forget() {
      number = undefined;
      place.replaceChildren();
    },
  };
}

/** Asks for another source in a dialog. Returns the request's `source` and `name`; undefined: the person closed it. */
export async function chooseSource() {
  const gallery = makeGallery();
  const end = on("choices", gallery.setChoices);
  const look = () => { if (!document.hidden) post("api/survey").catch(() => {}); };
  const timer = setInterval(look, lookInterval);
  look();
  attempt(async () => gallery.setFixed(await get("api/sources")));
  const title = say("showAnother");
  const chosen = await choose(title, title, gallery.element, () => gallery.chosen);
  clearInterval(timer);
  end();
  return chosen;
}
