// @ts-check
// The jobs that this window has begun: their progress, and a button that cancels each.
import { say } from "../words/words.js";
import { button, make, setText } from "./elements.js";
import { on } from "./events.js";
import { post } from "./session.js";

// Jobs of other windows are remembered too, since a job may report before the answer that has its name.
const most = 50;

export class Jobs {
  element = make("ul.jobs", { hidden: true });
  /** @type {Map<string, (job: Job) => void>} */
  #rows = new Map();
  /** @type {Map<string, Job>} */
  #newest = new Map();

  constructor() {
    on("job", (job) => {
      this.#newest.set(job.job, job);
      if (this.#newest.size > most) this.#newest.delete(this.#newest.keys().next().value);
      this.#rows.get(job.job)?.(job);
    });
  }

  /**
   * Shows a job. `done` gets the recording that it made, if any, and may return a button to show.
   * @param {string} id
   * @param {string} label
   * @param {(result?: string) => Element | "" | null | undefined} done
   */
  add(id, label, done = () => null) {
    const text = make("span", { role: "status" });
    const progress = make("progress", { max: 1, "aria-label": label });
    const close = button(say("close"), () => {
      row.remove();
      this.element.hidden = !this.element.childElementCount;
    }, { "aria-label": `${say("close")}: ${label}` });
    const cancel = button(
      say("cancel"), () => post(`api/jobs/${encodeURIComponent(id)}/cancel`), { "aria-label": `${say("cancel")}: ${label}` });
    const row = make("li", {}, text, progress, cancel);
    for (const old of this.element.querySelectorAll("[data-state]")) old.remove();
    this.element.append(row);
    this.element.hidden = false;
    // Text that is there from the start is not reported.
    setTimeout(() => { if (!text.textContent) setText(text, label); });
    /** @param {Job} job */
    const show = ({ state, fraction, message, result }) => {
      if (fraction == null) progress.removeAttribute("value");
      else progress.value = fraction;
      if (state === "running") return;
      this.#rows.delete(id);
      row.dataset.state = state;
      setText(text, message ?? say(`job.${state}`, { label }));
      progress.remove();
      const further = state === "done" && done(result);
      const hadFocus = cancel === document.activeElement;
      cancel.replaceWith(...further ? [further] : [], close);
      if (hadFocus) close.focus();
    };
    this.#rows.set(id, show);
    const newest = this.#newest.get(id);
    if (newest) show(newest);
  }
}
