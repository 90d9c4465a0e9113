// Judges the moves of a finished game. Pure, except for the engine.

/**
 * @typedef {object} ReviewedGame
 * @property {string} rules
 * @property {number[]} moves
 * @property {-1 | 0 | 1} end value of the last move for its mover, if it
 *   finished the board; otherwise meaningless
 *
 * @typedef {object} MoveVerdict
 * @property {"best" | "fine" | "mistake"} kind
 * @property {number} best the best move found
 * @property {number} before value of the position for the mover: 1 for a
 *   forced win, -1 for a forced loss
 * @property {number} after value after the move for the mover
 */

/**
 * Time for all positions of a game. The constants below bound the time per
 * position.
 */
const REVIEW_MS = 6000;
const MIN_POSITION_MS = 50;
const MAX_POSITION_MS = 400;
/**
 * Limits of a search that confirms a change of the game's value: its time, or the factor for its
 * number of nodes.
 */
const CONFIRMATION_MS = 3000;
const CONFIRMATION_FACTOR = 4;

/**
 * Judges each move. Begins with the last position, because late positions are solved fastest. A
 * missed win proves only that the better move wins, and not what the played move leads to.
 * @param {import("./engine.js").Engine} engine
 * @param {ReviewedGame} game
 * @param {(left: number) => void} onProgress receives the number of moves
 *   left
 * @param {number} [nodes] limit of nodes instead of the time
 * @returns {MoveVerdict[]}
 */
export function reviewMoves(
  engine,
  { rules, moves, end },
  onProgress,
  nodes = 0,
) {
  const millis = nodes
    ? 0
    : Math.min(
        MAX_POSITION_MS,
        Math.max(MIN_POSITION_MS, REVIEW_MS / (moves.length + 1)),
      );
  const evaluateAfter = (
    /** @type {readonly number[]} */ played,
    limits = { nodes, millis },
  ) => {
    engine.setPosition(rules, played);
    return engine.evaluate(limits);
  };
  const evaluate = (/** @type {number} */ ply) =>
    evaluateAfter(moves.slice(0, ply));
  const confirm = (
    /** @type {number} */ ply,
    /** @type {number[]} */ ...next
  ) =>
    evaluateAfter(
      [...moves.slice(0, ply), ...next],
      nodes
        ? { nodes: nodes * CONFIRMATION_FACTOR, millis }
        : { nodes, millis: CONFIRMATION_MS },
    );
  const last = evaluate(moves.length);
  // Value of the position after a move, for its mover: 1 for a forced win, -1
  // for a forced loss.
  let after = last.best < 0 ? end : -last.forced;
  const values = [after];
  /** @type {number[]} */
  const bests = [];
  for (let ply = moves.length - 1; ply >= 0; ply -= 1) {
    onProgress(ply);
    let { best, forced } = evaluate(ply);
    const played = Number(moves[ply]);
    if (forced === 0 && after < 0) {
      ({ best, forced } = confirm(ply));
      // If every move loses, the best move found is not better than the played move.
      if (forced === 0 && best !== played && confirm(ply, best).forced > 0)
        best = played;
    }
    const isEnd = ply + 1 === moves.length && last.best < 0;
    // The played move may also keep the win: the first search of the position after it may have
    // been too short to find the win.
    if (forced > 0 && after === 0 && best !== played && !isEnd) {
      after = -Math.min(0, confirm(ply + 1).forced);
      if (after > 0) values[0] = ply + 1 < moves.length ? -after : after;
    }
    // The searches of later positions proved more than the search of this position.
    if (after > forced) [best, forced] = [played, after];
    bests.unshift(best);
    values.unshift(forced);
    after = -forced;
  }
  return judge(moves, bests, values);
}

/**
 * @param {readonly number[]} moves
 * @param {readonly number[]} bests the best move of each position
 * @param {readonly number[]} values of the positions for the side to move, then
 *   the value of the last move for its mover
 * @returns {MoveVerdict[]}
 */
function judge(moves, bests, values) {
  let before = values[0] ?? 0;
  return moves.map((cell, ply) => {
    const best = Number(bests[ply]);
    const next = Number(values[ply + 1]);
    let after = ply + 1 < moves.length ? -next : next;
    // A best move keeps a win, and no move saves a lost game, even if the
    // search of the next position does not find this.
    if (after === 0 && (before < 0 || best === cell)) after = before;
    const isMistake = best !== cell && after < before;
    const kind = isMistake ? "mistake" : best === cell ? "best" : "fine";
    /** @type {MoveVerdict} */
    const verdict = { kind, best, before, after };
    before = -after;
    return verdict;
  });
}
