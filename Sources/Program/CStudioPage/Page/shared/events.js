// @ts-check
// The server's events, over the worker that all windows of a browser share.
import { say } from "../words/words.js";
import { key, setConnected } from "./session.js";

// Events about a moment, which later listeners do not get.
const moments = ["job", "notice"];
/** @type {{ [type: string]: Set<(data: never, at: number) => void> }} */
const handlers = {};
/** @type {{ [type: string]: [never, number] }} */
const newest = {};
/** @type {MessagePort} */
let worker;

/**
 * Calls a handler for each event of a type: of openapi.json, or `connection` with open, lost or refused. The handler gets
 * the event's data, and when it came (performance.now); the newest event at once. Returns a function that ends this.
 * @template {keyof Events} Type
 * @param {Type} type
 * @param {(data: Events[Type], at: number) => void} handler
 */
export function on(type, handler) {
  handlers[type] ??= new Set();
  handlers[type].add(handler);
  if (newest[type]) handler(...newest[type]);
  return () => handlers[type].delete(handler);
}

/**
 * Begins with what `open` of the session has returned, which is forgotten here.
 * @param {Challenger} challenger
 */
export function listen(challenger) {
  if (!globalThis.SharedWorker) throw new Error(say("oldBrowser"));
  worker = new SharedWorker("shared/events-worker.js", { name: key() ?? "" }).port;
  worker.onmessage = ({ data: { type, data, age } }) => {
    const values = /** @type {[never, number]} */ ([data, performance.now() - age]);
    if (type === "connection") setConnected(data === "open");
    if (!moments.includes(type)) newest[type] = values;
    for (const handler of handlers[type] ?? []) handler(...values);
  };
  worker.postMessage(challenger);
}

/** Returns when the server has proven itself again. A connection that was lost waits for it before it begins anew. */
export function prove() {
  return /** @type {Promise<void>} */ (new Promise((resolve, reject) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = ({ data }) => data ? resolve() : reject(new Error(say("serverGone")));
    worker.postMessage(null, [port2]);
  }));
}
