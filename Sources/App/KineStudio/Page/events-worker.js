// Runs once for all windows of a session, since a browser has six connections to a host: it keeps the one stream of events. Its
// name is the session's key: another key is of another server at the same address.

const types = [
  "clock", "takes", "starting", "choices", "levels", "camera", "still", "locked", "statistics", "disk", "recordings", "job", "notice",
];
const mostNotices = 200;
const ports = [];
// For windows that open later: the newest event of each type, and notices.
const newest = new Map();
let notices = [];
let source;

// Windows have other clocks than this worker, so they get the age of what was received.
function post(port, { type, data, received }) {
  port.postMessage({ type, data, age: performance.now() - received });
}

function send(type, data) {
  const message = { type, data, received: performance.now() };
  if (type === "notice") notices = [...notices, message].slice(-mostNotices);
  else if (type !== "job") newest.set(type, message);
  for (const port of ports) post(port, message);
}

function connect() {
  source?.close();
  newest.clear();
  notices = [];
  // EventSource sends no headers of ours.
  source = new EventSource(`api/events?key=${name}`);
  source.addEventListener("open", () => send("connection", "open"));
  source.addEventListener("error", () => {
    send("connection", source.readyState === EventSource.CLOSED ? "refused" : "lost");
  });
  for (const type of types) source.addEventListener(type, ({ data }) => send(type, JSON.parse(data)));
}

addEventListener("connect", ({ ports: [port] }) => {
  ports.push(port);
  if (!source || source.readyState === EventSource.CLOSED) return connect();
  for (const message of [...newest.values(), ...notices]) post(port, message);
});
