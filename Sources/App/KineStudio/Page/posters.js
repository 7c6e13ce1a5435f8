// The posters of recordings, each loaded once its place is seen.
import { make } from "./elements.js";
import { getFile } from "./session.js";

// Making one takes the server time, and other requests need the browser's connections.
const most = 2;

export class Posters {
    #wanted = new Map();
    #running = 0;
    #observer = new IntersectionObserver((entries) => {
        for (const { target, isIntersecting } of entries) {
            const place = this.#places.get(target);
            if (place) place.isSeen = isIntersecting;
        }
        this.#run();
    }, { rootMargin: "100px" });
    #places = new Map();

    /** Shows the poster of a path in a place. `version`: another one is loaded again. */
    show(place, path, version) {
        const known = this.#places.get(place);
        if (known?.version === version) return;
        this.#places.set(place, { path, version, isSeen: known?.isSeen ?? false });
        this.#wanted.set(place, version);
        if (!known) this.#observer.observe(place);
        this.#run();
    }

    forget(place) {
        this.#observer.unobserve(place);
        this.#places.delete(place);
        this.#wanted.delete(place);
    }

    async #run() {
        const next = [...this.#wanted.keys()].find((place) => this.#places.get(place).isSeen);
        if (!next || this.#running >= most) return;
        const { path, version } = this.#places.get(next);
        this.#wanted.delete(next);
        this.#running += 1;
        const file = await getFile(path).catch(() => null);
        if (file && this.#places.get(next)?.version === version) await draw(next, file);
        this.#running -= 1;
        this.#run();
    }
}

async function draw(place, file) {
    const image = make("img", { src: URL.createObjectURL(file), alt: "" });
    await image.decode().catch(() => {});
    URL.revokeObjectURL(image.src);
    place.replaceChildren(image);
}
