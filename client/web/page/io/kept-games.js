// The last finished games of the visitor, newest first, in the local storage of the browser. If the browser refuses the
// storage, no game is kept.
import { isText } from "../core/message.js";

/**
 * @typedef {object} KeptGame
 * @property {string} key of the game among all games: its room and its number there
 * @property {number} at time of its end, in milliseconds since 1970
 * @property {import("../core/fold.js").Seat} seat of the visitor
 * @property {string} record the game as text
 */

const STORAGE_KEY = "noughts.games";
export const MAX_KEPT_GAMES = 50;
/** Latest time that a date can have. */
const MAX_TIME = 8.64e15;

/** @param {any} game @returns {game is KeptGame} */
const isKeptGame = (game) =>
  isText(game?.key) &&
  Number.isInteger(game.at) &&
  Math.abs(game.at) <= MAX_TIME &&
  (game.seat === "X" || game.seat === "O") &&
  isText(game.record);

/** @returns {KeptGame[]} the games that this version of the page can use */
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
    // Private browsing, or the storage is full of other things.
  }
}

/** @param {readonly KeptGame[]} added games that are kept from now on, also if they are kept already; the oldest leave a full list */
export function keepGames(added) {
  const keys = added.map(({ key }) => key);
  const others = readKeptGames().filter(({ key }) => !keys.includes(key));
  const games = [...added, ...others].sort((one, other) => other.at - one.at);
  writeGames(games.slice(0, MAX_KEPT_GAMES));
}

/** @param {readonly string[]} keys of games that are not kept any longer */
export const forgetGames = (keys) =>
  writeGames(readKeptGames().filter(({ key }) => !keys.includes(key)));
