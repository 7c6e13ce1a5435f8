// @ts-check
// A sheet, an app's window: the person chooses a service, fills in its fields, logs in, and may cancel the countdown; or sees
// what the app has recorded.
import { isOwn } from "../record/countdown.js";
import { attempt, button, checkbox, complain, group, make, setText } from "../shared/elements.js";
import { on } from "../shared/events.js";
import { icon } from "../shared/service-icon.js";
import { say } from "../words/words.js";
import { rights, Steps } from "./steps.js";

/**
 * Shows the sheet until it ends. `setPhase` gets the state of the connection.
 * @param {string} id
 * @param {SetPhase} setPhase
 */
export function showSheet(id, setPhase) {
  const sheet = new Sheet(id);
  document.querySelector("main")?.append(sheet.element);
  on("connection", (kind) => { if (!sheet.isOver) setPhase(kind); });
  on("sheet", (content) => sheet.take(content, (kind) => sheet.show(kind)));
}

class Sheet extends Steps {
  primary = "primary";
  #title = make("h2", { id: "sheet-title", tabindex: -1 });
  #identifier = make("p.hint");
  element = make(
    "section", { id: "sheet", "aria-labelledby": "sheet-title" }, this.#title, this.#identifier, this.body);
  // The title's word, once something is asked for.
  /** @type {string | undefined} */
  #word;
  // The recording that is shown.
  /** @type {Promise<ReturnType<typeof import("./review.js").makeReview>> | undefined} */
  #review;

  /** @param {string} id */
  constructor(id) {
    super(id);
    document.addEventListener("keydown", (event) => {
      if (this.content.kind !== "countdown" || !isOwn(event)) return;
      event.preventDefault();
      if (event.repeat) return;
      this.cancel().catch(() => {});
    });
  }

  /**
   * Shows the content. `last`: the previous kind.
   * @param {SheetKind} [last]
   */
  show(last) {
    const { kind, app: { name, identifier } } = this.content;
    if (kind === last && kind === "countdown") return this.#count();
    if (kind === last && kind === "recording") return this.#showRecording();
    if (!this.isOver && kind !== "waiting") this.#word = kind === "recording" ? "sheetRecorded" : "sheetTitle";
    document.title = this.#word ? say(this.#word, { name }) : name;
    setText(this.#title, document.title);
    setText(this.#identifier, name === identifier ? say("sheetClaim") : say("sheetNamed", { identifier }));
    complain();
    this.body.replaceChildren(...(this.isOver ? this.#ending() : this[/** @type {Exclude<SheetKind, SheetEnding>} */ (kind)]()));
    /** @type {HTMLElement} */ (this.body.querySelector("[data-focus]") ?? this.#title).focus();
    if (this.isOver && kind !== "appLost") close();
  }

  choice() {
    const { services, isMicrophoneEnabled } = this.content;
    const only = services.length === 1;
    const cards = services.map((service, index) => make(
      "label.card.service", {},
      make("input", {
        type: "radio", name: "service", value: service.id, checked: only, "data-focus": index === 0,
        "aria-describedby": `rights-${index}`,
      }),
      icon(service), make("span.title", {}, service.name), make("span.application", {}, service.id),
      make("ul", { id: `rights-${index}` }, ...rights(service).map((text) => make("li", {}, text)))));
    const list = group("gallery", say(only ? "sheetOnly" : "sheetChoose"), ...cards);
    const microphone = checkbox(say("sheetMicrophone"), isMicrophoneEnabled);
    const go = this.goOn(() => this.answer({
      service: /** @type {HTMLInputElement} */ (list.querySelector(":checked")).value, isMicrophoneEnabled: microphone.input.checked,
    }));
    go.disabled = !only;
    list.addEventListener("change", () => { go.disabled = false; });
    return [list, isMicrophoneEnabled == null ? "" : microphone.label, this.buttons(go)];
  }

  // In the studio, the place of a setup program has a title.
  form() { return [make("p", {}, say("sheetForm", { service: this.content.service })), ...super.form()]; }

  countdown() {
    return [
      make("p", {}, say("sheetBegins")), make("p.count", { "aria-live": "assertive" }, String(this.content.seconds)),
      make("p.hint", {}, say("cancelHint")), this.buttons(),
    ];
  }

  recording() {
    const place = make("div.sheet-body");
    this.#review = import("./review.js").then(({ makeReview }) => {
      const done = button(say("done"), () => this.answer({ finished: true }), { class: "primary" });
      const review = makeReview(this.path, this.content, this.buttons(done));
      place.append(review.element);
      return review;
    });
    this.#showRecording();
    return [place];
  }

  #showRecording() { attempt(async () => (await this.#review)?.show(this.content)); }

  #ending() {
    const { kind, app: { name } } = this.content;
    return [make("p", { role: "status" }, say(`sheet.${kind}`, { name }), " ", say("sheetClose"))];
  }

  #count() { setText(/** @type {Element} */ (this.body.querySelector(".count")), String(this.content.seconds)); }
}
