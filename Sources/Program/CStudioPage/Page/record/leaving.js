// @ts-check
// The window leaves the screen before that is recorded. The server opens one again afterwards.
import { ask } from "../shared/dialogs.js";
import { make } from "../shared/elements.js";
import { get, post } from "../shared/session.js";
import { language, say } from "../words/words.js";
import { canBeBar, canLeave } from "./bar.js";

// Milliseconds before the recording, which the server counts once the window is gone: windows below have to paint what this one covered.
export const margin = 1000;

/**
 * Says in the request what the window does. The first time, the person is asked if only the menu leads back. Returns the ways
 * back in words; null: the person does not want to record. `last`: the choice before.
 * @param {Choice} request
 * @param {() => Promise<string | undefined>} findNumber The window's number among others; undefined: not known.
 * @param {Choice} [last]
 */
export async function prepare(request, findNumber, last) {
  if (!canLeave || request.source === "window") delete request.whileRecording;
  if (!canLeave || request.source === "window" || request.whileRecording === "stay") return "";
  // A window that is hidden could not hand over the link.
  const hasLink = request.destinations?.some((name) => /^live\b/.test(name));
  if ((hasLink || request.whileRecording === "bar") && canBeBar()) {
    request.window = await findNumber();
    if (request.window) return "";
  }
  const { hasTray, hasNotification, key } = await get("api/ways");
  const ways = [...hasTray ? [say("wayTray")] : [], ...hasNotification ? [say("wayNotification")] : [], ...key ? [key] : []];
  if (request.whileRecording === "bar") request.whileRecording = "hidden";
  request.whileRecording ??= ways.length || last?.whileRecording ? "hidden" : await choose();
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
