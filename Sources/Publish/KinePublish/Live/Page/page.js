// The page: shows the state of the broadcast, and offers audio and full screen.
import { AudioPlayer } from "./audioplayer.js";
import { Awake } from "./awake.js";
import { DelayMeter } from "./delay.js";
import { StreamPlayer } from "./player.js";
import { Receiver } from "./receiver.js";
import { readToken, tokenHeader } from "./token.js";

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

/** Phases in which the viewer watches, or soon will. */
const watching = new Set(["live", "reconnecting", "failing"]);

const token = readToken();
const headers = { [tokenHeader]: token };
const awake = new Awake();
const meter = new DelayMeter(headers);

/** The server's last number of viewers; null before there is one. */
let viewers = null;
let wantsAudio = true;

/** `reason`: the browser's own words, where it has some. */
function show(next, reason = "") {
  document.body.dataset.phase = next;
  [badge.textContent, notice.textContent] = words[next];
  if (reason) notice.textContent += ` (${reason})`;
  awake.want(watching.has(next));
  showAudio();
}

/** The only player allowed, by `?play=mse` or `?play=webcodecs`. */
const wanted = new URLSearchParams(location.search).get("play");
const parts = { canvas: element("canvas"), video: element("video"), AudioPlayer, Receiver };
const stream = new StreamPlayer("samples", { headers }, parts, wanted, {
  show,
  opened(player, { title }) {
    document.title = title;
    element("title").textContent = title;
    player.setVolume(volume.value / 100);
    document.body.dataset.way = player.constructor.name;
    if (wantsAudio && player.hasAudio) player.setAudio(true).then(showAudio);
    showAudio();
  },
  tick(status) {
    viewers = status.viewers;
    meter.note(status);
  },
  lost() {
    meter.forget();
    viewers = null;
  },
  audioFailed(reason) { hint.textContent = `The browser could not play the audio (${reason}).`; },
});

function showAudio() {
  const { player } = stream;
  audioButton.hidden = !player?.hasAudio || stream.isOver;
  volume.hidden = audioButton.hidden;
  const on = player?.isAudible ?? false;
  // The picture shows what is; the label says what a press does.
  const label = on ? "Turn the sound off" : "Turn the sound on";
  audioButton.classList.toggle("on", on);
  audioButton.setAttribute("aria-label", label);
  audioButton.title = `${label} (M)`;
}

audioButton.addEventListener("click", async () => {
  const { player } = stream;
  if (!player) return;
  wantsAudio = !player.isAudible;
  hint.textContent = "";
  await player.setAudio(wantsAudio);
  showAudio();
});

volume.addEventListener("input", () => stream.player?.setVolume(volume.value / 100));

/** `3 viewers · 120 ms behind`. */
function showFacts() {
  const { shown } = stream;
  const delay = shown && meter.delay(shown);
  const parts = [];
  if (viewers !== null && !stream.isOver) parts.push(viewers === 1 ? "1 viewer" : `${viewers} viewers`);
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
