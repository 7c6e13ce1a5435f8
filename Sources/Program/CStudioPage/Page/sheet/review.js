// @ts-check
// An app's recording: the person plays, cuts, saves and shares it, and the app does what they want.
import { title } from "../library/recordings.js";
import { Viewer } from "../library/viewer.js";
import { askForName } from "../shared/dialogs.js";
import { attempt, complain, make } from "../shared/elements.js";
import { on } from "../shared/events.js";
import { Jobs } from "../shared/jobs.js";
import { get, post } from "../shared/session.js";
import { load, say } from "../words/words.js";

await load("library");

/**
 * An app's recording in an `element`. `path`: where the sheet's paths begin. `buttons`: end it.
 * @param {string} path
 * @param {{ activities: Activity[] }} content
 * @param {Element} buttons
 */
export function makeReview(path, { activities }, buttons) {
  const jobs = new Jobs();
  const viewer = new Viewer(jobs, { work: path, activities, save });
  /** @type {SheetContent | undefined} */
  let content;

  async function find() {
    const { recordings } = await get("api/recordings");
    const found = recordings.find(({ id }) => id === content?.recording);
    // An app's data may be elsewhere than the server's.
    /** @type {Recording["place"]} */
    const place = "app";
    return found && (content?.isSaved ? found : { ...found, place });
  }

  /** @param {Recording} recording @param {Element | null} note */
  function save(recording, note) {
    askForName("saveToVideos", title(recording), note, async (name) => {
      const { job } = await post(`${path}/save`, { name });
      jobs.add(job, say("cutting", { name }));
    });
  }

  on("recordings", () => { if (content) attempt(async () => viewer.update(await find())); });
  return {
    element: make("div.sheet-body", {}, jobs.element, viewer.element, buttons),
    /**
     * Shows the recording of a content, which may be a new file.
     * @param {SheetContent} newest
     */
    async show(newest) {
      content = newest;
      const recording = await find();
      if (content !== newest) return;
      if (!recording) throw new Error(say("recordingGone"));
      await viewer.open(recording);
      // Errors about the previous file do not matter any more.
      complain();
    },
  };
}
