// @ts-check
// A take's statistics: counts of frames, and plots of the last two minutes.
import { make, setText } from "../shared/elements.js";
import { bytes, number, rate, say } from "../words/words.js";

// Files grow in pieces, so the bitrate is a mean of seconds.
const averaged = 5;
// One value a second.
const plotted = 120;
const [width, height] = [240, 48];
const rows = /** @type {const} */ (["framesDrawn", "framesUnchanged", "framesDropped", "bytes"]);

/** Statistics with an `element`. `show` gets the newest ones. */
export function makeStatistics() {
  const cells = new Map(rows.map((row) => [row, make("dd")]));
  const bitrate = plot(say("bitrate"), rate);
  const delay = plot(say("delay"), (milliseconds) => say("milliseconds", { value: number(milliseconds) }));
  const drops = plot(say("drops"), number);
  const activities = make("ul.activities");
  // The newest statistics, the oldest first.
  /** @type {(TakeProgress & { at: number })[]} */
  let recent = [];
  return {
    element: make(
      "details.statistics", {}, make("summary", {}, say("details")), activities,
      make("div.plots", {}, bitrate.element, delay.element, drops.element),
      make("dl", {}, ...rows.map((row) => make("div", {}, make("dt", {}, say(`statistics.${row}`)), cells.get(row))))),
    /**
     * `shown`: the picture's delay in milliseconds; null: not known.
     * @param {TakeProgress} progress
     * @param {number | null} shown
     */
    show(progress, shown) {
      const now = { at: performance.now(), ...progress };
      const last = recent.at(-1);
      recent = [...recent, now].slice(-averaged - 1);
      activities.replaceChildren(...progress.destinations.map((one) => make("li", {}, `${one.label}: ${activity(one)}`)));
      for (const [row, cell] of cells) setText(cell, (row === "bytes" ? bytes : number)(progress[row]));
      delay.add(shown);
      if (!last) return;
      bitrate.add(Math.max(0, outgoing(now) - outgoing(recent[0])) * 8000 / Math.max(200, now.at - recent[0].at));
      drops.add(Math.max(0, dropped(progress) - dropped(last)));
    },
  };
}

/**
 * The bytes that the encoder has made, as far as they were written or taken.
 * @param {TakeProgress} progress
 */
function outgoing({ bytes: written, destinations }) {
  return Math.max(written, ...destinations.map((one) => one.bytes ?? 0));
}

/** @param {TakeProgress} progress */
function dropped({ framesDropped, destinations }) {
  return destinations.reduce((sum, one) => sum + (one.framesSkipped ?? 0) + (one.framesDropped ?? 0), framesDropped);
}

/**
 * A small plot of a value. `format` makes a text of one.
 * @param {string} label
 * @param {(value: number) => string} format
 */
function plot(label, format) {
  const value = make("span.value");
  const picture = make("div", { role: "img" });
  picture.innerHTML = `<svg viewBox="0 0 ${width} ${height}" preserveAspectRatio="none"><path fill="none"/></svg>`;
  /** @type {(number | null)[]} */
  let values = [];
  return {
    element: make("div.plot", {}, make("span.label", {}, label), value, picture),
    /**
     * Adds the value of this second; null: unknown.
     * @param {number | null} newest
     */
    add(newest) {
      values = [...values, newest].slice(-plotted);
      // A line along the bottom is zero.
      const top = Math.max(...values.map(Number), 1e-9);
      const path = values.map((one, index) => {
        if (one == null) return "";
        const x = (plotted - values.length + index) * width / (plotted - 1);
        const y = height - 2 - one / top * (height - 4);
        return `${values[index - 1] == null ? "M" : "L"}${x.toFixed(1)} ${y.toFixed(1)}`;
      });
      picture.querySelector("path")?.setAttribute("d", path.join(""));
      const text = newest == null ? "–" : format(newest);
      setText(value, text);
      picture.setAttribute("aria-label", `${label}: ${text}`);
    },
  };
}

/**
 * A destination's numbers on one line.
 * @param {Destination} one
 */
function activity(one) {
  return [
    one.viewers != null && say("viewers", { count: number(one.viewers) }),
    one.bitrate != null && rate(one.bitrate),
    one.queueMilliseconds && say("waiting", { value: number(one.queueMilliseconds) }),
    one.roundTripMilliseconds != null && say("roundTrip", { value: number(one.roundTripMilliseconds) }),
    one.reconnects && say("reconnects", { count: number(one.reconnects) }),
    one.restarts && say("restarts", { count: number(one.restarts) }),
    one.residentMemory && say("memory", { used: bytes(one.residentMemory), limit: bytes(one.memoryLimit) }),
  ].filter(Boolean).join(" · ");
}
