// The final position as a picture that the visitor can save or share.
import { layerArrangement } from "../core/cells.js";
import { boardAfter, boardStyle, parseRules } from "../core/rules.js";
import { nameOf } from "./game-texts.js";
import { gameName } from "../view/labels.js";

/** Sizes in pixels. */
const WIDTH = 1080;
const EDGE = 60;
const HEAD = 150;
const FOOT = 90;
const GAP = 36;
const SHARE_TYPE = "image/png";
/**
 * Time that the URL of the picture stays valid, so that the browser can read the picture and save
 * it.
 */
const KEPT_MS = 60_000;

/**
 * Returns the value of a colour of the page in the visitor's theme.
 * @param {string} name
 */
function color(name) {
  const probe = document.body.appendChild(document.createElement("i"));
  probe.style.setProperty("color", `var(--${name})`);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

/**
 * Draws the board of a finished game, with the result.
 * @param {import("../core/fold.js").RoomState} state
 * @param {string} title
 */
function draw(state, title) {
  const rules = parseRules(state.rules);
  const [across, down] = layerArrangement(rules);
  const cell = (WIDTH - 2 * EDGE - (across - 1) * GAP) / (across * rules.width);
  const layerHeight = rules.height * cell;
  const canvas = document.createElement("canvas");
  canvas.width = WIDTH;
  canvas.height = HEAD + down * layerHeight + (down - 1) * GAP + EDGE + FOOT;
  const pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  pen.lineCap = "round";
  pen.lineJoin = "round";
  pen.fillStyle = color("sheet");
  pen.fillRect(0, 0, canvas.width, canvas.height);
  const write = (
    /** @type {string} */ line,
    /** @type {number} */ y,
    /** @type {string} */ font,
    /** @type {string} */ tone,
  ) => {
    pen.font = `${font} ${getComputedStyle(document.body).fontFamily}`;
    pen.fillStyle = color(tone);
    pen.fillText(line, EDGE, y, WIDTH - 2 * EDGE);
  };
  const players = `${nameOf(state, "X")} (X) – ${nameOf(state, "O")} (O)`;
  write(title, 68, "700 46px", "ink");
  write(players, 120, "450 32px", "ink-2");
  write(
    `${gameName(state.rules)} · Noughts · ${location.host}`,
    canvas.height - 50,
    "450 28px",
    "ink-2",
  );
  const marks = boardAfter(rules, state.moves);
  const line = state.outcome?.line?.cells ?? [];
  const size = rules.width * rules.height;
  for (let layer = 0; layer < rules.layers; layer += 1) {
    pen.save();
    pen.translate(
      EDGE + (layer % across) * (rules.width * cell + GAP),
      HEAD + Math.floor(layer / across) * (layerHeight + GAP),
    );
    // A unit of the drawing is a cell.
    pen.scale(cell, cell);
    drawLayer(
      pen,
      rules,
      marks.slice(layer * size, (layer + 1) * size),
      line.map((at) => at - layer * size).filter((at) => at >= 0 && at < size),
    );
    pen.restore();
  }
  return canvas;
}

/**
 * @param {CanvasRenderingContext2D} pen
 * @param {import("../core/rules.js").Rules} rules
 * @param {(string | null)[]} marks of the cells of the layer
 * @param {number[]} line cells of the winning line in this layer
 */
function drawLayer(pen, rules, marks, line) {
  const { width, height } = rules;
  const style = boardStyle(rules);
  const place = (/** @type {number} */ at) =>
    /** @type {const} */ ([(at % width) + 0.5, Math.floor(at / width) + 0.5]);
  const stroke = (/** @type {string} */ tone, /** @type {number} */ size) => {
    pen.strokeStyle = color(tone);
    pen.lineWidth = size;
    pen.stroke();
  };
  const circle = (/** @type {number} */ at, /** @type {number} */ radius) => {
    pen.beginPath();
    pen.arc(...place(at), radius, 0, 2 * Math.PI);
  };
  const fill = (/** @type {string} */ tone) => {
    pen.fillStyle = color(tone);
    pen.fill();
  };
  const tone = marks[line[0] ?? -1]?.toLowerCase() ?? "ink";
  if (style === "rack") {
    // Round joins round its corners.
    pen.beginPath();
    pen.rect(0.15, 0.15, width - 0.3, height - 0.3);
    stroke("grid", 0.36);
    stroke("sunk", 0.3);
    fill("sunk");
  }
  if (rules.layers > 1)
    for (const at of line) {
      circle(at, 0.48);
      fill("now-cell");
      stroke(tone, 0.04);
    }
  else if (line.length > 0) {
    pen.beginPath();
    let last = [NaN, NaN];
    for (const [x, y] of line.map(place)) {
      const [dx, dy] = [x - (last[0] ?? 0), y - (last[1] ?? 0)];
      // A longer step crosses an edge of the board.
      if (Math.hypot(dx, dy) < 2) pen.lineTo(x, y);
      else pen.moveTo(x, y);
      last = [x, y];
    }
    stroke(tone, 0.96);
    stroke(style === "rack" ? "now" : "now-cell", 0.88);
  }
  if (style === "rack")
    for (const [at, mark] of marks.entries()) {
      circle(at, 0.42);
      fill(mark ? `${mark.toLowerCase()}-tint` : "sheet");
      stroke(mark ? mark.toLowerCase() : "grid", 0.03);
    }
  else {
    const first = style === "open" ? 1 : 0;
    pen.beginPath();
    for (let x = first; x <= width - first; x += 1) {
      pen.moveTo(x, 0);
      pen.lineTo(x, height);
    }
    for (let y = first; y <= height - first; y += 1) {
      pen.moveTo(0, y);
      pen.lineTo(width, y);
    }
    stroke(style === "open" ? "ink" : "grid", 0.03);
  }
  const reach = style === "rack" ? 0.18 : 0.26;
  for (const [at, mark] of marks.entries()) {
    const [x, y] = place(at);
    if (mark === "O") circle(at, 1.15 * reach);
    else {
      pen.beginPath();
      for (const side of [-1, 1]) {
        pen.moveTo(x - side * reach, y - reach);
        pen.lineTo(x + side * reach, y + reach);
      }
    }
    if (mark) stroke(mark.toLowerCase(), 0.13);
  }
}

/**
 * Shares the picture if the browser can, or else saves it.
 * @param {import("../core/fold.js").RoomState} state
 * @param {string} title
 */
export async function savePicture(state, title) {
  const canvas = draw(state, title);
  const blob = await new Promise((resolve) =>
    canvas.toBlob(resolve, SHARE_TYPE),
  );
  if (!blob) throw new Error("the canvas has no picture");
  const file = new File([blob], "noughts.png", { type: SHARE_TYPE });
  const isTouch = matchMedia("(pointer: coarse)").matches;
  if (isTouch && navigator.canShare?.({ files: [file] }))
    try {
      return await navigator.share({ files: [file], title });
    } catch (error) {
      // The visitor has closed the browser's list.
      if (error instanceof DOMException && error.name === "AbortError") return;
    }
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = file.name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), KEPT_MS);
}
