// The text of clocks and countdowns. Pure.

export const LOW_MILLIS = 10_000;

/** Moves of a game that cost no time in a room whose state has `shown`: the first of each side. */
const FREE_MOVES = 2;

/**
 * Returns whether the side to move makes a free move: its clock stands still, although its flag falls when `left` is over.
 * @param {{ phase: string, moves: readonly unknown[], shown?: unknown }} state
 */
export function isFreeMove(state) {
  return state.phase === "playing" && state.shown !== undefined && state.moves.length < FREE_MOVES;
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

/**
 * Writes a time as `4:05`, `1:02:03`, or with tenths below ten seconds `0:07.3`.
 * @param {number} millis
 */
export function clockText(millis) {
  if (millis < LOW_MILLIS && millis > 0) {
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
