// Plays one recording, exact to the frame: the server says where frames begin.
import { attempt, button, complain, hint, make, setText } from "../shared/elements.js";
import { on } from "../shared/events.js";
import { pathOf } from "./recordings.js";
import { post, request } from "../shared/session.js";
import { say } from "../words/words.js";

// Seconds after a frame's beginning, so that rounding leads to no other frame.
const within = 0.0005;
const fastest = 4;
/** Seconds. A picture that stands still for longer is one frame; the server gives the times within it in such steps. */
export const stillStep = 0.1;

/**
 * A player with its `element`. `changed` is called when the time or the state changes; `loaded` when the first picture is
 * there, or loading failed; `again` reopens the recording.
 */
export function makePlayback(changed, loaded, again) {
  // Undefined while nothing is open.
  let recording;
  let path;
  // The frame that was shown last, where the browser says so.
  let shown;
  // Where playing ends, and the timer for it.
  let end;
  let timer;
  // The next position, while a seek runs.
  let wanted;
  // Frames that the person has asked for, but that the server has not found yet.
  let steps = 0;
  let isStepping = false;
  const video = make("video", {
    playsinline: true, preload: "auto", play: changed, pause: settle, timeupdate: tick, error: fail,
    click: () => player.toggle(),
    loadeddata: () => {
      setText(text, "");
      element.dataset.state = "ready";
      loaded();
    },
    seeked: () => {
      const next = wanted;
      wanted = undefined;
      if (next != null) video.currentTime = next;
    },
  });
  const text = hint();
  const reopen = button(say("openAgain"), again, { hidden: true });
  const element = make("div.preview.player", {}, video, text, reopen);

  function show(sentence) {
    setText(text, sentence);
    reopen.hidden = false;
    element.dataset.state = "failed";
  }

  async function fail() {
    const address = video.getAttribute("src");
    if (!address) return;
    loaded();
    try {
      const { status } = await request(address, { Range: "bytes=0-0" });
      show(say(status === 410 ? "recordingChanged" : "cannotPlay"));
    } catch {
      show(say("serverGone"));
    }
  }

  function start(rate) {
    video.playbackRate = rate;
    // It is aborted by a pause. The event `error` says more about a file that cannot be played.
    video.play().catch(({ name, message }) => {
      if (name !== "AbortError" && !video.error) complain(message);
    });
  }

  async function settle() {
    if (!recording || isStepping) return changed();
    if (video.ended) {
      player.time = player.duration;
      return changed();
    }
    const [open, asked] = [recording, player.time];
    const isStill = shown == null || asked - shown > stillStep;
    const time = end != null && video.currentTime >= end - within ? end - 2 * within : isStill ? asked : shown;
    endCut();
    await attempt(async () => {
      const start = await player.frame(time);
      if (open === recording && asked === player.time && !player.isPlaying) player.seek(start);
    });
  }

  function endCut() {
    clearTimeout(timer);
    end = undefined;
  }

  function tick() {
    if (!player.isPlaying) return;
    player.time = Math.min(video.currentTime, player.duration);
    if (end != null) {
      clearTimeout(timer);
      // Events come four times a second.
      const rest = end - video.currentTime;
      if (rest <= within) video.pause();
      else if (rest < 0.6) timer = setTimeout(tick, rest * 1000 / video.playbackRate);
    }
    changed();
  }

  /** Notes which frame is shown. */
  function watch() {
    video.requestVideoFrameCallback?.((_, { mediaTime }) => {
      // A frame from before a seek may come while it seeks.
      if (!video.seeking) shown = mediaTime;
      tick();
      watch();
    });
  }

  const player = {
    element,
    /** Seconds; while it is paused, where the frame that is shown begins, or a time within a still picture. */
    time: 0,
    duration: 0,
    get isPlaying() { return !video.paused && !video.ended; },
    get rate() { return video.playbackRate; },
    /** Loads the recording as it is. `time`: seconds. */
    async open(newest, time = 0) {
      player.close();
      recording = newest;
      path = pathOf(recording);
      player.duration = recording.duration ?? 0;
      player.time = time;
      video.setAttribute("aria-label", say("pictureOf", { name: recording.name }));
      setText(text, say("opening"));
      await attempt(async () => {
        const { address } = await post(`${path}/open`);
        if (recording !== newest) return;
        video.src = address;
        video.currentTime = time && time + within;
      }, (sentence) => {
        show(sentence);
        loaded();
      });
      if (recording === newest) changed();
    },
    close() {
      recording = shown = undefined;
      endCut();
      reopen.hidden = true;
      element.dataset.state = "loading";
      video.pause();
      video.removeAttribute("src");
      video.load();
    },
    /** Shows that the file was replaced since it was opened. */
    showChange(sentence) {
      video.pause();
      show(sentence);
    },
    play(rate = 1) {
      endCut();
      start(rate);
    },
    /** Plays from one time to another, and stops there. */
    playCut(from, to) {
      player.seek(from);
      wanted = undefined;
      video.currentTime = from + within;
      end = to;
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
      endCut();
      player.time = Math.min(Math.max(0, time), player.duration);
      shown = undefined;
      const next = Math.min(player.time + within, player.duration);
      if (video.seeking) wanted = next;
      else video.currentTime = next;
      changed();
    },
    /** Shows the frame at a time, and makes `time` its beginning. */
    async move(time) {
      player.seek(time);
      if (!player.isPlaying) await settle();
    },
    /** The beginning of the frame that is so many frames away from the one at `time`, in seconds. */
    async frame(time, frames = 0) {
      return (await post(`${path}/step`, { time: Math.min(time + within, player.duration), frames })).time;
    },
    /** Shows the frame that is so many frames away. */
    async step(frames) {
      video.pause();
      steps += frames;
      if (isStepping) return;
      isStepping = true;
      try {
        while (steps) {
          const next = steps;
          steps = 0;
          player.seek(await player.frame(player.time, next));
        }
      } finally {
        steps = 0;
        isStepping = false;
      }
    },
  };
  watch();
  // Otherwise the element asks whatever listens there now.
  on("connection", (kind) => {
    if (kind === "open" || !recording) return;
    player.close();
    show(say("serverGone"));
  });
  return player;
}
