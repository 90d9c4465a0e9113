// The bot's decisions: answers to offers, the time for a move, and the end.
// Pure.
import { OFFERS, otherSeat, seatIndex } from "../core/fold.js";
import { canMove } from "../core/model.js";

/** @typedef {import("../core/model.js").Model} Model */

const MAX_MOVE_MS = 1000;
const MIN_MOVE_MS = 10;
/** The time for a move is at most the remaining time divided by this number. */
const MOVE_CLOCK_DIVISOR = 20;

/**
 * Returns the next step of the bot: to think about a move, to send a command,
 * or to end. Returns null if the bot has to wait.
 * @param {Model} model
 * @param {boolean} acceptsDraw
 * @returns {{ type: "think" } | { type: "command", request: any } | { type: "end" } | null}
 */
export function decide(model, acceptsDraw) {
  const { room, connection } = model;
  if (connection.state === "replaced" || connection.state === "stopped")
    return { type: "end" };
  if (!room && !model.wanted) return { type: "end" };
  const state = room?.state;
  if (!room?.seat || !state || connection.state !== "online") return null;
  const index = state.offers.indexOf(otherSeat(room.seat));
  if (index >= 0) {
    const offer = /** @type {string} */ (OFFERS[index]);
    const isAnswered = Object.values(model.pending).some(
      ({ request }) => request.offer === offer,
    );
    if (isAnswered) return null;
    const isAccepted =
      offer === "rematch" ||
      (offer === "draw" ? acceptsDraw : state.clock === undefined);
    return {
      type: "command",
      request: { type: isAccepted ? "accept" : "decline", offer },
    };
  }
  return canMove(model) ? { type: "think" } : null;
}

/**
 * Returns the time for the next move in milliseconds.
 * @param {Model} model
 */
export function moveMillis(model) {
  const { room } = model;
  const left = room?.seat
    ? room.state?.left?.[seatIndex(room.seat)]
    : undefined;
  return left === undefined
    ? MAX_MOVE_MS
    : Math.round(
        Math.min(MAX_MOVE_MS, Math.max(MIN_MOVE_MS, left / MOVE_CLOCK_DIVISOR)),
      );
}
