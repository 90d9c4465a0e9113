// The mistakes in a game, in the order of a review. Pure.

/**
 * @typedef {import("../core/fold.js").Seat} Seat
 * @typedef {import("../bot/game-review.js").MoveVerdict} MoveVerdict
 */

/** @param {number} ply number of a move @returns {Seat} */
export const moverOf = (ply) => (ply % 2 === 1 ? "X" : "O");

/**
 * Returns the numbers of the moves that were mistakes. The mistakes of `reader` come first, and the
 * mistakes of each player begin with the moves that lost the game.
 * @param {readonly MoveVerdict[]} verdicts
 * @param {Seat | null} reader the seat of the visitor who reviews the game
 */
export function orderedMistakes(verdicts, reader) {
  const rank = (/** @type {number} */ ply) =>
    (reader && moverOf(ply) !== reader ? 2 : 0) +
    (Number(verdicts[ply - 1]?.after) < 0 ? 0 : 1);
  return verdicts
    .flatMap(({ kind }, index) => (kind === "mistake" ? [index + 1] : []))
    .sort((a, b) => rank(a) - rank(b) || a - b);
}
