// What the browser keeps about the puzzle of the day: tries, and the days in a
// row. If the browser refuses the storage, the page keeps it until it is closed.
import { isCount } from "../core/message.js";

/**
 * @typedef {object} PuzzleDay
 * @property {number} day since 1970, in UTC
 * @property {number} tries wrong moves, and the solution
 * @property {"open" | "solved" | "given_up"} state
 * @property {number} streak consecutive days with a solved puzzle, including this day if
 *   it is solved
 */

const PUZZLE_KEY = "noughts.puzzle";
const DAY_MS = 86_400_000;
/** @type {PuzzleDay | null} what the browser has refused to keep, or a day before the kept one */
let unsaved = null;
const STATES = ["open", "solved", "given_up"];

export const today = () => Math.floor(Date.now() / DAY_MS);

/**
 * Returns the date of a day in UTC, such as 2026-11-28.
 * @param {number} day
 */
export const dateText = (day) =>
  new Date(day * DAY_MS).toISOString().slice(0, 10);

/**
 * Returns whether this version of the page can use a stored value.
 * @param {any} stored
 * @returns {stored is PuzzleDay}
 */
const isPuzzleDay = (stored) =>
  isCount(stored?.day) &&
  isCount(stored.tries) &&
  isCount(stored.streak) &&
  STATES.includes(stored.state);

/** @returns {PuzzleDay | null} the day that the browser keeps */
function storedDay() {
  try {
    const stored = JSON.parse(localStorage.getItem(PUZZLE_KEY) ?? "null");
    return isPuzzleDay(stored) ? stored : null;
  } catch {
    // Private browsing keeps nothing, or the text is damaged.
    return null;
  }
}

/**
 * Returns what is known about a day.
 * @param {number} day
 * @returns {PuzzleDay}
 */
export function readPuzzleDay(day) {
  const known = [unsaved, storedDay()];
  const same = known.find((kept) => kept?.day === day);
  if (same) return same;
  const before = known.find((kept) => kept?.day === day - 1);
  const streak = before?.state === "solved" ? before.streak : 0;
  return { day, tries: 0, state: "open", streak };
}

/**
 * Stores that the visitor has made a wrong move, has solved the puzzle, or has given up. Changes
 * nothing after the end of the puzzle.
 * @param {number} day
 * @param {PuzzleDay["state"]} state after the move
 * @returns {PuzzleDay}
 */
export function keepPuzzleDay(day, state) {
  const before = readPuzzleDay(day);
  if (before.state !== "open") return before;
  const { tries, streak } = before;
  const kept = {
    day,
    tries: state === "given_up" ? tries : tries + 1,
    state,
    streak: state === "open" ? streak : state === "solved" ? streak + 1 : 0,
  };
  // A tab that was opened on an earlier day does not overwrite what other tabs have stored for
  // today.
  if (Number(storedDay()?.day) > day) return (unsaved = kept);
  try {
    localStorage.setItem(PUZZLE_KEY, JSON.stringify(kept));
    unsaved = null;
  } catch {
    // Private browsing, or the storage is full.
    unsaved = kept;
  }
  return kept;
}
