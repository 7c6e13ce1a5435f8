// A dialog in which a region is drawn on a monitor's picture.
import { choose } from "./dialogs.js";
import { choice, make, offer } from "./elements.js";
import { getFile, post } from "./session.js";
import { say } from "./words.js";

const smallest = 16;
const sides = ["x", "y", "width", "height"];
const within = (value, low, high) => Math.min(Math.max(Math.round(value), low), Math.max(low, high));

class Region {
    #monitors;
    #monitor;
    #rect;
    #image = make("img", { alt: "", draggable: "false" });
    #handle = make("span", { class: "handle" });
    #shown = make("div", { class: "region" }, this.#handle);
    #stage = make("div", { class: "stage drawing" }, this.#image, this.#shown);
    #lists = choice(say("onMonitor"));
    #inputs = sides.map((side) => make("input", { type: "number", min: 0, "aria-label": say(`region.${side}`) }));
    #hint = make("p", { class: "hint", role: "status" }, say("drawRegionHint"));

    constructor(monitors) {
        this.#monitors = monitors;
        offer(this.#lists.select, monitors.map(({ name }) => [name, name]));
        this.#lists.field.hidden = monitors.length < 2;
        this.#lists.select.addEventListener("change", () => this.#choose(this.#lists.select.value));
        this.#stage.addEventListener("pointerdown", (event) => this.#draw(event));
        for (const input of this.#inputs) {
            input.addEventListener("change", () => this.#set(Object.fromEntries(
                sides.map((side, index) => [side, Number(this.#inputs[index].value)]))));
        }
        this.#choose(monitors[0].name);
    }

    get content() {
        const fields = sides.map((side, index) =>
            make("label", { class: "field" }, make("span", {}, say(`region.${side}`)), this.#inputs[index]));
        return [this.#lists.field, this.#hint, this.#stage, make("div", { class: "fields corners" }, ...fields)];
    }

    /** The monitor's picture is there. */
    async showStill({ monitor, picture }) {
        if (monitor !== this.#monitor.name) return;
        const file = await getFile(`api/pictures/${picture}`).catch(() => null);
        if (!file) return;
        const address = URL.createObjectURL(file);
        this.#image.src = address;
        await this.#image.decode().catch(() => {});
        URL.revokeObjectURL(address);
    }

    /** The request's `source` and `name`, and a picture of the region. */
    get chosen() {
        const { x, y, width, height } = this.#rect;
        const { bounds } = this.#monitor;
        const [left, top] = [x + bounds.x, y + bounds.y];
        return { source: "region", name: `${width}x${height}+${left}+${top}`, image: this.#cut };
    }

    get #cut() {
        const { naturalWidth } = this.#image;
        if (!naturalWidth) return undefined;
        const scale = naturalWidth / this.#monitor.bounds.width;
        const { x, y, width, height } = this.#rect;
        const canvas = make("canvas", { width: Math.max(1, width * scale | 0), height: Math.max(1, height * scale | 0) });
        canvas.getContext("2d").drawImage(this.#image, -x * scale, -y * scale);
        return canvas;
    }

    #choose(name) {
        this.#monitor = this.#monitors.find((monitor) => monitor.name === name);
        const { width, height } = this.#monitor.bounds;
        this.#stage.style.aspectRatio = `${width} / ${height}`;
        this.#stage.style.maxWidth = `${60 * width / height}vh`;
        this.#image.removeAttribute("src");
        this.#set({ x: width / 4, y: height / 4, width: width / 2, height: height / 2 });
        post("api/stills", { monitor: name }).catch(() => {});
    }

    /** A number that is not one becomes the least. */
    #set({ x, y, width, height }) {
        const { bounds } = this.#monitor;
        const size = { width: within(width || 0, smallest, bounds.width), height: within(height || 0, smallest, bounds.height) };
        this.#rect = { x: within(x || 0, 0, bounds.width - size.width), y: within(y || 0, 0, bounds.height - size.height), ...size };
        sides.forEach((side, index) => { this.#inputs[index].value = this.#rect[side]; });
        const part = (value, whole) => `${100 * value / whole}%`;
        Object.assign(this.#shown.style, {
            left: part(this.#rect.x, bounds.width), top: part(this.#rect.y, bounds.height),
            width: part(size.width, bounds.width), height: part(size.height, bounds.height),
        });
    }

    /** The handle resizes the region, dragging it moves it, and dragging elsewhere draws another one. */
    #draw(event) {
        if (event.button !== 0) return;
        event.preventDefault();
        const box = this.#stage.getBoundingClientRect();
        const scale = this.#monitor.bounds.width / box.width;
        const point = ({ clientX, clientY }) => ({ x: (clientX - box.left) * scale, y: (clientY - box.top) * scale });
        const [first, rect, start] = [point(event), this.#rect, event.target];
        this.#stage.setPointerCapture(event.pointerId);
        const move = (moved) => {
            const { x, y } = point(moved);
            const [dx, dy] = [x - first.x, y - first.y];
            if (start === this.#handle) this.#set({ ...rect, width: rect.width + dx, height: rect.height + dy });
            else if (start === this.#shown) this.#set({ ...rect, x: rect.x + dx, y: rect.y + dy });
            else this.#set({ x: Math.min(x, first.x), y: Math.min(y, first.y), width: Math.abs(dx), height: Math.abs(dy) });
        };
        this.#stage.addEventListener("pointermove", move);
        this.#stage.addEventListener("lostpointercapture", () => this.#stage.removeEventListener("pointermove", move), { once: true });
    }
}

/** The region that the person draws; undefined if the dialog is closed. */
export async function draw(monitors) {
    const region = new Region(monitors);
    const still = ({ detail }) => region.showStill(detail);
    document.addEventListener("still", still);
    try {
        return await choose(say("drawRegion"), say("useRegion"), region.content, () => region.chosen);
    } finally {
        document.removeEventListener("still", still);
    }
}
