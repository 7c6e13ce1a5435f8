// @ts-check
// Where a new take goes live: a row with a switch, and the choice of destinations in a dialog.
import { ask, textField } from "../shared/dialogs.js";
import { attempt, checkbox, choice, group, hint, make, serviceIcon, setOptions, setText } from "../shared/elements.js";
import { get, loadModule } from "../shared/session.js";
import { say } from "../words/words.js";
import { destinationTitle, reaches } from "./destinations.js";
import { switchRow } from "./rows.js";

/**
 * @typedef {{
 *   content: Service, place: HTMLElement, isLoaded?: boolean, settings?: import("./services.js").ServiceSettings
 * }} ChosenService
 */

export class Targets {
  #summary = make("small");
  #row;
  element;
  #boxes = group("targets", say("streamTo"));
  // How far the link leads.
  #reach = choice(say("reach"));
  #reachHint = hint();
  #address = textField(say("publicAddress"), "", { placeholder: "https:", type: "url" });
  #link = make("div.settings", { hidden: true }, this.#reach.field, this.#reachHint, this.#address.field);
  #record = checkbox(say("recordToo"), true);
  #content = make("div.targets-all", {}, this.#boxes, this.#link, this.#record.label);
  /** @type {Map<string, HTMLInputElement>} */
  #destinations = new Map();
  // By the names of their destinations.
  /** @type {Map<string, ChosenService>} */
  #services = new Map();

  /**
   * `changed` is called when the person has chosen something.
   * @param {() => void} changed
   */
  constructor(changed) {
    const open = make("button", { type: "button", click: () => this.#open() }, this.#summary);
    this.#row = switchRow("live", say("streamLive"), () => {
      if (this.#row.input.checked) this.#begin();
      this.#update();
      changed();
    }, open);
    this.element = this.#row.element;
    setOptions(this.#reach.select, reaches.map((reach) => [reach, say(`reach.${reach}`)]));
    this.#content.addEventListener("change", () => {
      this.#row.input.checked = this.#chosen.length > 0;
      this.#update();
      changed();
    });
    this.#update();
  }

  /**
   * Offers all destinations, and chooses the last ones. The switch stays off: a window that is opened broadcasts nothing by itself.
   * @param {Choice} last
   */
  async load(last) {
    if (this.#destinations.size) return;
    const [names, services] = await Promise.all([get("api/destinations"), get("api/services")]);
    if (this.#destinations.size) return;
    const link = last.destinations?.find((name) => /^live\b/.test(name));
    if (link?.includes(":")) this.#reach.select.value = link.slice(5);
    this.#address.input.value = last.link?.address ?? "";
    for (const name of names) {
      const chosen = checkbox(destinationTitle(name), name === "live" ? link != null : last.destinations?.includes(name));
      this.#destinations.set(name, chosen.input);
      this.#boxes.append(chosen.label);
    }
    for (const service of services) this.#addService(service, last);
    this.#record.input.checked = last.isRecorded ?? true;
    this.#update();
  }

  get isLive() { return this.#row.input.checked && this.#chosen.length > 0; }

  /** The request's keys. */
  get request() {
    if (!this.isLive) return {};
    const { value: reach } = this.#reach.select;
    const link = reach === "public" ? { address: this.#address.input.value.trim() } : undefined;
    const destinations = this.#chosen.map((name) => name === "live" && reach !== "computer" ? `live:${reach}` : name);
    return { destinations, isRecorded: this.#record.input.checked, link };
  }

  /** For the chosen services: the values, secrets among them, by the services' ids, and the ids of those to keep. */
  get settings() {
    const chosen = this.isLive ? this.#chosenServices : [];
    return {
      settings: Object.fromEntries(chosen.map(({ id, settings }) => [id, settings.values])),
      keep: chosen.filter(({ settings }) => settings.isToKeep).map(({ id }) => id),
    };
  }

  /** Shows which values are kept by now. */
  reload() { return Promise.all(this.#chosenServices.map(({ settings }) => settings.isToKeep && settings.reload())); }

  get #chosenServices() {
    return [...this.#services].flatMap(([name, { content: { id }, settings }]) =>
      settings && this.#destinations.get(name)?.checked ? [{ id, settings }] : []);
  }

  /** Without a choice it is a link. A service is shown, since it may need a key. */
  #begin() {
    const link = this.#destinations.get("live");
    if (!this.#chosen.length && link) link.checked = true;
    if (this.#chosen.some((name) => this.#services.has(name))) this.#open();
  }

  #open() { ask(say("streamLive"), this.#content); }

  /** @param {Service} content @param {Choice} last */
  #addService(content, last) {
    const destination = `service:${content.id}`;
    const chosen = checkbox(content.name, last.destinations?.includes(destination), null, serviceIcon(content));
    const place = group("settings", say("sheetForm", { service: content.name }));
    this.#destinations.set(destination, chosen.input);
    this.#services.set(destination, { content, place });
    this.#boxes.append(chosen.label);
    this.#record.label.before(place);
  }

  /** Shows the settings of chosen services. */
  async #showServices() {
    for (const [name, service] of this.#services) {
      service.place.hidden = !this.#destinations.get(name)?.checked;
      if (service.place.hidden || service.isLoaded) continue;
      service.isLoaded = true;
      const { ServiceSettings } = await loadModule("record/services");
      service.settings = new ServiceSettings(service.content);
      service.place.append(service.settings.element);
    }
  }

  get #chosen() { return [...this.#destinations].filter(([, input]) => input.checked).map(([name]) => name); }

  #update() {
    const names = this.#chosen.map((name) => this.#services.get(name)?.content.name ?? destinationTitle(name)).join(", ");
    const { value: reach } = this.#reach.select;
    this.#link.hidden = !this.#destinations.get("live")?.checked;
    this.#address.field.hidden = reach !== "public";
    setText(this.#reachHint, say(`reachHint.${reach}`));
    setText(this.#summary, this.isLive ? names : names ? say("liveLast", { names }) : say("liveOff"));
    attempt(() => this.#showServices());
  }
}
