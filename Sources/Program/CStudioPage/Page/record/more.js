// @ts-check
// The options of a recording that have a few values: lists, most of them behind "More".
import { choice, make, pick, setOptions } from "../shared/elements.js";
import { say } from "../words/words.js";
import { makeHiddenWindows } from "./hidden.js";

/** @param {string | number} value */
const seconds = (value) => say("keep", { seconds: value });
// By the request's field: the offered values; `text` labels a value without an entry in english.js.
/** @type {{ [field: string]: { values: (string | number | boolean)[], text?: (value: string) => string } }} */
const fields = {
  clipBuffer: { values: [30, 60, 300], text: seconds },
  fps: { values: [10, 24, 30, 60], text: String },
  size: { values: ["1280x720", "1920x1080", "2560x1440", "3840x2160"], text: (value) => value.replace("x", "×") },
  // 23 is the default of kinecast record. Six more halve a file, roughly.
  quality: { values: [16, 23, 30] },
  microphoneChannels: { values: ["auto", "left", "right", "mono", "stereo"] },
  showKeys: { values: ["none", "shortcuts", "all"] },
  showClicks: { values: [true, false] },
  noCursor: { values: [false, true] },
  excludeHow: { values: ["cover", "beneath"] },
  countdown: { values: [0, 3, 5, 10], text: (value) => value === "0" ? say("none") : seconds(value) },
};

/**
 * A value of a list as the request has it.
 * @param {string} name
 * @param {string} value
 */
function fromOption(name, value) {
  if (["showKeys", "microphoneChannels", "excludeHow"].includes(name)) return value;
  if (name !== "size") return JSON.parse(value);
  const [width, height] = value.split("x").map(Number);
  return { width, height };
}

/**
 * The value in a list; "": none is set.
 * @param {unknown} value
 */
function toOption(value) {
  if (!value || typeof value !== "object") return String(value ?? "");
  const { width, height } = /** @type {Size} */ (value);
  return `${width}x${height}`;
}

/** Lists in an `element`, and the one for the last seconds in `clips`. */
export function makeMoreOptions() {
  const lists = Object.fromEntries(Object.keys(fields).map((name) => [name, choice(say(name))]));
  const hidden = makeHiddenWindows();
  const { clipBuffer: { field: clips }, ...rest } = lists;

  /**
   * Shows a choice, and what holds where it says nothing.
   * @param {Choice} chosen
   * @param {Choice} configured
   */
  function show(chosen, configured) {
    for (const [name, { values, text }] of Object.entries(fields)) {
      /** @param {string} value */
      const named = (value) => text?.(value) ?? (values.map(String).includes(value) ? say(`${name}.${value}`) : value);
      const { select } = lists[name];
      const [set, value] = [configured, chosen].map((choice) => toOption(choice[/** @type {keyof Choice} */ (name)]));
      const unset = set ? say("configuredAs", { value: named(set) }) : say("configured");
      select.value = "";
      setOptions(select, [["", unset], ...values.map((value) => [String(value), named(String(value))])]);
      pick(select, value, value && named(value));
    }
    hidden.show(chosen.exclude, configured.exclude);
  }

  show({}, {});
  return {
    clips, show,
    element: make(
      "details.more", {}, make("summary", {}, say("more")),
      make("div.fields", {}, ...Object.values(rest).map(({ field }) => field)), hidden.element),
    /**
     * Offers to hide windows of the event `choices`.
     * @param {SourceChoice[]} choices
     */
    setWindows(choices) { hidden.setWindows(choices.filter(({ source }) => source === "window")); },
    /** The request's fields. */
    get values() {
      /** @type {Values} */
      const values = { exclude: hidden.rules };
      for (const [name, { select }] of Object.entries(lists)) {
        if (select.value) values[name] = fromOption(name, select.value);
      }
      return values;
    },
  };
}
