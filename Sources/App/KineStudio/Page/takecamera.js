// The camera of a running take: a frame over the take's picture, which moves and resizes it.
import { CameraFrame } from "./cameraframe.js";
import { make } from "./elements.js";

export class TakeCamera {
    #element = make("div", { class: "over" });
    #frame;
    #pictures;

    /** `preview`: the element with the take's picture. `change` gets the layout that the person has chosen. */
    constructor(preview, change) {
        this.#frame = new CameraFrame((layout, isFinal) => { if (isFinal) change(layout); });
        this.#element.append(this.#frame.element);
        this.#pictures = [...preview.querySelectorAll("canvas, video")];
        preview.append(this.#element);
        const observer = new ResizeObserver(() => this.#cover());
        for (const picture of [preview, ...this.#pictures]) observer.observe(picture);
    }

    /** Shows the frame of a take's camera; null: none. */
    show(camera, size) {
        this.#frame.element.hidden = !camera;
        if (camera) this.#frame.show(camera.layout, size);
    }

    #cover() {
        const picture = this.#pictures.find(({ hidden }) => !hidden);
        this.#element.hidden = !picture;
        if (!picture) return;
        const { offsetLeft, offsetTop, offsetWidth, offsetHeight } = picture;
        Object.assign(this.#element.style, {
            left: `${offsetLeft}px`, top: `${offsetTop}px`, width: `${offsetWidth}px`, height: `${offsetHeight}px`,
        });
        this.#frame.update();
    }
}
