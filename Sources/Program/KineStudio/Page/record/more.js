// The options of a recording that have a few values: lists, most of them behind "More".
import { choice, make, pick, setOptions } from "../shared/elements.js";
import { makeHiddenWindows } from "./hidden.js";
import { say } from "../words/words.js";

const seconds = (value) => say("keep", { seconds: value });
// By the request's field: the offered values; `text` labels a value without an entry in english.js.
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
  countdown: { values: [0, 3, 5, 10], text: (value) => value === "0" ? say("none") : seconds(value) },
};

/** A value of a list as the request has it. */
function fromOption(name, value) {
  if (name === "showKeys" || name === "microphoneChannels") return value;
  if (name !== "size") return JSON.parse(value);
  const [width, height] = value.split("x").map(Number);
  return { width, height };
}

/** The value in a list; "": none is set. */
function toOption(value) {
  return value?.width ? `${value.width}x${value.height}` : String(value ?? "");
}

/** Lists in an `element`, and the one for the last seconds in `clips`. */
export function makeMoreOptions() {
  const lists = Object.fromEntries(Object.keys(fields).map((name) => [name, choice(say(name))]));
  const hidden = makeHiddenWindows();
  const { clipBuffer: { field: clips }, ...rest } = lists;

  /** Shows a choice, and what holds where it says nothing. */
  function show(chosen, configured) {
    for (const [name, { values, text }] of Object.entries(fields)) {
      const named = (value) => text?.(value) ?? (values.map(String).includes(value) ? say(`${name}.${value}`) : value);
      const { select } = lists[name];
      const [set, value] = [toOption(configured[name]), toOption(chosen[name])];
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
    /** Offers to hide windows of the event `choices`. */
    setWindows(choices) { hidden.setWindows(choices.filter(({ source }) => source === "window")); },
    /** The request's fields. */
    get values() {
      const values = { exclude: hidden.rules };
      for (const [name, { select }] of Object.entries(lists)) {
        if (select.value) values[name] = fromOption(name, select.value);
      }
      return values;
    },
  };
}
