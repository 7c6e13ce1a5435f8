// The levels of the audio that is chosen for a recording, before it begins.
import { make, write } from "./elements.js";
import { say } from "./words.js";

export class Levels {
    audio = meter("audio");
    microphone = meter("microphone");
    hint = make("p", { class: "hint", role: "status" });

    /** dBFS, from -60 to 0; absent: not measured. */
    show({ audio, microphone, problem }) {
        set(this.audio, audio);
        set(this.microphone, microphone);
        write(this.hint, problem ?? "");
    }
}

function meter(name) {
    return make("meter", { min: -60, max: 0, high: -3, value: -60, hidden: true, "aria-label": say(`level.${name}`) });
}

function set(element, level) {
    element.hidden = level == null;
    if (level != null) element.value = level;
}
