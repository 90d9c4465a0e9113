// Small drawings of the games.
import { boardStyle, parseRules } from "../core/rules.js";
import { svg } from "./dom.js";

/** Marks in the drawings, as `[x, y]` of X and O. */
const SAMPLES = Object.freeze({
  open: [
    [
      [2, 0],
      [1, 1],
    ],
    [
      [0, 0],
      [1, 2],
    ],
  ],
  rack: [
    [
      [3, 3],
      [4, 4],
      [3, 5],
      [4, 5],
    ],
    [
      [2, 4],
      [3, 4],
      [2, 5],
      [5, 5],
    ],
  ],
  dense: [
    [
      [3, 3],
      [5, 4],
      [6, 5],
      [4, 5],
      [3, 6],
    ],
    [
      [4, 3],
      [5, 3],
      [6, 3],
      [6, 4],
      [7, 6],
    ],
  ],
});

/**
 * Draws a game on a 72 × 72 grid.
 * @param {string} rulesText
 */
export function gamePicture(rulesText) {
  const rules = parseRules(rulesText);
  const picture = svg("svg", {
    class: "picture",
    viewBox: "0 0 72 72",
    "aria-hidden": "true",
  });
  const put = (
    /** @type {"x" | "o"} */ seat,
    /** @type {number} */ cx,
    /** @type {number} */ cy,
    /** @type {number} */ r,
    scaleY = 1,
  ) => {
    const shape =
      seat === "x"
        ? svg("path", {
            d: `M${cx - r} ${cy - r * scaleY}L${cx + r} ${cy + r * scaleY}M${cx + r} ${cy - r * scaleY}L${cx - r} ${cy + r * scaleY}`,
          })
        : svg("ellipse", { cx, cy, rx: r, ry: r * scaleY });
    shape.setAttribute("class", seat);
    shape.setAttribute("stroke-width", String(Math.max(1.4, r / 2.6)));
    picture.append(shape);
  };
  const path = (/** @type {string} */ d, /** @type {string} */ name) =>
    picture.append(svg("path", { d, class: name }));
  if (rules.layers > 1) {
    drawLayers(rules.sides.length === 4, path, put);
    return picture;
  }
  const style = boardStyle(rules);
  const [xs = [], os = []] = SAMPLES[style];
  if (style === "open") {
    path("M26 6V66M46 6V66M6 26H66M6 46H66", "ink");
    for (const [x = 0, y = 0] of xs) put("x", 16 + x * 20, 16 + y * 20, 7);
    for (const [x = 0, y = 0] of os) put("o", 16 + x * 20, 16 + y * 20, 7.5);
  } else if (style === "rack") {
    picture.append(
      svg("rect", { x: 3, y: 8, width: 66, height: 57, rx: 6, class: "case" }),
    );
    for (let y = 0; y < 6; y += 1) {
      for (let x = 0; x < 7; x += 1) {
        const has = (/** @type {number[][]} */ list) =>
          list.some(([a, b]) => a === x && b === y);
        const name = has(xs) ? "disc x" : has(os) ? "disc o" : "hole";
        picture.append(
          svg("circle", {
            cx: 9 + x * 9,
            cy: 14 + y * 9,
            r: name === "disc o" ? 3 : 3.6,
            class: name,
          }),
        );
      }
    }
  } else {
    const lines = Array.from(
      { length: 10 },
      (_, at) => `M${4 + at * 7.1} 4V68M4 ${4 + at * 7.1}H68`,
    ).join("");
    path(lines, "grid");
    for (const [x = 0, y = 0] of xs)
      put("x", 7.5 + x * 7.1, 7.5 + y * 7.1, 2.4);
    for (const [x = 0, y = 0] of os)
      put("o", 7.5 + x * 7.1, 7.5 + y * 7.1, 2.5);
  }
  return picture;
}

/** @param {boolean} isFour @param {(d: string, name: string) => void} path @param {any} put */
function drawLayers(isFour, path, put) {
  if (isFour) {
    for (let at = 0; at < 9; at += 1) {
      const [x, y] = [4 + (at % 3) * 23, 4 + Math.floor(at / 3) * 23];
      path(
        `M${x} ${y}h18v18h-18zM${x + 6} ${y}v18M${x + 12} ${y}v18M${x} ${y + 6}h18M${x} ${y + 12}h18`,
        "grid",
      );
    }
    for (const [x, y] of [
      [7, 7],
      [36, 36],
      [65, 65],
    ])
      put("x", x, y, 2);
    for (const [x, y] of [
      [19, 13],
      [57, 7],
      [30, 42],
      [13, 59],
    ])
      put("o", x, y, 2.1);
    return;
  }
  for (let layer = 0; layer < 4; layer += 1) {
    const y = 16 + layer * 14;
    const lines = Array.from({ length: 5 }, (_, at) => {
      const [dx, dy] = [at * 7.5, at * 3];
      return `M${36 - dx} ${y - 12 + dy}l30 12M${36 + dx} ${y - 12 + dy}l-30 12`;
    });
    path(lines.join(""), "grid");
  }
  for (const [x, y] of [
    [36, 7],
    [36, 49],
    [36, 67],
  ])
    put("x", x, y, 2.6, 0.7);
  for (const [x, y] of [
    [58, 16],
    [14, 30],
    [52, 44],
    [20, 58],
  ])
    put("o", x, y, 3.2, 0.6);
}

/** Returns the drawing on the card that opens all games. */
export function morePicture() {
  return svg(
    "svg",
    { class: "picture", viewBox: "0 0 72 72", "aria-hidden": "true" },
    svg("path", {
      d: "M6 6h60v60H6zM26 6v60M46 6v60M6 26h60M6 46h60",
      class: "grid dashed",
    }),
    svg("circle", { cx: 36, cy: 36, r: 15, class: "hole" }),
    svg("path", { d: "M36 27v18M27 36h18", class: "ink thin" }),
  );
}
