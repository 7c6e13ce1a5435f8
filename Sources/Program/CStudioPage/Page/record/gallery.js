// @ts-check
// Screens, windows and areas as pictures, to choose one.
import { ask } from "../shared/dialogs.js";
import { arrange, attempt, group, make, setText } from "../shared/elements.js";
import { on } from "../shared/events.js";
import { get, getImage, post } from "../shared/session.js";
import { say, screenName } from "../words/words.js";

/** @typedef {"screen" | "window" | "area"} Kind */
/** @type {Kind[]} */
const kinds = ["screen", "window", "area"];
/** @type {{ [source: string]: Kind }} */
const kindOf = { window: "window", app: "window", region: "area" };
const drawn = JSON.stringify({ source: "region", name: "draw" });
// The server makes pictures for fifteen seconds after each request.
export const lookInterval = 5000;
// Radio buttons of the same name exclude each other, in other galleries too.
let galleries = 0;

/**
 * Pictures in an `element`, and the choice of their kind in `kinds`. `changed` is called when another source is chosen, or its
 * picture is there.
 * @param {() => void} changed
 */
export function makeGallery(changed = () => {}) {
  const number = galleries += 1;
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
  // The last area.
  /** @type {Source | undefined} */
  let region;
  /** @type {Source} */
  let wanted = {};
  // The name of the preset that is shown.
  /** @type {string | undefined} */
  let preset;
  let isChosen = false;
  // This window's number.
  /** @type {string | undefined} */
  let own;
  const segments = kinds.map((kind) => {
    const input = make("input", { type: "radio", name: `kind-${number}`, change: () => show(kind) });
    return { input, label: make("label", {}, input, make("span", {}, say(`source.${kind}`))) };
  });
  const element = group("gallery", say("source"));
  element.addEventListener("change", () => {
    isChosen = true;
    changed();
  });
  const value = () => /** @type {HTMLInputElement | null} */ (element.querySelector("input:checked"))?.value;
  const entry = () => entries.find((entry) => entry.value === value());
  /** @returns {Source} */
  const chosen = () => JSON.parse(value() ?? "{}");

  /**
   * Shows the sources of a kind, and chooses the first one.
   * @param {Kind} kind
   */
  function show(kind) {
    isChosen = true;
    select(entries.find((entry) => entry.kind === kind)?.value);
    changed();
  }

  function areas() {
    /** @type {GalleryEntry[]} */
    const list = monitors.length ? [{ value: drawn, title: say("drawArea"), kind: "area" }] : [];
    if (!region?.name) return list;
    const [width, height] = region.name.split(/[x+]/).map(Number);
    list.push({ value: JSON.stringify(region), title: say("lastArea", { size: `${width}×${height}` }), width, height, kind: "area" });
    return list;
  }

  /** The value of what is wanted. */
  function match() {
    const { source, name } = wanted;
    const title = source === "window" && name?.startsWith("title:") ? name.slice("title:".length) : undefined;
    const found = title ? choices.find((choice) => choice.kind === "window" && choice.title?.includes(title)) : undefined;
    return found?.value ?? JSON.stringify({ source, name });
  }

  function update() {
    let best = match();
    const last = isChosen && entry();
    entries = [...fixed, ...choices, ...areas()];
    if (preset && !entries.some(({ value }) => value === best)) {
      best = "{}";
      entries.unshift({ value: best, title: say("asKept", { name: preset }), kind: kindOf[wanted.source ?? ""] ?? "screen" });
    }
    // A window that is minimized or has ended stays what the person has chosen: nothing else is shown in its place.
    if (last && !entries.some(({ value }) => value === last.value)) entries.push({ ...last, application: say("notSeen") });
    /** @param {GalleryEntry} entry */
    const add = (entry) => makeCard(`source-${number}`, entry.value, () => { if (entry.value === value()) changed(); });
    arrange(element, cards, entries, ({ value }) => value, add, element.firstElementChild);
    const usual = (entries.find(({ kind }) => kind === "screen") ?? entries[0])?.value;
    if (!isChosen || !value()) select(!isChosen && cards.has(best) ? best : usual);
    else showKind();
  }

  /** @param {string} [value] */
  function select(value) {
    const card = cards.get(value ?? "");
    if (card) card.input.checked = true;
    showKind();
  }

  /** Shows the sources of the chosen one's kind. */
  function showKind() {
    const kind = entry()?.kind;
    for (const one of entries) {
      const card = cards.get(one.value);
      if (card) card.element.hidden = one.kind !== kind;
    }
    kinds.forEach((one, index) => {
      segments[index].label.hidden = !entries.some((entry) => entry.kind === one);
      segments[index].input.checked = one === kind;
    });
  }

  /** @param {SourceChoice[]} list */
  function setChoices(list) {
    own = list.find(isOwn)?.name;
    choices = list.filter(({ source, name }) => source !== "window" || name !== own).map(({ source, name, title, description, application, ...choice }) => {
      const entry = { ...choice, value: JSON.stringify({ source, name }), kind: kindOf[source] ?? "screen" };
      if (source === "window") return { ...entry, title, application: application === title ? "" : application };
      return { ...entry, title: screenName(description ?? title), application: `${choice.width}×${choice.height}` };
    });
    update();
  }

  return {
    element, kinds: make("div.segments", { role: "radiogroup", "aria-label": say("whatToRecord") }, ...segments.map(({ label }) => label)),
    /** Offers the monitors and windows of the event `choices`. */
    setChoices,
    /**
     * Chooses the source of a choice, once it is there, unless the person chooses before. A source without a picture is
     * offered under the choice's name.
     * @param {Source} source
     * @param {string} [presetName]
     */
    want({ source, name }, presetName) {
      wanted = { source, name };
      preset = presetName;
      isChosen = false;
      if (source === "region" && /^\d+x\d+\+/.test(name ?? "")) region = wanted;
      update();
    },
    /** This window's number. Windows are listed after the page is shown; undefined: this one is not among them after two seconds. */
    async findOwn() {
      for (let tries = 0; !own && tries < 40; tries += 1) await new Promise((passed) => setTimeout(passed, 50));
      return own;
    },
    /** The request's `source` and `name`. */
    get chosen() { return chosen(); },
    /** Whether the person draws the area once the window is gone. */
    get isDrawn() { return value() === drawn; },
    /** @returns {Source} The same to be kept: a window by its title, since its id changes. */
    get lasting() {
      const title = chosen().source === "window" && entry()?.title;
      return title ? { source: "window", name: `title:${[...title].slice(0, 200).join("")}` } : chosen();
    },
    /** The picture of the chosen source, or of the place where an area was, if it is there, and its width and height. */
    get picture() {
      const { width = 16, height = 9, kind } = entry() ?? {};
      /** @param {string | undefined} value */
      const image = (value) => cards.get(value ?? "")?.image;
      if (kind !== "area") return { image: image(value()), width, height };
      const [wide, high, x, y] = value() === drawn ? [0, 0, monitors[0].bounds.x, monitors[0].bounds.y]
        : region?.name?.split(/[x+]/).map(Number) ?? [];
      const monitor = monitors.find(({ bounds }) =>
        x >= bounds.x && x < bounds.x + bounds.width && y >= bounds.y && y < bounds.y + bounds.height);
      const whole = monitor && image(JSON.stringify({ source: "monitor", name: monitor.name }));
      if (!monitor || !wide) return { image: whole, ...monitor?.bounds ?? { width, height } };
      return { image: whole && cut(whole, monitor.bounds, { x, y, width: wide, height: high }), width: wide, height: high };
    },
    get isEmpty() { return cards.size === 0; },
    /**
     * Offers what has no picture: the whole screen, what the desktop's dialog offers, and areas.
     * @param {Sources} offered
     */
    setFixed({ screenBackend, dialogs, ...sources }) {
      monitors = screenBackend ? sources.monitors : [];
      const isSingle = sources.monitors.length === 1;
      /** @param {Kind} kind @param {string} source @param {string} name @param {string} title */
      const fix = (kind, source, name, title) => ({ value: JSON.stringify({ source, name }), title, kind });
      fixed = [
        ...screenBackend && !isSingle ? [fix("screen", "monitor", "all", say("wholeScreen"))] : [],
        ...dialogs.includes("window") ? [fix("window", "window", "ask", say("chooseWindow"))] : [],
      ];
      if (!screenBackend || !isSingle || choices.length) return update();
      setChoices(sources.monitors.map(({ name, bounds }) => ({ ...bounds, source: "monitor", name, title: name })));
    },
    /** Removes all pictures. */
    forget() { for (const card of cards.values()) card.forget(); },
  };
}

/**
 * Whether a choice is this window. A page cannot ask for its window's number, so title and size decide.
 * @param {SourceChoice} choice
 */
function isOwn({ source, title, width, height }) {
  const isAsLarge = [width - outerWidth * devicePixelRatio, height - outerHeight * devicePixelRatio].every((more) => Math.abs(more) <= 2);
  return source === "window" && isAsLarge && title?.endsWith("Kinecast");
}

/**
 * A part of a monitor's picture.
 * @param {HTMLImageElement} image
 * @param {Rectangle} bounds
 * @param {Rectangle} part
 */
function cut(image, bounds, part) {
  const scale = image.naturalWidth / bounds.width;
  const [width, height] = [part.width, part.height].map((side) => Math.max(1, side * scale | 0));
  const canvas = make("canvas", { width, height });
  canvas.getContext("2d")?.drawImage(image, (bounds.x - part.x) * scale, (bounds.y - part.y) * scale);
  return canvas;
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
  /** @type {HTMLImageElement | undefined} */
  let shown;

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
    shown = image;
    drawn();
  }

  return {
    input, element: make("label.card", {}, input, place, title, application),
    get image() { return shown; },
    /** @param {GalleryEntry} entry */
    show(entry) {
      setText(title, entry.title ?? "");
      setText(application, entry.application ?? "");
      if (entry.picture != null && entry.picture !== number) load(entry.picture);
    },
    forget() {
      number = shown = undefined;
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
  let chosen = /** @type {Source | undefined} */ (undefined);
  const dialog = ask(title, make("div", {}, gallery.kinds, gallery.element), [title, () => { ({ chosen } = gallery); }]);
  dialog.className = "sources";
  await new Promise((closed) => dialog.addEventListener("close", closed));
  clearInterval(timer);
  end();
  return chosen;
}
