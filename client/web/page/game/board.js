// The board: cells, marks, keys, pointer, and the preview of a move.
import {
  cellAt,
  cellText,
  columnLetter,
  coordinatesOf,
  layerArrangement,
  rowNumber,
} from "../core/cells.js";
import { boardAfter, boardStyle, landingCell } from "../core/rules.js";
import { text } from "../i18n.js";
import { cellName, isNamedByDigits } from "../view/cell-name.js";
import { h, mark, setAttribute, svg } from "../view/dom.js";
import { linePath } from "../view/position-picture.js";

/**
 * @typedef {import("../core/rules.js").Rules} Rules
 * @typedef {import("../core/fold.js").Seat} Seat
 * @typedef {object} Position what the board shows
 * @property {number[]} moves
 * @property {Seat | null} seat the visitor's seat
 * @property {boolean} canMove
 * @property {number} pending cell of an unconfirmed move, or -1
 * @property {number[]} winning cells of the line that ended the game
 * @property {number} better a cell that would have been better than the last
 *   move, or -1
 * @property {number} animated number of moves with marks that are not
 *   animated again
 * @property {number | null} selected
 * @property {boolean} coordinates
 * @property {boolean} sameCell
 *
 * @typedef {object} BoardHandlers
 * @property {(cell: number, isSmall: boolean) => void} onChoose a cell was
 *   chosen. A small cell is hard to hit
 * @property {(letter: string) => boolean} onLetter a letter was pressed on
 *   the board. Returns whether the letter has a meaning
 */

/**
 * Minimum size of a cell that takes only one tap on a touch screen. A smaller cell needs a
 * confirmation.
 */
const SMALL_CELL_PIXELS = 44;
/** Maximum number of columns of a board with rulers on a narrow screen. */
const MAX_RULED_COLUMNS = 12;
/** @type {Readonly<Record<number, number[]>>} */
const STAR_POINTS = Object.freeze({ 15: [3, 7, 11], 19: [3, 9, 15] });

/**
 * Returns the name of a layer, as it appears in the names of its cells.
 * @param {Rules} rules
 * @param {number} layer
 */
function layerName(rules, layer) {
  const [, name] = cellText(rules, layer * rules.width * rules.height).split(
    "-",
  );
  return text("board_layer", { name });
}

/**
 * Returns the path of a layer's lines, in cells.
 * @param {Rules} rules
 */
function linesOf(rules) {
  const { width, height } = rules;
  const isOpen = boardStyle(rules) === "open";
  const inset = isOpen ? 0.06 : 0;
  const first = isOpen ? 1 : 0;
  const parts = [];
  for (let x = first; x <= width - first; x += 1)
    parts.push(`M${x} ${inset}V${height - inset}`);
  for (let y = first; y <= height - first; y += 1)
    parts.push(`M${inset} ${y}H${width - inset}`);
  const path = svg("path", {
    d: parts.join(""),
    "vector-effect": "non-scaling-stroke",
  });
  return svg(
    "svg",
    {
      class: "lines",
      viewBox: `0 0 ${width} ${height}`,
      "aria-hidden": "true",
    },
    path,
  );
}

/**
 * Returns whether the cell, while it is free, shows a point that guides the
 * eye.
 * @param {Rules} rules
 * @param {number} x
 * @param {number} y
 */
function isStarPoint({ width, height, layers }, x, y) {
  const stars =
    width === height && layers === 1 ? (STAR_POINTS[width] ?? []) : [];
  return (
    stars.includes(x) &&
    stars.includes(y) &&
    (width !== 15 || (x === 7) === (y === 7))
  );
}

/**
 * Returns the Latin letter of a key in lower case, or "". For a key of another
 * alphabet, returns the letter in the same place.
 * @param {{ key: string, code: string }} event
 */
export function latinLetter({ key, code }) {
  if (/^[a-z]$/i.test(key)) return key.toLowerCase();
  return /^\p{L}$/u.test(key)
    ? (/^Key([A-Z])$/.exec(code)?.[1] ?? "").toLowerCase()
    : "";
}

/**
 * Returns how far a part extends beyond its box.
 * @param {number} start start of the part
 * @param {number} end end of the part
 * @param {number} size size of the box
 * @returns {number}
 */
const excess = (start, end, size) =>
  Math.min(start, 0) + Math.max(end - size, 0);

export class Board {
  /**
   * @param {Rules} rules
   * @param {BoardHandlers} handlers
   */
  constructor(rules, handlers) {
    this.rules = rules;
    this.handlers = handlers;
    /** @type {HTMLElement[]} */
    this.cells = [];
    /** @type {string[]} */
    this.keys = new Array(rules.cells).fill("");
    /** @type {HTMLElement[]} */
    this.layers = [];
    this.cursor = Math.floor(rules.cells / 2);
    this.preview = -1;
    /** @type {Position | null} */
    this.position = null;
    /** @type {(Seat | null)[]} */
    this.marks = new Array(rules.cells).fill(null);
    this.isTouch = false;
    const style = boardStyle(rules);
    const [across, down] = layerArrangement(rules);
    this.root = h("div", {
      class: `board ${style}${rules.layers > 1 ? " layered" : ""}${rules.width > MAX_RULED_COLUMNS ? " wide" : ""}`,
    });
    const values = {
      "--columns": rules.width,
      "--rows": rules.height,
      "--across": across,
      "--down": down,
    };
    for (const [name, value] of Object.entries(values))
      this.root.style.setProperty(name, String(value));
    for (let layer = 0; layer < rules.layers; layer += 1)
      this.root.append(
        this.buildLayer(layer, {
          isLowest: layer + across >= rules.layers,
          isFirst: layer % across === 0,
        }),
      );
    this.cells[this.cursor]?.setAttribute("tabindex", "0");
    this.listen();
  }

  /**
   * Builds a layer. The rulers are only beside and below the board, because a label in a cell would
   * cover its mark.
   * @param {number} layer
   * @param {{ isLowest: boolean, isFirst: boolean }} place
   */
  buildLayer(layer, { isLowest, isFirst }) {
    const { rules } = this;
    const { width, height } = rules;
    const isLayered = rules.layers > 1;
    const label = isLayered ? layerName(rules, layer) : text("board");
    const grid = h("div", {
      class: "cells",
      role: "grid",
      "aria-label": label,
    });
    for (let y = 0; y < height; y += 1) {
      const row = h("div", { class: "cell-row", role: "row" });
      for (let x = 0; x < width; x += 1) {
        const cell = (layer * height + y) * width + x;
        const element = h("div", {
          class: "cell",
          role: "gridcell",
          tabindex: "-1",
          "data-cell": cell,
          "data-star": isStarPoint(rules, x, y),
          // Results and moves name the cells of a small board by digits.
          "data-digit":
            isNamedByDigits(rules) && !rules.gravity ? cell + 1 : null,
        });
        this.cells[cell] = element;
        row.append(element);
      }
      grid.append(row);
    }
    const frame = h("div", { class: "frame" }, linesOf(rules), grid);
    const ruler = (
      /** @type {string} */ name,
      /** @type {string[]} */ labels,
    ) =>
      h(
        "div",
        { class: `ruler ${name}`, "aria-hidden": "true" },
        ...labels.map((label) => h("span", null, label)),
      );
    const columns = Array.from({ length: width }, (_, x) =>
      isNamedByDigits(rules) ? String(x + 1) : columnLetter(x),
    );
    const rows = Array.from({ length: height }, (_, y) =>
      String(rowNumber(rules, y)),
    );
    const element = h(
      "div",
      { class: "layer" },
      isLayered && h("div", { class: "caption", "aria-hidden": "true" }, label),
      frame,
      isLowest && ruler("columns", columns),
      isFirst && ruler("row-numbers", rows),
    );
    this.layers.push(element);
    return element;
  }

  listen() {
    const { root } = this;
    const cellOf = (/** @type {Event} */ event) => {
      const target =
        event.target instanceof Element ? event.target.closest(".cell") : null;
      return target
        ? Number(/** @type {HTMLElement} */ (target).dataset["cell"])
        : -1;
    };
    root.addEventListener("pointerdown", (event) => {
      this.isTouch = event.pointerType === "touch";
      this.setPreview(cellOf(event));
    });
    root.addEventListener("click", (event) => {
      const cell = cellOf(event);
      if (cell < 0) return;
      this.moveCursor(cell, false);
      const size = this.cells[cell]?.getBoundingClientRect().width ?? 0;
      this.handlers.onChoose(cell, this.isTouch && size < SMALL_CELL_PIXELS);
    });
    root.addEventListener(
      "pointerover",
      (event) =>
        event.pointerType === "mouse" && this.setPreview(cellOf(event)),
    );
    root.addEventListener("pointerleave", () => this.setPreview(-1));
    root.addEventListener("focusin", (event) => {
      const cell = cellOf(event);
      if (cell >= 0) this.moveCursor(cell, false);
      if (
        cell >= 0 &&
        /** @type {Element} */ (event.target).matches(":focus-visible")
      )
        this.setPreview(cell);
    });
    root.addEventListener("focusout", () => this.setPreview(-1));
    root.addEventListener("keydown", (event) => this.onKeyDown(event));
  }

  /** @param {KeyboardEvent} event */
  onKeyDown(event) {
    if (event.altKey || event.metaKey) return;
    const { rules, cursor } = this;
    const at = coordinatesOf(rules, cursor);
    const axis = {
      ArrowLeft: [0, -1],
      ArrowRight: [0, 1],
      ArrowUp: [1, -1],
      ArrowDown: [1, 1],
      PageUp: [event.shiftKey ? 3 : 2, -1],
      PageDown: [event.shiftKey ? 3 : 2, 1],
    }[event.key];
    if (axis) {
      const [index, step] = /** @type {[number, number]} */ (axis);
      if (index < at.length) at[index] = (at[index] ?? 0) + step;
      const cell = cellAt(rules, at);
      if (cell >= 0) this.moveCursor(cell, true);
    } else if (event.key === "Home" || event.key === "End") {
      const isEnd = event.key === "End";
      if (event.ctrlKey) this.moveCursor(isEnd ? rules.cells - 1 : 0, true);
      else
        this.moveCursor(
          cellAt(rules, [isEnd ? rules.width - 1 : 0, ...at.slice(1)]),
          true,
        );
    } else if (event.key === "Enter" || event.key === " ") {
      this.handlers.onChoose(cursor, false);
    } else if (event.ctrlKey || !this.handlers.onLetter(latinLetter(event))) {
      return;
    }
    event.preventDefault();
  }

  /**
   * Moves the cursor to a cell.
   * @param {number} cell
   * @param {boolean} isFocused whether the cell takes the focus
   */
  moveCursor(cell, isFocused) {
    this.cells[this.cursor]?.setAttribute("tabindex", "-1");
    this.cursor = cell;
    this.cells[cell]?.setAttribute("tabindex", "0");
    if (isFocused) this.cells[cell]?.focus();
    this.markLayers();
  }

  /**
   * Marks the place of the cursor: on the rulers of a flat board, otherwise its
   * layer and the same cell in the other layers.
   */
  markLayers() {
    const { rules } = this;
    const hasCursor =
      this.preview >= 0 || this.root.contains(document.activeElement);
    const cell = this.preview >= 0 ? this.preview : this.cursor;
    if (rules.layers === 1) {
      for (const label of this.root.querySelectorAll(".ruler .current"))
        label.classList.remove("current");
      if (!hasCursor) return;
      const labels = [...this.root.querySelectorAll(".ruler")].map(
        (ruler) => ruler.children,
      );
      labels[0]?.[cell % rules.width]?.classList.add("current");
      labels[1]?.[Math.floor(cell / rules.width)]?.classList.add("current");
      return;
    }
    const size = rules.width * rules.height;
    // After the end and while the opponent thinks, the frame would be stronger than the last move.
    const canMove = hasCursor && (this.position?.canMove ?? true);
    const isMarked = this.position?.sameCell ?? true;
    this.layers.forEach((layer, index) =>
      layer.classList.toggle(
        "current",
        canMove && index === Math.floor(cell / size),
      ),
    );
    this.cells.forEach((element, index) =>
      element.classList.toggle(
        "same",
        canMove && isMarked && index !== cell && index % size === cell % size,
      ),
    );
  }

  /**
   * Shows the mark that a move to this cell would place.
   * @param {number} cell
   */
  setPreview(cell) {
    const { rules, position } = this;
    this.clearPreview();
    this.preview = cell;
    this.markLayers();
    if (cell < 0 || !position?.canMove || !position.seat) return;
    const landing = landingCell(rules, this.marks, cell);
    if (landing < 0) return;
    // Only the cell gets the class: a class on the whole board would restyle every cell when the
    // turn changes.
    this.cells[cell]?.classList.add("target");
    const target = this.cells[landing];
    if (rules.gravity) {
      const top =
        cell - (Math.floor(cell / rules.width) % rules.height) * rules.width;
      for (let y = 0; y < rules.height; y += 1)
        this.cells[top + y * rules.width]?.classList.add("column");
      target?.classList.add(`landing-${position.seat.toLowerCase()}`);
    }
    target?.append(mark(position.seat, "preview"));
  }

  clearPreview() {
    this.root.querySelector(".mark.preview")?.remove();
    const classes = ["column", "landing-x", "landing-o", "target"];
    for (const element of this.root.querySelectorAll(
      ":is(.column, .landing-x, .landing-o, .target)",
    ))
      element.classList.remove(...classes);
  }

  /**
   * Draws a position. Changes only the cells that differ.
   * @param {Position} position
   */
  update(position) {
    const { rules } = this;
    const before = this.position;
    this.position = position;
    const { moves, winning } = position;
    this.marks = boardAfter(rules, moves);
    const last = moves.at(-1) ?? -1;
    const isLive = before !== null && moves.length > position.animated;
    const isFresh = isLive && before.winning.length === 0;
    this.clearPreview();
    this.root.classList.toggle("no-rulers", !position.coordinates);
    this.root.classList.toggle("won", winning.length > 0);
    for (const [cell, element] of this.cells.entries()) {
      const seat = this.marks[cell] ?? null;
      const isPending = cell === position.pending && !seat;
      const isBetter = cell === position.better && !seat;
      const order = winning.indexOf(cell);
      const isWinning = order >= 0;
      const falls =
        rules.gravity && !seat ? landingCell(rules, this.marks, cell) : cell;
      const key = `${seat ?? (isPending ? "?" : "")}${cell === last ? "l" : ""}${isWinning ? "w" : ""}${isBetter ? "b" : ""}${position.selected === cell ? "s" : ""}${falls}`;
      if (this.keys[cell] === key && before) continue;
      this.keys[cell] = key;
      const mover = moves.length % 2 === 1 ? "X" : "O";
      const shown =
        seat ?? (isPending ? position.seat : isBetter ? mover : null);
      // The mark of the visitor's own move is drawn when the cell is pressed. It is not animated
      // again when the server confirms the move.
      const isNew = isPending ? before !== null : cell === last && isLive;
      const tone = shown ? ` ${shown.toLowerCase()}` : "";
      element.className = `cell${tone}${shown ? " marked" : ""}${isNew ? " new" : ""}${cell === last ? " last" : ""}${isWinning ? " win" : ""}${isPending ? " pending" : ""}${isBetter ? " better" : ""}${position.selected === cell ? " selected" : ""}`;
      if (element.dataset["mark"] !== tone) {
        element.dataset["mark"] = tone;
        element.replaceChildren(...(shown ? [mark(shown)] : []));
      }
      if (isNew)
        element.style.setProperty(
          "--fall",
          String((Math.floor(cell / rules.width) % rules.height) + 1),
        );
      if (isWinning) element.style.setProperty("--order", String(order));
      setAttribute(element, "data-order", isWinning ? order + 1 : null);
      element.setAttribute(
        "aria-label",
        isBetter
          ? text("cell_better", { cell: this.placeText(cell) })
          : this.cellLabel(
              cell,
              seat,
              isPending,
              cell === last,
              isWinning,
              falls,
            ),
      );
      setAttribute(element, "aria-disabled", shown ? "true" : null);
    }
    this.drawLine(winning, isFresh);
    this.setPreview(position.canMove ? this.preview : -1);
  }

  /**
   * Shows that this cell cannot be played now.
   * @param {number} cell
   */
  refuse(cell) {
    const element = this.cells[cell];
    shake(element?.querySelector(".mark") ?? element);
  }

  /**
   * Brings the last move into view, if the board is larger than its stage and
   * therefore scrolls. Reads the layout.
   */
  scroll() {
    const cell = this.cells[this.position?.moves.at(-1) ?? -1];
    const stage = this.root.parentElement;
    if (!cell || !stage) return;
    const { scrollWidth, clientWidth, scrollHeight, clientHeight } = stage;
    if (scrollWidth <= clientWidth && scrollHeight <= clientHeight) return;
    const { left, top } = stage.getBoundingClientRect();
    const box = cell.getBoundingClientRect();
    stage.scrollLeft += excess(box.left - left, box.right - left, clientWidth);
    stage.scrollTop += excess(box.top - top, box.bottom - top, clientHeight);
  }

  /**
   * Returns the name of a cell. If only columns have names, includes the row.
   * @param {number} cell
   */
  placeText(cell) {
    const { rules } = this;
    const name = cellName(rules, cell);
    if (!rules.gravity || !isNamedByDigits(rules)) return name;
    const [, y = 0] = coordinatesOf(rules, cell);
    return text("cell_row", { column: name, row: rowNumber(rules, y) });
  }

  /** @param {number} cell @param {Seat | null} seat @param {boolean} isPending @param {boolean} isLast @param {boolean} isWinning @param {number} falls */
  cellLabel(cell, seat, isPending, isLast, isWinning, falls) {
    const name = this.placeText(cell);
    if (isPending)
      return text("cell_pending", { cell: name, mark: this.position?.seat });
    if (!seat) {
      const empty = text("cell_empty", { cell: name });
      return falls !== cell && falls >= 0
        ? `${empty}, ${text("cell_falls", { cell: this.placeText(falls) })}`
        : empty;
    }
    const parts = [text("cell_mark", { cell: name, mark: seat })];
    if (isLast) parts.push(text("cell_last"));
    if (isWinning) parts.push(text("cell_winning"));
    return parts.join(", ");
  }

  /**
   * Draws the winning line from end to end, below the marks. A line through
   * several layers has numbers instead.
   * @param {number[]} winning
   * @param {boolean} isFresh whether the game has just ended
   */
  drawLine(winning, isFresh) {
    const { width, height, layers } = this.rules;
    const key = winning.join();
    if (this.root.dataset["line"] === key) return;
    this.root.dataset["line"] = key;
    this.root.classList.toggle("fresh", isFresh);
    this.root.querySelector(".win-line")?.remove();
    const [first = 0] = winning;
    if (winning.length < 2 || layers > 1) return;
    const d = linePath(width, winning, 1);
    const path = (/** @type {string} */ part) =>
      svg("path", { class: part, d, pathLength: 1 });
    const drawing = svg(
      "svg",
      {
        class: `win-line ${this.marks[first]?.toLowerCase() ?? ""}`,
        viewBox: `0 0 ${width} ${height}`,
        "aria-hidden": "true",
      },
      path("edge"),
      path("band"),
    );
    this.root.querySelector(".frame")?.prepend(drawing);
  }
}

/**
 * Shakes an element for a moment, unless the visitor wants no motion.
 * @param {Element | null | undefined} element
 */
export function shake(element) {
  if (!matchMedia("(prefers-reduced-motion: reduce)").matches)
    element?.animate({ translate: ["0", "-3px", "3px", "0"] }, 150);
}

/**
 * Returns an enlarged part of the board around a cell.
 * @param {Rules} rules
 * @param {(Seat | null)[]} marks
 * @param {number} cell
 * @param {Seat} seat
 */
export function enlargedCut(rules, marks, cell, seat) {
  const at = coordinatesOf(rules, cell);
  const cut = h("div", { class: "cut", "aria-hidden": "true" });
  for (let dy = -2; dy <= 2; dy += 1) {
    for (let dx = -2; dx <= 2; dx += 1) {
      const near = cellAt(rules, [
        (at[0] ?? 0) + dx,
        ...(at.length > 1 ? [(at[1] ?? 0) + dy] : []),
        ...at.slice(2),
      ]);
      const isChoice = dx === 0 && dy === 0;
      const shown = isChoice
        ? seat
        : near >= 0 && !(at.length === 1 && dy !== 0)
          ? marks[near]
          : null;
      cut.append(
        h(
          "span",
          { class: isChoice ? "choice" : near < 0 ? "off" : "" },
          shown ? mark(shown) : null,
        ),
      );
    }
  }
  return cut;
}
