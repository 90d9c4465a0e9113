// A game as text, as the terminal client writes and reads it: tags, a blank
// line, and numbered moves. Pure.
import { cellText, parseCell } from "../core/cells.js";
import {
  RulesError,
  boardAfter,
  landingCell,
  parseRules,
} from "../core/rules.js";
import { findLine } from "./line.js";

/**
 * @typedef {import("../core/rules.js").Rules} Rules
 * @typedef {import("../core/fold.js").Seat} Seat
 *
 * @typedef {object} GameRecord
 * @property {Rules} rules
 * @property {[string, string]} players
 * @property {string | null} clock
 * @property {number[]} moves
 * @property {string} result such as `X line`, `draw full`, or `*`
 * @property {number[]} winning cells of the line that ended the game
 */

export const MAX_RECORD_BYTES = 32 * 1024;
const MAX_LINE_COLUMNS = 78;
const CLOCK_TEXT = /^\d{1,5}s?\+\d{1,3}$/;
const RESULT_TEXT =
  /^(?:[XO] (?:line|resignation|time|abandonment)|draw (?:full|agreement|abandonment)|aborted|\*)$/;
/** Words in a record for the reasons of an outcome. */
const REASON_WORDS = Object.freeze({
  line: "line",
  full: "full",
  resigned: "resignation",
  flag: "time",
  agreed: "agreement",
  abandoned: "abandonment",
});

/**
 * Error for an invalid record. `line` is one-based, and `reason` is the
 * terminal client's code.
 */
export class RecordError extends Error {
  /** @param {number} line @param {string} reason */
  constructor(line, reason) {
    super(`line ${line}: ${reason}`);
    this.line = line;
    this.reason = reason;
  }
}

/** @param {string} name */
const escapeName = (name) =>
  name
    .replace(/["\\]/g, "\\$&")
    .replace(
      /\p{Cc}/gu,
      (letter) =>
        `\\u{${/** @type {number} */ (letter.codePointAt(0)).toString(16)}}`,
    );

/**
 * Writes the game of a room.
 * @param {import("../core/fold.js").RoomState} state
 */
export function writeRecord(state) {
  const rules = parseRules(state.rules);
  const { outcome } = state;
  const [x, o] = state.players.map((player) => escapeName(player?.name ?? "?"));
  const word =
    outcome &&
    /** @type {Record<string, string | undefined>} */ (REASON_WORDS)[
      outcome.reason
    ];
  const result = !outcome
    ? "*"
    : word
      ? `${outcome.winner ?? "draw"} ${word}`
      : outcome.reason;
  const tags = [
    `[Rules "${state.rules}"]`,
    `[X "${x}"]`,
    `[O "${o}"]`,
    ...(state.clock ? [`[Clock "${state.clock}"]`] : []),
    `[Result "${result}"]`,
  ];
  const lines = [""];
  for (const [ply, cell] of state.moves.entries()) {
    const entry = `${ply % 2 === 0 ? `${ply / 2 + 1}. ` : ""}${cellText(rules, cell)}`;
    const last = /** @type {string} */ (lines.at(-1));
    if (last !== "" && last.length + 1 + entry.length > MAX_LINE_COLUMNS)
      lines.push(entry);
    else lines[lines.length - 1] = last === "" ? entry : `${last} ${entry}`;
  }
  return `${tags.join("\n")}\n\n${lines.join("\n")}${state.moves.length > 0 ? "\n" : ""}`;
}

/**
 * Reads a record, and plays its moves. Throws a RecordError.
 * @param {string} source
 * @returns {GameRecord}
 */
export function readRecord(source) {
  if (new TextEncoder().encode(source).length > MAX_RECORD_BYTES)
    throw new RecordError(1, "record_too_long");
  const lines = source.split(/\r?\n/).map((line) => line.trim());
  const first = lines.findIndex((line) => line !== "" && !line.startsWith("["));
  const end = first < 0 ? lines.length : first;
  const tags = readTags(lines.slice(0, end));
  const rulesTag = tags.get("Rules");
  if (!rulesTag) throw new RecordError(1, "record_no_rules");
  const rules = readRules(rulesTag);
  const clock = tags.get("Clock");
  if (clock && !CLOCK_TEXT.test(clock.value))
    throw new RecordError(clock.line, "record_clock");
  const { moves, winning } = playMoves(rules, lines, end);
  const result = tags.get("Result") ?? { line: 1, value: "*" };
  if (!RESULT_TEXT.test(result.value))
    throw new RecordError(result.line, "record_result");
  const expected = finalResult(rules, moves, winning);
  const isOfBoard = /^(?:[XO] line|draw full)$/.test(result.value);
  if (expected ? result.value !== expected : isOfBoard)
    throw new RecordError(result.line, "record_mismatch");
  return {
    rules,
    players: [tags.get("X")?.value ?? "?", tags.get("O")?.value ?? "?"],
    clock: clock?.value ?? null,
    moves,
    result: result.value,
    winning,
  };
}

/**
 * Returns the result that the board shows, or null.
 * @param {Rules} rules
 * @param {number[]} moves
 * @param {number[]} winning
 */
export function finalResult(rules, moves, winning) {
  if (winning.length > 0)
    return `${(moves.length % 2 === 1) !== rules.misere ? "X" : "O"} line`;
  return moves.length === rules.cells ? "draw full" : null;
}

/** @param {{ line: number, value: string }} tag */
function readRules({ line, value }) {
  try {
    return parseRules(value);
  } catch (error) {
    throw error instanceof RulesError
      ? new RecordError(line, error.reason)
      : error;
  }
}

/** @param {string[]} lines @returns {Map<string, { line: number, value: string }>} */
function readTags(lines) {
  const tags = new Map();
  for (const [index, line] of lines.entries()) {
    if (line === "") continue;
    const match = /^\[(.*?) "(.*)"\]$/.exec(line);
    const value = match && unescapeName(/** @type {string} */ (match[2]));
    if (!match || value === null)
      throw new RecordError(index + 1, "record_tag");
    const name = /** @type {string} */ (match[1]);
    if (!["Rules", "X", "O", "Clock", "Result"].includes(name)) continue;
    if (tags.has(name)) throw new RecordError(index + 1, "record_repeated_tag");
    tags.set(name, { line: index + 1, value });
  }
  return tags;
}

/**
 * Returns null for an invalid escape or a bare quote.
 * @param {string} source
 * @returns {string | null}
 */
function unescapeName(source) {
  if (!/^(?:[^"\\]|\\["\\]|\\u\{[0-9a-f]{1,6}\})*$/i.test(source)) return null;
  try {
    return source.replace(
      /\\(?:u\{([0-9a-f]+)\}|(["\\]))/gi,
      (_, digits, letter) =>
        letter ?? String.fromCodePoint(parseInt(digits, 16)),
    );
  } catch {
    return null;
  }
}

/** @param {Rules} rules @param {string[]} lines @param {number} start index of the first line of moves */
function playMoves(rules, lines, start) {
  /** @type {number[]} */
  const moves = [];
  const board = boardAfter(rules, moves);
  /** @type {number[]} */
  let winning = [];
  for (let index = start; index < lines.length; index += 1) {
    for (const word of /** @type {string} */ (lines[index])
      .split(/\s+/)
      .filter(Boolean)) {
      if (word.endsWith(".")) {
        if (moves.length % 2 !== 0 || word !== `${moves.length / 2 + 1}.`)
          throw new RecordError(index + 1, "record_number");
        continue;
      }
      const cell = parseCell(rules, word);
      if (cell < 0) throw new RecordError(index + 1, "record_cell");
      if (winning.length > 0 || moves.length === rules.cells)
        throw new RecordError(index + 1, "game_over");
      const landing = landingCell(rules, board, cell);
      if (landing < 0)
        throw new RecordError(
          index + 1,
          rules.gravity ? "column_full" : "cell_taken",
        );
      board[landing] = moves.length % 2 === 0 ? "X" : "O";
      moves.push(landing);
      winning = findLine(rules, board, landing);
    }
  }
  return { moves, winning };
}
