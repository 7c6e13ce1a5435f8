// A camera's place in a picture, which a person drags and resizes. Its parent covers the picture.
import { make } from "./elements.js";
import { say } from "./words.js";

// The part of the picture's smaller side that stays free, as the engine has it.
const margin = 0.02;
// By a key.
const step = 0.02;
const smallest = 0.05;
const moves = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, -step], ArrowDown: [0, step] };
const sizes = { "+": step, "=": step, "-": -step };

const within = (value, low, high) => Math.min(Math.max(value, low), high);

export class CameraFrame {
    #handle = make("span", { class: "handle" });
    element = make("button", { type: "button", class: "camera-frame", "aria-label": say("moveCamera") }, this.#handle);
    #changed;
    #layout = { x: 1, y: 1, size: 0.25, shape: "rounded", isMirrored: false };
    #camera = { width: 4, height: 3 };
    #isHeld = false;

    /** `changed` gets each layout that the person chooses, the last one of a movement with `true`. */
    constructor(changed) {
        this.#changed = changed;
        this.element.addEventListener("pointerdown", (event) => this.#hold(event));
        this.element.addEventListener("keydown", (event) => this.#press(event));
    }

    get layout() { return this.#layout; }

    /** Shows a layout. `camera`: the width and height of the camera's own frames, if they are known. */
    show(layout, camera) {
        // A movement goes on from what the person sees.
        if (this.#isHeld) return;
        this.#layout = layout;
        if (camera) this.#camera = camera;
        this.update();
    }

    /** Shows the place again, in a picture of another shape. */
    update() {
        const box = this.#box;
        if (!box.width || !box.height) return;
        const { style, dataset } = this.element;
        const { x, y, shape } = this.#layout;
        style.left = `${100 * box.left / box.picture.width}%`;
        style.top = `${100 * box.top / box.picture.height}%`;
        style.width = `${100 * box.width / box.picture.width}%`;
        style.height = `${100 * box.height / box.picture.height}%`;
        Object.assign(dataset, { shape, horizontal: x > 0.5 ? "right" : "left", vertical: y > 0.5 ? "bottom" : "top" });
    }

    /** The place in the parent's pixels, with the free space on both sides. */
    get #box() {
        const { clientWidth: width = 0, clientHeight: height = 0 } = this.element.parentElement ?? {};
        const { x, y, size, shape } = this.#layout;
        const side = { width, height: height * size };
        if (shape === "circle") side.width = side.height = Math.min(side.width, side.height);
        else {
            const scale = Math.min(side.width / this.#camera.width, side.height / this.#camera.height);
            Object.assign(side, { width: this.#camera.width * scale, height: this.#camera.height * scale });
        }
        const range = (length, whole) => {
            const kept = Math.min(Math.min(width, height) * margin, (whole - length) / 2);
            return { kept, length: whole - length - 2 * kept };
        };
        const [across, down] = [range(side.width, width), range(side.height, height)];
        const [left, top] = [across.kept + across.length * x, down.kept + down.length * y];
        return { ...side, left, top, across, down, picture: { width, height } };
    }

    #hold(event) {
        if (event.button !== 0) return;
        event.preventDefault();
        this.element.focus();
        const { element } = this;
        const isSize = event.target === this.#handle;
        const [first, layout] = [this.#box, this.#layout];
        element.setPointerCapture(event.pointerId);
        this.#isHeld = true;
        const move = ({ clientX, clientY }) => {
            const [dx, dy] = [clientX - event.clientX, clientY - event.clientY];
            if (isSize) this.#resize(first, layout, layout.y > 0.5 ? -dy : dy);
            else this.#place(first.left + dx, first.top + dy);
            this.#changed(this.#layout, false);
        };
        const end = () => {
            element.removeEventListener("pointermove", move);
            this.#isHeld = false;
            if (this.#layout !== layout) this.#changed(this.#layout, true);
        };
        element.addEventListener("pointermove", move);
        element.addEventListener("lostpointercapture", end, { once: true });
    }

    #place(left, top) {
        const { across, down } = this.#box;
        const part = (position, { kept, length }) => length > 0 ? within((position - kept) / length, 0, 1) : 0;
        this.#layout = { ...this.#layout, x: part(left, across), y: part(top, down) };
        this.update();
    }

    /** The corner that is farther from the picture's middle stays where it is. */
    #resize(first, layout, growth) {
        const size = within(layout.size + growth / first.picture.height, smallest, 1);
        this.#layout = { ...layout, size };
        const { width, height } = this.#box;
        this.#place(
            layout.x > 0.5 ? first.left + first.width - width : first.left,
            layout.y > 0.5 ? first.top + first.height - height : first.top);
    }

    #press(event) {
        const move = moves[event.key];
        const growth = sizes[event.key];
        if (!move && !growth) return;
        event.preventDefault();
        const { x, y } = this.#layout;
        if (move) this.#layout = { ...this.#layout, x: within(x + move[0], 0, 1), y: within(y + move[1], 0, 1) };
        else this.#resize(this.#box, this.#layout, growth * this.#box.picture.height);
        this.update();
        this.#changed(this.#layout, true);
    }
}
