// The server's events, over the worker that all windows of a browser share.

/** Calls the handler of each event's type: `clock`, `takes`, `choices`, `notice`, and `connection` with open, lost or refused. */
export function listen(handlers) {
    const worker = new SharedWorker("events-worker.js", { name: "kinecast" });
    worker.port.addEventListener("message", ({ data }) => handlers[data.type]?.(data.data, data.at));
    worker.port.start();
}
