// The live page's reader of records (see LiveRecord): what it makes of bytes, however they are divided.
import assert from "node:assert/strict";
import test from "node:test";
import { kinds, RecordReader, recordLimit } from "../../Sources/Publish/KinePublish/Live/Page/stream.js";

const headerBytes = 16;

/** A record. `size` and `unit`: what its header claims, if that is not true. */
function record({ kind, isKeyframe = false, time = 0, content = [], unit = 0, size = headerBytes + content.length }) {
  const bytes = new Uint8Array(headerBytes + content.length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, size - 4);
  view.setUint8(4, kind);
  view.setUint8(5, isKeyframe ? 1 : 0);
  view.setUint16(6, unit);
  view.setBigInt64(8, BigInt(time));
  bytes.set(content, headerBytes);
  return bytes;
}

function join(...parts) {
  return Uint8Array.from(parts.flatMap((part) => [...part]));
}

/** The records that a reader delivers of chunks, as plain values. */
function read(...chunks) {
  const reader = new RecordReader();
  const records = [];
  for (const chunk of chunks) {
    reader.push(chunk, ({ kind, isKeyframe, time, content, accessUnit }) =>
      records.push({ kind, isKeyframe, time, content: [...content], accessUnit: accessUnit && [...accessUnit] }));
  }
  return records;
}

const video = record({ kind: kinds.video, isKeyframe: true, time: -5000, content: [9, 8, 7, 6, 5], unit: 18 });
const tick = record({ kind: kinds.tick, time: 2 ** 40 });
const audio = record({ kind: kinds.audioMic, time: 7, content: [1, 2, 3], unit: 16 });
const expected = [
  { kind: kinds.video, isKeyframe: true, time: -5000, content: [9, 8, 7, 6, 5], accessUnit: [7, 6, 5] },
  { kind: kinds.tick, isKeyframe: false, time: 2 ** 40, content: [], accessUnit: null },
  { kind: kinds.audioMic, isKeyframe: false, time: 7, content: [1, 2, 3], accessUnit: [1, 2, 3] },
];

test("a whole record is delivered with what its header says", () => {
  assert.deepEqual(read(video), expected.slice(0, 1));
  assert.deepEqual(read(video, tick, audio), expected);
});

test("several records in one chunk are delivered in their order", () => {
  assert.deepEqual(read(join(video, tick, audio)), expected);
});

test("records that are divided at any byte are the same", () => {
  const bytes = join(video, tick, audio);
  for (let cut = 1; cut < bytes.length; cut += 1) {
    assert.deepEqual(read(bytes.slice(0, cut), bytes.slice(cut)), expected, `at ${cut}`);
  }
});

test("records that come byte by byte are the same", () => {
  const bytes = join(video, tick, audio);
  assert.deepEqual(read(...Array.from(bytes, (byte) => Uint8Array.of(byte))), expected);
});

test("a record is delivered with its last byte, and not before", () => {
  assert.deepEqual(read(join(video, tick.slice(0, -1))), expected.slice(0, 1));
});

test("a chunk may be a part of a larger buffer", () => {
  const bytes = join([255, 255, 255], video, tick);
  assert.deepEqual(read(bytes.subarray(3)), expected.slice(0, 2));
});

test("a record of a kind that is not known is delivered, and the next one too", () => {
  const unknown = record({ kind: 200, content: [4] });
  assert.deepEqual(read(join(unknown, audio)), [
    { kind: 200, isKeyframe: false, time: 0, content: [4], accessUnit: null }, expected[2],
  ]);
});

test("a length above the limit is refused at once, before its bytes come", () => {
  assert.throws(() => read(record({ kind: kinds.video, size: recordLimit + 1 })), /a record of/);
  assert.deepEqual(read(record({ kind: kinds.video, size: recordLimit })), [], "it waits for the rest");
});

test("a length below a header's is refused", () => {
  assert.throws(() => read(record({ kind: kinds.video, size: headerBytes - 1 })), /a record of 15 bytes/);
});

test("an access unit that begins beyond its record is refused", () => {
  assert.throws(() => read(record({ kind: kinds.video, content: [1], unit: 18 })), /beyond its record/);
});
