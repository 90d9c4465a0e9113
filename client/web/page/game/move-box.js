// Moves and commands that the visitor types, and answers to queries about the
// game.
import { clockText, timeLeftOf } from "../core/clock.js";
import { SEATS, otherSeat } from "../core/fold.js";
import { parseRules } from "../core/rules.js";
import { text } from "../i18n.js";
import { cellName, parseName } from "../view/cell-name.js";
import { h, setAttribute } from "../view/dom.js";
import { nameOf, ownSeat, sentences, turnText } from "./game-texts.js";

/**
 * @typedef {import("../core/model.js").Model} Model
 * @typedef {import("../core/model.js").Room} Room
 */

/**
 * Answers a query about the game. Returns null for any other text.
 * @param {Room | null} room
 * @param {string} query
 * @param {number} now
 */
export function answerQuery(room, query, now) {
  const state = room?.state;
  if (!room || !state) return null;
  const rules = parseRules(state.rules);
  const ply = state.moves.length;
  switch (query) {
    case "l":
      return ply === 0
        ? text("no_moves")
        : text("plays", {
            mark: SEATS[(ply - 1) % 2],
            cell: cellName(rules, state.moves[ply - 1] ?? 0),
          });
    case "c":
      return sentences(
        SEATS.map(
          (seat) =>
            `${nameOf(state, seat)}: ${state.left ? clockText(timeLeftOf(room, state, seat, now)) : text("without_clock")}`,
        ),
      );
    case "o":
      return nameOf(state, otherSeat(ownSeat(room)));
    case "t":
      return turnText(room, state);
    case "b":
      return (
        sentences(
          state.moves.map((cell, index) =>
            text("cell_mark", {
              cell: cellName(rules, cell),
              mark: SEATS[index % 2],
            }),
          ),
        ) || text("no_moves")
      );
    default:
      return null;
  }
}

/**
 * @param {(action: any) => void} act
 * @param {() => number} now
 * @param {{ onPlay: (cell: number) => void, onResign: () => void }} handlers
 */
export function createMoveBox(act, now, { onPlay, onResign }) {
  /** @type {Model | null} */
  let current = null;
  const input = /** @type {HTMLInputElement} */ (
    h("input", {
      class: "input",
      type: "text",
      "aria-label": text("move_box_label"),
      autocomplete: "off",
      autocapitalize: "off",
      spellcheck: "false",
      maxlength: 40,
    })
  );
  const onsubmit = (/** @type {Event} */ event) => {
    event.preventDefault();
    runCommand(input.value.trim());
    input.value = "";
  };
  const root = h("form", { class: "move-box", onsubmit }, input);

  /** @param {string} line */
  function runCommand(line) {
    const room = current?.room;
    if (!room?.state || line === "") return;
    const rules = parseRules(room.state.rules);
    const cell = parseName(rules, line);
    const command = line.toLowerCase();
    if (cell >= 0) onPlay(cell);
    else if (command === text("resign").toLowerCase() || command === "resign")
      onResign();
    else if (command === text("draw").toLowerCase() || command === "draw")
      act({ type: "command", request: { type: "offer", offer: "draw" } });
    else if (command === text("take_back").toLowerCase() || command === "undo")
      act({ type: "command", request: { type: "offer", offer: "takeback" } });
    else
      act({
        type: "say",
        text:
          answerQuery(room, command, now()) ??
          text("unknown_command", { text: line }),
      });
  }

  return {
    root,
    /** @param {Model} model */
    update(model) {
      current = model;
      const state = model.room?.state;
      if (!state) return;
      const rules = parseRules(state.rules);
      const cell = cellName(rules, Math.min(4, rules.cells - 1));
      setAttribute(input, "placeholder", text("move_box", { cell }));
    },
  };
}
