// A drawing of a position, for games that are shown beside others.
import { layerArrangement } from "../core/cells.js";
import { boardAfter, boardStyle } from "../core/rules.js";
import { svg } from "./dom.js";

/** Size of a cell, and the space between two layers, in units of the drawing. */
export const CELL_UNITS = 10;
const LAYER_GAP_UNITS = 6;
const RACK_EDGE_UNITS = 4;

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
    for (let at = 0; at < rules.width * rules.height; at += 1) {
      const cell = layer * rules.width * rules.height + at;
      const [x, y] = [
        (at % rules.width) * CELL_UNITS,
        Math.floor(at / rules.width) * CELL_UNITS,
      ];
      const mark = board[cell];
      if (cell === last)
        group.append(
          svg("rect", {
            x: x + 0.6,
            y: y + 0.6,
            width: 8.8,
            height: 8.8,
            rx: style === "rack" ? 5 : 1,
            class: "last",
          }),
        );
      if (winning.includes(cell))
        group.append(
          svg("rect", {
            x: x + 0.6,
            y: y + 0.6,
            width: 8.8,
            height: 8.8,
            rx: style === "rack" ? 5 : 1,
            class: "won",
          }),
        );
      if (mark && style === "rack")
        group.append(
          svg("circle", {
            cx: x + 5,
            cy: y + 5,
            r: 3.6,
            class: `disc ${mark.toLowerCase()}`,
          }),
        );
      else if (mark === "X")
        group.append(
          svg("path", {
            d: `M${x + 2.6} ${y + 2.6}l4.8 4.8M${x + 7.4} ${y + 2.6}l-4.8 4.8`,
            class: "x",
          }),
        );
      else if (mark === "O")
        group.append(
          svg("circle", { cx: x + 5, cy: y + 5, r: 2.7, class: "o" }),
        );
    }
    picture.append(group);
  }
  return picture;
}

/** @param {import("../core/rules.js").Rules} rules @param {string} style the empty board of a layer */
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
