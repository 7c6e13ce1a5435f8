// Frames of a recording are shown exactly: the machine that library/playback.js does what it says.
import assert from "node:assert/strict";
import test from "node:test";
import { SeekMachine, stillStep } from "../../Sources/Program/CStudioPage/Page/library/seek.js";

const within = 0.0005;

function opened(duration = 10, time = 0) {
  const machine = new SeekMachine();
  machine.open("a.mp4", duration, time);
  return machine;
}

test("a recording is opened at its beginning, or just after the beginning of a frame", () => {
  assert.equal(new SeekMachine().open("a.mp4", 10, 0), 0);
  assert.equal(new SeekMachine().open("a.mp4", 10, 2), 2 + within);
});

test("a seek goes just after the frame's beginning, and never beyond the recording", () => {
  const machine = opened();
  assert.equal(machine.seek(3, false), 3 + within);
  assert.equal(machine.time, 3);
  assert.equal(machine.seek(11, false), 10);
  assert.equal(machine.time, 10);
  assert.equal(machine.seek(-1, false), within);
  assert.equal(machine.time, 0);
});

test("of the seeks that are asked for while one runs, the last one follows, once", () => {
  const machine = opened();
  machine.seek(1, false);
  assert.equal(machine.seek(2, true), undefined);
  assert.equal(machine.seek(3, true), undefined);
  assert.equal(machine.time, 3, "the person sees where they are");
  assert.equal(machine.seeked(), 3 + within);
  assert.equal(machine.seeked(), undefined);
});

test("a pause asks for the beginning of the frame that the browser has shown", () => {
  const machine = opened();
  machine.play();
  assert.equal(machine.played(2.05), Infinity);
  machine.found(2.04, false);
  const question = machine.paused(2.05, false);
  assert.equal(question.time, 2.04);
  assert.ok(machine.isOpen(question));
});

test("a frame that comes while it seeks is from before, and is not the one that is shown", () => {
  const machine = opened();
  machine.seek(5, false);
  machine.found(4.96, true);
  assert.equal(machine.paused(5, false).time, 5);
});

test("a picture that stands still is asked for where it was paused, within it", () => {
  const machine = opened();
  machine.found(2, false);
  machine.played(2 + stillStep + 0.01);
  assert.equal(machine.paused(2, false).time, 2 + stillStep + 0.01);
});

test("an answer is dropped once another frame is asked for", () => {
  const machine = opened();
  machine.seek(2, false);
  const question = machine.paused(2, false);
  machine.seek(4, false);
  assert.ok(!machine.isOpen(question));
});

test("at its end the recording stands at its duration, and nothing is asked", () => {
  const machine = opened();
  machine.played(9.9);
  assert.equal(machine.paused(9.99, true), undefined);
  assert.equal(machine.time, 10);
});

test("a cut is played to its end, and its last frame is shown", () => {
  const machine = opened();
  assert.equal(machine.playCut(2, 4), 2 + within);
  assert.ok(Math.abs(machine.played(3.75) - 0.25) < 1e-9);
  assert.equal(machine.played(4 - within / 2), 0, "it has to be paused");
  assert.equal(machine.paused(4, false).time, 4 - 2 * within);
  assert.equal(machine.played(5), Infinity, "the cut's end holds once");
});

test("a cut replaces a seek that waits, and is forgotten when the whole is played or another frame is asked for", () => {
  const machine = opened();
  machine.seek(1, false);
  machine.seek(8, true);
  machine.playCut(2, 4);
  assert.equal(machine.seeked(), undefined);
  machine.play();
  assert.equal(machine.played(5), Infinity);
  machine.playCut(2, 4);
  machine.seek(3, false);
  assert.equal(machine.played(5), Infinity);
});

test("steps that are asked for while the server looks for a frame are asked for together", () => {
  const machine = opened();
  assert.ok(machine.step(1));
  assert.equal(machine.nextSteps(), 1);
  assert.ok(!machine.step(1), "the server is asked already");
  assert.ok(!machine.step(1));
  assert.equal(machine.paused(0, false), undefined, "the pause that a step makes asks nothing");
  assert.equal(machine.nextSteps(), 2);
  assert.equal(machine.nextSteps(), 0);
  machine.endSteps();
  assert.ok(machine.step(-1));
  assert.equal(machine.nextSteps(), -1);
});

test("steps end when the server fails", () => {
  const machine = opened();
  machine.step(1);
  machine.step(4);
  machine.endSteps();
  assert.ok(machine.step(1));
  assert.equal(machine.nextSteps(), 1);
});

test("a file that replaces another gets nothing of what was asked for the old one", () => {
  const machine = opened();
  machine.seek(2, false);
  machine.found(2, false);
  const question = machine.paused(2, false);
  machine.step(5);
  machine.open("b.mp4", 6, 2);
  assert.ok(!machine.isOpen(question), "its answer is of the old file");
  assert.equal(machine.nextSteps(), 0);
  machine.endSteps();
  machine.played(2.05);
  assert.equal(machine.paused(2.05, false).time, 2.05, "no frame of it was shown");
  assert.equal(machine.duration, 6);
});

test("a seek that waits, and the end of a cut, go with their file", () => {
  const machine = opened();
  machine.playCut(2, 4);
  machine.open("b.mp4", 6, 0);
  assert.equal(machine.played(5), Infinity);
  machine.seek(3, true);
  machine.open("c.mp4", 6, 0);
  assert.equal(machine.seeked(), undefined);
});

test("nothing is asked about a recording that is closed", () => {
  const machine = opened();
  machine.close();
  assert.equal(machine.paused(1, false), undefined);
});
