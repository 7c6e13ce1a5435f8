// @ts-check
// The picture of a running take, by the live page's own player.
import { hint, make, setText } from "../shared/elements.js";
import { prove } from "../shared/events.js";
import { takePlace } from "../shared/places.js";
import { headers } from "../shared/session.js";
import { say } from "../words/words.js";

// Milliseconds after which the last frame shown is too old to measure by.
const longestAge = 3000;
// States of the player in which there is no picture to see.
const troubles = ["reconnecting", "full", "broken", "stopped", "impossible"];

/**
 * A picture with its `element`, of a source. `path`: of the take's samples.
 * @param {string} path
 * @param {string} source
 */
export function makePreview(path, source) {
  const attributes = { hidden: true, "aria-label": say("preview", { source }) };
  const canvas = make("canvas", { role: "img", ...attributes });
  const video = make("video", { muted: true, playsinline: true, ...attributes });
  const text = hint();
  const element = make("div.preview", {}, canvas, video, text);
  /** @type {import("../player.js").StreamPlayer | undefined} */
  let player;
  // Microseconds by which the take's timeline is ahead of the page's clock; null: not known.
  let ahead = /** @type {number | null} */ (null);
  /** @type {(() => void) | undefined} */
  let release;
  let wanted = false;

  /** @param {string} state */
  function show(state) {
    element.dataset.state = state;
    setText(text, troubles.includes(state) ? say(`preview.${state}`) : "");
  }

  /** @param {{ clock: number, ahead?: number }} standing */
  function tick(standing) {
    if (standing.ahead == null) return;
    // The largest is of the tick that was under way for the least time.
    ahead = Math.max(ahead ?? -Infinity, standing.clock + standing.ahead - performance.now() * 1000);
  }

  async function open() {
    setText(text, say("previewStarting"));
    // Most pages that are loaded show no picture.
    const [free, module] = await Promise.all([takePlace(true), import("../player.js").catch(() => null)]);
    // It may be hidden meanwhile.
    if (!wanted || player || !module) {
      free?.();
      return module || show("stopped");
    }
    if (!free) {
      wanted = false;
      return setText(text, say("previewElsewhere"));
    }
    release = free;
    const options = { headers: headers(), credentials: /** @type {const} */ ("same-origin"), ready: prove };
    player = new module.StreamPlayer(path, options, { canvas, video }, null, {
      show, tick, lost: () => { ahead = null; }, opened: (player) => { player.setAudio(false); },
    });
    player.run();
  }

  return {
    element,
    /** Milliseconds from when the server had a frame until it was shown; null: not known. */
    get delay() {
      const shown = player?.shown;
      if (!shown || ahead === null || performance.now() - shown.at > longestAge) return null;
      return Math.max(0, (shown.at * 1000 + ahead - shown.time) / 1000);
    },
    /**
     * Shows the picture, or lets it go. A hidden page shows none.
     * @param {boolean} isWanted
     */
    want(isWanted) {
      if (isWanted === wanted) return;
      wanted = isWanted;
      if (wanted) return open();
      player?.close();
      release?.();
      player = release = undefined;
      ahead = null;
      setText(text, "");
    },
  };
}
