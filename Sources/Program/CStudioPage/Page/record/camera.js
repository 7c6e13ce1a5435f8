// @ts-check
// The picture of what will be recorded, and the choice of a camera that stands in it.
import { button, checkbox, choice, hint, make, setOptions, setText } from "../shared/elements.js";
import { on } from "../shared/events.js";
import { getImage } from "../shared/session.js";
import { say } from "../words/words.js";
import { makeFrame, usual } from "./cameraframe.js";
import { listRow } from "./rows.js";

const shapes = ["rounded", "rectangle", "circle"];

/**
 * The source's picture with the camera in `stage`, and the camera's row in `element`. `changed` is called when another camera has
 * to be shown.
 * @param {() => void} changed
 */
export function makeCameraChoice(changed) {
  let layout = usual;
  // A camera is not opened because it was used last time.
  let isOpen = false;
  // The number of the picture that is shown, or will be.
  /** @type {number | undefined} */
  let number;
  // Whether a camera would be shown if the request had none.
  let isConfigured = false;
  const shape = choice(say("shape"), look);
  const mirror = checkbox(say("mirror"), false, look);
  const open = button(say("openCamera"), choose);
  const text = hint();
  const looks = make("div.looks", {}, shape.field, mirror.label, open, text);
  const list = listRow("camera", say("camera"), say("whichCamera"), "none", choose, looks);
  const frame = makeFrame((chosen) => { layout = chosen; });
  const background = make("canvas");
  const noPicture = make("p.hint", {}, say("noPicture"));
  const stage = make("div.stage", {}, noPicture, background, frame.element);
  /** @type {HTMLImageElement} */
  let image = make("img", { alt: "", hidden: true });
  frame.element.prepend(image);
  setOptions(shape.select, shapes.map((shape) => [shape, say(`shape.${shape}`)]));
  on("camera", async ({ picture, width, height, problem }) => {
    if (problem) setText(text, problem);
    if (picture == null || !shown()) return forget();
    number = picture;
    const newest = await getImage(`api/pictures/${picture}`);
    if (!newest || number !== picture) return;
    image.replaceWith(newest);
    image = newest;
    setText(text, "");
    frame.show(layout, width && height ? { width, height } : undefined);
  });

  /** The camera to show; undefined: none, or the person has not asked for it. */
  function shown() { return isOpen && list.value !== "none" ? list.value : undefined; }

  function forget() {
    number = undefined;
    image.hidden = true;
  }

  function choose() {
    isOpen = true;
    forget();
    setText(text, say("cameraStarting"));
    update();
    changed();
  }

  function look() {
    layout = { ...layout, shape: /** @type {typeof usual.shape} */ (shape.select.value), isMirrored: mirror.input.checked };
    update();
  }

  function update() {
    list.element.hidden = list.isEmpty;
    looks.hidden = frame.element.hidden = list.value === "none";
    open.hidden = isOpen;
    shape.select.value = layout.shape;
    mirror.input.checked = layout.isMirrored;
    frame.element.classList.toggle("mirrored", layout.isMirrored);
    frame.show(layout);
  }

  return {
    element: list.element, stage,
    get shown() { return shown(); },
    /** The request's keys. */
    get request() {
      const camera = list.value;
      if (camera !== "none") return { camera, cameraLayout: layout };
      return isConfigured ? { camera } : {};
    },
    /** @param {Device[]} cameras */
    setCameras(cameras) {
      list.offer(cameras.map(({ name }) => [name, name]));
      update();
    },
    /** @param {Choice} chosen @param {Choice} configured */
    show(chosen, configured) {
      const device = chosen.camera ?? configured.camera ?? "none";
      isConfigured = device !== "none" || configured.camera != null;
      list.choose(device);
      layout = { ...usual, ...configured.cameraLayout, ...chosen.cameraLayout };
      update();
    },
    /**
     * Shows the source's picture under the camera.
     * @param {Size & { image?: HTMLImageElement | HTMLCanvasElement }} picture
     */
    setSource({ image, width, height }) {
      stage.style.setProperty("--ratio", String(width / height));
      background.hidden = !(noPicture.hidden = !!image);
      if (image) {
        const from = image instanceof HTMLImageElement ? { width: image.naturalWidth, height: image.naturalHeight } : image;
        [background.width, background.height] = [from.width, from.height];
        background.getContext("2d")?.drawImage(image, 0, 0);
      }
      frame.update();
    },
  };
}
