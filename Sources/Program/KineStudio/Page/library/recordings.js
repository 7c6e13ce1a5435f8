// Recordings in requests and in words.
import { bytes, language, say } from "../words/words.js";

const dates = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short" });

/** The path of a recording's requests. */
export function pathOf({ id }) {
  return `api/recordings/${encodeURIComponent(id)}`;
}

/** A recording's name without the extension. */
export function title({ name }) {
  return name.replace(/\.mp4$/i, "");
}

/** Date, size and app in a line. */
export function facts({ bytes: count, modified, app }) {
  return [dates.format(modified), bytes(count), app].filter(Boolean).join(" · ");
}

/** The sentence about a recording that cannot be played; empty if it can. */
export function trouble({ state, problem }) {
  return state === "finished" ? "" : problem ?? say(`state.${state}`);
}
