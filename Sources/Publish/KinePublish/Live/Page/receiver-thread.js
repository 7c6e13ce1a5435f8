// Receives the stream on a thread of its own. Frames go to the page; audio is decoded here and goes straight to the audio
// worklet, so that it does not wait for a page that is painting.
import { LiveStream, kinds } from "./stream.js";

/** Audio tracks that are decoded, by the kind of their records. */
const decoders = new Map();

/** Milliseconds that a frame waits for the page at most: on a slow computer, each further frame would be shown later still. */
const longestWait = 1000;
/** When the frames were sent that the page has not taken yet. */
const waiting = [];
let isSkipping = false;

/** Whether the page gets this frame. After a missed frame, it needs a keyframe. */
function fits(record) {
  if (waiting.length > 0 && performance.now() - waiting[0] > longestWait) isSkipping = true;
  else if (record.isKeyframe) isSkipping = false;
  return !isSkipping;
}

/** Notes that the page has taken a frame. */
function taken() {
  waiting.shift();
  if (!isSkipping || waiting.length > 0) return;
  // A screen that stands still has no next keyframe; a new connection begins with one.
  setTimeout(() => { if (isSkipping) stream.restart(); }, longestWait);
}

const listener = {
  record(record) {
    const decoder = decoders.get(record.kind);
    if (decoder) return decoder.decode(record);
    if (record.kind === kinds.initialization) decoders.forEach((decoder) => decoder.clear());
    if (record.kind === kinds.video) {
      if (!fits(record)) return;
      waiting.push(performance.now());
    }
    // A copy, whose memory can be transferred: the bytes around it belong to other records.
    const content = record.content.slice();
    const unit = record.accessUnit && content.subarray(record.accessUnit.byteOffset - record.content.byteOffset);
    postMessage(["record", { ...record, content, accessUnit: unit }], [content.buffer]);
  },
  lost(how) {
    waiting.length = 0;
    isSkipping = false;
    postMessage(["lost", how]);
  },
  gone() { postMessage(["gone"]); },
};

let stream = null;
/** Counts the times that audio was switched off. */
let silences = 0;

/** What the page asks for. */
const commands = {
  taken,
  run(url, options) {
    stream = new LiveStream(url, options, listener);
    stream.run();
  },
  restart() { stream.restart(); },
  async play(track, port) {
    const before = silences;
    try {
      const { TrackDecoder } = await import("./audiodecoder.js");
      if (before !== silences) return port.close();
      decoders.set(track.kind, new TrackDecoder(track, port));
    } catch (error) {
      postMessage(["audioFailed", error.message]);
    }
  },
  silence() {
    silences += 1;
    decoders.forEach((decoder) => decoder.close());
    decoders.clear();
  },
};

onmessage = ({ data: [command, ...values] }) => commands[command](...values);
