// A watched game on a card: its name, its result or its number of moves, its
// board and its players.
import { parseRules } from "../core/rules.js";
import { text } from "../i18n.js";
import { h, mark } from "../view/dom.js";
import { gameName } from "../view/labels.js";
import { positionPicture } from "../view/position-picture.js";

/** @typedef {import("../core/fold.js").RoomState} RoomState */

/**
 * Returns the name of a player, with the player's mark.
 * @param {RoomState} state
 * @param {number} index
 */
function playerLine(state, index) {
  const seat = index === 0 ? "X" : "O";
  const isTurn = state.phase === "playing" && state.turn === seat;
  const player = state.players[index];
  return h(
    "span",
    { class: `watch-player${isTurn ? " turn" : ""}` },
    mark(seat),
    h("bdi", null, player?.name ?? "…"),
    player?.kind === "bot" && h("span", { class: "tag" }, text("bot")),
  );
}

/**
 * @param {RoomState} state
 * @param {string} result result of a finished game
 */
export const watchedGame = (state, result) => [
  h(
    "span",
    { class: "watch-head" },
    h("span", null, gameName(state.rules)),
    h(
      "span",
      { class: result ? "detail" : "live" },
      !result && h("span", { class: "dot", "aria-hidden": "true" }),
      result || text("move_n", { n: state.moves.length }),
    ),
  ),
  h(
    "span",
    { class: "watch-board" },
    positionPicture(
      parseRules(state.rules),
      state.moves,
      state.outcome?.line?.cells ?? [],
    ),
  ),
  playerLine(state, 0),
  playerLine(state, 1),
];
