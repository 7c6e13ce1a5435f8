// @ts-check
// Rectangles in a picture, and the pointer that moves them.

/** @param {number} value @param {number} low @param {number} high */
export const within = (value, low, high) => Math.min(Math.max(value, low), high);

/**
 * Places an element at a rectangle of its parent, in the units of the parent's width and height.
 * @param {HTMLElement} element
 * @param {Rectangle} bounds
 * @param {Size} whole
 */
export function setBounds(element, { x, y, width, height }, whole) {
  /** @param {number} value @param {number} all */
  const part = (value, all) => `${100 * value / all}%`;
  Object.assign(element.style, {
    left: part(x, whole.width), top: part(y, whole.height), width: part(width, whole.width), height: part(height, whole.height),
  });
}

/**
 * Follows a pointer that presses on an element: `move` gets its events and its way in CSS pixels, `end` is called after them.
 * @param {HTMLElement} element
 * @param {PointerEvent} pressed
 * @param {(event: PointerEvent, across: number, down: number) => void} move
 * @param {() => void} end
 */
export function follow(element, pressed, move, end) {
  /** @param {PointerEvent} event */
  const moved = (event) => move(event, event.clientX - pressed.clientX, event.clientY - pressed.clientY);
  pressed.preventDefault();
  element.setPointerCapture(pressed.pointerId);
  element.addEventListener("pointermove", moved);
  element.addEventListener("lostpointercapture", () => {
    element.removeEventListener("pointermove", moved);
    end();
  }, { once: true });
}
