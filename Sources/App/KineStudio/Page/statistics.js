// A take's statistics: counts of frames, and plots of the last two minutes.
import { make, write } from "./elements.js";
import { Plot } from "./plot.js";
import { bytes, number, rate, say } from "./words.js";

// Files grow in pieces, so the bitrate is that of some seconds.
const averaged = 5;
const rows = ["drawn", "unchanged", "dropped", "bytes"];

export class Statistics {
    #cells = new Map(rows.map((row) => [row, make("dd")]));
    #bitrate = new Plot(say("bitrate"), rate);
    #delay = new Plot(say("delay"), (milliseconds) => say("milliseconds", { value: number(milliseconds) }));
    #drops = new Plot(say("drops"), number);
    #plots = make("div", { class: "plots" }, this.#bitrate.element, this.#delay.element, this.#drops.element);
    element = make(
        "details", { class: "statistics" }, make("summary", {}, say("statistics")), this.#plots,
        make("dl", {}, ...rows.map((row) => make("div", {}, make("dt", {}, say(`statistics.${row}`)), this.#cells.get(row)))));
    // The newest statistics, the oldest first.
    #recent = [];

    show(statistics) {
        const now = { at: performance.now(), ...statistics };
        const last = this.#recent.at(-1);
        this.#recent.push(now);
        if (this.#recent.length > averaged + 1) this.#recent.shift();
        for (const [row, cell] of this.#cells) write(cell, (row === "bytes" ? bytes : number)(statistics[row]));
        const waiting = statistics.destinations.map((one) => one.waiting).filter((one) => one != null);
        this.#delay.add(waiting.length ? Math.max(...waiting) : null);
        if (!last) return;
        const first = this.#recent[0];
        this.#bitrate.add((outgoing(now) - outgoing(first)) * 8000 / Math.max(200, now.at - first.at));
        this.#drops.add(Math.max(0, dropped(statistics) - dropped(last)));
    }
}

/** The bytes that the encoder has made, as far as they were written or taken. */
function outgoing({ bytes: written, destinations }) {
    return Math.max(written, ...destinations.map((one) => one.bytes));
}

function dropped({ dropped: lost, destinations }) {
    return lost + destinations.reduce((sum, one) => sum + one.skipped, 0);
}

/** A destination's numbers on one line. */
export function activity({ bitrate, viewers, waiting, roundTrip, reconnects, restarts, memory, memoryLimit }) {
    const parts = [];
    if (viewers != null) parts.push(say(viewers === 1 ? "viewer" : "viewers", { count: number(viewers) }));
    if (bitrate != null) parts.push(rate(bitrate));
    if (waiting) parts.push(say("waiting", { value: number(waiting) }));
    if (roundTrip != null) parts.push(say("roundTrip", { value: number(roundTrip) }));
    if (reconnects) parts.push(say("reconnects", { count: number(reconnects) }));
    if (restarts) parts.push(say("restarts", { count: number(restarts) }));
    if (memory) parts.push(say("memory", { used: bytes(memory), limit: bytes(memoryLimit) }));
    return parts.join(" · ");
}
