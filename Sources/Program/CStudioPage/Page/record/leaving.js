// @ts-check
// The window leaves the screen before that is recorded. The server opens one again afterwards.
import { ask } from "../shared/dialogs.js";
import { make } from "../shared/elements.js";
import { get, post } from "../shared/session.js";
import { language, say } from "../words/words.js";

// Milliseconds before the recording, which the server counts once the window is gone: windows below have to paint what this one covered.
export const margin = 1000;

/** Whether a script can close this window, and nothing is lost with it: it has no tabs. */
export const canLeave = matchMedia("(display-mode: standalone)").matches;

/**
 * Says in the request whether the window leaves. The first time, the person is asked if only the menu leads back. Returns the ways
 * back in words; null: the person does not want to record.
 * @param {Choice} request
 */
export async function prepare(request) {
  if (!canLeave || request.source === "window") delete request.whileRecording;
  if (!canLeave || request.source === "window" || request.whileRecording === "stay") return "";
  const { hasTray, hasNotification, key } = await get("api/ways");
  const ways = [...hasTray ? [say("wayTray")] : [], ...hasNotification ? [say("wayNotification")] : [], ...key ? [key] : []];
  request.whileRecording ??= ways.length ? "hidden" : await choose();
  if (!request.whileRecording) return null;
  if (request.whileRecording === "stay") return "";
  // The window needs a moment to go.
  request.countdown = Math.max(1, request.countdown ?? 0);
  return say("waysBack", { ways: new Intl.ListFormat(language, { type: "disjunction" }).format([...ways, say("wayMenu")]) });
}

/** @returns {Promise<"hidden" | "stay" | undefined>} */
function choose() {
  return new Promise((resolve) => {
    const dialog = ask(
      say("whileRecording"), make("p", {}, say("onlyMenu")),
      [say("whileRecording.hidden"), () => resolve("hidden")], [say("whileRecording.stay"), () => resolve("stay")]);
    dialog.addEventListener("close", () => resolve(undefined));
  });
}

export async function leave() {
  await post("api/windows/leave", { isLeaving: true });
  close();
  // A browser keeps a window that has a history.
  if (!closed) await post("api/windows/leave", { isLeaving: false });
}
