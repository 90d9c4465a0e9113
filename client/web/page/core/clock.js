// The text of clocks and countdowns, and when a clock is announced. Pure.
import { seatIndex } from "./fold.js";

/** @typedef {import("./model.js").Room} Room @typedef {import("./fold.js").RoomState} RoomState @typedef {import("./fold.js").Seat} Seat */

export const LOW_MS = 10_000;

/**
 * Number of moves that cost no time in a room with `shown` in its state: the
 * first move of each side.
 */
const FREE_MOVES = 2;

/**
 * Returns whether the side to move makes a free move. Its clock is then
 * stopped, but its flag falls when `left` is over.
 * @param {{ phase: string, moves: readonly unknown[], shown?: unknown }} state
 */
export function isFreeMove(state) {
  return (
    state.phase === "playing" &&
    state.shown !== undefined &&
    state.moves.length < FREE_MOVES
  );
}

/**
 * Returns the time left for a seat.
 * @param {number[]} left milliseconds of X and O when they arrived
 * @param {number} arrivedAt local time of their arrival
 * @param {number} index of the seat
 * @param {boolean} isRunning
 * @param {number} now local time
 */
export function timeLeft(left, arrivedAt, index, isRunning, now) {
  const base = left[index] ?? 0;
  return Math.max(0, isRunning ? base - Math.max(0, now - arrivedAt) : base);
}

/**
 * Returns the time that a player's clock shows, in milliseconds.
 * @param {Room} room
 * @param {RoomState} state
 * @param {Seat} seat
 * @param {number} now
 */
export function timeLeftOf(room, state, seat, now) {
  const isFree = isFreeMove(state);
  const isRunning = state.phase === "playing" && state.turn === seat && !isFree;
  return timeLeft(
    (isFree ? state.shown : state.left) ?? [],
    room.leftAt,
    seatIndex(seat),
    isRunning,
    now,
  );
}

/**
 * Remaining seconds on the visitor's clock that the page announces. It always announces the last of
 * them, and the others only if the visitor wants this.
 */
const ALERTS = Object.freeze([60, 30, 10]);

/**
 * Returns the remaining seconds on the visitor's running clock. Returns null
 * while the clock is stopped: during the opponent's turn, and during a free
 * move.
 * @param {Room | null} room
 * @param {number} now
 */
export function runningSeconds(room, now) {
  const state = room?.state;
  if (
    !room?.seat ||
    !state?.left ||
    state.phase !== "playing" ||
    state.turn !== room.seat ||
    isFreeMove(state)
  )
    return null;
  return Math.ceil(timeLeftOf(room, state, room.seat, now) / 1000);
}

/**
 * Returns whether a remaining time is announced.
 * @param {number} seconds
 * @param {number} before remaining time at the previous call, initially
 *   Infinity
 * @param {boolean} isWanted whether the visitor wants all announcements
 */
export function isAlertDue(seconds, before, isWanted) {
  const limits = isWanted ? ALERTS : ALERTS.slice(-1);
  return (
    seconds > 0 && limits.some((limit) => limit >= seconds && before > limit)
  );
}

/**
 * Formats a time as `4:05` or `1:02:03`, or below ten seconds with tenths as
 * `0:07.3`.
 * @param {number} millis
 */
export function clockText(millis) {
  if (millis < LOW_MS && millis > 0) {
    const tenths = Math.floor(millis / 100);
    return `0:0${Math.floor(tenths / 10)}.${tenths % 10}`;
  }
  return countdownText(millis);
}

/**
 * Formats a time as `4:05`, rounded up to seconds, so that 0:00 means that the
 * time is over.
 * @param {number} millis
 */
export function countdownText(millis) {
  const seconds = Math.ceil(Math.max(0, millis) / 1000);
  const two = (/** @type {number} */ value) => String(value).padStart(2, "0");
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor(seconds / 60) % 60;
  if (hours > 0) return `${hours}:${two(minutes)}:${two(seconds % 60)}`;
  return `${minutes}:${two(seconds % 60)}`;
}
