// The engine: loads engine.wasm and calls its functions, which
// `client/engine/wasm` documents.

import { LEVELS } from "../core/levels.js";

/**
 * @typedef {object} EngineExports
 * @property {(byte: number) => void} rules_byte
 * @property {() => number} start
 * @property {(cell: number) => number} play
 * @property {(level: number, nodes: number, millis: number, seed: number) => number} best_move
 * @property {() => number} accepts_draw
 * @property {(nodes: number, millis: number) => number} evaluate
 * @property {() => number} forced_result
 *
 * @typedef {{ level: string, nodes?: number, millis?: number, seed: number }} SearchLimits
 */

export class Engine {
  /** @param {EngineExports} exports */
  constructor(exports) {
    this.exports = exports;
  }

  /**
   * Sets the position. Throws an error if the rules or a move are invalid.
   * @param {string} rules
   * @param {readonly number[]} moves
   */
  setPosition(rules, moves) {
    for (const byte of new TextEncoder().encode(rules))
      this.exports.rules_byte(byte);
    if (this.exports.start() < 0)
      throw new Error(`the engine does not know the rules ${rules}`);
    for (const cell of moves) {
      if (this.exports.play(cell) < 0)
        throw new Error(`the engine rejects the cell ${cell}`);
    }
  }

  /**
   * Chooses a move. Blocks the thread until the limit of nodes or milliseconds.
   * Returns -1 if the game is over.
   * @param {SearchLimits} limits
   */
  bestMove({ level, nodes = 0, millis = 0, seed }) {
    return this.exports.best_move(LEVELS.indexOf(level), nodes, millis, seed);
  }

  /**
   * Evaluates the position. Blocks the thread until the limit. `best` is -1 if
   * the game is over. `forced` is 1 if the side to move wins by force, and -1
   * if it loses.
   * @param {{ nodes?: number, millis?: number }} limits
   */
  evaluate({ nodes = 0, millis = 0 }) {
    const best = this.exports.evaluate(nodes, millis);
    return { best, forced: this.exports.forced_result() };
  }

  /** Returns whether the side of the last chosen move should accept a draw. */
  acceptsDraw() {
    return this.exports.accepts_draw() === 1;
  }
}

/** @param {BufferSource} bytes the module */
export async function loadEngine(bytes) {
  const { instance } = await WebAssembly.instantiate(bytes, {
    page: { now: () => performance.now() },
  });
  return new Engine(/** @type {any} */ (instance.exports));
}
