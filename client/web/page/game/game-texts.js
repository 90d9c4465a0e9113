// Texts about a room: names, turn, result, and time left.
import { otherSeat, seatIndex } from "../core/fold.js";
import { parseRules } from "../core/rules.js";
import { currentLanguage, text } from "../i18n.js";
import { cellName } from "../view/cell-name.js";

/**
 * @typedef {import("../core/model.js").Room} Room
 * @typedef {import("../core/fold.js").RoomState} RoomState
 * @typedef {import("../core/fold.js").Seat} Seat
 */

/**
 * Returns the seat at the bottom.
 * @param {Room} room
 */
export const ownSeat = (room) => room.seat ?? "X";

/** @param {RoomState} state @param {Seat} seat */
export const nameOf = (state, seat) =>
  state.players[seatIndex(seat)]?.name ?? "…";

/**
 * Returns the two lines of the result, and their tone.
 * @param {RoomState} state
 * @param {Seat | null} seat
 */
export function resultTexts(state, seat) {
  const { outcome } = state;
  const winner = outcome?.winner ?? null;
  const names = { x: nameOf(state, "X"), o: nameOf(state, "O") };
  const unplayed = !outcome
    ? "unfinished_game"
    : outcome.reason === "aborted"
      ? "aborted_game"
      : "draw";
  const title = !winner
    ? text(unplayed)
    : seat
      ? text(winner === seat ? "you_win" : "you_lost")
      : text(winner === "X" ? "x_wins" : "o_wins", names);
  const loser = winner ? otherSeat(winner) : null;
  const isOwnLoss = loser !== null && loser === seat;
  const name = loser ? nameOf(state, loser) : "";
  let reason = "";
  if (outcome?.reason === "line" && outcome.line) {
    const rules = parseRules(state.rules);
    const separator = rules.sides.length > 2 ? "  " : "-";
    reason = text(`line_${outcome.line.name}`, {
      // The cells of a column may have the same name.
      cells: [
        ...new Set(outcome.line.cells.map((cell) => cellName(rules, cell))),
      ].join(separator),
    });
  } else if (outcome?.reason === "resigned")
    reason = isOwnLoss ? text("you_resigned") : text("resigned", { name });
  else if (outcome?.reason === "flag") reason = text("flag");
  else if (outcome?.reason === "abandoned")
    reason = !loser
      ? text("abandoned_draw")
      : isOwnLoss
        ? text("your_abandoned")
        : text("abandoned", { name });
  else if (outcome && outcome.reason !== "aborted")
    reason = text(outcome.reason);
  return { title, reason, isWin: seat !== null && winner === seat, winner };
}

/**
 * Returns the score of the earlier games from a seat's point of view; empty
 * before the first result.
 * @param {RoomState} state
 * @param {Seat} seat
 */
export function scoreText({ score: { wins, draws } }, seat) {
  const [own, other] = [
    wins[seatIndex(seat)],
    wins[seatIndex(otherSeat(seat))],
  ];
  if (!own && !other && !draws) return "";
  return `${own} – ${other}${draws ? ` · ${text("draws", { n: draws })}` : ""}`;
}

/**
 * Returns a sentence about the player to move, or the result.
 * @param {Room} room
 * @param {RoomState} state
 */
export function turnText(room, state) {
  if (state.phase === "over") return resultTexts(state, room.seat).title;
  if (!room.seat)
    return text(state.turn === "X" ? "turn_of_x" : "turn_of_o", {
      x: nameOf(state, "X"),
      o: nameOf(state, "O"),
    });
  return state.turn === room.seat
    ? text("your_move")
    : text("is_thinking", { name: nameOf(state, otherSeat(room.seat)) });
}

/**
 * Joins texts as sentences. Each text ends with the language's full stop,
 * unless it ends with its own mark.
 * @param {readonly string[]} parts
 */
export function sentences(parts) {
  const [stop, blank] = currentLanguage().startsWith("zh")
    ? ["。", ""]
    : [".", " "];
  return parts
    .map((part) => (/[.!?。！？]$/.test(part) ? part : part + stop))
    .join(blank);
}
