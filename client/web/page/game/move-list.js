// The list of moves. A new move adds only one button, because a game may have
// hundreds of moves.
import { text } from "../i18n.js";
import { cellName } from "../view/cell-name.js";
import { h, mark, setAttribute, show } from "../view/dom.js";

/** @param {(ply: number) => void} onStep */
export function createMoveList(onStep) {
  const none = h("li", { class: "no-moves" }, text("no_moves"));
  const root = h(
    "ol",
    { class: "moves", "aria-label": text("moves"), tabindex: "0" },
    h(
      "li",
      { class: "move-heads", "aria-hidden": "true" },
      mark("X"),
      mark("O"),
    ),
    none,
  );
  /** @type {HTMLElement[]} */
  let buttons = [];
  /** @type {number[]} */
  let cells = [];
  let current = -1;
  let shownGame = "";

  /**
   * Removes the moves after the first `count` moves.
   * @param {number} count
   */
  function cut(count) {
    for (const button of buttons.slice(count)) {
      const line = button.parentElement;
      button.remove();
      if (!line?.querySelector("button")) line?.remove();
    }
    buttons = buttons.slice(0, count);
    cells = cells.slice(0, count);
  }

  /** @param {import("../core/rules.js").Rules} rules @param {number} cell */
  function append(rules, cell) {
    const ply = buttons.length + 1;
    const button = h(
      "button",
      { type: "button", class: "move", onclick: () => onStep(ply) },
      cellName(rules, cell),
    );
    if (ply % 2 === 1)
      root.append(
        h(
          "li",
          null,
          h("span", { class: "number" }, `${(ply + 1) / 2}.`),
          button,
        ),
      );
    else root.lastElementChild?.append(button);
    buttons.push(button);
    cells.push(cell);
  }

  /** Brings the current move into view. Reads the layout. */
  function scroll() {
    const chosen = buttons[current - 1];
    if (!chosen) return;
    root.scrollTop = chosen.offsetTop - root.clientHeight / 2;
    root.scrollLeft =
      chosen.offsetLeft - root.clientWidth + chosen.clientWidth + 24;
  }

  /**
   * @param {import("../core/rules.js").Rules} rules
   * @param {string} game changes with each game
   * @param {readonly number[]} moves
   * @param {number} shown number of moves in the displayed position
   * @returns {boolean} whether the list has changed
   */
  function update(rules, game, moves, shown) {
    if (game !== shownGame) cut(0);
    shownGame = game;
    const kept = cells.findIndex((cell, index) => cell !== moves[index]);
    if (kept >= 0) cut(kept);
    const isChanged = cells.length !== moves.length || current !== shown;
    for (const cell of moves.slice(cells.length)) append(rules, cell);
    if (!isChanged) return false;
    current = shown;
    for (const [index, button] of buttons.entries())
      setAttribute(button, "aria-current", index + 1 === shown ? "step" : null);
    show(none, moves.length === 0);
    return true;
  }

  /**
   * Marks moves if the engine has found a better move.
   * @param {(ply: number) => boolean} isMistake
   */
  function markMistakes(isMistake) {
    for (const [index, button] of buttons.entries())
      button.classList.toggle("mistake", isMistake(index + 1));
  }

  return { root, update, scroll, markMistakes };
}
