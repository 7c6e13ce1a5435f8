// Runs once for all windows of a browser, which has six connections to a host: it keeps the one stream of events.

const types = ["clock", "takes", "choices", "notice"];
const mostNotices = 200;
const ports = [];
// The newest of what replaces what came before, for windows that open later.
const newest = new Map();
const notices = [];
let source;

function send(message) {
    for (const port of ports) port.postMessage(message);
}

function set(message) {
    newest.set(message.type, message);
    send(message);
}

function connect() {
    source = new EventSource("api/events");
    source.addEventListener("open", () => set({ type: "connection", data: "open" }));
    source.addEventListener("error", () => {
        set({ type: "connection", data: source.readyState === EventSource.CLOSED ? "refused" : "lost" });
    });
    for (const type of types) {
        source.addEventListener(type, (event) => {
            const message = { type, data: JSON.parse(event.data), at: Date.now() };
            if (type !== "notice") return set(message);
            notices.push(message);
            if (notices.length > mostNotices) notices.shift();
            send(message);
        });
    }
}

addEventListener("connect", (event) => {
    const [port] = event.ports;
    ports.push(port);
    for (const message of newest.values()) port.postMessage(message);
    for (const message of notices) port.postMessage(message);
    if (!source || source.readyState === EventSource.CLOSED) connect();
});
