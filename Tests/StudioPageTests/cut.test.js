// The ends of a cut, on a recording of five frames. The fourth one stands still, for longer than a second.
import assert from "node:assert/strict";
import test from "node:test";
import { Cut } from "../../Sources/Program/CStudioPage/Page/library/cut.js";

const beginnings = [0, 0.04, 0.08, 0.12, 1.2];
const duration = 1.24;

/** As RecordedFrames of the server: the beginning of a frame, or a tenth of a second within a picture that stands still. */
async function frame(time, frames = 0) {
  const index = beginnings.findLastIndex((one) => one <= time + 1e-6);
  if (frames) return beginnings[Math.min(Math.max(0, index + frames), beginnings.length - 1)];
  const [begun, end] = [beginnings[index], beginnings[index + 1] ?? duration];
  if (end - begun <= 0.15) return begun;
  return begun + Math.floor((Math.min(time, end - 0.001) - begun) * 10 + 1e-6) / 10;
}

function opened(ends) {
  const cut = new Cut(frame);
  cut.open(duration, ends);
  return cut;
}

function is(cut, from, to) {
  assert.ok(Math.abs(cut.from - from) < 1e-9 && Math.abs(cut.to - to) < 1e-9, `${cut.from} to ${cut.to}`);
}

test("a recording is opened whole, or with the cut that it had", () => {
  is(opened(), 0, 1.24);
  assert.ok(!opened().isCut);
  is(opened([0.04, 0.12]), 0.04, 0.12);
  assert.ok(opened([0.04, 1.24]).isCut && opened([0, 1.2]).isCut);
});

test("it begins with a frame and ends after one", async () => {
  const cut = opened();
  await cut.beginAt(0.05);
  is(cut, 0.04, 1.24);
  await cut.endAfter(0.08);
  is(cut, 0.04, 0.12);
  await cut.endAfter(1.21);
  is(cut, 0.04, 1.24);
});

test("it begins and ends within a picture that stands still", async () => {
  const cut = opened();
  await cut.beginAt(0.35);
  is(cut, 0.32, 1.24);
  await cut.endAfter(0.55);
  is(cut, 0.32, 0.62);
});

test("if the ends cross, the one that was not set goes back to the recording's", async () => {
  const late = opened([0.04, 0.08]);
  await late.beginAt(1.2);
  is(late, 1.2, 1.24);
  const early = opened([0.08, 0.12]);
  await early.endAfter(0.04);
  is(early, 0, 0.08);
});

test("the whole is shown again", () => {
  const cut = opened([0.04, 0.08]);
  cut.clear();
  is(cut, 0, 1.24);
});

test("the ends move by frames", async () => {
  const cut = opened([0, 0.08]);
  await cut.move("from", 1);
  is(cut, 0.04, 0.08);
  await cut.move("from", -1);
  is(cut, 0, 0.08);
  await cut.move("to", 1);
  is(cut, 0, 0.12);
  await cut.move("to", -1);
  is(cut, 0, 0.08);
});

test("its end moves on a step within a picture that stands still", async () => {
  const cut = opened([0, 0.12]);
  await cut.move("to", 1);
  is(cut, 0, 0.22);
});

test("the recording's end is no frame's beginning: one back from it is the last frame's", async () => {
  const cut = opened([0.04, 1.24]);
  await cut.move("to", -1);
  is(cut, 0.04, 1.2);
  await cut.move("to", 1);
  is(cut, 0.04, 1.24);
});

test("at least one frame stays in the cut", async () => {
  const begins = opened([0.04, 0.08]);
  await begins.move("from", 1);
  is(begins, 0.04, 0.08);
  const ends = opened([0.04, 0.08]);
  await ends.moveTo("to", 0);
  is(ends, 0.04, 0.08);
});

test("an end moves to a time, as far as the recording goes", async () => {
  const cut = opened([0.04, 1.2]);
  await cut.moveTo("from", -5);
  is(cut, 0, 1.2);
  await cut.moveTo("to", 99);
  is(cut, 0, 1.24);
  await cut.moveTo("to", 0.09);
  is(cut, 0, 0.08);
});

test("a pointer moves an end anywhere, but not across the other one", () => {
  const cut = opened([0.04, 1.2]);
  cut.drag("from", 0.0567);
  is(cut, 0.0567, 1.2);
  cut.drag("from", 9);
  is(cut, 1.199, 1.2);
  cut.drag("to", 0);
  is(cut, 1.199, 1.2);
});

test("the frame at the end is the last one of the cut", () => {
  const cut = opened([0.04, 1.2]);
  assert.equal(cut.shown("from"), 0.04);
  assert.ok(cut.shown("to") < 1.2 && cut.shown("to") > 1.19);
});
