// @ts-check
// A dialog in which a region is drawn on a monitor's picture.
import { choose } from "../shared/dialogs.js";
import { choice, field, hint, make, setOptions } from "../shared/elements.js";
import { on } from "../shared/events.js";
import { follow, setBounds, within } from "../shared/pointer.js";
import { getImage, post } from "../shared/session.js";
import { say } from "../words/words.js";

const smallest = 16;
/** @type {(keyof Rectangle)[]} */
const sides = ["x", "y", "width", "height"];

/**
 * The region that the person draws, with a picture of it; undefined if the dialog is closed.
 * @param {Monitor[]} monitors
 */
export async function draw(monitors) {
  /** @type {Monitor} */
  let monitor;
  /** @type {Rectangle} */
  let rect;
  /** @type {HTMLImageElement} */
  let image = make("img", { alt: "" });
  const handle = make("span.handle");
  const shown = make("div.region", {}, handle);
  const stage = make("div.stage.drawing", { pointerdown: press }, image, shown);
  const list = choice(say("onMonitor"), () => show(list.select.value));
  // An invalid number becomes the least.
  const read = () => {
    const [left, top, wide, high] = inputs.map(({ value }) => Number(value) || 0);
    set(left, top, wide, high);
  };
  const inputs = sides.map(() => make("input", { type: "number", min: 0, change: read }));
  const fields = sides.map((side, index) => field(say(`region.${side}`), inputs[index]));
  setOptions(list.select, monitors.map(({ name }) => [name, name]));
  list.field.hidden = monitors.length < 2;

  /** @param {string} name */
  function show(name) {
    monitor = monitors.find((monitor) => monitor.name === name) ?? monitors[0];
    const { width, height } = monitor.bounds;
    stage.style.aspectRatio = `${width} / ${height}`;
    stage.style.maxWidth = `${60 * width / height}vh`;
    image.removeAttribute("src");
    set(width / 4, height / 4, width / 2, height / 2);
    post("api/stills", { monitor: name }).catch(() => {});
  }

  /** @param {number} left @param {number} top @param {number} wide @param {number} high */
  function set(left, top, wide, high) {
    const { bounds } = monitor;
    const [width, height] = [within(wide, smallest, bounds.width), within(high, smallest, bounds.height)].map(Math.round);
    const [x, y] = [within(left, 0, bounds.width - width), within(top, 0, bounds.height - height)].map(Math.round);
    rect = { x, y, width, height };
    sides.forEach((side, index) => { inputs[index].value = String(rect[side]); });
    setBounds(shown, rect, bounds);
  }

  /**
   * The handle resizes the region, dragging it moves it, and dragging elsewhere draws a new one.
   * @param {PointerEvent} event
   */
  function press(event) {
    if (event.button !== 0) return;
    const box = stage.getBoundingClientRect();
    const scale = monitor.bounds.width / box.width;
    const [left, top] = [(event.clientX - box.left) * scale, (event.clientY - box.top) * scale];
    const { x, y, width, height } = rect;
    follow(stage, event, (_, across, down) => {
      const [dx, dy] = [across * scale, down * scale];
      if (event.target === handle) set(x, y, width + dx, height + dy);
      else if (event.target === shown) set(x + dx, y + dy, width, height);
      else set(left + Math.min(dx, 0), top + Math.min(dy, 0), Math.abs(dx), Math.abs(dy));
    });
  }

  /** @returns {Source & { image?: HTMLElement }} */
  function chosen() {
    const { x, y, width, height } = rect;
    const { bounds } = monitor;
    return { source: "region", name: `${width}x${height}+${x + bounds.x}+${y + bounds.y}`, image: cut() };
  }

  function cut() {
    const scale = image.naturalWidth / monitor.bounds.width;
    if (!scale) return;
    const [width, height] = [rect.width, rect.height].map((side) => Math.max(1, side * scale | 0));
    const canvas = make("canvas", { width, height });
    canvas.getContext("2d")?.drawImage(image, -rect.x * scale, -rect.y * scale);
    return canvas;
  }

  const end = on("still", async (still) => {
    const newest = still.monitor === monitor.name && await getImage(`api/pictures/${still.picture}`);
    if (!newest || still.monitor !== monitor.name) return;
    newest.draggable = false;
    image.replaceWith(newest);
    image = newest;
  });
  show(monitors[0].name);
  const content = make("div", {}, list.field, hint(say("drawRegionHint")), stage, make("div.fields.corners", {}, ...fields));
  const drawn = await choose(say("drawRegion"), say("useRegion"), content, chosen);
  end();
  return drawn;
}
