// Drawings of games with features that a picture of their board does not show. They are loaded with
// the screen of all games.
import { svg } from "./dom.js";
import { gamePicture } from "./game-picture.js";

/** @param {string} d @param {string} name @returns {SVGElement} */
const line = (d, name) => svg("path", { d, class: name });

/** @param {"x" | "o"} seat @param {number} x @param {number} y @param {number} r */
const placed = (seat, x, y, r) =>
  seat === "x"
    ? svg("path", {
        d: `M${x - r} ${y - r}l${2 * r} ${2 * r}M${x + r} ${y - r}l${-2 * r} ${2 * r}`,
        class: seat,
        "stroke-width": Math.max(1.6, r / 2.6),
      })
    : svg("circle", {
        cx: x,
        cy: y,
        r,
        class: seat,
        "stroke-width": Math.max(1.6, r / 2.6),
      });

/**
 * Returns the outline of a board that is seen at an angle.
 * @param {number} sides number of cells per side
 * @param {number} size size of a cell
 * @param {number} top place of the upper corner
 */
function tilted(sides, size, top) {
  const at = Array.from({ length: sides + 1 }, (_, index) => index * size);
  const whole = sides * size;
  return at
    .map(
      (by) =>
        `M${36 - by} ${top + by * 0.4}l${whole} ${whole * 0.4}M${36 + by} ${top + by * 0.4}l${-whole} ${whole * 0.4}`,
    )
    .join("");
}

/** @type {Readonly<Record<string, () => SVGElement[]>>} */
const DRAWINGS = Object.freeze({
  // The losing line is struck out.
  misere: () => [
    line("M26 6V66M46 6V66M6 26H66M6 46H66", "ink"),
    placed("x", 16, 36, 7),
    placed("x", 36, 36, 7),
    placed("x", 56, 36, 7),
    placed("o", 36, 16, 7),
    placed("o", 56, 56, 7),
    line("M4 54L68 18", "strike"),
  ],
  gomoku19: () => [
    line(
      Array.from({ length: 19 }, (_, at) => 4.5 + at * 3.5)
        .map((at) => `M${at} 4.5v63M4.5 ${at}h63`)
        .join(""),
      "grid fine",
    ),
    ...[5, 6, 7, 8].map((at) =>
      placed("x", 4.5 + at * 3.5, 46.5 - at * 3.5, 1),
    ),
    ...[
      [9, 5],
      [8, 6],
      [10, 7],
      [9, 8],
      [11, 9],
    ].map(([x = 0, y = 0]) => placed("o", 4.5 + x * 3.5, 4.5 + y * 3.5, 1)),
  ],
  // The layers are one above another.
  tictactoe3d: () => [
    ...[3, 25, 47].map((top) => line(tilted(3, 9, top), "grid")),
    placed("x", 36, 6.6, 2.4),
    placed("x", 36, 35.8, 2.4),
    placed("x", 36, 65, 2.4),
    placed("o", 54, 13.8, 2.4),
    placed("o", 18, 57.8, 2.4),
  ],
  // The marks are balls on rods.
  score4: () => [
    line(tilted(4, 8, 44), "grid"),
    line("M20 54V22M36 60V14M52 54V22", "ink thin"),
    ...[
      [20, 52, "x"],
      [20, 43, "o"],
      [36, 58, "o"],
      [36, 49, "x"],
      [36, 40, "x"],
      [36, 31, "o"],
      [52, 52, "o"],
      [52, 43, "x"],
    ].map(([cx, cy, seat]) =>
      svg("circle", { cx, cy, r: 4.4, class: `ball ${seat}` }),
    ),
  ],
  // A line leaves the board on the right and returns on the left.
  torus4: () => [
    line(
      "M8 8h56v56h-56zM22 8v56M36 8v56M50 8v56M8 22h56M8 36h56M8 50h56",
      "grid",
    ),
    placed("x", 57, 29, 4),
    placed("x", 43, 29, 4),
    placed("x", 15, 29, 4),
    placed("x", 29, 29, 4),
    placed("o", 29, 43, 4),
    placed("o", 43, 57, 4),
    placed("o", 15, 57, 4),
    line("M36 29H71M67 25l4 4l-4 4M1 29H36M1 25l4 4l-4 4", "wrap"),
  ],
});

/**
 * @param {string} name name of a game
 * @param {string} rules
 */
export function namedPicture(name, rules) {
  const draw = DRAWINGS[name];
  if (!draw) return gamePicture(rules);
  return svg(
    "svg",
    { class: "picture", viewBox: "0 0 72 72", "aria-hidden": "true" },
    ...draw(),
  );
}
