// The page's session: it exchanges the token of its link, once, for a cookie and for the key that every request needs.
import { say } from "./words.js";

// Reloading the page keeps it.
const place = "kinecast-key";
const keyHeader = "Kinecast-Key";

/** The session's key; null if there is none. */
export function key() {
    return sessionStorage.getItem(place);
}

/** The headers of a request to the session. */
export function headers() {
    return { [keyHeader]: key() };
}

/** Returns when the page may ask. Throws with a sentence if its link does not work. */
export async function open() {
    const token = location.hash.slice(1);
    // A navigation would add an entry to the history, and the window could not close itself.
    history.replaceState(null, "", location.pathname + location.search);
    if (!token) {
        if (key()) return;
        throw new Error(say("noLink"));
    }
    const answer = await post("api/session", { token });
    sessionStorage.setItem(place, answer.key);
}

/** Asks for a change. Throws with the server's sentence if it refuses. */
export async function post(path, body = {}) {
    return read(await send(path, body));
}

/** Asks for a file that is made for this request, as a blob. Throws as `post` does. */
export async function postFile(path, body) {
    const response = await send(path, body);
    return response.ok ? response.blob() : read(response);
}

function send(path, body) {
    const fields = { "Content-Type": "application/json", ...(key() ? headers() : {}) };
    return request(path, { method: "POST", headers: fields, body: JSON.stringify(body) });
}

export async function get(path) {
    return read(await request(path, { headers: headers() }));
}

/** A file of the session, as a blob; null if it is not there any more. */
export async function getFile(path) {
    const response = await request(path, { headers: headers() });
    return response.status === 200 ? response.blob() : null;
}

async function request(path, options) {
    try {
        return await fetch(path, options);
    } catch {
        throw new Error(say("serverGone"));
    }
}

async function read(response) {
    let answer;
    try {
        answer = await response.json();
    } catch {
        // A tunnel's own page, or a server that was killed meanwhile.
        throw new Error(say("serverGone"));
    }
    if (!response.ok) throw new Error(answer.message ?? say("serverGone"));
    return answer;
}
