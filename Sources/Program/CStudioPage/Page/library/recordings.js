// @ts-check
// Recordings in requests and in words.
import { counted } from "../words/format.js";
import { bytes, language, say } from "../words/words.js";

const dates = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short" });
// Seconds, by the versions of videos that Kinecast did not make: the browser reads them.
/** @type {Map<string, number>} */
const lengths = new Map();

/**
 * The path of a recording's requests.
 * @param {Recording} recording
 */
export function pathOf({ id }) {
  return `api/recordings/${encodeURIComponent(id)}`;
}

/**
 * A recording's name without the extension.
 * @param {Recording} recording
 */
export function title({ name }) {
  return name.replace(/\.mp4$/i, "");
}

/** @param {Recording} recording */
export const isPlayed = ({ state }) => state === "finished" || state === "foreign";

/**
 * A recording's length in seconds; undefined: not known. `found`: what the browser has found, which is infinite for a stream.
 * @param {Recording} recording
 * @param {number} [found]
 */
export function lengthOf({ duration, version }, found = NaN) {
  if (Number.isFinite(found)) lengths.set(version, found);
  return duration ?? lengths.get(version);
}

/**
 * Date, size, app and the number of chapters in a line.
 * @param {Recording} recording
 */
export function facts({ bytes: count, modified, app, chapters }) {
  const marks = chapters && say(counted("chapter", chapters.length), { count: chapters.length });
  return [dates.format(modified), bytes(count), app, marks].filter(Boolean).join(" · ");
}

/**
 * The sentence about a recording that cannot be played or cut; empty if it can.
 * @param {Recording} recording
 */
export function trouble({ state, problem }) {
  return state === "finished" ? "" : problem ?? say(`state.${state}`);
}
