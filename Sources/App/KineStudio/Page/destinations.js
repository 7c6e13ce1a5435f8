// The destinations of a running take: how each is doing, its link, and which others can be added.
import { button, make, write } from "./elements.js";
import { get, post } from "./session.js";
import { activity } from "./statistics.js";
import { say } from "./words.js";

/** The name of a destination for a person. */
export function title(name) {
    return name === "live" ? say("livePage") : name;
}

export class Destinations {
    #path;
    #complain;
    #rows = new Map();
    #list = make("ul", { class: "destinations" });
    #choices = make("div", { class: "buttons" });
    #further = make("details", {}, make("summary", {}, say("broadcastTo")), this.#choices);
    element = make("div", { class: "broadcasts" }, this.#list, this.#further);

    /** `path`: of the take, for requests. */
    constructor(path, complain) {
        this.#path = path;
        this.#complain = complain;
        this.#further.addEventListener("toggle", () => {
            if (this.#further.open) this.#offer().catch((error) => complain(error.message));
        });
    }

    show(destinations, canChange) {
        this.#further.hidden = !canChange;
        const numbers = new Set(destinations.map(({ number }) => number));
        for (const [number, row] of this.#rows) {
            if (numbers.has(number)) continue;
            row.element.remove();
            this.#rows.delete(number);
        }
        for (const destination of destinations) {
            if (!this.#rows.has(destination.number)) {
                const row = new Row(`${this.#path}/destinations/${destination.number}/remove`, this.#complain);
                this.#rows.set(destination.number, row);
                this.#list.append(row.element);
            }
            this.#rows.get(destination.number).show(destination, canChange);
        }
        this.#list.hidden = destinations.length === 0;
    }

    showStatistics(destinations) {
        for (const one of destinations) this.#rows.get(one.number)?.showStatistics(one);
    }

    async #offer() {
        const names = await get("api/destinations");
        this.#choices.replaceChildren(...names.map((name) => button(title(name), async () => {
            this.#complain();
            await post(`${this.#path}/destinations`, { destination: name });
            this.#further.open = false;
        }, this.#complain)));
    }
}

class Row {
    #label = make("span", { class: "label" });
    #phase = make("span", { class: "phase" });
    #activity = make("span", { class: "activity" });
    #copy;
    #remove;
    #link;
    element;

    constructor(removal, complain) {
        this.#copy = button(say("copyLink"), () => this.#copyLink(), complain);
        this.#remove = button(say("endBroadcast"), () => post(removal), complain);
        this.element = make("li", {}, this.#label, this.#phase, this.#activity, this.#copy, this.#remove);
    }

    show({ label, phase, link, problem }, canChange) {
        this.#link = link;
        this.element.dataset.phase = phase;
        write(this.#label, label);
        write(this.#phase, problem ?? say(`destination.${phase}`));
        this.#copy.hidden = !link;
        this.#remove.hidden = !canChange || phase === "ended";
        if (phase === "ended") write(this.#activity, "");
    }

    showStatistics(statistics) {
        write(this.#activity, activity(statistics));
    }

    async #copyLink() {
        try {
            await navigator.clipboard.writeText(this.#link);
        } catch {
            throw new Error(say("cannotCopy", { link: this.#link }));
        }
    }
}
