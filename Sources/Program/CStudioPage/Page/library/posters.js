// @ts-check
// The posters of recordings, each loaded once its place is seen.
import { getImage } from "../shared/session.js";

// Making one takes the server time, and other requests need the browser's connections.
const most = 2;

export class Posters {
  // By place. `version`: the file's; a new version is a new poster.
  /** @type {Map<Element, { path: string, version: string, isSeen?: boolean, isWanted: boolean }>} */
  #posters = new Map();
  #running = 0;
  #observer = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) Object.assign(this.#posters.get(target) ?? {}, { isSeen: isIntersecting });
    this.#run();
  }, { rootMargin: "100px" });

  /**
   * Shows the poster of a path in a place.
   * @param {Element} place
   * @param {string} path
   * @param {string} version
   */
  show(place, path, version) {
    const old = this.#posters.get(place);
    if (old?.version === version) return;
    this.#posters.set(place, { path, version, isSeen: old?.isSeen, isWanted: true });
    if (!old) this.#observer.observe(place);
    this.#run();
  }

  /** @param {Element} place */
  forget(place) {
    this.#observer.unobserve(place);
    this.#posters.delete(place);
  }

  async #run() {
    const found = [...this.#posters].find(([, { isSeen, isWanted }]) => isSeen && isWanted);
    if (!found || this.#running >= most) return;
    const [place, poster] = found;
    poster.isWanted = false;
    this.#running += 1;
    const image = await getImage(poster.path);
    if (image && this.#posters.get(place) === poster) place.replaceChildren(image);
    this.#running -= 1;
    this.#run();
  }
}
