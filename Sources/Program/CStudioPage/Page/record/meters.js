// @ts-check
// The levels of audio, by meters.
import { icon, make } from "../shared/elements.js";
import { on } from "../shared/events.js";
import { say } from "../words/words.js";

// dBFS of the least level that a meter shows.
const lowest = -60;
const names = /** @type {const} */ (["audio", "microphone"]);

/** A meter for each kind of audio, and what shows levels in dBFS by them; without a level there is no meter. */
export function makeMeters() {
  const [audio, microphone] = names.map((name) =>
    make("meter", { min: lowest, max: 0, high: -3, value: lowest, hidden: true, "aria-label": say(`level.${name}`) }));
  const meters = { audio, microphone };
  return {
    ...meters,
    /** @param {{ audio?: number, microphone?: number }} [levels] */
    show(levels) {
      for (const name of names) {
        meters[name].hidden = levels?.[name] == null;
        meters[name].value = levels?.[name] ?? lowest;
      }
    },
  };
}

/**
 * The meters of the take with that ID in an `element`, until `close`.
 * @param {string} id
 */
export function showMeters(id) {
  const { audio, microphone, show } = makeMeters();
  const element = make(
    "div.meters", { hidden: true }, make("div.row", {}, icon("sound"), audio), make("div.row", {}, icon("microphone"), microphone));
  const close = on("takeLevels", (takes) => {
    const levels = takes.find((take) => take.id === id);
    element.hidden = !levels;
    show(levels);
  });
  return { element, close };
}
