// @ts-check
// The steps of both an app's window and a service's setup in the studio: following the content, the service's
// fields, its login, and the person's answers.
import { attempt, button, complain, make } from "../shared/elements.js";
import { takePlace } from "../shared/places.js";
import { post, request } from "../shared/session.js";
import { load, say } from "../words/words.js";

await load("sheet");

// Milliseconds. A window that does not listen for three seconds counts as closed.
const retryInterval = 500;
const mostRetries = 5;
const endings = ["done", "cancelled", "appLost"];

/**
 * Shows in `parent` what a setup program asks, until it has ended.
 * @param {string} id
 * @param {Element} parent
 */
export async function showSetup(id, parent) {
  const steps = new Steps(id);
  parent.append(steps.body);
  await steps.follow(() => {
    steps.body.replaceChildren(...(steps.isOver ? [] : steps[/** @type {StepKind} */ (steps.content.kind)]()));
    steps.body.querySelector("button")?.focus();
  }, steps.body);
}

/**
 * The service's rights in words; null: it has none to judge.
 * @param {Rights} service
 * @param {Attributes} attributes
 */
export function makeRights({ rights }, attributes = {}) {
  const words = rights.map(({ kind, subject }) => make("li", {}, say(`right.${kind}`, { subject })));
  return words.length ? make("ul", attributes, ...words) : null;
}

export class Steps {
  path;
  body = make("div.sheet-body");
  /**
   * The newest one.
   * @type {SheetContent}
   */
  content = /** @type {SheetContent} */ ({});
  /** The class of the button that continues. A form of the studio has a primary button of its own. */
  primary = /** @type {string | null} */ (null);

  /** @param {string} id */
  constructor(id) { this.path = `api/sheets/${encodeURIComponent(id)}`; }

  /**
   * Calls `show` as `take` does, until the last content. After an error `element` is inert.
   * @param {ShowStep} show
   * @param {HTMLElement} element
   */
  async follow(show, element) {
    const free = await takePlace();
    await attempt(() => this.#receive(show), (sentence) => {
      element.inert = true;
      complain(sentence);
    });
    free?.();
  }

  /**
   * Calls `show` if the step or its kind has changed. `show` gets the previous kind.
   * @param {SheetContent} content
   * @param {ShowStep} show
   */
  take(content, show) {
    const { step, kind } = this.content;
    // The connection was restored: what the person has typed stays.
    if (content.step === step && content.kind === kind) return;
    this.content = content;
    show(kind);
  }

  /** @param {ShowStep} show */
  async #receive(show) {
    for (let failures = 0; failures <= mostRetries; failures++) {
      if (failures) await new Promise((done) => setTimeout(done, retryInterval));
      const response = await request(`${this.path}/events`).catch(() => null);
      if (!response) continue;
      if (!response.ok) throw new Error((await response.json().catch(() => ({}))).message ?? say("serverGone"));
      for await (const content of contents(/** @type {ReadableStream<Uint8Array>} */ (response.body))) {
        failures = 0;
        this.take(content, show);
        if (this.isOver) return;
      }
    }
    throw new Error(say("serverGone"));
  }

  get isOver() { return endings.includes(this.content.kind); }

  waiting() { return [make("p", { role: "status" }, say("sheetWaiting", { name: this.content.app.name }))]; }

  form() {
    const { fields, message } = this.content;
    const form = make("form.sheet-body", { novalidate: true, submit: (event) => event.preventDefault() });
    attempt(async () => {
      const { Form } = await import("./form.js");
      const filled = new Form(fields, (values) => post(`${this.path}/check`, { values }));
      const go = this.goOn(async () => {
        await filled.settle();
        const { problems } = await this.answer({ values: filled.values });
        filled.show(problems);
      });
      form.append(filled.element, this.buttons(go));
      filled.focus();
    });
    return [message ? make("p", {}, message) : "", form];
  }

  login() {
    const { service, host, address } = this.content;
    // The page opens no address by itself: the service's program made it.
    const open = button(
      say("sheetOpen", { host }), () => { window.open(address, "_blank", "noopener"); }, { class: this.primary });
    return [
      make("p", {}, say("sheetLogin", { service })), make("p", {}, make("strong", {}, host)),
      make("p.hint", {}, make("code", {}, address)), this.buttons(open),
    ];
  }

  /** @param {object} values */
  answer(values) { return post(`${this.path}/answer`, { step: this.content.step, ...values }); }

  cancel() { return post(`${this.path}/cancel`); }

  /** @param {Action} action */
  goOn(action) { return button(say("sheetContinue"), action, { class: this.primary, type: "submit" }); }

  /** @param {Child[]} first */
  buttons(...first) { return make("div.buttons", {}, ...first, button(say("cancel"), () => this.cancel())); }
}

/** @param {ReadableStream<Uint8Array>} body @returns {AsyncGenerator<SheetContent>} */
async function* contents(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  try {
    for (;;) {
      // A connection that breaks off is opened again.
      const { done, value } = await reader.read().catch(() => ({ done: /** @type {const} */ (true), value: undefined }));
      if (done) return;
      const events = (text + value).split("\n\n");
      text = events.pop() ?? "";
      for (const event of events) if (event.startsWith("event")) yield JSON.parse(event.slice(event.indexOf("{")));
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}
