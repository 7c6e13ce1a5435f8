// @ts-check
// Choices with names, which kinecast.conf keeps as profiles.
import { ask, textField } from "../shared/dialogs.js";
import { button, choice, hint, make, pick, setOptions, setText } from "../shared/elements.js";
import { get, post } from "../shared/session.js";
import { say } from "../words/words.js";

/**
 * A list of names in an `element`. `read` returns the choice to keep. `choose` gets a choice to show, and its name; undefined:
 * the last one.
 * @param {{ read(): Choice, choose(choice?: Choice, name?: string): void }} form
 */
export function makeNameChoice({ read, choose }) {
  const { select, field } = choice(say("choice"), fill);
  const text = hint();
  const keepAs = button(say("keepAs"), askForName);
  const remove = button(say("remove"), removeChosen);
  /** @type {Profile[]} */
  let profiles = [];
  const chosen = () => profiles.find(({ name }) => name === select.value);

  /** Fills the form with the selected choice. */
  function fill() {
    update();
    choose(chosen()?.choice, chosen()?.title);
  }

  /**
   * Returns what is configured without a name.
   * @param {Profiles} answer
   */
  function receive(answer) {
    const name = chosen()?.name;
    ({ profiles } = answer);
    select.value = "";
    setOptions(select, [["", say("lastUsed")], ...profiles.map((one) => [one.name, one.title])]);
    pickName(name);
    return answer.configured;
  }

  /** @param {string} [name] */
  function pickName(name) {
    pick(select, profiles.find((one) => one.name === name)?.name ?? "");
    update();
  }

  function update() {
    const { title = "", others } = chosen() ?? {};
    remove.hidden = !title;
    setText(text, others?.length ? say("alsoSets", { name: title, options: others.join(", ") }) : "");
  }

  function askForName() {
    const { input, field } = textField(say("name"), chosen()?.title, { maxlength: 100 });
    ask(say("keepAs"), field, [say("keepName"), async () => {
      const name = input.value.trim();
      receive(await post("api/profiles", { name, choice: read() }));
      pickName(profiles.find(({ title }) => title === name)?.name);
      fill();
    }]);
  }

  async function removeChosen() {
    const { name, title } = /** @type {Profile} */ (chosen());
    if (!confirm(say("removeSure", { name: title }))) return;
    receive(await post(`api/profiles/${encodeURIComponent(name)}/remove`));
    fill();
    keepAs.focus();
  }

  receive({ profiles, configured: {} });
  return {
    element: make("div.names", {}, field, keepAs, remove, text),
    /** The choice that is shown, if it has a name. */
    get chosen() { return chosen(); },
    /** Reads the names. Returns what is configured without one. */
    async load() { return receive(await get("api/profiles")); },
    /** Selects a name, if there is such a choice. */
    select: pickName,
  };
}
