// Moves and commands that a visitor types, and answers to queries about the game.
import { clockText, timeLeftOf } from "../core/clock.js";
import { SEATS, otherSeat } from "../core/fold.js";
import { cellText, parseCell } from "../core/cells.js";
import { parseRules } from "../core/rules.js";
import { text } from "../i18n.js";
import { h } from "../view/dom.js";
import { nameOf, ownSeat, sentences, turnText } from "./game-texts.js";

/**
 * @typedef {import("../core/model.js").Model} Model
 * @typedef {import("../core/model.js").Room} Room
 */

/**
 * Answers a query about the game, or returns null.
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
            cell: cellText(rules, state.moves[ply - 1] ?? 0),
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
              cell: cellText(rules, cell),
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
      placeholder: text("move_box"),
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
    const cell = parseCell(rules, line);
    const command = line.toLowerCase();
    if (cell >= 0) onPlay(cell);
    else if (command === text("resign").toLowerCase() || command === "resign")
      onResign();
    else if (command === text("draw").toLowerCase() || command === "draw")
      act({ type: "command", request: { type: "offer", offer: "draw" } });
    else if (command === text("take_back").toLowerCase() || command === "undo")
      act({ type: "command", request: { type: "offer", offer: "takeback" } });
    else if (command === text("rematch").toLowerCase() || command === "rematch")
      act({ type: "command", request: { type: "offer", offer: "rematch" } });
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
    },
  };
}
