// Coordinates and names of cells, and the places of layers. Pure.

/** @typedef {import("./rules.js").Rules} Rules */

/**
 * Returns the zero-based coordinates of a cell.
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
 * Returns the cell at zero-based coordinates, or -1 if they are off the board.
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
 * Returns the letter of a zero-based column.
 * @param {number} column
 */
export const columnLetter = (column) => String.fromCharCode(97 + column);

/**
 * Returns the number of a row, given by its index from the top. Row 1 is at the
 * bottom with gravity and on boards of at least 5x5, as in Connect Four and
 * Gomoku.
 * @param {Rules} rules
 * @param {number} y
 */
export function rowNumber(rules, y) {
  const [width = 1, height = 1] = rules.sides;
  const fromBottom =
    rules.sides.length === 2 && (rules.gravity || Math.min(width, height) >= 5);
  return fromBottom ? height - y : y + 1;
}

/**
 * Returns the name of a cell: `b2`, or with layers `b2-3` or `b2-2.3`.
 * @param {Rules} rules
 * @param {number} cell
 */
export function cellText(rules, cell) {
  if (cell >= rules.cells) return `#${cell}`;
  const [x = 0, y = 0, ...layers] = coordinatesOf(rules, cell);
  const layer = layers.map((value) => value + 1).join(".");
  return `${columnLetter(x)}${rowNumber(rules, y)}${layer && `-${layer}`}`;
}

/**
 * Parses the name of a cell. With gravity, the letter of a column is enough.
 * Returns -1 if the board has no such cell.
 * @param {Rules} rules
 * @param {string} text
 */
export function parseCell(rules, text) {
  const clean = text.trim().toLowerCase();
  const [width = 1, height = 1] = rules.sides;
  if (rules.gravity && rules.sides.length === 2 && /^[a-y]$/.test(clean)) {
    return cellAt(rules, [clean.charCodeAt(0) - 97, 0]);
  }
  const name = /^([a-y])(\d{1,3})(?:-(\d{1,3}(?:\.\d{1,3})?))?$/.exec(clean);
  if (!name) return -1;
  const [, letter = "", row = "", layers] = name;
  const number = Number(row);
  // The row numbering is its own inverse.
  const y = rowNumber(rules, number - 1) - 1;
  if (!(number >= 1 && number <= height)) return -1;
  const at = [
    letter.charCodeAt(0) - 97,
    ...(rules.sides.length === 1 ? [] : [y]),
    ...(layers?.split(".") ?? []).map((layer) => Number(layer) - 1),
  ];
  return at[0] !== undefined && at[0] < width ? cellAt(rules, at) : -1;
}

/**
 * Returns how layers are arranged: the number of layers side by side, and the number of rows of
 * layers.
 * @param {Rules} rules
 * @returns {[number, number]}
 */
export function layerArrangement(rules) {
  const [, , depth = 1, w = 1] = rules.sides;
  if (rules.sides.length === 4) return [depth, w];
  const across = depth <= 3 ? depth : Math.ceil(Math.sqrt(depth));
  return [across, Math.ceil(depth / across)];
}
