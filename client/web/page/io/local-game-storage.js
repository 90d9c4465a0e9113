// The unfinished game without a server, in the browser's local storage, so that a reload
// continues it. If the browser refuses the storage, the page keeps the game until a reload.
import { LEVELS } from "../core/levels.js";
import { isCount, isRules } from "../core/message.js";

/**
 * @typedef {{ rules: string, level: string, seat: import("../core/fold.js").Seat, moves: number[] }} StoredGame
 */

const LOCAL_GAME = "noughts.local";

/**
 * The game, if the browser refuses the storage.
 * @type {StoredGame | null}
 */
let kept = null;

/** @param {any} game @returns {game is StoredGame} */
const isStoredGame = (game) =>
  isRules(game?.rules) &&
  LEVELS.includes(game.level) &&
  (game.seat === "X" || game.seat === "O") &&
  Array.isArray(game.moves) &&
  game.moves.every(isCount);

/**
 * Returns the unfinished game, if this version of the page can continue it.
 * @returns {StoredGame | null}
 */
export function readLocalGame() {
  try {
    const game = JSON.parse(localStorage.getItem(LOCAL_GAME) ?? "null");
    return isStoredGame(game) ? game : null;
  } catch {
    return kept;
  }
}

/** @param {StoredGame | null} game */
export function storeLocalGame(game) {
  try {
    if (game) localStorage.setItem(LOCAL_GAME, JSON.stringify(game));
    else localStorage.removeItem(LOCAL_GAME);
  } catch {
    kept = game;
  }
}
