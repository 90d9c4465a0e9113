// Names of cells, as the board, the moves and the move box show them. Records
// use the names in `core/cells.js`, which the first visit loads. The names here
// are loaded with a game.
import { cellText, coordinatesOf, parseCell } from "../core/cells.js";
import { wraps } from "../core/rules.js";

/** @typedef {import("../core/rules.js").Rules} Rules */

/**
 * Returns whether digits name the cells, or with gravity the columns, as in the
 * terminal client.
 * @param {Rules} rules
 */
export const isNamedByDigits = (rules) =>
  rules.sides.length <= 2 &&
  !wraps(rules, 0) &&
  (rules.gravity ? rules.width : rules.cells) <= 9;

/** @param {Rules} rules @param {number} cell */
export function cellName(rules, cell) {
  if (!isNamedByDigits(rules)) return cellText(rules, cell);
  const [column = 0] = coordinatesOf(rules, cell);
  return String(1 + (rules.gravity ? column : cell));
}

/**
 * Parses the name of a cell, including the form in records. Returns -1 if the
 * board has no such cell.
 * @param {Rules} rules
 * @param {string} name
 */
export function parseName(rules, name) {
  const cell = Number(name) - 1;
  const count = rules.gravity ? rules.width : rules.cells;
  const isDigit = /^[1-9]$/.test(name) && isNamedByDigits(rules);
  return isDigit && cell < count ? cell : parseCell(rules, name);
}
