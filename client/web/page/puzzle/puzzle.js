// The puzzle of a day, and whether a move solves it. Pure.
import { boardAfter, landingCell, parseRules } from "../core/rules.js";
import { findLine } from "../replay/line.js";

/**
 * @typedef {object} Puzzle
 * @property {import("../core/rules.js").Rules} rules
 * @property {number[]} moves until the position
 * @property {number[]} solution own moves and replies: the first and the last move are own moves
 */

/** Digits and base of a cell in the list of puzzles. */
const CELL = /[0-9a-z]{2}/g;
const CELL_BASE = 36;

/**
 * Returns cells that a text names without blanks between them.
 * @param {string} source
 */
const readCells = (source) =>
  (source.match(CELL) ?? []).map((digits) => parseInt(digits, CELL_BASE));

/**
 * Returns the puzzle of a day, which is the same for all visitors.
 * @param {string} list a line with rules before the puzzles of each game
 * @param {number} day since 1970, in UTC
 * @returns {Puzzle}
 */
export function puzzleOfDay(list, day) {
  /** @type {{ rules: string, puzzles: string[] }[]} */
  const games = [];
  for (const line of list.split("\n").filter(Boolean))
    if (line.includes(":")) games.push({ rules: line, puzzles: [] });
    else games.at(-1)?.puzzles.push(line);
  const game = games[day % games.length];
  const puzzle =
    game?.puzzles[Math.floor(day / games.length) % game.puzzles.length];
  if (!game || !puzzle) throw new Error("the list has no puzzles");
  const [moves = "", solution = ""] = puzzle.split(" ");
  return {
    rules: parseRules(game.rules),
    moves: readCells(moves),
    solution: readCells(solution),
  };
}

/**
 * Returns the number of own moves until the win.
 * @param {Puzzle} puzzle
 * @param {number} played number of moves of the solution on the board
 */
export const movesToWin = ({ solution }, played) =>
  Math.ceil((solution.length - played) / 2);

/**
 * Returns the cell of a right move, or -1 for a wrong move. As the last move, each move that wins
 * immediately is right. In misère, each last move that leaves the opponent only moves that complete
 * a line is right.
 * @param {Puzzle} puzzle
 * @param {number} played number of moves of the solution on the board
 * @param {number} cell that the visitor chose
 */
export function rightCell({ rules, moves, solution }, played, cell) {
  const before = [...moves, ...solution.slice(0, played)];
  const landing = landingCell(rules, boardAfter(rules, before), cell);
  if (landing === solution[played]) return landing;
  const isLast = played === solution.length - 1;
  if (landing < 0 || !isLast) return -1;
  const after = [...before, landing];
  const board = boardAfter(rules, after);
  const isLine = findLine(rules, board, landing).length > 0;
  if (!rules.misere) return isLine ? landing : -1;
  // Every reply has to complete a line.
  const replies = [...board.keys()].filter(
    (at) => landingCell(rules, board, at) === at,
  );
  const loses = (/** @type {number} */ at) =>
    findLine(rules, boardAfter(rules, [...after, at]), at).length > 0;
  return !isLine && replies.length > 0 && replies.every(loses) ? landing : -1;
}
