// Coordinates and texts of cells, and the places of layers. Pure.

/** @typedef {import("./rules.js").Rules} Rules */

/**
 * Returns the coordinates of a cell, from 0.
 * @param {Rules} rules
 * @param {number} cell
 * @returns {number[]}
 */
export function coordinatesOf(rules, cell) {
  let rest = cell;
  return rules.sides.map((side) => {
    const at = rest % side;
    rest = Math.floor(rest / side);
    return at;
  });
}

/**
 * Returns the cell at coordinates from 0, or -1 off the board.
 * @param {Rules} rules
 * @param {number[]} at
 */
export function cellAt(rules, at) {
  if (at.length !== rules.sides.length) return -1;
  let cell = 0;
  for (let axis = at.length - 1; axis >= 0; axis -= 1) {
    const side = /** @type {number} */ (rules.sides[axis]);
    const value = /** @type {number} */ (at[axis]);
    if (!(value >= 0 && value < side)) return -1;
    cell = cell * side + value;
  }
  return cell;
}

/**
 * Returns the letter of a column, from 0.
 * @param {number} column
 */
export const columnLetter = (column) => String.fromCharCode(97 + column);

/**
 * Returns the text of a cell for people: `b2`, or `3,2,1` in three and four dimensions.
 * @param {Rules} rules
 * @param {number} cell
 */
export function cellText(rules, cell) {
  if (cell >= rules.cells) return `#${cell}`;
  const at = coordinatesOf(rules, cell);
  if (at.length > 2) return at.map((value) => value + 1).join(",");
  return `${columnLetter(/** @type {number} */ (at[0]))}${(at[1] ?? 0) + 1}`;
}

/**
 * Reads the text of a cell. With gravity the letter of a column is enough. Returns -1 if the board has no such cell.
 * @param {Rules} rules
 * @param {string} text
 */
export function parseCell(rules, text) {
  const clean = text.trim().toLowerCase();
  const name = /^([a-y])(\d{1,2})$/.exec(clean);
  if (name && rules.sides.length <= 2) {
    const at = [
      /** @type {string} */ (name[1]).charCodeAt(0) - 97,
      Number(name[2]) - 1,
    ];
    return cellAt(
      rules,
      rules.sides.length === 1 ? (at[1] === 0 ? at.slice(0, 1) : []) : at,
    );
  }
  if (rules.gravity && rules.sides.length === 2 && /^[a-y]$/.test(clean)) {
    return cellAt(rules, [clean.charCodeAt(0) - 97, 0]);
  }
  const parts = clean.split(/[\s,]+/);
  if (!parts.every((part) => /^\d{1,2}$/.test(part))) return -1;
  return cellAt(
    rules,
    parts.map((part) => Number(part) - 1),
  );
}

/**
 * Returns the numbers of layers side by side, and one below the other.
 * @param {Rules} rules
 * @returns {[number, number]}
 */
export function layerArrangement(rules) {
  const [, , depth = 1, w = 1] = rules.sides;
  if (rules.sides.length === 4) return [depth, w];
  const across = depth <= 3 ? depth : Math.ceil(Math.sqrt(depth));
  return [across, Math.ceil(depth / across)];
}
