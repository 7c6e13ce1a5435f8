// @ts-check
// Runs once for all windows of a session, since a browser has six connections to a host: it keeps the one stream of events. Its
// name is the session's key: another server at the same address has another key.

const types = [
  "clock", "takes", "starting", "choices", "levels", "camera", "locked", "progress", "takeLevels", "disk", "recordings", "job",
  "notice", "questions", "sheet",
];
const mostNotices = 200;
// Milliseconds.
const [retryInterval, timeout] = [1000, 10_000];
/** @type {MessagePort[]} */
const ports = [];
// For windows that open later: the newest event of each type, and notices.
/** @typedef {{ type: string, data: unknown, received: number }} Message */
/** @type {Map<string, Message>} */
const newest = new Map();
/** @type {Message[]} */
let notices = [];
/** @type {EventSource} */
let source;
// The first window's; never replaced, and sent to no window.
/** @type {Challenger} */
let challenger;
// The question that waits for its answer, or had a wrong one.
/** @type {Promise<boolean> | null | undefined} */
let question;
// The last event's id.
/** @type {string | number} */
let last = 0;

// Windows' clocks differ from this worker's, so they get the message's age.
/** @param {MessagePort} port @param {Message} message */
function post(port, { type, data, received }) {
  port.postMessage({ type, data, age: performance.now() - received });
}

/** @param {string} type @param {unknown} data */
function send(type, data) {
  if (type === "connection" && newest.get(type)?.data === data) return;
  const message = { type, data, received: performance.now() };
  if (type === "notice") notices = [...notices, message].slice(-mostNotices);
  else if (type !== "job") newest.set(type, message);
  for (const port of ports) post(port, message);
}

/** Whether the session's server listens: after its end, another user's may. Throws if none answers. */
async function isProven() {
  const text = new TextEncoder();
  const challenge = crypto.randomUUID().replaceAll("-", "");
  const response = await fetch(`../api/proof/${challenger.id}/${challenge}`, {
    credentials: "omit", redirect: "manual", signal: (/** @type {AbortSignals} */ (AbortSignal)).timeout(timeout),
  });
  // A tunnel's answer while the server is away.
  if (response.status >= 500) throw new Error();
  const proof = await response.arrayBuffer();
  const key = await crypto.subtle.importKey(
    "raw", text.encode(challenger.secret), { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
  return crypto.subtle.verify("HMAC", key, proof, text.encode(challenge));
}

/** As `isProven`. A server that has failed is not asked again. */
async function prove() {
  const asked = question ??= isProven();
  if (await asked.catch(() => true)) question = null;
  return asked;
}

/** @returns {Promise<unknown>} */
async function connect() {
  try {
    if (!await prove()) return send("connection", "refused");
  } catch {
    send("connection", "lost");
    return setTimeout(connect, retryInterval);
  }
  // EventSource sends no headers of ours.
  source = new EventSource(`../api/events?key=${name}&after=${last}`);
  source.addEventListener("open", () => send("connection", "open"));
  source.addEventListener("error", () => {
    const isRefused = source.readyState === EventSource.CLOSED;
    // Else it reconnects by itself.
    source.close();
    send("connection", isRefused ? "refused" : "lost");
    if (!isRefused) connect();
  });
  for (const type of types) {
    source.addEventListener(type, ({ data, lastEventId }) => {
      last = lastEventId || last;
      send(type, JSON.parse(data));
    });
  }
}

addEventListener("connect", ({ ports: [port] }) => {
  port.onmessage = ({ data, ports: [answer] }) => {
    if (answer) return prove().catch(() => false).then((isOurs) => answer.postMessage(isOurs));
    ports.push(port);
    for (const message of [...newest.values(), ...notices]) post(port, message);
    if (challenger) return;
    challenger = data;
    connect();
  };
});
