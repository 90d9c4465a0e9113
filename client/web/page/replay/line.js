// Finds the line that a move completes, for records and the puzzle of the day. In a game, the
// server decides. Pure.
import { cellAt, coordinatesOf } from "../core/cells.js";
import { wraps } from "../core/rules.js";

/**
 * Returns the cells of a line through a cell, if the line is long enough.
 * Otherwise returns an empty list.
 * @param {import("../core/rules.js").Rules} rules
 * @param {readonly (string | null)[]} board
 * @param {number} cell the last move
 * @returns {number[]}
 */
export function findLine(rules, board, cell) {
  const mark = board[cell];
  for (const direction of directionsOf(rules)) {
    const cells = [cell];
    for (const sign of [1, -1]) {
      let at = cell;
      while (true) {
        at = neighbour(rules, at, direction, sign);
        if (at < 0 || board[at] !== mark || cells.includes(at)) break;
        if (sign > 0) cells.push(at);
        else cells.unshift(at);
      }
    }
    // A line that closes on itself begins at its lowest cell.
    if (neighbour(rules, cells.at(-1) ?? cell, direction, 1) === cells[0])
      cells.unshift(...cells.splice(cells.indexOf(Math.min(...cells))));
    if (rules.exact ? cells.length === rules.line : cells.length >= rules.line)
      return cells;
  }
  return [];
}

/**
 * Returns the next cell in a direction, or -1. Crosses an edge if opposite
 * edges meet.
 * @param {import("../core/rules.js").Rules} rules
 * @param {number} cell
 * @param {number[]} direction
 * @param {number} sign
 */
function neighbour(rules, cell, direction, sign) {
  const at = coordinatesOf(rules, cell).map((value, axis) => {
    const side = rules.sides[axis] ?? 1;
    const along = value + sign * (direction[axis] ?? 0);
    return wraps(rules, axis) ? (along + side) % side : along;
  });
  return cellAt(rules, at);
}

/**
 * Returns the directions that have room for a line. Two opposite directions are one direction. Its
 * last step that is not 0 is positive, as on the server.
 * @param {import("../core/rules.js").Rules} rules
 */
function directionsOf({ sides, line }) {
  /** @type {number[][]} */
  let directions = [[]];
  for (const side of sides)
    directions = directions.flatMap((direction) =>
      (side < line ? [0] : [-1, 0, 1]).map((step) => [...direction, step]),
    );
  return directions.filter(
    (direction) => (direction.filter((step) => step !== 0).at(-1) ?? 0) > 0,
  );
}

/**
 * Returns the name of a line, as the server names it.
 * @param {import("../core/rules.js").Rules} rules
 * @param {readonly number[]} cells
 */
export function lineName(rules, cells) {
  const [first = 0, second = first] = cells;
  const from = coordinatesOf(rules, first);
  // A longer step crosses an edge.
  const steps = coordinatesOf(rules, second).map((value, axis) => {
    const step = value - /** @type {number} */ (from[axis]);
    return Math.abs(step) > 1 ? -Math.sign(step) : step;
  });
  const axes = steps.flatMap((step, axis) => (step === 0 ? [] : [axis]));
  if (axes.length > 2) return "space_diagonal";
  if (axes.every((axis) => axis === 0)) return "row";
  if (axes.length === 1 && axes[0] === 1) return "column";
  if (axes.length === 1 && axes[0] === 2) return "pillar";
  if (axes.length === 2 && axes[0] === 0 && axes[1] === 1)
    return steps[0] === steps[1] ? "main_diagonal" : "other_diagonal";
  return "direction";
}
