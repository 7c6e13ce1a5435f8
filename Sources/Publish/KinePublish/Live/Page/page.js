// The page: chooses a player, shows the state of the broadcast, and offers audio and full screen.
import { Awake } from "./awake.js";
import { DelayMeter } from "./delay.js";
import { Receiver } from "./receiver.js";
import { kinds } from "./stream.js";
import { readToken, tokenHeader } from "./token.js";
import { DecodingPlayer } from "./webcodecs.js";
import { BufferingPlayer } from "./mediasource.js";

const element = (id) => document.getElementById(id);
const badge = element("badge");
const notice = element("notice");
const audioButton = element("sound");
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
  full: ["Full", "There are as many viewers as there can be. Trying again …"],
  gone: ["Gone", "This link is no longer valid. Ask for a new one."],
  keyless: ["No link", "This link is incomplete. Open it as it was given to you, with everything after the #."],
  failing: ["Trying again", "The browser could not play the video. Trying again …"],
  broken: ["Cannot play", "The browser failed to play the video several times. Reload the page, or try another browser."],
  stopped: ["Stopped", "The page could not receive the stream. Reload it."],
  impossible: [
    "Cannot play",
    "This browser can play this video neither by WebCodecs nor by Media Source. Use a current Chromium, Firefox or Safari, or ask " +
      "for a link for players such as VLC.",
  ],
};

/** The only player allowed, by `?play=mse` or `?play=webcodecs`. */
const wanted = new URLSearchParams(location.search).get("play");
const players = [DecodingPlayer, BufferingPlayer].filter((candidate) => wanted === null || candidate.name === wanted);

/** Milliseconds: a player that fails sooner than this is likely to fail again. */
const quickFailure = 10_000;
/** Quick failures in a row after which the page gives up and says why. */
const mostFailures = 6;
/** Phases in which the viewer watches, or soon will. */
const watching = new Set(["live", "reconnecting", "failing"]);

const token = readToken();
const headers = { [tokenHeader]: token };
const awake = new Awake();
const meter = new DelayMeter(headers);

let player = null;
/** The newest description, as JSON. */
let description = null;
/** The description that the player was made for; null when it has failed. */
let playing = null;
let initialization = null;
/** The initialization segment without audio, where the stream has audio. */
let videoInitialization = null;
/** The server's last number of viewers; null before there is one. */
let viewers = null;
/** Records that arrived while the player was being chosen; null at other times. */
let early = null;
let wantsAudio = true;
/** Quick failures in a row. */
let failures = 0;
/** This connection's last phase; null before there is one. */
let phase = null;
/** Whether this connection's first frame is shown. Until then the page shows black, or an old frame. */
let isShown = false;

/** `reason`: the browser's own words, where it has some. */
function show(next, reason = "") {
  if (document.body.dataset.phase === next) return;
  document.body.dataset.phase = next;
  [badge.textContent, notice.textContent] = words[next];
  if (reason) notice.textContent += ` (${reason})`;
  awake.want(watching.has(next));
}

/** Shows the connection's phase; "live" only once there is something to see. */
function showPhase() {
  if (phase !== null && (phase !== "live" || isShown)) show(phase);
}

function shown() {
  isShown = true;
  showPhase();
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
  let Player = null;
  for (const candidate of failures > 1 && players.length > 1 ? [...players].reverse() : players) {
    if (await candidate.supports(next).catch(() => false)) {
      Player = candidate;
      break;
    }
  }
  if (early !== waiting) return;
  if (!Player) {
    stream.stop();
    return show("impossible");
  }
  playing = json;
  const opened = performance.now();
  player = new Player(element(Player === DecodingPlayer ? "canvas" : "video"), next, {
    receiver: stream,
    shown,
    fail(reason) {
      // A player counts as failed once, whatever it reports until the connection is dropped.
      if (playing !== json) return;
      failures = performance.now() - opened < quickFailure ? failures + 1 : 0;
      playing = null;
      isShown = false;
      if (failures >= mostFailures) {
        stream.stop();
        show("broken", reason);
      } else {
        show("failing", reason);
        stream.restart();
      }
    },
    rejoin() { stream.restart(); },
  });
  player.setVolume(volume.value / 100);
  document.body.dataset.way = Player.name;
  player.initialize(initialization, videoInitialization);
  if (!next.video) shown();
  if (wantsAudio && player.hasAudio) player.setAudio(true).then(showAudio);
  showAudio();
  early = null;
  for (const record of waiting) deliver(record);
}

function deliver(record) {
  if (early) {
    early.push(record);
    return;
  }
  if (record.kind === kinds.tick) {
    if (record.content.length > 0) {
      const tick = JSON.parse(new TextDecoder().decode(record.content));
      viewers = tick.viewers;
      meter.note(tick);
    }
  } else if (record.kind === kinds.state) {
    if (document.body.dataset.phase === "ended") return;
    ({ phase } = JSON.parse(new TextDecoder().decode(record.content)));
    showPhase();
    if (phase === "live") player.resume();
    else player.pause();
    if (phase === "ended") {
      stream.stop();
      showAudio();
    }
  } else if (record.accessUnit) {
    player.sample(record);
  }
}

const stream = new Receiver("samples", headers, {
  record(record) {
    if (record.kind === kinds.description) {
      const json = new TextDecoder().decode(record.content);
      // The player goes on if the formats are the same as before.
      early = player && json === playing ? null : [];
      description = json;
      videoInitialization = null;
    } else if (record.kind === kinds.videoInitialization) {
      videoInitialization = record.content;
    } else if (record.kind === kinds.initialization) {
      initialization = record.content;
      if (early) open();
      else player?.initialize(initialization, videoInitialization);
    } else if (early !== null || player !== null) {
      deliver(record);
    }
  },
  lost({ isAsked, isFull }) {
    meter.forget();
    viewers = null;
    // The viewer need not know of a restart that the page asked for.
    if (isAsked) return;
    phase = null;
    isShown = false;
    if (document.body.dataset.phase !== "ended") show(isFull ? "full" : "reconnecting");
  },
  gone() {
    player?.pause();
    phase = "ended";
    show("gone");
    showAudio();
  },
  failed() {
    // A player that already shows something may go on.
    if (!isShown) show("stopped");
  },
  audioFailed(reason) { hint.textContent = `The browser could not play the audio (${reason}).`; },
});

function showAudio() {
  audioButton.hidden = !player?.hasAudio || phase === "ended";
  volume.hidden = audioButton.hidden;
  const on = player?.isAudible ?? false;
  // The picture shows what is; the label says what a press does.
  const label = on ? "Turn the sound off" : "Turn the sound on";
  audioButton.classList.toggle("on", on);
  audioButton.setAttribute("aria-label", label);
  audioButton.title = `${label} (M)`;
}

audioButton.addEventListener("click", async () => {
  if (!player) return;
  wantsAudio = !player.isAudible;
  hint.textContent = "";
  await player.setAudio(wantsAudio);
  showAudio();
});

volume.addEventListener("input", () => player?.setVolume(volume.value / 100));

/** `3 viewers · 120 ms behind`. */
function showFacts() {
  const delay = phase === "live" && isShown ? meter.delay(player?.shown ?? null) : null;
  const parts = [];
  if (viewers !== null && phase !== "ended") parts.push(viewers === 1 ? "1 viewer" : `${viewers} viewers`);
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
  if (event.key === "m" && !audioButton.hidden) audioButton.click();
});

if (token === null) {
  show("keyless");
} else {
  stream.run();
  setInterval(showFacts, 1000);
}
