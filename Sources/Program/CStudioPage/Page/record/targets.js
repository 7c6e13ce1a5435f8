// @ts-check
// Where a new take goes: into a file, to destinations, or both.
import { attempt, checkbox, group, make } from "../shared/elements.js";
import { icon } from "../shared/service-icon.js";
import { get } from "../shared/session.js";
import { say } from "../words/words.js";
import { destinationTitle } from "./destinations.js";

/**
 * @typedef {{
 *   content: Service, place: HTMLElement, isLoaded?: boolean, settings?: import("./services.js").ServiceSettings
 * }} ChosenService
 */

export class Targets {
  #boxes = group("targets", say("broadcastTo"));
  #record = checkbox(say("recordToo"), true);
  element = make("div.targets-all", {}, this.#boxes, this.#record.label);
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
    this.element.addEventListener("change", () => {
      this.#update();
      changed();
    });
    this.#update();
  }

  /**
   * Offers all destinations, and chooses the last ones.
   * @param {Choice} last
   */
  async load(last) {
    if (this.#destinations.size) return;
    const [names, services] = await Promise.all([get("api/destinations"), get("api/services")]);
    if (this.#destinations.size) return;
    for (const name of names) {
      const chosen = checkbox(destinationTitle(name), last.destinations?.includes(name));
      this.#destinations.set(name, chosen.input);
      this.#boxes.append(chosen.label);
    }
    for (const service of services) this.#addService(service, last);
    this.#record.input.checked = last.isRecorded ?? true;
    this.#update();
  }

  get isLive() { return this.#chosen.length > 0; }

  /** The request's keys. */
  get request() {
    return this.isLive ? { destinations: this.#chosen, isRecorded: this.#record.input.checked } : {};
  }

  /** For the chosen services: the values, secrets among them, by the services' ids, and the ids of those to keep. */
  get settings() {
    const chosen = this.#chosenServices;
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

  /** @param {Service} content @param {Choice} last */
  #addService(content, last) {
    const destination = `service:${content.id}`;
    const chosen = checkbox(content.name, last.destinations?.includes(destination), null, icon(content));
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
      const { ServiceSettings } = await import("./services.js");
      service.settings = new ServiceSettings(service.content);
      service.place.append(service.settings.element);
    }
  }

  get #chosen() { return [...this.#destinations].filter(([, input]) => input.checked).map(([name]) => name); }

  #update() {
    // Without a destination, a file is all there is.
    this.#record.label.hidden = !this.isLive;
    attempt(() => this.#showServices());
  }
}
