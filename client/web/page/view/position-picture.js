// A drawing of a position, for games that are shown beside others.
import { layerArrangement } from "../core/cells.js";
import { boardAfter, boardStyle } from "../core/rules.js";
import { svg } from "./dom.js";

/** Size of a cell, and gap between two layers, in units of the drawing. */
export const CELL_UNITS = 10;
const LAYER_GAP_UNITS = 6;
const RACK_EDGE_UNITS = 4;

/**
 * Returns the path of a winning line in a layer from the middle of the first
 * cell to the middle of the last cell.
 * @param {number} width columns of the layer
 * @param {readonly number[]} cells
 * @param {number} unit size of a cell
 */
export function linePath(width, cells, unit) {
  let last = [NaN, NaN];
  return cells
    .map((cell) => {
      const [x, y] = [cell % width, Math.floor(cell / width)];
      const [fromX = NaN, fromY = NaN] = last;
      // A longer step crosses an edge of the board. The path of a single cell gets a second point,
      // because a path with one point is not drawn.
      const isNext = Math.hypot(x - fromX, y - fromY) < 2;
      const at = `${(x + 0.5) * unit} ${(y + 0.5) * unit}`;
      last = [x, y];
      return isNext ? `L${at}` : `M${at}L${at}`;
    })
    .join("");
}

/**
 * @param {import("../core/rules.js").Rules} rules
 * @param {readonly number[]} moves
 * @param {readonly number[]} winning cells of the line that ended the game
 */
export function positionPicture(rules, moves, winning) {
  const [across, down] = layerArrangement(rules);
  const [width, height] = [rules.width * CELL_UNITS, rules.height * CELL_UNITS];
  const style = boardStyle(rules);
  const edge = style === "rack" ? RACK_EDGE_UNITS : 1;
  const total = (/** @type {number} */ count, /** @type {number} */ size) =>
    count * size + (count - 1) * LAYER_GAP_UNITS + 2 * edge;
  const picture = svg("svg", {
    class: `picture position ${style}`,
    viewBox: `${-edge} ${-edge} ${total(across, width)} ${total(down, height)}`,
    "aria-hidden": "true",
  });
  const board = boardAfter(rules, [...moves]);
  const last = moves.at(-1) ?? -1;
  for (let layer = 0; layer < rules.layers; layer += 1) {
    const left = (layer % across) * (width + LAYER_GAP_UNITS);
    const top = Math.floor(layer / across) * (height + LAYER_GAP_UNITS);
    const group = svg(
      "g",
      { transform: `translate(${left} ${top})` },
      ...layerShapes(rules, style),
    );
    if (rules.layers === 1 && winning.length > 0)
      for (const part of ["won-edge", "won"])
        group.append(
          svg("path", {
            d: linePath(rules.width, winning, CELL_UNITS),
            class: part,
          }),
        );
    for (let at = 0; at < rules.width * rules.height; at += 1) {
      const cell = layer * rules.width * rules.height + at;
      const [x, y] = [
        (at % rules.width) * CELL_UNITS,
        Math.floor(at / rules.width) * CELL_UNITS,
      ];
      const mark = board[cell];
      const box = (/** @type {string} */ name) =>
        svg("rect", {
          x: x + 0.6,
          y: y + 0.6,
          width: 8.8,
          height: 8.8,
          rx: style === "rack" ? 5 : 1,
          class: name,
        });
      const circle = (/** @type {number} */ r, /** @type {string} */ name) =>
        svg("circle", { cx: x + 5, cy: y + 5, r, class: name });
      if (cell === last && winning.length === 0) group.append(box("last"));
      if (winning.includes(cell) && rules.layers > 1) group.append(box("won"));
      if (!mark) continue;
      const seat = mark.toLowerCase();
      if (style === "rack") group.append(circle(4.1, `disc ${seat}`));
      if (mark === "X") {
        const [from, by] = style === "rack" ? [3.4, 3.2] : [2.6, 4.8];
        group.append(
          svg("path", {
            d: `M${x + from} ${y + from}l${by} ${by}M${x + from + by} ${y + from}l-${by} ${by}`,
            class: "x",
          }),
        );
      } else group.append(circle(style === "rack" ? 1.9 : 2.7, "o"));
    }
    picture.append(group);
  }
  return picture;
}

/**
 * Draws the empty board of a layer.
 * @param {import("../core/rules.js").Rules} rules
 * @param {string} style
 */
function layerShapes({ width, height }, style) {
  const [right, bottom] = [width * CELL_UNITS, height * CELL_UNITS];
  if (style === "rack") {
    const holes = Array.from({ length: width * height }, (_, at) =>
      svg("circle", {
        cx: (at % width) * CELL_UNITS + 5,
        cy: Math.floor(at / width) * CELL_UNITS + 5,
        r: 4.2,
        class: "hole",
      }),
    );
    return [
      svg("rect", {
        x: -3,
        y: -3,
        width: right + 6,
        height: bottom + 6,
        rx: 5,
        class: "case",
      }),
      ...holes,
    ];
  }
  const first = style === "open" ? 1 : 0;
  const parts = [];
  for (let x = first; x <= width - first; x += 1)
    parts.push(`M${x * CELL_UNITS} 0V${bottom}`);
  for (let y = first; y <= height - first; y += 1)
    parts.push(`M0 ${y * CELL_UNITS}H${right}`);
  return [
    svg("path", {
      d: parts.join(""),
      class: style === "open" ? "ink" : "grid",
      "vector-effect": "non-scaling-stroke",
    }),
  ];
}
