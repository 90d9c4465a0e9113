// Records of games: the page reads and writes them as the terminal client does.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import {
  RecordError,
  readRecord,
  writeRecord,
} from "../../../client/web/page/replay/record.js";
import { recordState } from "../../../client/web/page/replay/record-state.js";

const vectors = readFileSync(
  new URL("../../../protocol/golden/vector-record.jsonl", import.meta.url),
  "utf8",
)
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line));

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
