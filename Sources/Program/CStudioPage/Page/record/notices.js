// @ts-check
// The list of events in words, the newest first.
import { button, make } from "../shared/elements.js";
import { language, noticeText, say } from "../words/words.js";

const most = 200;
const times = new Intl.DateTimeFormat(language, { hour: "2-digit", minute: "2-digit", second: "2-digit" });

/**
 * A notice as a sentence, with a button if it has a recording. `open` shows the one with an ID.
 * @param {Notice} notice
 * @param {(id: string) => unknown} open
 */
export function describeNotice(notice, open) {
  const { file, recording } = notice;
  return [
    make("span", { title: file }, noticeText(notice)),
    ...(recording ? [button(say("openRecording"), () => open(recording))] : []),
  ];
}

/**
 * `open` is as for `describeNotice`. Old notices are shown, and not reported.
 * @param {HTMLElement} section
 * @param {Notice} notice
 * @param {(id: string) => unknown} open
 * @param {boolean} isNew
 */
export function addNotice(section, notice, open, isNew) {
  let list = section.querySelector("ol");
  if (!list) {
    list = make("ol");
    section.append(make("summary", {}, say("events")), list);
  }
  section.hidden = false;
  list.ariaLive = isNew ? "polite" : "off";
  const time = make("time", { datetime: new Date(notice.time).toISOString() }, times.format(notice.time));
  list.prepend(make("li", { "data-kind": notice.kind }, time, ...describeNotice(notice, open)));
  while (list.children.length > most) list.lastElementChild?.remove();
}
