// The page's session: it exchanges the token of its link, once, for a cookie and for the key that every change needs.
import { say } from "./words.js";

// Reloading the page keeps it.
const place = "kinecast-key";

/** Returns when the page may ask. Throws with a sentence if its link does not work. */
export async function open() {
    const token = location.hash.slice(1);
    // A navigation would add an entry to the history, and the window could not close itself.
    history.replaceState(null, "", location.pathname);
    if (!token) {
        if (sessionStorage.getItem(place)) return;
        throw new Error(say("noLink"));
    }
    const { key } = await post("api/session", { token });
    sessionStorage.setItem(place, key);
}

/** Asks for a change. Throws with the server's sentence if it refuses. */
export function post(path, body = {}) {
    const headers = { "Content-Type": "application/json" };
    const key = sessionStorage.getItem(place);
    if (key) headers["Kinecast-Key"] = key;
    return ask(path, { method: "POST", headers, body: JSON.stringify(body) });
}

export function get(path) {
    return ask(path);
}

async function ask(path, options) {
    let response;
    try {
        response = await fetch(path, options);
    } catch {
        throw new Error(say("serverGone"));
    }
    const answer = await response.json();
    if (!response.ok) throw new Error(answer.message);
    return answer;
}
