// Texts on a room: names, turn, result, time left.
import { otherSeat, seatIndex } from "../core/fold.js";
import { parseRules } from "../core/rules.js";
import { currentLanguage, text } from "../i18n.js";
import { cellName } from "../view/cell-name.js";

/**
 * @typedef {import("../core/model.js").Room} Room
 * @typedef {import("../core/fold.js").RoomState} RoomState
 * @typedef {import("../core/fold.js").Seat} Seat
 */

/** @param {Room} room the seat at the bottom */
export const ownSeat = (room) => room.seat ?? "X";

/** @param {RoomState} state @param {Seat} seat */
export const nameOf = (state, seat) =>
  state.players[seatIndex(seat)]?.name ?? "…";

/** @param {RoomState} state @param {Seat | null} seat the two lines of the result, and their tone */
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
      // The cells of a column may have one name.
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

/** @param {RoomState} state @param {Seat} seat the score of the games before, from the view of a seat; empty before the first result */
export function scoreText({ score: { wins, draws } }, seat) {
  const [own, other] = [
    wins[seatIndex(seat)],
    wins[seatIndex(otherSeat(seat))],
  ];
  if (!own && !other && !draws) return "";
  return `${own} – ${other}${draws ? ` · ${text("draws", { n: draws })}` : ""}`;
}

/** @param {Room} room @param {RoomState} state the sentence on the player to move, or the result */
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
 * Joins texts as sentences: each ends with the full stop of the language, unless it ends with a mark of its own.
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
