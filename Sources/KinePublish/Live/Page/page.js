// The page: picks a way of playing, says how the broadcast stands, and offers sound and full screen.
import { Awake } from "./awake.js";
import { DelayMeter } from "./delay.js";
import { Receiver } from "./receiver.js";
import { kinds } from "./stream.js";
import { takeToken, tokenHeader } from "./token.js";
import { DecodingPlayer } from "./webcodecs.js";
import { BufferingPlayer } from "./mediasource.js";

const element = (id) => document.getElementById(id);
const badge = element("badge");
const notice = element("notice");
const soundButton = element("sound");
const fullButton = element("full");
const volume = element("volume");
const facts = element("facts");
const hint = element("hint");

const words = {
  connecting: ["Connecting", "Connecting to the broadcast …"],
  live: ["Live", ""],
  paused: ["Paused", "The broadcast is paused."],
  ended: ["Ended", "The broadcast has ended."],
  reconnecting: ["Reconnecting", "The connection was lost. Trying again …"],
  full: ["Full", "As many watch as can. Trying again …"],
  gone: ["Gone", "This link leads nowhere any more. Ask for a new one."],
  keyless: ["No link", "This is not the whole link. Open it as it was given to you, with what is behind the #."],
  failing: ["Trying again", "The browser could not play the picture. Trying again …"],
  broken: ["Cannot play", "The browser fails to play the picture again and again. Reload the page, or try another browser."],
  stopped: ["Stopped", "The page could not receive the stream. Reload it."],
  impossible: [
    "Cannot play",
    "This browser can play this video neither by WebCodecs nor by Media Source. Use a current Chromium, Firefox or Safari, or ask " +
      "for a link for players such as VLC.",
  ],
};

/** `?play=mse` or `?play=webcodecs` leaves the other out. */
const wanted = new URLSearchParams(location.search).get("play");
const ways = [DecodingPlayer, BufferingPlayer].filter((way) => wanted === null || way.name === wanted);

/** A player that fails so soon after it was made will not do better the next time. Milliseconds. */
const quickFailure = 10_000;
/** After so many of them in a row it is told, and not tried any more. */
const mostFailures = 6;
/** Phases in which somebody looks, or will in a moment. */
const watching = new Set(["live", "reconnecting", "failing"]);

const token = takeToken();
const headers = { [tokenHeader]: token };
const awake = new Awake();
const meter = new DelayMeter(headers);

let player = null;
/** The description that came last, as JSON. */
let description = null;
/** The one that the player was made for; null when it has failed. */
let playing = null;
let initialization = null;
/** The initialization segment without sound, where the stream has sound. */
let pictures = null;
/** Who watches, as the server said last; null while it has not. */
let viewers = null;
/** Records that came while the player was being chosen. */
let early = null;
let wantsSound = true;
/** Players in a row that failed soon. */
let failures = 0;
/** How the broadcast stands, by this connection; null while it has not said so. */
let standing = null;
/** Whether this connection's first picture is on the page. Until then, what can be seen is black, or old. */
let isShown = false;

/** `reason`: the browser's own words, where it has some. */
function say(phase, reason = "") {
  if (document.body.dataset.phase === phase) return;
  document.body.dataset.phase = phase;
  [badge.textContent, notice.textContent] = words[phase];
  if (reason) notice.textContent += ` (${reason})`;
  awake.want(watching.has(phase));
}

/** Says how the broadcast stands, and that it is live only once there is something to see. */
function sayStanding() {
  if (standing !== null && (standing !== "live" || isShown)) say(standing);
}

function shown() {
  isShown = true;
  sayStanding();
}

async function open() {
  const waiting = [];
  early = waiting;
  player?.close();
  player = null;
  const json = description;
  const next = JSON.parse(json);
  document.title = next.title;
  element("title").textContent = next.title;
  let way = null;
  for (const candidate of failures > 1 && ways.length > 1 ? [...ways].reverse() : ways) {
    if (await candidate.supports(next).catch(() => false)) {
      way = candidate;
      break;
    }
  }
  if (early !== waiting) return;
  if (!way) {
    stream.stop();
    return say("impossible");
  }
  playing = json;
  const opened = performance.now();
  player = new way(element(way === DecodingPlayer ? "canvas" : "video"), next, {
    receiver: stream,
    shown,
    fail(reason) {
      // One player fails once, whatever it is given until the connection is dropped.
      if (playing !== json) return;
      failures = performance.now() - opened < quickFailure ? failures + 1 : 0;
      playing = null;
      isShown = false;
      if (failures >= mostFailures) {
        stream.stop();
        say("broken", reason);
      } else {
        say("failing", reason);
        stream.restart();
      }
    },
    rejoin() { stream.restart(); },
  });
  player.setVolume(volume.value / 100);
  document.body.dataset.way = way.name;
  player.initialize(initialization, pictures);
  if (!next.video) shown();
  if (wantsSound && player.hasSound) player.setSound(true).then(showSound);
  showSound();
  early = null;
  for (const record of waiting) take(record);
}

function take(record) {
  if (early) {
    early.push(record);
    return;
  }
  if (record.kind === kinds.tick) {
    if (record.content.length > 0) {
      const standing = JSON.parse(new TextDecoder().decode(record.content));
      viewers = standing.viewers;
      meter.note(standing);
    }
  } else if (record.kind === kinds.state) {
    const { phase } = JSON.parse(new TextDecoder().decode(record.content));
    if (document.body.dataset.phase === "ended") return;
    standing = phase;
    sayStanding();
    if (phase === "live") player.resume();
    else player.pause();
    if (phase === "ended") {
      stream.stop();
      showSound();
    }
  } else if (record.accessUnit) {
    player.sample(record);
  }
}

const stream = new Receiver("samples", headers, {
  record(record) {
    if (record.kind === kinds.description) {
      const json = new TextDecoder().decode(record.content);
      // The same formats as before: what has been built for them can go on.
      early = player && json === playing ? null : [];
      description = json;
      pictures = null;
    } else if (record.kind === kinds.pictures) {
      pictures = record.content;
    } else if (record.kind === kinds.initialization) {
      initialization = record.content;
      if (early) open();
      else player?.initialize(initialization, pictures);
    } else if (early !== null || player !== null) {
      take(record);
    }
  },
  lost({ isAsked, isFull }) {
    meter.forget();
    viewers = null;
    // What the page asked for itself is nothing to trouble anybody with.
    if (isAsked) return;
    standing = null;
    isShown = false;
    if (document.body.dataset.phase !== "ended") say(isFull ? "full" : "reconnecting");
  },
  gone() {
    player?.pause();
    standing = "ended";
    say("gone");
    showSound();
  },
  failed() {
    // What is shown goes on, if it can.
    if (!isShown) say("stopped");
  },
  soundFailed(reason) { hint.textContent = `The browser could not play the sound (${reason}).`; },
});

function showSound() {
  soundButton.hidden = !player?.hasSound || standing === "ended";
  volume.hidden = soundButton.hidden;
  const on = player?.isAudible ?? false;
  soundButton.textContent = on ? "Sound off" : "Sound on";
  soundButton.setAttribute("aria-pressed", String(on));
}

soundButton.addEventListener("click", async () => {
  if (!player) return;
  wantsSound = !player.isAudible;
  hint.textContent = "";
  await player.setSound(wantsSound);
  showSound();
});

volume.addEventListener("input", () => player?.setVolume(volume.value / 100));

/** `3 viewers · 120 ms behind`. */
function showFacts() {
  const delay = standing === "live" && isShown ? meter.delay(player?.shown ?? null) : null;
  const parts = [];
  if (viewers !== null && standing !== "ended") parts.push(viewers === 1 ? "1 viewer" : `${viewers} viewers`);
  if (delay !== null) {
    const rounded = Math.round(delay / 10) * 10;
    parts.push(rounded < 1000 ? `${rounded} ms behind` : `${(rounded / 1000).toFixed(1)} s behind`);
  }
  facts.textContent = parts.join(" · ");
}

function toggleFullScreen() {
  if (document.fullscreenElement) document.exitFullscreen();
  else element("stage").requestFullscreen?.().catch(() => {});
}

fullButton.addEventListener("click", toggleFullScreen);
fullButton.hidden = !document.fullscreenEnabled;
element("stage").addEventListener("dblclick", toggleFullScreen);
document.addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey || event.repeat) return;
  if (event.key === "f") toggleFullScreen();
  if (event.key === "m" && !soundButton.hidden) soundButton.click();
});

if (token === null) {
  say("keyless");
} else {
  stream.run();
  setInterval(showFacts, 1000);
}
