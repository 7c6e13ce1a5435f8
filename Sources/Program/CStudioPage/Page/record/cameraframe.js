// @ts-check
// A camera's place in a picture, which a person drags and resizes.
import { make } from "../shared/elements.js";
import { follow, setBounds, within } from "../shared/pointer.js";
import { say } from "../words/words.js";

/** @type {CameraLayout} The camera's place at first. */
export const usual = { x: 1, y: 1, size: 0.25, shape: "rounded", isMirrored: false };
// The part of the picture's smaller side that stays free, as in the engine.
const margin = 0.02;
const smallest = 0.05;
// What keys change: x, y and the size.
/** @type {{ [key: string]: number[] }} */
const keys = {
  ArrowLeft: [-0.02, 0, 0], ArrowRight: [0.02, 0, 0], ArrowUp: [0, -0.02, 0], ArrowDown: [0, 0.02, 0],
  "+": [0, 0, 0.02], "=": [0, 0, 0.02], "-": [0, 0, -0.02],
};

/**
 * A frame with its `element`, whose parent covers the picture. `changed` gets each layout that the person chooses, and
 * `true` at a movement's end.
 * @param {(layout: CameraLayout, isFinal: boolean) => void} changed
 */
export function makeFrame(changed) {
  const handle = make("span.handle");
  const attributes = { type: "button", "aria-label": say("moveCamera"), pointerdown: hold, keydown: press };
  const element = make("button.camera-frame", attributes, handle);
  let layout = usual;
  let camera = { width: 4, height: 3 };
  let isHeld = false;

  /** Shows the place again, in a picture of another shape. */
  function update() {
    const { picture, ...box } = measure();
    if (!box.width || !box.height) return;
    const { x, y, shape } = layout;
    setBounds(element, box, picture);
    Object.assign(element.dataset, { shape, horizontal: x > 0.5 ? "right" : "left", vertical: y > 0.5 ? "bottom" : "top" });
  }

  /** The place in the parent's pixels, and the ranges in which it can be moved. */
  function measure() {
    const { clientWidth = 0, clientHeight = 0 } = element.parentElement ?? {};
    const shape = layout.shape === "circle" ? { width: 1, height: 1 } : camera;
    const scale = Math.min(clientWidth / shape.width, clientHeight * layout.size / shape.height);
    const [width, height] = [shape.width * scale, shape.height * scale];
    /** @param {number} length @param {number} whole */
    const range = (length, whole) => {
      const kept = Math.min(Math.min(clientWidth, clientHeight) * margin, (whole - length) / 2);
      return { kept, length: whole - length - 2 * kept };
    };
    const [across, down] = [range(width, clientWidth), range(height, clientHeight)];
    const [x, y] = [across.kept + across.length * layout.x, down.kept + down.length * layout.y];
    return { x, y, width, height, across, down, picture: { width: clientWidth, height: clientHeight } };
  }

  /** @param {PointerEvent} event */
  function hold(event) {
    if (event.button !== 0) return;
    element.focus();
    const [first, before] = [measure(), layout];
    isHeld = true;
    follow(element, event, (_, dx, dy) => {
      if (event.target === handle) resize(first, before, before.y > 0.5 ? -dy : dy);
      else move(first.x + dx, first.y + dy);
      changed(layout, false);
    }, () => {
      isHeld = false;
      if (layout !== before) changed(layout, true);
    });
  }

  /** @param {number} left @param {number} top */
  function move(left, top) {
    const { across, down } = measure();
    /** @param {number} position @param {{ kept: number, length: number }} range */
    const part = (position, { kept, length }) => length > 0 ? within((position - kept) / length, 0, 1) : 0;
    layout = { ...layout, x: part(left, across), y: part(top, down) };
    update();
  }

  /**
   * The corner that is farther from the picture's middle stays where it is.
   * @param {ReturnType<measure>} first
   * @param {CameraLayout} before
   * @param {number} growth
   */
  function resize(first, before, growth) {
    layout = { ...before, size: within(before.size + growth / first.picture.height, smallest, 1) };
    const { width, height } = measure();
    move(before.x > 0.5 ? first.x + first.width - width : first.x, before.y > 0.5 ? first.y + first.height - height : first.y);
  }

  /** @param {KeyboardEvent} event */
  function press(event) {
    if (!keys[event.key]) return;
    event.preventDefault();
    const [right, down, growth] = keys[event.key];
    if (growth) resize(measure(), layout, growth * measure().picture.height);
    else layout = { ...layout, x: within(layout.x + right, 0, 1), y: within(layout.y + down, 0, 1) };
    update();
    changed(layout, true);
  }

  return {
    element, update,
    /**
     * Shows a layout. `size`: the width and height of the camera's own frames, if they are known.
     * @param {CameraLayout} newest
     * @param {Size} size
     */
    show(newest, size = camera) {
      // A movement goes on from what the person sees.
      if (isHeld) return;
      layout = newest;
      camera = size;
      update();
    },
  };
}

/**
 * Lays a frame over a take's picture in `preview`. `change` gets the layout that the person has chosen.
 * @param {HTMLElement} preview
 * @param {(layout: CameraLayout) => unknown} change
 */
export function frameOver(preview, change) {
  const frame = makeFrame((layout, isFinal) => { if (isFinal) change(layout); });
  const cover = make("div.over", {}, frame.element);
  /** @type {HTMLElement[]} */
  const pictures = [...preview.querySelectorAll(/** @type {"canvas"} */ ("canvas, video"))];
  preview.append(cover);
  const observer = new ResizeObserver(() => {
    const picture = pictures.find(({ hidden }) => !hidden);
    cover.hidden = !picture;
    if (!picture) return;
    const { offsetLeft: x, offsetTop: y, offsetWidth: width, offsetHeight: height } = picture;
    setBounds(cover, { x, y, width, height }, { width: preview.clientWidth, height: preview.clientHeight });
    frame.update();
  });
  for (const picture of [preview, ...pictures]) observer.observe(picture);
  /**
   * Shows the place of a take's camera; undefined: none.
   * @param {TakeCamera} [camera]
   * @param {Size} [size]
   */
  return (camera, size) => {
    frame.element.hidden = !camera;
    if (camera) frame.show(camera.layout, size ?? undefined);
  };
}
