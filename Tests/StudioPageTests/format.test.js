// Times, numbers and sentences, as a reader gets them.
import assert from "node:assert/strict";
import test from "node:test";
import * as format from "../../Sources/Program/CStudioPage/Page/words/format.js";

test("a reader gets the first of their languages that the page has, else English", () => {
  for (const [wanted, language] of [
    [["de", "zh-Hans", "en"], "zh-CN"], [["en-GB", "zh"], "en"], [["ZH"], "zh-CN"], [["fr"], "en"], [[], "en"], [["zhx", "enm"], "en"],
  ]) assert.equal(format.chooseLanguage(wanted), language, wanted.join());
});

test("values replace their names in braces, and a value that is not there leaves nothing", () => {
  assert.equal(format.fill("{a} of {b}{c}", { a: 0, b: "{a}" }), "0 of {a}");
});

test("one has a word of its own", () => {
  assert.deepEqual([0, 1, 2].map((count) => format.counted("viewer", count)), ["viewers", "viewer", "viewers"]);
});

test("a time has hours only if it lasts one, and is never rounded up", () => {
  const times = { 0: "0:00", 59.99: "0:59", 60: "1:00", 3599.9: "59:59", 3600: "1:00:00", 36_061: "10:01:01" };
  for (const [seconds, text] of Object.entries(times)) assert.equal(format.clock(Number(seconds)), text);
});

test("a length is rounded to the nearest second, and so are a minute and an hour that it fills", () => {
  const lengths = { 0: "0:00", 0.49: "0:00", 9.5: "0:10", 29.97: "0:30", 59.6: "1:00", 754.45: "12:34", 754.5: "12:35", 3599.5: "1:00:00" };
  for (const [seconds, text] of Object.entries(lengths)) assert.equal(format.lengthText(Number(seconds)), text);
});

test("a precise time is rounded to milliseconds before it is divided", () => {
  assert.equal(format.precise(0.0005), "0:00.001");
  assert.equal(format.precise(59.9996), "1:00.000");
  assert.equal(format.precise(3661.25), "1:01:01.250");
});

test("the time that is left is in whole minutes, and from two hours on in hours", () => {
  assert.equal(format.roughTime("en", 240), "4 minutes");
  assert.equal(format.roughTime("en", 119), "1 minute");
  assert.equal(format.roughTime("en", 7199), "119 minutes");
  assert.equal(format.roughTime("en", 7200), "2 hours");
});

test("an amount of data has the largest unit that it fills, and a decimal only for gigabytes", () => {
  const amounts = { 0: "0 byte", 999: "999 byte", 1500: "2 kB", 120e6: "120 MB", 1.25e9: "1.3 GB", 5e12: "5,000 GB" };
  for (const [count, text] of Object.entries(amounts)) assert.equal(format.bytes("en", Number(count)), text);
});

test("a bitrate is in kbit/s, and from a megabit on in Mbit/s", () => {
  assert.equal(format.rate("en", 999_400), "999 kbit/s");
  assert.equal(format.rate("en", 1e6), "1 Mbit/s");
  assert.equal(format.rate("en", 2_460_000), "2.5 Mbit/s");
});

test("numbers are those of the reader's language", () => {
  assert.equal(format.number("en", 1234.6), "1,235");
  assert.equal(format.number("de", 1234.6), "1.235");
});

test("a file's name is what follows the last slash", () => {
  assert.equal(format.fileName("/a/b c.mp4"), "b c.mp4");
  assert.equal(format.fileName("c.mp4"), "c.mp4");
  assert.equal(format.fileName(undefined), undefined);
});
