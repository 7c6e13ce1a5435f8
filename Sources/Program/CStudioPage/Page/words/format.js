// @ts-check
// Times, numbers and sentences in a language, without the page.

/**
 * The language of the page for a reader who wants these, the first one most.
 * @param {readonly string[]} wanted
 */
export function chooseLanguage(wanted) {
  for (const one of wanted) {
    if (/^zh\b/i.test(one)) return "zh-CN";
    if (/^en\b/i.test(one)) return "en";
  }
  return "en";
}

/**
 * A text with values in the place of their names in braces.
 * @param {string} text
 * @param {Values} values
 */
export function fill(text, values) {
  return text.replace(/\{(\w+)\}/g, (_, key) => String(values[key] ?? ""));
}

/**
 * The name of the words for so many: `name` for one, or its plural.
 * @param {string} name
 * @param {number} count
 */
export function counted(name, count) {
  return count === 1 ? name : `${name}s`;
}

/**
 * A time in seconds as m:ss or h:mm:ss.
 * @param {number} seconds
 */
export function clock(seconds) {
  const whole = Math.floor(seconds);
  /** @param {number} value */
  const pad = (value) => String(value).padStart(2, "0");
  const minutes = Math.floor(whole / 60);
  const rest = pad(whole % 60);
  return minutes < 60 ? `${minutes}:${rest}` : `${Math.floor(minutes / 60)}:${pad(minutes % 60)}:${rest}`;
}

/**
 * The length of a recording in seconds as `clock`, to the nearest second: it is the same wherever it is shown.
 * @param {number} seconds
 */
export function lengthText(seconds) { return clock(Math.round(seconds)); }

/**
 * A time in seconds, with milliseconds.
 * @param {number} seconds
 */
export function precise(seconds) {
  const whole = Math.round(seconds * 1000);
  return `${clock(whole / 1000)}.${String(whole % 1000).padStart(3, "0")}`;
}

/**
 * A number. `format`: as in Intl; without it, there are no decimals.
 * @param {string} language
 * @param {number} value
 * @param {Intl.NumberFormatOptions} [format]
 */
export function number(language, value, format) {
  return new Intl.NumberFormat(language, { maximumFractionDigits: 0, ...format }).format(value);
}

/**
 * A time in seconds in whole minutes, or from two hours on in hours.
 * @param {string} language
 * @param {number} seconds
 */
export function roughTime(language, seconds) {
  const [length, unit] = seconds >= 7200 ? [3600, "hour"] : [60, "minute"];
  return number(language, Math.floor(seconds / length), { style: "unit", unit, unitDisplay: "long" });
}

/**
 * An amount of data.
 * @param {string} language
 * @param {number} count
 */
export function bytes(language, count) {
  const units = ["byte", "kilobyte", "megabyte", "gigabyte"];
  const step = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, count)) / 3));
  return number(language, count / 1000 ** step, { style: "unit", unit: units[step], maximumFractionDigits: step === 3 ? 1 : 0 });
}

/**
 * Bits a second.
 * @param {string} language
 * @param {number} bits
 */
export function rate(language, bits) {
  if (bits < 1e6) return `${number(language, bits / 1e3)} kbit/s`;
  return `${number(language, bits / 1e6, { maximumFractionDigits: 1 })} Mbit/s`;
}

/**
 * The name of a file.
 * @param {string | undefined} path
 */
export function fileName(path) {
  return path?.slice(path.lastIndexOf("/") + 1);
}
