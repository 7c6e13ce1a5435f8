// @ts-check
// The choice of a camera for a recording: its picture at its place in the source's picture.
import { button, checkbox, choice, hint, make, pick, setOptions, setText } from "../shared/elements.js";
import { on } from "../shared/events.js";
import { getImage } from "../shared/session.js";
import { say } from "../words/words.js";
import { makeFrame, usual } from "./cameraframe.js";

const shapes = ["rounded", "rectangle", "circle"];

/**
 * A list in `field`, and the camera's picture in `element`. `changed` is called when another camera has to be shown.
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
  const list = choice(say("camera"), choose);
  const shape = choice(say("shape"), look);
  const mirror = checkbox(say("mirror"), false, look);
  const open = button(say("openCamera"), choose);
  const text = hint();
  const frame = makeFrame((chosen) => { layout = chosen; });
  const background = make("canvas");
  const stage = make("div.stage", {}, background, frame.element);
  const element = make(
    "div.camera", { hidden: true }, stage, make("div.looks", {}, shape.field, mirror.label, open), text);
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
  function shown() { return isOpen && list.select.value !== "none" ? list.select.value : undefined; }

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
    const isChosen = list.select.value !== "none";
    list.field.hidden = list.select.options.length < 2;
    element.hidden = !isChosen;
    open.hidden = isOpen;
    shape.select.value = layout.shape;
    mirror.input.checked = layout.isMirrored;
    frame.element.classList.toggle("mirrored", layout.isMirrored);
    frame.show(layout);
  }

  return {
    element, field: list.field,
    get shown() { return shown(); },
    /** The request's keys. */
    get request() {
      const camera = list.select.value;
      if (camera !== "none") return { camera, cameraLayout: layout };
      return isConfigured ? { camera } : {};
    },
    /** @param {Device[]} cameras */
    setCameras(cameras) {
      setOptions(list.select, [["none", say("none")], ...cameras.map(({ name }) => [name, name])]);
      update();
    },
    /** @param {Choice} chosen @param {Choice} configured */
    show(chosen, configured) {
      const device = chosen.camera ?? configured.camera ?? "none";
      isConfigured = device !== "none" || configured.camera != null;
      pick(list.select, device, device === "none" ? say("none") : device);
      layout = { ...usual, ...configured.cameraLayout, ...chosen.cameraLayout };
      update();
    },
    /**
     * Shows the source's picture, an image, under the camera.
     * @param {Size & { image?: Element | null }} picture
     */
    setSource({ image, width, height }) {
      stage.style.aspectRatio = `${width} / ${height}`;
      background.hidden = !image;
      if (image instanceof HTMLImageElement || image instanceof HTMLCanvasElement) {
        const from = image instanceof HTMLImageElement ? { width: image.naturalWidth, height: image.naturalHeight } : image;
        [background.width, background.height] = [from.width, from.height];
        background.getContext("2d")?.drawImage(image, 0, 0);
      }
      frame.update();
    },
  };
}
