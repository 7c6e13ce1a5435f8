// @ts-check
// The page's words in the reader's language.
import * as format from "./format.js";

/** The page's language that the reader prefers. */
export const language = format.chooseLanguage(navigator.languages);

const file = language === "en" ? "./english" : "./chinese";
/** @type {{ words: Words }} */
const { words } = await import(`${file}.js`);

/**
 * Loads the words and the style of a part, before it is shown.
 * @param {"library" | "sheet"} part
 */
export async function load(part) {
  const style = Object.assign(document.createElement("link"), { rel: "stylesheet", href: `${part}/${part}.css` });
  const loaded = new Promise((resolve) => { style.onload = style.onerror = resolve; });
  document.head.append(style);
  Object.assign(words, (await import(`${file}-${part}.js`)).words);
  await loaded;
}

/**
 * The text of that name with its values.
 * @param {string} name
 * @param {Values} values
 */
export function say(name, values = {}) { return format.fill(words[name], values); }

/** @type {Words} */
const problems = language === "en" ? {} : (await import("./chinese-problems.js")).problems;

/**
 * A problem's sentence in the reader's language: by its code, else in English below a line that says so.
 * @param {{ message: string, code?: string, values?: Values }} problem
 */
export function explain({ message, code, values }) {
  if (language === "en") return message;
  return problems[code ?? ""] ? format.fill(problems[code ?? ""], values ?? {}) : say("inEnglish", { message });
}

/** As in format.js, in the reader's language. */
export const number = format.number.bind(null, language);
export const roughTime = format.roughTime.bind(null, language);
export const bytes = format.bytes.bind(null, language);
export const rate = format.rate.bind(null, language);

/**
 * A take's state in a word.
 * @param {Take} take
 */
export function takeState({ phase, destinations }) {
  const isLive = ["recording", "broadcasting"].includes(phase) && destinations.some((one) => one.phase === "live");
  return say(`phase.${isLive ? "live" : phase}`);
}

/**
 * The engine's English name of a screen, or of an area of one; titles and models stay.
 * @param {string} name
 * @returns {string}
 */
export function screenName(name) {
  const [, size = "", place] = /^Area (\S+ )?of (.+)/.exec(name) ?? [];
  if (place) return say("areaOf", { size, place: screenName(place) });
  if (name === "the screen") return say("theScreen");
  return name === "Whole screen" ? say("wholeScreen") : name;
}

/**
 * A notice as a sentence.
 * @param {Notice} notice
 */
export function noticeText({ kind, text: message, file, duration, destination, ...problem }) {
  const text = message && ["failed", "warning"].includes(kind) ? explain({ message, ...problem }) : message;
  const values = { text, name: format.fileName(file), destination, time: format.lengthText(duration ?? 0) };
  if (kind === "ended" && file) return say("event.saved", values);
  if (kind === "warning" && destination) return say("event.destinationWarning", values);
  return say(`event.${kind}`, values);
}
