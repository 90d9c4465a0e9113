// The rules of a game, and where its marks are. Pure.
import { FLAGS, NAMED_RULES } from "./rule-table.js";
import {
  MAX_CELLS,
  MAX_DIMENSIONS,
  MAX_RULES_BYTES,
  MAX_SIDE,
} from "./wire-table.js";

/**
 * @typedef {Record<import("./rule-table.js").Flag, boolean> & Board} Rules
 */
/**
 * @typedef {object} Board
 * @property {string} text the rules as the server writes them
 * @property {number[]} sides width, height, depth and w, as many as the board
 *   has dimensions
 * @property {number} line length of a line
 * @property {number} width
 * @property {number} height
 * @property {number} layers number of two-dimensional layers
 * @property {number} cells number of cells
 */

/** Error for invalid rules. `reason` names its text. */
export class RulesError extends Error {
  /** @param {string} reason */
  constructor(reason) {
    super(reason);
    this.reason = reason;
  }
}

/**
 * Returns whether the edges at both ends of an axis meet.
 * @param {Record<import("./rule-table.js").Flag, boolean>} flags
 * @param {number} axis
 */
export const wraps = ({ torus, gravity }, axis) =>
  torus && !(gravity && axis === 1);

/**
 * Parses rules: a text such as `7x6:4+gravity`, or a well-known name.
 * @param {string} input
 * @returns {Rules}
 */
export function parseRules(input) {
  const lower = input.toLowerCase();
  const named = Object.entries(NAMED_RULES).find(([name]) => name === lower);
  const match = /^(\d+(?:x\d+)*):(\d+)((?:\+[a-z]*)*)$/.exec(
    named?.[1] ?? lower,
  );
  const [, sizes = "", length, words = ""] = match ?? [];
  const sides = sizes.split("x").map(Number);
  const line = Number(length);
  const flags = words.split("+").slice(1);
  const sorted = FLAGS.filter((flag) => flags.includes(flag));
  const isSet = /** @type {Record<import("./rule-table.js").Flag, boolean>} */ (
    Object.fromEntries(FLAGS.map((flag) => [flag, flags.includes(flag)]))
  );
  const { gravity, exact } = isSet;
  if (
    !match ||
    input.length > MAX_RULES_BYTES ||
    sides.length > MAX_DIMENSIONS ||
    sides.some((side) => side < 1 || side > MAX_SIDE) ||
    sorted.length !== flags.length ||
    (exact && sides.some((side, axis) => side === line && wraps(isSet, axis)))
  )
    throw new RulesError("other");
  const cells = sides.reduce((product, side) => product * side, 1);
  if (cells > MAX_CELLS) throw new RulesError("cells");
  if (line < 1 || line > Math.max(...sides)) throw new RulesError("line");
  if (gravity && sides.length < 2) throw new RulesError("gravity");
  const [width = 1, height = 1] = sides;
  return {
    ...isSet,
    text: [`${sides.join("x")}:${line}`, ...sorted].join("+"),
    sides,
    line,
    width,
    height,
    layers: cells / (width * height),
    cells,
  };
}

/**
 * Returns the cell where a stone comes to rest: with gravity, the free cell of
 * the column with the greatest y. Returns -1 if the cell is taken, the column
 * is full, or the board has no such cell.
 * @param {Rules} rules
 * @param {(string | null)[]} board mark of each cell
 * @param {number} cell
 */
export function landingCell(rules, board, cell) {
  if (!(cell >= 0 && cell < rules.cells)) return -1;
  if (!rules.gravity) return board[cell] ? -1 : cell;
  const top =
    cell - (Math.floor(cell / rules.width) % rules.height) * rules.width;
  for (let y = rules.height - 1; y >= 0; y -= 1) {
    const at = top + y * rules.width;
    if (!board[at]) return at;
  }
  return -1;
}

/**
 * Returns the mark of each cell after some moves. X makes the first, the third,
 * and every other move.
 * @param {Rules} rules
 * @param {number[]} moves
 * @returns {("X" | "O" | null)[]}
 */
export function boardAfter(rules, moves) {
  /** @type {("X" | "O" | null)[]} */
  const board = new Array(rules.cells).fill(null);
  moves.forEach((cell, ply) => {
    board[cell] = ply % 2 === 0 ? "X" : "O";
  });
  return board;
}

/**
 * Returns how a board is drawn.
 * @param {Rules} rules
 * @returns {"open" | "dense" | "rack"}
 */
export function boardStyle(rules) {
  if (rules.gravity) return "rack";
  const isSmall =
    rules.sides.length === 2 &&
    rules.width <= 5 &&
    rules.height <= 5 &&
    rules.cells > 1;
  return isSmall ? "open" : "dense";
}
