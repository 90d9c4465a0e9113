// The text of clocks and countdowns, and when a clock is announced. Pure.
import { seatIndex } from "./fold.js";

/** @typedef {import("./model.js").Room} Room @typedef {import("./fold.js").RoomState} RoomState @typedef {import("./fold.js").Seat} Seat */

export const LOW_MS = 10_000;

/**
 * Moves that cost no time in a room with `shown` in its state: the first move
 * of each side.
 */
const FREE_MOVES = 2;

/**
 * Returns whether the side to move makes a free move: its clock stands still, although its flag falls when `left` is over.
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
 * Returns the time left to a seat.
 * @param {number[]} left milliseconds of X and of O when they arrived
 * @param {number} arrivedAt local time of their arrival
 * @param {number} index of the seat
 * @param {boolean} isRunning
 * @param {number} now local time
 */
export function timeLeft(left, arrivedAt, index, isRunning, now) {
  const base = left[index] ?? 0;
  return Math.max(0, isRunning ? base - Math.max(0, now - arrivedAt) : base);
}

/** @param {Room} room @param {RoomState} state @param {Seat} seat @param {number} now the time that the clock of a player shows, in ms */
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
 * The clock of the visitor is announced at these times left, in seconds: at the
 * last time always, at the others if the visitor wants it.
 */
const ALERTS = Object.freeze([60, 30, 10]);

/**
 * Returns the time that the clock of the visitor shows while it runs, in seconds. Null if it stands still: in the turn of
 * the opponent, and during a free move.
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
 * Returns whether a time of a running clock is announced.
 * @param {number} seconds
 * @param {number} before its time when it ran before, Infinity at first
 * @param {boolean} isWanted whether the visitor wants all announcements
 */
export function isAlertDue(seconds, before, isWanted) {
  const limits = isWanted ? ALERTS : ALERTS.slice(-1);
  return (
    seconds > 0 && limits.some((limit) => limit >= seconds && before > limit)
  );
}

/**
 * Writes a time as `4:05`, `1:02:03`, or with tenths below ten seconds `0:07.3`.
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
 * Writes a time as `4:05`, rounded up to seconds, so that 0:00 means that it is over.
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
