// @ts-check
// The settings of one service in the form of a take: its fields or its setup program, what is kept, and a test of its server.
import { button, checkbox, make } from "../shared/elements.js";
import { Jobs } from "../shared/jobs.js";
import { get, post } from "../shared/session.js";
import { Form } from "../sheet/form.js";
import { makeRights, showSetup } from "../sheet/steps.js";
import { say } from "../words/words.js";

export class ServiceSettings {
  element;
  /** @type {Service} */
  #service;
  #path;
  #body = make("div.sheet-body");
  #jobs = new Jobs();
  // Absent where the server has the values, or a setup program asks for them.
  /** @type {Form | null | undefined} */
  #form;
  /** @type {ReturnType<typeof checkbox> | null | undefined} */
  #keep;

  /** @param {Service} service */
  constructor(service) {
    this.#service = service;
    this.#path = `api/services/${encodeURIComponent(service.id)}`;
    this.element = make("div.sheet-body", {}, makeRights(service), this.#body, this.#jobs.element);
    this.#fill(service);
  }

  /** The values to send, secrets among them; none where the server has them. */
  get values() { return this.#form?.values ?? {}; }

  /** Whether the person wants the values kept with the next take. */
  get isToKeep() { return this.#keep?.input.checked ?? false; }

  /** Shows what the server has by now. */
  async reload() {
    const services = await get("api/services");
    this.#fill(services.find(({ id }) => id === this.#service.id) ?? this.#service);
  }

  /** @param {Service} service */
  #fill(service) {
    this.#service = service;
    const { name, fields, settings, hasSetupProgram, hasTest } = service;
    this.#form = !settings && fields.length ? new Form(fields, (values) => post(`${this.#path}/check`, { values })) : null;
    const needsSetup = hasSetupProgram && !settings;
    const canKeep = settings !== "kept" && (this.#form || settings);
    this.#keep = canKeep ? checkbox(say("keepSettings")) : null;
    const buttons = /** @type {Element[]} */ ([
      settings && button(say("forgetSettings"), () => this.#forget()),
      needsSetup && button(say("setUp", { service: name }), () => this.#setUp()),
      hasTest && button(say("test"), () => this.#test()),
    ].filter(Boolean));
    this.#body.replaceChildren(.../** @type {Element[]} */ ([
      settings && make("p", {}, say(`settings.${settings}`)), this.#form?.element,
      this.#keep?.label, buttons.length && make("div.buttons", {}, ...buttons),
    ].filter(Boolean)));
  }

  /** Shows what the setup program asks, in the place of the buttons, until it has ended. */
  async #setUp() {
    const { sheet } = await post(`${this.#path}/setup`);
    this.#body.replaceChildren();
    await showSetup(sheet, this.#body);
    await this.#reloadAndFocus();
  }

  async #forget() {
    await post(`${this.#path}/forget`);
    await this.#reloadAndFocus();
  }

  async #reloadAndFocus() {
    // Without an answer, the previous state is shown.
    await this.reload().catch((error) => {
      this.#fill(this.#service);
      throw error;
    });
    /** @type {HTMLElement | null} */ (this.#body.querySelector("input, select, button"))?.focus();
  }

  async #test() {
    const { job } = await post(`${this.#path}/test`, { values: this.values });
    this.#jobs.add(job, say("testing", { service: this.#service.name }));
  }
}
