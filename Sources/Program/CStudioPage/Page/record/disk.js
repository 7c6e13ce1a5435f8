// @ts-check
// One line about the free space where recordings go.
import { setText } from "../shared/elements.js";
import { bytes, roughTime, say } from "../words/words.js";

// Seconds.
const low = 300;
// A longer time says no more than "enough".
const most = 100 * 3600;

/**
 * `free`: bytes; `duration`: seconds of recording. The server rounds both.
 * @param {HTMLElement} place
 * @param {Events["disk"]} space
 */
export function showSpace(place, { free, duration, place: names = [] }) {
  const time = roughTime(duration);
  const isLow = duration < low;
  const name = isLow ? "diskLow" : duration > most ? "diskAmple" : "disk";
  place.classList.toggle("low", isLow);
  // Assistive technology reports changes only where they matter.
  place.role = isLow ? "status" : null;
  setText(place, say(name, { space: bytes(free), time, place: names.join(" › ") }));
}
