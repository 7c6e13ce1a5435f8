// @ts-check
// The posters of recordings, each loaded once its place is seen.
import { make } from "../shared/elements.js";
import { getImage, post } from "../shared/session.js";
import { lengthOf, pathOf } from "./recordings.js";

// Making one takes the server time, and other requests need the browser's connections.
const most = 2;

/**
 * A frame of a video that Kinecast did not make, as the browser reads it with its length; undefined: it plays no such video.
 * @param {Recording} recording
 */
async function readVideo(recording) {
  const opened = await post(`${pathOf(recording)}/open`).catch(() => null);
  // The first frame is often black.
  const video = make("video", { preload: "auto", src: opened && `${opened.address}#t=1` });
  if (opened) await new Promise((done) => { for (const type of ["loadeddata", "error"]) video.addEventListener(type, done); });
  const { videoWidth: width, videoHeight: height } = video;
  const picture = make("canvas", { width: 384, height: Math.round(384 * height / width) || 0 });
  picture.getContext("2d")?.drawImage(video, 0, 0, picture.width, picture.height);
  lengthOf(recording, video.duration);
  video.removeAttribute("src");
  video.load();
  return width ? picture : undefined;
}

export class Posters {
  // By place. A new version of the file is a new poster.
  /** @type {Map<Element, { recording: Recording, found: () => void, isSeen?: boolean, isWanted: boolean }>} */
  #posters = new Map();
  #running = 0;
  #observer = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) Object.assign(this.#posters.get(target) ?? {}, { isSeen: isIntersecting });
    this.#run();
  }, { rootMargin: "100px" });

  /**
   * Shows the poster of a recording in a place. `found` is called when its length may have been found, too.
   * @param {Element} place
   * @param {Recording} recording
   * @param {() => void} found
   */
  show(place, recording, found) {
    const old = this.#posters.get(place);
    if (old?.recording.version === recording.version) return;
    this.#posters.set(place, { recording, found, isSeen: old?.isSeen, isWanted: true });
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
    const { recording } = poster;
    const image = await (recording.state === "foreign" ? readVideo(recording) : getImage(`${pathOf(recording)}/poster`));
    poster.found();
    if (image && this.#posters.get(place) === poster) place.replaceChildren(image);
    this.#running -= 1;
    this.#run();
  }
}
