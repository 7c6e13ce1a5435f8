// One line about the free space where recordings go.
import { write } from "./elements.js";
import { language, say } from "./words.js";

// Seconds.
const hour = 3600;
const low = 300;
// A longer time says no more than "enough".
const most = 100 * hour;

function amount(value, unit, unitDisplay) {
    return new Intl.NumberFormat(language, { style: "unit", unit, unitDisplay }).format(value);
}

/** `free`: bytes; `duration`: seconds of recording. The server rounds both. */
export function show(place, { free, duration }) {
    const space = free >= 1e9 ? amount(free / 1e9, "gigabyte", "short") : amount(free / 1e6, "megabyte", "short");
    const time = duration >= 2 * hour
        ? amount(Math.floor(duration / hour), "hour", "long") : amount(Math.floor(duration / 60), "minute", "long");
    const isLow = duration < low;
    const name = isLow ? "diskLow" : duration > most ? "diskAmple" : "disk";
    place.classList.toggle("low", isLow);
    // Assistive technology reports changes only where they matter.
    place.role = isLow ? "status" : null;
    place.hidden = false;
    write(place, say(name, { space, time }));
}
