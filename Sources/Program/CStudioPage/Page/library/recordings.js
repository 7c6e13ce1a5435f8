// @ts-check
// Recordings in requests and in words.
import { bytes, language, say } from "../words/words.js";

const dates = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short" });

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

/**
 * Date, size and app in a line.
 * @param {Recording} recording
 */
export function facts({ bytes: count, modified, app }) {
  return [dates.format(modified), bytes(count), app].filter(Boolean).join(" · ");
}

/**
 * The sentence about a recording that cannot be played; empty if it can.
 * @param {Recording} recording
 */
export function trouble({ state, problem }) {
  return state === "finished" ? "" : problem ?? say(`state.${state}`);
}
