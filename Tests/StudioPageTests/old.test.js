// What a browser that is too old shows, of which only the few names exist here that the script may use.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { runInNewContext } from "node:vm";

const script = readFileSync(new URL("../../Sources/Program/CStudioPage/Page/old.js", import.meta.url), "utf8");

/** What it writes. */
function written(CSS, language = "de") {
  let text = "";
  const window = { CSS };
  runInNewContext(script, { window, CSS, navigator: { language }, document: { write: (more) => (text += more) } });
  return text;
}

test("a browser that has what the page needs sees the page", () => {
  assert.equal(written({ supports: (property, value) => property === "color" && value.startsWith("light-dark(") }), "");
});

test("an older one says so in the person's language, and reads no further", () => {
  for (const CSS of [undefined, {}, { supports: () => false }]) {
    assert.match(written(CSS), /^<p>This browser is too old .+<template>$/);
    assert.match(written(CSS, "zh-CN"), /^<p lang=zh-Hans>.+<template>$/);
  }
});
