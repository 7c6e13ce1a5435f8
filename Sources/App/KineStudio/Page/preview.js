// The picture of a running take, by the live page's own player.
import { make, write } from "./elements.js";
import { headers } from "./session.js";
import { say } from "./words.js";

// A browser has six connections to a host. Events and requests need the others.
const most = 3;
// States of the player in which there is no picture to see.
const troubles = ["reconnecting", "full", "broken", "stopped", "impossible"];

export class Preview {
    #canvas = make("canvas", { role: "img", hidden: true });
    #video = make("video", { muted: true, playsinline: true, hidden: true });
    #hint = make("p", { class: "hint", role: "status" });
    element = make("div", { class: "preview" }, this.#canvas, this.#video, this.#hint);
    #take;
    #player;
    #release;
    #isWanted = false;

    constructor(take, source) {
        this.#take = take;
        for (const element of [this.#canvas, this.#video]) element.setAttribute("aria-label", say("preview", { source }));
    }

    /** Shows the picture, or lets it go. A hidden page shows none. */
    async want(isWanted) {
        if (isWanted === this.#isWanted) return;
        this.#isWanted = isWanted;
        if (!isWanted) return this.#close();
        write(this.#hint, say("previewStarting"));
        // Most pages that are loaded show no picture.
        const [release, player] = await Promise.all([place(), import("./player.js").catch(() => null)]);
        // It may be unwanted again meanwhile.
        if (!this.#isWanted || this.#player) return release?.();
        if (!player) {
            release?.();
            return this.#show("stopped");
        }
        if (!release) {
            this.#isWanted = false;
            return write(this.#hint, say("previewElsewhere"));
        }
        this.#release = release;
        const path = `api/takes/${encodeURIComponent(this.#take)}/samples`;
        const elements = { canvas: this.#canvas, video: this.#video };
        this.#player = new player.StreamPlayer(path, { headers: headers(), credentials: "same-origin" }, elements, null, {
            show: (state) => this.#show(state),
            opened: (player) => player.setAudio(false),
        });
        this.#player.run();
    }

    #show(state) {
        this.element.dataset.state = state;
        write(this.#hint, troubles.includes(state) ? say(`preview.${state}`) : "");
    }

    #close() {
        this.#player?.close();
        this.#player = undefined;
        this.#release?.();
        this.#release = undefined;
        write(this.#hint, "");
    }
}

/** Takes one of the places that all windows of a browser share. The result frees it; undefined: there is none. */
async function place() {
    if (!navigator.locks) return () => {};
    for (let number = 0; number < most; number += 1) {
        const release = await new Promise((resolve) => {
            navigator.locks.request(`kinecast-preview-${number}`, { ifAvailable: true }, (lock) => {
                if (!lock) return resolve();
                return new Promise((end) => resolve(end));
            });
        });
        if (release) return release;
    }
}
