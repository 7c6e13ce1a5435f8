// The server's events, over the worker that all windows of a browser share.
import { key } from "./session.js";
import { say } from "./words.js";

/**
 * Calls the handler of each event's type: those of openapi.json, and `connection` with open, lost or refused. The second
 * argument is the event's age in milliseconds.
 */
export function listen(handlers) {
    if (!globalThis.SharedWorker) throw new Error(say("oldBrowser"));
    const worker = new SharedWorker("events-worker.js", { name: "kinecast" });
    worker.port.addEventListener("message", ({ data }) => handlers[data.type]?.(data.data, data.age));
    worker.port.start();
    worker.port.postMessage(key());
}
