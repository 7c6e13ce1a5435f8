// Texts for the reader, in their language: sentences, times, numbers.

/** The reader's language, of those that the page has. */
export const language = (() => {
  for (const wanted of navigator.languages) {
    if (/^zh\b/i.test(wanted)) return "zh-CN";
    if (/^en\b/i.test(wanted)) return "en";
  }
  return "en";
})();

const file = language === "en" ? "./english" : "./chinese";
const { words } = await import(`${file}.js`);

/** Loads the words and the style of a part, before it is shown: library or sheet. */
export async function load(part) {
  const style = Object.assign(document.createElement("link"), { rel: "stylesheet", href: `${part}/${part}.css` });
  const loaded = new Promise((resolve) => { style.onload = style.onerror = resolve; });
  document.head.append(style);
  Object.assign(words, (await import(`${file}-${part}.js`)).words);
  await loaded;
}

/** The text of that name with its values. */
export function say(name, values = {}) {
  return words[name].replace(/\{(\w+)\}/g, (_, key) => values[key] ?? "");
}

/** A time in seconds as m:ss or h:mm:ss. */
export function clock(seconds) {
  const whole = Math.floor(seconds);
  const pad = (value) => String(value).padStart(2, "0");
  const minutes = Math.floor(whole / 60);
  const rest = pad(whole % 60);
  return minutes < 60 ? `${minutes}:${rest}` : `${Math.floor(minutes / 60)}:${pad(minutes % 60)}:${rest}`;
}

/** A number in the reader's language. `format`: as in Intl; without it, there are no decimals. */
export function number(value, format) {
  return new Intl.NumberFormat(language, { maximumFractionDigits: 0, ...format }).format(value);
}

/** An amount of data. */
export function bytes(count) {
  const units = ["byte", "kilobyte", "megabyte", "gigabyte"];
  const step = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, count)) / 3));
  return number(count / 1000 ** step, { style: "unit", unit: units[step], maximumFractionDigits: step === 3 ? 1 : 0 });
}

/** Bits a second. */
export function rate(bits) {
  return bits >= 1e6 ? `${number(bits / 1e6, { maximumFractionDigits: 1 })} Mbit/s` : `${number(bits / 1e3)} kbit/s`;
}

/** The name of a file. */
export function fileName(path) {
  return path?.slice(path.lastIndexOf("/") + 1);
}

/** A take's state in a word. */
export function takeState({ phase, file, destinations }) {
  const isLive = phase === "recording" && destinations.some((destination) => destination.phase === "live");
  return say(isLive ? "phase.broadcasting" : `phase.${phase}`);
}

/** A notice as a sentence. */
export function noticeText({ kind, text, file, duration, destination }) {
  const values = { text, name: fileName(file), destination, time: clock(duration ?? 0) };
  if (kind === "ended" && file) return say("event.saved", values);
  if (kind === "warning" && destination) return say("event.destinationWarning", values);
  return say(`event.${kind}`, values);
}
