// Decides the requests of both players in a game without a server, as the server decides them.
// Pure.
import { OFFERS, otherSeat, seatOfPly } from "../core/fold.js";
import { boardAfter, landingCell, parseRules } from "../core/rules.js";
import { findLine } from "../replay/line.js";
import { finalResult } from "../replay/record.js";
import { recordState } from "../replay/record-state.js";

/**
 * @typedef {import("../core/fold.js").RoomState} RoomState
 * @typedef {import("../core/fold.js").Seat} Seat
 * @typedef {{ events: any[] } | { code: string }} Decision the events, or the code of the reject
 */

/**
 * Returns the state at the start of the first game.
 * @param {string} rules
 * @param {RoomState["players"]} players
 * @returns {RoomState}
 */
export const openedState = (rules, players) => ({
  seq: 1,
  at: 0,
  rules,
  public: false,
  phase: "playing",
  game: 1,
  turn: "X",
  moves: [],
  players,
  score: { wins: [0, 0], draws: 0 },
  offers: [null, null, null],
});

/**
 * Decides a request. Changes nothing.
 * @param {RoomState} state
 * @param {Seat} seat the player who makes the request
 * @param {any} request
 * @returns {Decision}
 */
export function decideRequest(state, seat, request) {
  const isPlaying = state.phase === "playing";
  const { type, offer } = request;
  if (isPlaying !== (offer !== "rematch"))
    return { code: isPlaying ? "game_on" : "game_over" };
  switch (type) {
    case "move":
      return decideMove(state, seat, request.cell);
    case "resign":
      return ended({ reason: "resigned", winner: otherSeat(seat) });
    case "offer":
    case "accept":
    case "decline":
      return decideOffer(state, seat, type, offer);
    default:
      return { code: "unknown_type" };
  }
}

/** @param {any} outcome @returns {Decision} */
const ended = (outcome) => ({ events: [{ type: "ended", outcome }] });

/** @param {RoomState} state @param {Seat} seat @param {number} wanted @returns {Decision} */
function decideMove(state, seat, wanted) {
  if (state.turn !== seat) return { code: "not_your_turn" };
  const rules = parseRules(state.rules);
  const board = boardAfter(rules, state.moves);
  const cell = landingCell(rules, board, wanted);
  if (cell < 0) return { code: rules.gravity ? "column_full" : "cell_taken" };
  board[cell] = seat;
  const moves = [...state.moves, cell];
  const winning = findLine(rules, board, cell);
  const result = finalResult(rules, moves, winning) ?? "*";
  const players = /** @type {[string, string]} */ (["X", "O"]);
  const record = { rules, players, clock: null, moves, result, winning };
  const { outcome } = recordState(record);
  return {
    events: [
      { type: "moved", seat, cell },
      ...(outcome ? [{ type: "ended", outcome }] : []),
    ],
  };
}

/**
 * Returns the number of moves that a takeback of a player undoes: the last move of the player, and
 * the reply to it. Returns 0 if the player has not moved.
 * @param {readonly number[]} moves
 * @param {Seat} seat
 */
function takebackPlies({ length }, seat) {
  const plies = seatOfPly(length - 1) === seat ? 1 : 2;
  return plies <= length ? plies : 0;
}

/** @param {RoomState} state @param {Seat} seat @param {"offer" | "accept" | "decline"} type @param {string} offer @returns {Decision} */
function decideOffer(state, seat, type, offer) {
  const by = state.offers[OFFERS.indexOf(offer)] ?? null;
  if (type === "decline")
    return by
      ? { events: [{ type: "declined", seat, offer }] }
      : { code: "no_offer" };
  if (type === "accept" && by !== otherSeat(seat)) return { code: "no_offer" };
  if (type === "offer" && by === seat) return { code: "already_offered" };
  const plies = takebackPlies(state.moves, by ?? seat);
  if (offer === "takeback" && plies === 0)
    return { code: "nothing_to_take_back" };
  if (!by) return { events: [{ type: "offered", seat, offer }] };
  if (offer === "draw") return ended({ reason: "agreed" });
  return {
    events: [
      offer === "takeback"
        ? { type: "taken_back", plies }
        : { type: "started", game: state.game + 1 },
    ],
  };
}
