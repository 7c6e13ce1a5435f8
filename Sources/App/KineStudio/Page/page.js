// The page: opens the session, and shows what the server's events say.
import { write } from "./elements.js";
import { listen } from "./events.js";
import { add } from "./notices.js";
import * as recording from "./recording.js";
import { open } from "./session.js";
import { Takes } from "./takes.js";
import { language, say } from "./words.js";

const state = document.getElementById("state");
const problem = document.getElementById("problem");
const icon = document.querySelector("link[rel=icon]");
const sections = ["takes", "recording", "notices"].map((id) => document.getElementById(id));

document.documentElement.lang = language;

/** Shows a sentence until the next action. */
function complain(sentence) {
    write(problem, sentence ?? "");
    problem.hidden = !sentence;
}

function enter(phase) {
    document.body.dataset.phase = phase;
    const isOpen = phase === "open";
    for (const section of sections) section.inert = !isOpen;
    if (!isOpen) write(state, say(phase));
    if (phase === "refused" || phase === "lost") complain(say(`${phase}Help`));
    else complain();
}

const takes = new Takes(document.getElementById("takes"), complain, (summary) => {
    if (document.body.dataset.phase === "open") write(state, summary.text);
    document.title = summary.isRunning ? `● ${summary.time} Kinecast` : "Kinecast";
    const wanted = summary.isRunning ? "icon-recording.svg" : "icon.svg";
    if (icon.getAttribute("href") !== wanted) icon.setAttribute("href", wanted);
});

async function begin() {
    enter("connecting");
    try {
        await open();
    } catch (error) {
        enter("closed");
        return complain(error.message);
    }
    const form = recording.show(document.getElementById("recording"), complain);
    listen({
        connection: (kind) => {
            enter(kind);
            if (kind === "open") {
                takes.update();
                form.refresh();
            }
        },
        clock: (seconds, at) => takes.setClock(seconds, at),
        takes: (list) => {
            takes.show(list);
            form.setRunning(takes.isAnyOpen);
        },
        choices: (choices) => form.choices(choices),
        notice: (notice) => {
            add(document.getElementById("notices"), notice);
            if (notice.kind === "failed") form.failed(notice);
        },
    });
}

begin();
