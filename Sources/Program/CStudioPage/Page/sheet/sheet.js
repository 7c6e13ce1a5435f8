// @ts-check
// A sheet, an app's window: the person chooses a service, fills in its fields, logs in, and may cancel the countdown; or sees
// what the app has recorded.
import { isOwn } from "../record/countdown.js";
import { attempt, button, checkbox, complain, group, make, serviceIcon, setText } from "../shared/elements.js";
import { on } from "../shared/events.js";
import { loadModule } from "../shared/session.js";
import { say } from "../words/words.js";
import { makeRights, Steps } from "./steps.js";

// Pixels of an app's window beside its frame.
const sheetWidth = 560;

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
  if (matchMedia("(display-mode: standalone)").matches) new ResizeObserver(() => sheet.fit()).observe(document.body);
}

class Sheet extends Steps {
  primary = "primary";
  #title = make("h2", { id: "sheet-title", tabindex: -1 });
  #identifier = make("p.hint");
  element = make(
    "section", { id: "sheet", "aria-labelledby": "sheet-title" }, this.#title, this.#identifier, this.body);
  // Of the page, as the window was made for it.
  #height = 0;
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
        "aria-describedby": service.rights.length ? `rights-${index}` : null,
      }),
      serviceIcon(service), make("span.title", {}, service.name), make("span.application", {}, service.id),
      makeRights(service, { id: `rights-${index}` })));
    const list = group("gallery", say(only ? "sheetOnly" : "sheetChoose"), ...cards);
    const microphone = checkbox(say("sheetMicrophone"), isMicrophoneEnabled);
    const chosen = () => /** @type {HTMLInputElement | null} */ (list.querySelector(":checked"))?.value;
    /** @param {boolean} [showsForm] */
    const choose = (showsForm) => this.answer({ service: chosen(), isMicrophoneEnabled: microphone.input.checked, showsForm });
    const go = this.goOn(() => choose());
    // A service that needs nothing begins at once.
    const settings = button(say("settings"), () => choose(true), { class: "small" });
    const update = () => {
      go.disabled = !chosen();
      settings.hidden = !services.find(({ id }) => id === chosen())?.needsNothing;
    };
    list.addEventListener("change", update);
    update();
    return [list, isMicrophoneEnabled == null ? "" : microphone.label, this.buttons(go, settings)];
  }

  /** Makes a window of the app's own as large as its content. A recording needs what there is. */
  fit() {
    const { offsetHeight } = document.body;
    if (offsetHeight === this.#height || this.content.kind === "recording") return;
    this.#height = offsetHeight;
    resizeTo(sheetWidth + outerWidth - innerWidth, Math.min(offsetHeight + outerHeight - innerHeight, screen.availHeight));
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
    this.#review = loadModule("sheet/review").then(({ makeReview }) => {
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
