// Chooses the games that the grid and the TV show. Pure.

/** Maximum number of shown games. Each game needs a connection. */
export const MAX_SHOWN_GAMES = 6;
/** Time that a result stays before another game replaces it. */
export const RESULT_MS = 8000;
/** Maximum number of results that the TV lists. */
export const MAX_RESULTS = 10;

/**
 * @typedef {object} ShownGame
 * @property {string} room
 * @property {number | null} endedAt local time when the game ended; null
 *   while it is in progress
 */

/** @param {any} room a room in the lobby */
const isPlayed = (room) =>
  room.phase === "playing" && room.players.every(Boolean);

/**
 * Returns at most `count` games to show. A shown game stays in its place until
 * its result has been shown long enough and another game waits. A single game
 * is not chosen by its number of spectators, because showing it would raise
 * that number.
 * @param {readonly ShownGame[]} shown
 * @param {readonly any[]} rooms the rooms of the lobby
 * @param {number} now
 * @param {number} [count]
 * @returns {ShownGame[]}
 */
export function chooseGames(shown, rooms, now, count = MAX_SHOWN_GAMES) {
  const isShown = (/** @type {any} */ room) =>
    shown.some((game) => game.room === room.room);
  const waiting = rooms
    .filter((room) => isPlayed(room) && !isShown(room))
    .sort(
      (a, b) =>
        (count > 1 && (b.spectators ?? 0) - (a.spectators ?? 0)) ||
        b.moves - a.moves,
    );
  const free = count - shown.length;
  let needed = Math.max(0, waiting.length - free);
  const kept = shown.map((game) => {
    const isDue = game.endedAt !== null && now - game.endedAt >= RESULT_MS;
    if (!isDue || needed === 0) return game;
    needed -= 1;
    return null;
  });
  const games = kept.map(
    (game) => game ?? { room: waiting.shift()?.room, endedAt: null },
  );
  while (games.length < count && waiting.length > 0)
    games.push({ room: waiting.shift()?.room, endedAt: null });
  return games.slice(0, count);
}
