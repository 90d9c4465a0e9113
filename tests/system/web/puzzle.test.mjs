// The puzzle of the day: its choice, its moves, and what the browser keeps. Run by `node --test`.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { beforeEach, test } from "node:test";
import {
  movesToWin,
  puzzleOfDay,
  rightCell,
} from "../../../client/web/page/puzzle/puzzle.js";
import {
  dateText,
  keepPuzzleDay,
  readPuzzleDay,
} from "../../../client/web/page/puzzle/streak.js";

const KEY = "noughts.puzzle";
const LIST = [
  "3x3:3",
  "0408 020106",
  "0004 010207",
  "7x6:4+gravity",
  "0z 0z0s0l",
].join("\n");

beforeEach(() => {
  const values = new Map();
  globalThis.localStorage = /** @type {any} */ ({
    getItem: (key) => values.get(key) ?? null,
    setItem: (key, value) => values.set(key, value),
  });
});

test("each day has a game in turn, and each turn the next puzzle of the game", () => {
  const shown = [0, 1, 2, 3, 4].map((day) => {
    const { rules, moves } = puzzleOfDay(LIST, day);
    return [rules.text, ...moves];
  });
  assert.deepEqual(shown, [
    ["3x3:3", 4, 8],
    ["7x6:4+gravity", 35],
    ["3x3:3", 0, 4],
    ["7x6:4+gravity", 35],
    ["3x3:3", 4, 8],
  ]);
  assert.equal(movesToWin(puzzleOfDay(LIST, 0), 0), 2);
  assert.equal(movesToWin(puzzleOfDay(LIST, 0), 2), 1);
});

test("only the move of the solution is right until the last move, where each win is", () => {
  const first = puzzleOfDay("3x3:3\n0004010806 0203050701", 0);
  assert.deepEqual(
    [2, 3, 0, 9].map((cell) => rightCell(first, 0, cell)),
    [2, -1, -1, -1],
  );
  const early = puzzleOfDay("3x3:3\n00040103 080602", 0);
  assert.equal(rightCell(early, 0, 2), -1);
  // The cells 8 and 6 both complete a line.
  const last = puzzleOfDay("3x3:3\n000104030207 08", 0);
  assert.deepEqual(
    [8, 6, 5].map((cell) => rightCell(last, 0, cell)),
    [8, 6, -1],
  );
  const misere = puzzleOfDay("3x3:3+misere\n000104030207 08", 0);
  assert.deepEqual(
    [8, 6].map((cell) => rightCell(misere, 0, cell)),
    [8, -1],
  );
  // In misère, each last move that leaves only losing replies is right.
  const three = puzzleOfDay("3x3:3+misere\n02040100 070305", 0);
  assert.deepEqual(
    [5, 6, 8].map((cell) => rightCell(three, 2, cell)),
    [5, 6, 8],
  );
});

test("with gravity any cell of the column is the move", () => {
  const puzzle = puzzleOfDay("7x6:4+gravity\n0z0y 0s0r0l", 0);
  assert.equal(rightCell(puzzle, 0, 0), 28);
  assert.equal(rightCell(puzzle, 0, 1), -1);
});

test("the main line of each puzzle is right", () => {
  const list = readFileSync(
    new URL("../../../client/puzzles.txt", import.meta.url),
    "utf8",
  );
  const games = list.split("\n").filter((line) => line.includes(":")).length;
  const count = list.split("\n").filter(Boolean).length - games;
  assert.ok(games > 1 && count >= games);
  for (let day = 0; day < games * 10; day += 1) {
    const puzzle = puzzleOfDay(list, day);
    assert.equal(puzzle.solution.length % 2, 1);
    for (let ply = 0; ply < puzzle.solution.length; ply += 2)
      assert.equal(
        rightCell(puzzle, ply, puzzle.solution[ply]),
        puzzle.solution[ply],
      );
  }
});

test("tries count until the puzzle is solved, and solved days in a row are a streak", () => {
  keepPuzzleDay(7, "open");
  keepPuzzleDay(7, "solved");
  const solved = { day: 7, tries: 2, state: "solved", streak: 1 };
  assert.deepEqual(keepPuzzleDay(7, "given_up"), solved);
  assert.deepEqual(readPuzzleDay(7), solved);
  assert.equal(readPuzzleDay(8).streak, 1);
  assert.equal(keepPuzzleDay(8, "open").streak, 1);
  assert.equal(keepPuzzleDay(8, "solved").streak, 2);
  // A day without a solution ends the streak.
  assert.equal(readPuzzleDay(10).streak, 0);
  assert.equal(keepPuzzleDay(9, "given_up").streak, 0);
  assert.deepEqual(readPuzzleDay(10), {
    day: 10,
    tries: 0,
    state: "open",
    streak: 0,
  });
});

test("a tab of the day before keeps what other tabs know of today", () => {
  keepPuzzleDay(7, "open");
  const today = { day: 8, tries: 2, state: "solved", streak: 1 };
  localStorage.setItem(KEY, JSON.stringify(today));
  const { tries, state } = keepPuzzleDay(7, "solved");
  assert.deepEqual([tries, state], [1, "solved"]);
  assert.equal(readPuzzleDay(7).state, "solved");
  assert.deepEqual(readPuzzleDay(8), today);
  assert.equal(keepPuzzleDay(9, "solved").streak, 2);
});

test("a stored value that is damaged is none", () => {
  const stored = { day: 7, tries: 2, state: "solved", streak: 3 };
  localStorage.setItem(KEY, JSON.stringify(stored));
  assert.equal(readPuzzleDay(8).streak, 3);
  for (const damaged of [
    "{",
    "null",
    "[]",
    JSON.stringify({ ...stored, tries: "2" }),
    JSON.stringify({ ...stored, streak: -1 }),
    JSON.stringify({ ...stored, streak: 1e300 }),
    JSON.stringify({ ...stored, state: "won" }),
    JSON.stringify({ tries: 2, state: "solved", streak: 3 }),
  ]) {
    localStorage.setItem(KEY, damaged);
    assert.deepEqual(
      readPuzzleDay(7),
      { day: 7, tries: 0, state: "open", streak: 0 },
      damaged,
    );
  }
});

test("a browser without a storage keeps the puzzle while the page is open", () => {
  globalThis.localStorage = /** @type {any} */ (undefined);
  keepPuzzleDay(7, "open");
  keepPuzzleDay(7, "solved");
  const solved = { day: 7, tries: 2, state: "solved", streak: 1 };
  assert.deepEqual(readPuzzleDay(7), solved);
});

test("a day has its date in UTC", () =>
  assert.equal(dateText(20_785), "2026-11-28"));
