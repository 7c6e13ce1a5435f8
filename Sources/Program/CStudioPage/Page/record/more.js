// @ts-check
// The options of a recording that have a few values. Most are lists in a dialog behind one row.
import { ask } from "../shared/dialogs.js";
import { choice, icon, make, pick, setOptions, setText } from "../shared/elements.js";
import { say } from "../words/words.js";
import { canBeBar } from "./bar.js";
import { makeHiddenWindows } from "./hidden.js";
import { listRow } from "./rows.js";

/** @param {string | number} value */
const seconds = (value) => say("keep", { seconds: value });
// The lists, by the request's field. `values` are offered; `standard` is what `kinecast record` does without the option. `text` makes
// the labels that english.js does not have.
/** @type {{ [field: string]: { values: (string | number | boolean)[], standard: string, text?: (value: string) => string } }} */
const fields = {
  fps: { values: [10, 24, 30, 60], standard: "30", text: (value) => say("rate", { value }) },
  size: {
    values: ["1280x720", "1920x1080", "2560x1440", "3840x2160"], standard: "",
    text: (value) => value.replace("x", "×") || say("sizeOfSource"),
  },
  // Six more halve a file, roughly.
  quality: { values: [16, 23, 30], standard: "23" },
  microphoneChannels: { values: ["auto", "left", "right", "mono", "stereo"], standard: "auto" },
  showKeys: { values: ["none", "shortcuts", "all"], standard: "none" },
  showClicks: { values: [true, false], standard: "false" },
  noCursor: { values: [false, true], standard: "false" },
  noInputTrack: { values: [false, true], standard: "false" },
  excludeHow: { values: ["cover", "beneath"], standard: "cover" },
  whileRecording: { get values() { return canBeBar() ? ["hidden", "bar", "stay"] : ["hidden", "stay"]; }, standard: "hidden" },
  countdown: { values: [0, 3, 5, 10], standard: "0", text: (value) => say(value === "0" ? "noCountdown" : "seconds", { seconds: value }) },
};
const clipTimes = [30, 60, 300];

/**
 * A value of a list as the request has it.
 * @param {string} name
 * @param {string} value
 */
function fromOption(name, value) {
  if (name !== "size") return typeof fields[name].values[0] === "string" ? value : JSON.parse(value);
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

/** Makes three controls: the row of options (`element`), the row of instant replay (`clips`), and the list of the countdown. */
export function makeMoreOptions() {
  const lists = Object.fromEntries(Object.keys(fields).map((name) => [name, choice(say(name), summarize)]));
  const hidden = makeHiddenWindows();
  const clips = listRow("clip", say("clipBuffer"), say("clipTime"), "", () => {});
  const { countdown, ...rest } = lists;
  countdown.select.ariaLabel = say("countdown");
  const summary = make("small");
  const open = make("button", { type: "button", click: show }, say("more"), summary);
  const content = make("div.fields", {}, ...Object.values(rest).map(({ field }) => field), hidden.element);

  function show() { ask(say("more"), content); }

  function summarize() {
    const set = Object.values(rest).filter(({ select }) => select.value).map(({ select }) => select.selectedOptions[0].text);
    setText(summary, [...set, ...hidden.names].join(" · ") || say("standard"));
  }

  hidden.element.addEventListener("change", summarize);
  clips.offer(clipTimes.map((time) => [String(time), seconds(time)]));
  return {
    clips: clips.element, countdown: countdown.select, element: make("div.row", {}, icon("options"), open),
    /**
     * Shows a choice, and what holds where it says nothing.
     * @param {Choice} chosen
     * @param {Choice} configured
     */
    show(chosen, configured) {
      for (const [name, { values, standard, text }] of Object.entries(fields)) {
        /** @param {string} value */
        const named = (value) => text?.(value) ?? (values.map(String).includes(value) ? say(`${name}.${value}`) : value);
        const { select } = lists[name];
        const [set, value] = [configured, chosen].map((choice) => toOption(choice[/** @type {keyof Choice} */ (name)]));
        const unset = set || standard;
        select.value = "";
        setOptions(select, [["", named(unset)], ...values.map(String).filter((value) => value !== unset).map((value) => [value, named(value)])]);
        pick(select, value === unset ? "" : value, value && named(value));
      }
      const time = toOption(chosen.clipBuffer ?? configured.clipBuffer);
      clips.choose(time, time && seconds(time));
      // What is configured cannot be turned off for one recording.
      clips.input.disabled = configured.clipBuffer != null;
      hidden.show(chosen.exclude, configured.exclude);
      summarize();
    },
    /**
     * Offers to hide windows of the event `choices`.
     * @param {SourceChoice[]} choices
     */
    setWindows(choices) { hidden.setWindows(choices.filter(({ source }) => source === "window")); },
    /** The request's fields. */
    get values() {
      /** @type {Values} */
      const values = { exclude: hidden.rules };
      if (clips.value) values.clipBuffer = Number(clips.value);
      for (const [name, { select }] of Object.entries(lists)) {
        if (select.value) values[name] = fromOption(name, select.value);
      }
      return values;
    },
  };
}
