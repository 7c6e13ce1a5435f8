// @ts-check
// Plays one recording, exact to the frame: the server says where frames begin.
import { attempt, button, complain, hint, make, setText } from "../shared/elements.js";
import { on } from "../shared/events.js";
import { post, request } from "../shared/session.js";
import { say } from "../words/words.js";
import { pathOf } from "./recordings.js";
import { SeekMachine } from "./seek.js";

const fastest = 4;

/**
 * A player with its `element`. `changed` is called when the time or the state changes; `loaded` when the first picture is
 * there, or loading failed; `again` reopens the recording.
 * @param {() => void} changed
 * @param {() => void} loaded
 * @param {() => void} again
 */
export function makePlayback(changed, loaded, again) {
  /** @type {SeekMachine<Recording>} */
  const machine = new SeekMachine();
  // Of the requests about the recording.
  /** @type {string} */
  let path;
  // Looks again where playing ends.
  /** @type {number | undefined} */
  let timer;
  /** @type {HTMLVideoElement} */
  const video = make("video", {
    playsinline: true, preload: "auto", play: changed, pause: settle, timeupdate: tick, error: fail,
    click: () => { if (!video.controls) player.toggle(); },
    loadeddata: () => {
      setText(text, "");
      element.dataset.state = "ready";
      loaded();
    },
    seeked: () => go(machine.seeked()),
  });
  const text = hint();
  const reopen = button(say("openAgain"), again, { hidden: true });
  /** @type {HTMLElement} */
  const element = make("div.preview.player", {}, video, text, reopen);

  function show(sentence = "") {
    setText(text, sentence);
    reopen.hidden = false;
    element.dataset.state = "failed";
  }

  /** @param {number | undefined} position */
  function go(position) {
    if (position != null) video.currentTime = position;
  }

  async function fail() {
    const address = video.getAttribute("src");
    if (!address) return;
    loaded();
    try {
      const { status } = await request(address, { Range: "bytes=0-0" });
      show(say(status < 400 ? "cannotPlay" : "recordingChanged"));
    } catch {
      show(say("serverGone"));
    }
  }

  /** @param {number} rate */
  function start(rate) {
    video.playbackRate = rate;
    // It is aborted by a pause. The event `error` says more about a file that cannot be played.
    video.play().catch(({ name, message }) => {
      if (name !== "AbortError" && !video.error) complain(message);
    });
  }

  async function settle() {
    const question = machine.paused(video.currentTime, video.ended);
    if (!question || video.controls) return changed();
    await attempt(async () => {
      const begun = await player.frame(question.time);
      if (machine.isOpen(question) && !player.isPlaying) player.seek(begun);
    });
  }

  function tick() {
    if (!player.isPlaying) return;
    clearTimeout(timer);
    const rest = machine.played(video.currentTime);
    if (!rest) video.pause();
    // Events come four times a second.
    else if (rest < 0.6) timer = setTimeout(tick, rest * 1000 / video.playbackRate);
    changed();
  }

  /** Notes which frame is shown. */
  function watch() {
    video.requestVideoFrameCallback?.((_, { mediaTime }) => {
      machine.found(mediaTime, video.seeking);
      tick();
      watch();
    });
  }

  /** @type {Player} */
  const player = {
    element,
    /** Of the file's bytes, absolute; empty: none is open. */
    get address() { return video.src; },
    /** As the machine's. */
    get time() { return machine.time; },
    get duration() { return machine.duration; },
    get isPlaying() { return !video.paused && !video.ended; },
    get rate() { return video.playbackRate; },
    /** Loads the recording as it is. `time`: seconds. */
    async open(recording, time = 0) {
      player.close();
      const position = machine.open(recording, recording.duration ?? 0, time);
      player.follow(recording);
      // Only the browser knows the frames of another program's video.
      video.controls = recording.state === "foreign";
      setText(text, say("opening"));
      await attempt(async () => {
        const { address } = await post(`${path}/open`);
        if (machine.file !== recording) return;
        video.src = address;
        video.currentTime = position;
      }, (sentence) => {
        show(sentence);
        loaded();
      });
      if (machine.file === recording) changed();
    },
    close() {
      machine.close();
      clearTimeout(timer);
      reopen.hidden = true;
      element.dataset.state = "loading";
      video.pause();
      video.removeAttribute("src");
      video.load();
    },
    /** The recording has another name, and plays on. */
    follow(recording) {
      path = pathOf(recording);
      video.setAttribute("aria-label", say("pictureOf", { name: recording.name }));
    },
    /** Shows that the file was replaced since it was opened. */
    showChange(sentence) {
      video.pause();
      show(sentence);
    },
    play(rate = 1) {
      machine.play();
      start(rate);
    },
    /** Plays from one time to another, and stops there. */
    playCut(from, to) {
      go(machine.playCut(from, to));
      changed();
      start(1);
    },
    pause() { video.pause(); },
    toggle() {
      if (player.isPlaying) video.pause();
      else player.play();
    },
    /** Plays, or doubles the speed. */
    faster() { player.play(player.isPlaying ? Math.min(fastest, player.rate * 2) : 1); },
    /** Shows the frame at a time, as soon as the browser has it. */
    seek(time) {
      go(machine.seek(time, video.seeking));
      changed();
    },
    /** Shows the frame at a time, and makes `time` its beginning. */
    async move(time) {
      player.seek(time);
      if (!player.isPlaying) await settle();
    },
    /** The beginning of the frame that is so many frames away from the one at `time`, in seconds. */
    async frame(time, frames = 0) {
      return (await post(`${path}/step`, { time: machine.position(time), frames })).time;
    },
    /** Shows the frame that is so many frames away. */
    async step(frames) {
      video.pause();
      if (!machine.step(frames)) return;
      try {
        for (let next = machine.nextSteps(); next; next = machine.nextSteps()) {
          const { file } = machine;
          const begun = await player.frame(player.time, next);
          if (file === machine.file) player.seek(begun);
        }
      } finally {
        machine.endSteps();
      }
    },
  };
  watch();
  // Otherwise the element asks whatever listens there now.
  on("connection", (kind) => {
    if (kind === "open" || !machine.file) return;
    player.close();
    show(say("serverGone"));
  });
  return player;
}
