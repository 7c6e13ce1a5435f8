// Texts for the reader, in their language: sentences, times, numbers.

/** The reader's language, of those that the page has. */
export const language = (() => {
    for (const wanted of navigator.languages) {
        if (/^zh\b/i.test(wanted)) return "zh-CN";
        if (/^en\b/i.test(wanted)) return "en";
    }
    return "en";
})();

const { words } = await import(language === "en" ? "./english.js" : "./chinese.js");

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

/** A count in the reader's language. */
export function number(value) {
    return new Intl.NumberFormat(language, { maximumFractionDigits: 0 }).format(value);
}

/** An amount of data. */
export function bytes(count) {
    const units = ["byte", "kilobyte", "megabyte", "gigabyte"];
    const step = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, count)) / 3));
    const format = { style: "unit", unit: units[step], maximumFractionDigits: step === 3 ? 1 : 0 };
    return new Intl.NumberFormat(language, format).format(count / 1000 ** step);
}

/** Bits a second. */
export function rate(bits) {
    const isLarge = bits >= 1e6;
    const format = { maximumFractionDigits: isLarge ? 1 : 0 };
    return `${new Intl.NumberFormat(language, format).format(bits / (isLarge ? 1e6 : 1e3))} ${isLarge ? "Mbit/s" : "kbit/s"}`;
}

/** The name of a file. */
export function name(path) {
    return path?.slice(path.lastIndexOf("/") + 1);
}

/** A take's state in a word. */
export function state({ phase, file, destinations }) {
    const isLive = phase === "recording" && destinations.some((destination) => destination.phase === "live");
    return say(isLive ? "phase.broadcasting" : `phase.${phase}`);
}

/** A notice as a sentence. */
export function event({ kind, text, file, duration, destination }) {
    const values = { text, name: name(file), destination, time: clock(duration ?? 0) };
    if (kind === "ended" && file) return say("event.saved", values);
    if (kind === "warning" && destination) return say("event.destinationWarning", values);
    return say(`event.${kind}`, values);
}
