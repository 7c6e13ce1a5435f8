// The token that opens the broadcast. It is in the link's fragment, after the #, which browsers do not send; the page moves it to the
// tab's own storage, so that it is neither in the address bar nor in the history.

export const tokenHeader = "Kinecast-Token";

const key = `kinecast token ${location.pathname}`;

/** The token of this tab's broadcast; null where the page was opened without one. */
export function readToken() {
  const fragment = location.hash.slice(1);
  try {
    if (!fragment) return sessionStorage.getItem(key);
    sessionStorage.setItem(key, fragment);
    history.replaceState(null, "", location.pathname + location.search);
  } catch {
    // Without storage it stays in the address.
  }
  return fragment || null;
}

// Pasting another link to the same page into the same tab loads nothing by itself.
addEventListener("hashchange", () => { if (location.hash.length > 1) location.reload(); });
