// The page: opens the session, and shows what the server's events say.
import * as disk from "./disk.js";
import { write } from "./elements.js";
import { listen } from "./events.js";
import { add } from "./notices.js";
import { open } from "./session.js";
import { Takes } from "./takes.js";
import { Views } from "./views.js";
import { language, say } from "./words.js";

// Milliseconds.
const newAge = 2000;
const state = document.getElementById("state");
const problem = document.getElementById("problem");
const icon = document.querySelector("link[rel=icon]");
const sections = ["takes", "recording", "notices", "library"].map((id) => document.getElementById(id));

document.documentElement.lang = language;

/** Shows a sentence until the next action. */
function showProblem(sentence) {
    write(problem, sentence ?? "");
    problem.hidden = !sentence;
}

function setPhase(phase) {
    document.body.dataset.phase = phase;
    const isOpen = phase === "open";
    for (const section of sections) section.inert = !isOpen;
    if (!isOpen) write(state, say(phase));
    if (phase === "refused" || phase === "lost") showProblem(say(`${phase}Help`));
    else showProblem();
}

const takes = new Takes(document.getElementById("takes"), showProblem, (summary) => {
    if (document.body.dataset.phase === "open") write(state, summary.text);
    document.title = summary.isRunning ? `● ${summary.time} Kinecast` : "Kinecast";
    const wanted = summary.isRunning ? "icon-recording.svg" : "icon.svg";
    if (icon.getAttribute("href") !== wanted) icon.setAttribute("href", wanted);
});

async function begin() {
    setPhase("connecting");
    try {
        await open();
        const sheet = new URLSearchParams(location.search).get("sheet");
        if (!sheet) return connect();
        setPhase("open");
        state.hidden = true;
        await (await import("./sheet.js")).show(sheet, showProblem);
    } catch (error) {
        setPhase("closed");
        showProblem(error.message);
    }
}

function connect() {
    // The form is loaded when its view is shown first. It gets the newest of each event that came before.
    let form;
    const newest = new Map();
    const pass = (name, ...values) => {
        newest.set(name, values);
        form?.[name](...values);
    };
    const views = new Views(showProblem, async (isRecord) => {
        takes.showPreviews();
        if (!isRecord) return;
        const { show } = await import("./recording.js");
        if (!form) {
            form = show(document.getElementById("recording"), showProblem);
            for (const [name, values] of newest) form[name](...values);
        }
        form.refresh();
    });
    views.open();
    listen({
        connection: (kind) => {
            setPhase(kind);
            if (kind === "open") {
                takes.update();
                form?.refresh();
                views.refresh();
            }
        },
        clock: (seconds, age) => takes.setClock(seconds, performance.now() - age),
        takes: (list) => {
            takes.show(list);
            pass("setRunning", takes.isAnyOpen);
        },
        starting: (starting, age) => pass("setStarting", starting, performance.now() - age),
        choices: (choices) => {
            pass("choices", choices);
            takes.choices(choices);
        },
        camera: (camera) => pass("camera", camera),
        still: (detail) => document.dispatchEvent(new CustomEvent("still", { detail })),
        levels: (levels) => pass("levels", levels),
        locked: (isLocked) => pass("locked", isLocked),
        statistics: (list) => takes.showStatistics(list),
        recordings: () => views.refresh(),
        job: (job) => views.job(job),
        disk: (space) => disk.show(document.getElementById("disk"), space),
        notice: (notice, age) => {
            add(document.getElementById("notices"), notice);
            // A window that opens later lists older failures, too.
            if (notice.kind === "failed" && age < newAge) showProblem(notice.text);
        },
    });
}

begin();
