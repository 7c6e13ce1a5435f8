// @ts-check
// The levels of a take's audio, by two meters.
import { make } from "../shared/elements.js";
import { on } from "../shared/events.js";
import { say } from "../words/words.js";

// dBFS of the least level that a meter shows.
const lowest = -60;

/**
 * Meters of the take with that ID, with their `element`. They show something from the take's first levels until `close`.
 * @param {string} id
 */
export function makeMeters(id) {
  const names = /** @type {const} */ (["audio", "microphone"]);
  const meters = names.map((name) =>
    make("meter", { min: lowest, max: 0, high: -3, value: lowest, "aria-label": say(`level.${name}`) }));
  const element = make("div.meters", { hidden: true }, ...meters);
  const close = on("takeLevels", (takes) => {
    const levels = takes.find((take) => take.id === id);
    element.hidden = !levels;
    names.forEach((name, index) => {
      meters[index].hidden = levels?.[name] == null;
      meters[index].value = levels?.[name] ?? lowest;
    });
  });
  return { element, close };
}
