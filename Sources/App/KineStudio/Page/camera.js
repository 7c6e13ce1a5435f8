// The choice of a camera for a recording: its picture at its place in the source's picture.
import { CameraFrame } from "./cameraframe.js";
import { button, choice, make, offer, pick, write } from "./elements.js";
import { getFile } from "./session.js";
import { say } from "./words.js";

const shapes = ["rounded", "rectangle", "circle"];
const usual = { x: 1, y: 1, size: 0.25, shape: "rounded", isMirrored: false };

export class CameraChoice {
    #select = choice(say("camera"));
    field = this.#select.field;
    #shape = choice(say("shape"));
    #mirror = make("input", { type: "checkbox" });
    #frame = new CameraFrame((layout) => { this.#layout = layout; });
    #image = make("img", { alt: "", hidden: true });
    #background = make("canvas");
    #stage = make("div", { class: "stage" }, this.#background, this.#frame.element);
    #open;
    #hint = make("p", { class: "hint", role: "status" });
    element;
    #layout = usual;
    // A camera is not opened because it was used last time.
    #isOpen = false;
    #picture;
    // Whether a camera would be shown if the request had none.
    #isConfigured = false;

    /** `changed` is called when another camera has to be shown. */
    constructor(changed) {
        const mirror = make("label", { class: "box" }, this.#mirror, make("span", {}, say("mirror")));
        this.#open = button(say("openCamera"), () => this.#choose(changed), () => {});
        this.element = make(
            "div", { class: "camera", hidden: true }, this.#stage,
            make("div", { class: "looks" }, this.#shape.field, mirror, this.#open), this.#hint);
        this.#frame.element.prepend(this.#image);
        offer(this.#shape.select, shapes.map((shape) => [shape, say(`shape.${shape}`)]));
        this.#select.select.addEventListener("change", () => this.#choose(changed));
        this.#shape.select.addEventListener("change", () => this.#look());
        this.#mirror.addEventListener("change", () => this.#look());
    }

    /** The request's keys. */
    get request() {
        const { value } = this.#select.select;
        if (value !== "none") return { camera: value, cameraLayout: this.#layout };
        return this.#isConfigured ? { camera: value } : {};
    }

    /** The camera to show; undefined: none, or the person has not asked for it. */
    get shown() { return this.#isOpen && this.request.cameraLayout ? this.request.camera : undefined; }

    offer(cameras) {
        offer(this.#select.select, [["none", say("noCamera")], ...cameras.map(({ name }) => [name, name])]);
        this.#update();
    }

    show(chosen, configured) {
        const device = chosen.camera ?? configured.camera ?? "none";
        this.#isConfigured = device !== "none" || configured.camera != null;
        pick(this.#select.select, device, device === "none" ? say("noCamera") : device);
        this.#layout = { ...usual, ...configured.cameraLayout, ...chosen.cameraLayout };
        this.#update();
    }

    /** Shows the source's picture, an image, under the camera. */
    setSource({ image, width, height }) {
        this.#stage.style.aspectRatio = `${width} / ${height}`;
        const canvas = this.#background;
        if (image) {
            Object.assign(canvas, { width: image.naturalWidth ?? image.width, height: image.naturalHeight ?? image.height });
            canvas.getContext("2d").drawImage(image, 0, 0);
        }
        canvas.hidden = !image;
        this.#frame.update();
    }

    /** What the survey says of the camera. */
    async setCamera({ picture, width, height, problem }) {
        if (problem) write(this.#hint, problem);
        if (picture == null || !this.shown) return this.#forget();
        this.#picture = picture;
        const file = await getFile(`api/pictures/${picture}`).catch(() => null);
        if (!file || this.#picture !== picture) return;
        const address = URL.createObjectURL(file);
        this.#image.src = address;
        await this.#image.decode().catch(() => {});
        URL.revokeObjectURL(address);
        this.#image.hidden = !this.shown;
        write(this.#hint, "");
        this.#frame.show(this.#layout, { width, height });
    }

    #forget() {
        this.#picture = undefined;
        this.#image.hidden = true;
    }

    #choose(changed) {
        this.#isOpen = true;
        this.#forget();
        this.#update();
        changed();
    }

    #look() {
        this.#layout = { ...this.#layout, shape: this.#shape.select.value, isMirrored: this.#mirror.checked };
        this.#update();
    }

    #update() {
        const isChosen = this.#select.select.value !== "none";
        this.field.hidden = this.#select.select.options.length < 2;
        this.element.hidden = !isChosen;
        this.#open.hidden = this.#isOpen;
        this.#shape.select.value = this.#layout.shape;
        this.#mirror.checked = this.#layout.isMirrored;
        this.#image.classList.toggle("mirrored", this.#layout.isMirrored);
        if (isChosen && this.#isOpen && this.#image.hidden) write(this.#hint, say("cameraStarting"));
        this.#frame.show(this.#layout);
    }
}
