// @ts-check
// The chapters of the recording that is shown, above its timeline.
import { button, make } from "../shared/elements.js";
import { clock } from "../words/format.js";
import { say } from "../words/words.js";

/**
 * A button for each chapter, as wide as it is long, in an `element`. `go` shows the frame at a time in seconds.
 * @param {(time: number) => unknown} go
 */
export function makeChapters(go) {
  const element = make("div.chapters", { role: "group", "aria-label": say("chapterList") });
  return {
    element,
    /** @param {Recording} recording */
    show({ chapters = [], duration = 0 }) {
      element.hidden = !chapters.length;
      element.replaceChildren(...chapters.map(({ start, title }, index) => {
        const text = `${clock(start)} ${title}`;
        const one = button(text, () => go(start), { title: text });
        one.style.flexGrow = String(Math.max(0, (chapters[index + 1]?.start ?? duration) - start));
        return one;
      }));
    },
  };
}
