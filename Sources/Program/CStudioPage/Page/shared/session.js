// @ts-check
// The page's session: it exchanges the token of its link, once, for a cookie and for the key that every request needs.
import { explain, say } from "../words/words.js";

// Reloading the page keeps it.
const place = "kinecast-key";
// Nothing is sent without the proof.
let isConnected = true;
/** @type {{ [name: string]: Promise<unknown> }} */
const modules = {};

/** @param {boolean} value */
export function setConnected(value) { isConnected = value; }

/** The session's key; null if there is none. */
export const key = () => sessionStorage.getItem(place);

/** @returns {Record<string, string>} The headers of a request to the session. */
export function headers() {
  const given = key();
  return given ? { "Kinecast-Key": given } : {};
}

/** Returns what the worker needs in order to know the server again. Throws with a sentence if the link does not work. */
export async function open() {
  const token = location.hash.slice(1);
  // A navigation would add an entry to the history, and the window could not close itself.
  history.replaceState(null, "", location.pathname + location.search);
  if (!token && !key()) throw new Error(say("noLink"));
  const { key: given, ...challenger } = await post("api/session", token ? { token } : {});
  sessionStorage.setItem(place, given);
  return challenger;
}

/**
 * Imports a module once, unless that fails. WebKit hands out one that is imported twice at once before all of it has run.
 * @template {string} Name
 * @param {Name} name
 * @returns {Promise<Name extends keyof Modules ? Modules[Name] : unknown>}
 */
export function loadModule(name) {
  modules[name] ??= import(`../${name}.js`).catch((error) => { delete modules[name]; throw error; });
  return /** @type {Promise<never>} */ (modules[name]);
}

/**
 * Asks for a change. Throws with the server's sentence if it refuses.
 * @template {string} Path
 * @param {Path} path
 * @returns {Promise<Posted[Path]>}
 */
export async function post(path, body = {}) { return read(await send(path, body)); }

/**
 * Asks for a file that is made for this request, as a blob. Throws as `post` does.
 * @param {string} path
 * @param {object} body
 */
export async function postFile(path, body) {
  const response = await send(path, body);
  return response.ok ? response.blob() : /** @type {Promise<never>} */ (read(response));
}

/** @template {keyof Got} Path @param {Path} path @returns {Promise<Got[Path]>} */
export async function get(path) { return read(await request(path, {})); }

/**
 * An image of the session, which is ready to be shown; undefined if it is not there any more.
 * @param {string} path
 */
export async function getImage(path) {
  const file = await request(path, {}).then((response) => response.status === 200 ? response.blob() : null).catch(() => null);
  if (!file) return;
  const image = Object.assign(new Image(), { src: URL.createObjectURL(file), alt: "" });
  await image.decode().catch(() => {});
  URL.revokeObjectURL(image.src);
  return image;
}

/** @param {string} path @param {object} body */
function send(path, body) {
  return request(path, { "Content-Type": "application/json" }, { method: "POST", body: JSON.stringify(body), keepalive: true });
}

/**
 * Asks with these headers and the session's. Throws with a sentence without a server.
 * @param {string} path
 * @param {Record<string, string>} [fields]
 * @param {RequestInit} [options]
 */
export async function request(path, fields, options) {
  try {
    if (!isConnected) throw new Error();
    return await fetch(path, { headers: { ...fields, ...headers() }, ...options });
  } catch {
    throw new Error(say("serverGone"));
  }
}

/** @param {Response} response */
async function read(response) {
  // A tunnel's own page, or a server that was killed meanwhile, gives no JSON.
  const answer = await response.json().catch(() => null);
  if (!answer || !response.ok) throw new Error(answer?.message ? explain(answer) : say("serverGone"));
  return answer;
}
