// @ts-check
// Shares a recording by an activity of the desktop, or to an address.
import { ask, textField } from "../shared/dialogs.js";
import { group, make } from "../shared/elements.js";
import { get, post } from "../shared/session.js";
import { say } from "../words/words.js";
import { title } from "./recordings.js";

// The server's titles are English.
const known = ["copy", "open", "email", "upload"];

/** @param {Activity} activity */
function activityTitle({ id, title: text }) {
  return known.includes(id) ? say(`activity.${id}`) : text;
}

/**
 * Asks how, and begins. `work`: the beginning of the request's path. `offered`: the activities; undefined: the server's.
 * `note`: an element to show.
 * @param {Recording} recording
 * @param {import("../shared/jobs.js").Jobs} jobs
 * @param {string} work
 * @param {Activity[] | undefined} offered
 * @param {Element | null} note
 */
export async function shareRecording(recording, jobs, work, offered, note) {
  const isKept = recording.place === "videos";
  // The library has a button of its own for opening it.
  const activities = (offered ?? (await get("api/activities")).filter(({ id }) => id !== "open"))
    .filter(({ id }) => id !== "copy" || !isKept);
  if (!activities.length) throw new Error(say("noActivities"));
  const address = textField(say("address"), "", { type: "url", maxlength: 2000 });
  const list = group("activities", say("shareBy"), ...activities.map(
    (activity, index) => make(
      "label.box", {},
      make("input", { type: "radio", name: "activity", value: activity.id, checked: index === 0 }), activityTitle(activity))));
  const checked = () => /** @type {HTMLInputElement} */ (list.querySelector(":checked")).value;
  const chosen = () => /** @type {Activity} */ (activities.find(({ id }) => id === checked()));
  // Who gets the film need not know what the person did beside it.
  const input = make("input", { type: "checkbox" });
  const track = make("label.box", { hidden: !recording.hasInput }, input, say("shareInput"));
  const update = () => { address.field.hidden = !chosen().takesAddress; };
  list.addEventListener("change", update);
  update();
  ask(say("shareTitle", { name: title(recording) }), make("div", {}, note, list, address.field, track), [say("share"), async () => {
    const activity = chosen();
    /** @type {{ activity: string, address?: string, withoutInput?: boolean }} */
    const request = { activity: activity.id };
    if (recording.hasInput && !input.checked) request.withoutInput = true;
    if (activity.takesAddress) request.address = address.input.value.trim();
    const { job } = await post(`${work}/share`, request);
    jobs.add(job, say("sharing", { name: title(recording), activity: activityTitle(activity) }));
  }]);
}
