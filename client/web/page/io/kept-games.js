// The visitor's last finished games, newest first, in the browser's local
// storage. If the browser refuses the storage, no game is stored.
import { isText } from "../core/message.js";

/**
 * @typedef {object} KeptGame
 * @property {string} key identifies the game: its room, and its number in the
 *   room
 * @property {number} at time when it ended, in milliseconds since 1970
 * @property {import("../core/fold.js").Seat} seat the visitor's seat
 * @property {string} record the game as text
 * @property {string} [opponent] the identity of the opponent; none for a guest
 */

const STORAGE_KEY = "noughts.games";
export const MAX_KEPT_GAMES = 50;
/** Maximum time that a date can have. */
const MAX_TIME = 8.64e15;

/** @param {any} game @returns {game is KeptGame} */
const isKeptGame = (game) =>
  isText(game?.key) &&
  Number.isInteger(game.at) &&
  Math.abs(game.at) <= MAX_TIME &&
  (game.seat === "X" || game.seat === "O") &&
  isText(game.record) &&
  isText(game.opponent ?? "");

/**
 * Returns the games that this version of the page can use.
 * @returns {KeptGame[]}
 */
export function readKeptGames() {
  try {
    const games = JSON.parse(localStorage.getItem(STORAGE_KEY) ?? "[]");
    return Array.isArray(games) ? games.filter(isKeptGame) : [];
  } catch {
    return [];
  }
}

/** @param {KeptGame[]} games */
function writeGames(games) {
  try {
    localStorage.setItem(STORAGE_KEY, JSON.stringify(games));
  } catch {
    // Private browsing, or the storage is full.
  }
}

/**
 * Stores these games. A game that is already stored is replaced. When the list
 * is full, the oldest games are dropped.
 * @param {readonly KeptGame[]} added
 */
export function keepGames(added) {
  const keys = added.map(({ key }) => key);
  const others = readKeptGames().filter(({ key }) => !keys.includes(key));
  const games = [...added, ...others].sort((one, other) => other.at - one.at);
  writeGames(games.slice(0, MAX_KEPT_GAMES));
}

/**
 * Deletes games.
 * @param {readonly string[]} keys
 */
export const forgetGames = (keys) =>
  writeGames(readKeptGames().filter(({ key }) => !keys.includes(key)));
