// Records of games. The page reads and writes them as the terminal client does, even in links, and
// keeps the records of the visitor's games.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { Duplex } from "node:stream";
import { test } from "node:test";
import { createDeflateRaw, createInflateRaw } from "node:zlib";
import {
  MAX_KEPT_GAMES,
  forgetGames,
  keepGames,
  readKeptGames,
} from "../../../client/web/page/io/kept-games.js";
import {
  LinkError,
  packRecord,
  unpackRecord,
} from "../../../client/web/page/replay/record-link.js";
import {
  RecordError,
  readRecord,
  writeRecord,
} from "../../../client/web/page/replay/record.js";
import { recordState } from "../../../client/web/page/replay/record-state.js";

/** @param {string} path of a file with a JSON object on each line */
const readLines = (path) =>
  readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
const vectors = readLines("protocol/golden/vector-record.jsonl");

// Defines the streams of browsers, because older versions of Node lack this format.
for (const [name, create] of [
  ["CompressionStream", createDeflateRaw],
  ["DecompressionStream", createInflateRaw],
])
  globalThis[name] = function (format) {
    assert.equal(format, "deflate-raw");
    return Duplex.toWeb(create());
  };

test("records are read as the protocol crate reads them", () => {
  for (const {
    text,
    error,
    line,
    rules,
    players,
    clock,
    moves,
    result,
  } of vectors) {
    if (error) {
      assert.throws(
        () => readRecord(text),
        (thrown) => thrown instanceof RecordError && thrown.line === line,
        text,
      );
      continue;
    }
    const record = readRecord(text);
    assert.deepEqual(
      { ...record, rules: record.rules.text, winning: undefined },
      { rules, players, clock, moves, result, winning: undefined },
      text,
    );
  }
});

test("a record is written as the protocol crate writes it", () => {
  for (const { text, error, written } of vectors)
    if (!error)
      assert.equal(writeRecord(recordState(readRecord(text))), written, text);
});

test("a long game has lines of at most 78 columns", () => {
  const moves = Array.from({ length: 120 }, (_, index) => index);
  const state = { ...recordState(readRecord('[Rules "25x25:6"]')), moves };
  const written = writeRecord(state);
  assert.ok(written.split("\n").every((line) => line.length <= 78));
  assert.deepEqual(
    readRecord(`[Rules "25x25:25"]\n\n${written.split("\n\n")[1]}`).moves,
    moves,
  );
});

test("a record that is too long is an error", () => {
  assert.throws(
    () => readRecord(`[Rules "3x3:3"]\n${" ".repeat(33_000)}`),
    RecordError,
  );
});

test("a link contains the record, and what is no link is an error", async () => {
  const links = readLines("tests/golden/record-link.jsonl");
  assert.ok(links.length > 6);
  for (const { payload, record, problem } of links) {
    if (problem) {
      await assert.rejects(unpackRecord(payload), LinkError, problem);
      continue;
    }
    assert.equal(await unpackRecord(payload), record);
    assert.equal(await unpackRecord(await packRecord(record)), record);
  }
  await assert.rejects(unpackRecord("A".repeat(4097)), LinkError);
});

test("a game whose link would be too long has none", async () => {
  const noise = Array.from({ length: 5000 }, (_, index) =>
    Math.sin(index).toString(36).slice(-1),
  );
  assert.equal(await packRecord(noise.join("")), "");
  const { CompressionStream } = globalThis;
  globalThis.CompressionStream = undefined;
  assert.equal(await packRecord(""), null, "the browser cannot deflate");
  globalThis.CompressionStream = CompressionStream;
});

/** Installs a storage like the storage of a browser. */
function useStorage(content = {}) {
  globalThis.localStorage = {
    getItem: (key) => content[key] ?? null,
    setItem(key, value) {
      content[key] = value;
    },
  };
  return content;
}

const kept = (at) => ({ key: `room ${at}`, at, seat: "X", record: "" });

test("the last games are kept, each of them once", () => {
  useStorage();
  assert.deepEqual(readKeptGames(), []);
  for (let at = 1; at <= MAX_KEPT_GAMES + 3; at += 1) keepGames([kept(at)]);
  keepGames([kept(20)]);
  const games = readKeptGames();
  assert.equal(games.length, MAX_KEPT_GAMES);
  assert.deepEqual([games[0].at, games.at(-1).at], [MAX_KEPT_GAMES + 3, 4]);
  forgetGames([kept(20).key]);
  assert.equal(readKeptGames().length, MAX_KEPT_GAMES - 1);
  // A deleted game that is kept again returns to its place in the order of time.
  keepGames([kept(20)]);
  assert.equal(readKeptGames().find(({ at }) => at <= 20).at, 20);
});

test("kept games that this version cannot use are left out", () => {
  const stored = JSON.stringify([
    null,
    { key: 1 },
    kept(5),
    { ...kept(6), seat: "Z" },
    kept(1e300),
    kept(0.5),
  ]);
  useStorage({ "noughts.games": stored });
  assert.deepEqual(readKeptGames(), [kept(5)]);
  for (const broken of ["{}", "[", "7"]) {
    useStorage({ "noughts.games": broken });
    assert.deepEqual(readKeptGames(), []);
  }
});

test("a browser that refuses the storage keeps no game", () => {
  const refuse = () => {
    throw new Error("denied");
  };
  globalThis.localStorage = { getItem: refuse, setItem: refuse };
  keepGames([kept(1)]);
  assert.deepEqual(readKeptGames(), []);
});
