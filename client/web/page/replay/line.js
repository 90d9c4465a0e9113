// The line that a move completes. Only for records: in a game the server decides. Pure.
import { cellAt, coordinatesOf } from "../core/cells.js";

/**
 * Returns the cells of a line through a cell that is long enough, or none.
 * @param {import("../core/rules.js").Rules} rules
 * @param {readonly (string | null)[]} board
 * @param {number} cell the last move
 * @returns {number[]}
 */
export function findLine(rules, board, cell) {
  const mark = board[cell];
  const from = coordinatesOf(rules, cell);
  for (const direction of directionsOf(rules.sides.length)) {
    const cells = [cell];
    for (const sign of [1, -1]) {
      for (let distance = 1; ; distance += 1) {
        const at = cellAt(
          rules,
          from.map(
            (value, axis) =>
              value + sign * distance * /** @type {number} */ (direction[axis]),
          ),
        );
        if (at < 0 || board[at] !== mark) break;
        if (sign > 0) cells.push(at);
        else cells.unshift(at);
      }
    }
    if (rules.exact ? cells.length === rules.line : cells.length >= rules.line)
      return cells;
  }
  return [];
}

/** @param {number} dimensions @returns {number[][]} one of each pair of opposite directions */
function directionsOf(dimensions) {
  /** @type {number[][]} */
  let directions = [[]];
  for (let axis = 0; axis < dimensions; axis += 1)
    directions = directions.flatMap((direction) =>
      [-1, 0, 1].map((step) => [...direction, step]),
    );
  return directions.filter(
    (direction) => (direction.find((step) => step !== 0) ?? 0) > 0,
  );
}

/**
 * Returns the name of a line, as the server gives it.
 * @param {import("../core/rules.js").Rules} rules
 * @param {readonly number[]} cells
 */
export function lineName(rules, cells) {
  const [first = 0, second = first] = cells;
  const from = coordinatesOf(rules, first);
  const steps = coordinatesOf(rules, second).map(
    (value, axis) => value - /** @type {number} */ (from[axis]),
  );
  const axes = steps.flatMap((step, axis) => (step === 0 ? [] : [axis]));
  if (axes.length > 2) return "space_diagonal";
  if (axes.every((axis) => axis === 0)) return "row";
  if (axes.length === 1 && axes[0] === 1) return "column";
  if (axes.length === 1 && axes[0] === 2) return "pillar";
  if (axes.length === 2 && axes[0] === 0 && axes[1] === 1)
    return steps[0] === steps[1] ? "main_diagonal" : "other_diagonal";
  return "direction";
}
