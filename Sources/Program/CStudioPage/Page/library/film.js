// @ts-check
// Makes a film of a recording.
import { ask, textField } from "../shared/dialogs.js";
import { field, make } from "../shared/elements.js";
import { post } from "../shared/session.js";
import { say } from "../words/words.js";
import { pathOf, title } from "./recordings.js";

const shapes = ["", "16:9", "1:1", "9:16"];

/**
 * Asks what the film has, and begins. `made` gets the new recording.
 * @param {Recording} recording
 * @param {import("../shared/jobs.js").Jobs} jobs
 * @param {Element | null} note
 * @param {(recording: string) => Element | undefined} made
 */
export function makeFilm(recording, jobs, note, made) {
  /** @param {string} word */
  const check = (word) => {
    const input = make("input", { type: "checkbox", checked: true });
    return { input, label: make("label.box", {}, input, say(word)) };
  };
  const [zooms, tightens] = [check("film.zooms"), check("film.tightens")];
  const shape = make("select", {}, ...shapes.map(
    (value) => make("option", { value }, say(value ? "film.shaped" : "film.sameShape", { shape: value }))));
  const name = textField(say("name"), say("filmOf", { name: title(recording) }), { maxlength: 200 });
  const unknown = recording.hasInput ? null : make("p.hint", {}, say("film.unknown"));
  ask(say("film"), make("div", {}, name.field, note, zooms.label, tightens.label, unknown, field(say("film.shape"), shape)), [say("film.make"), async () => {
    const request = {
      name: name.input.value.trim(), zooms: zooms.input.checked, tightens: tightens.input.checked, shape: shape.value || null,
    };
    const { job } = await post(`${pathOf(recording)}/film`, request);
    jobs.add(job, say("filming", { name: request.name }), (result) => result && made(result));
  }]);
}
