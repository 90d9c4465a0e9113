// Levels of play, the weakest first, as on the command line of the terminal client.
export const LEVELS = Object.freeze([
  "novice",
  "easy",
  "casual",
  "medium",
  "skilled",
  "strong",
  "hard",
  "perfect",
]);

/** Level of the first game with a bot: a newcomer sometimes beats it. */
export const FIRST_LEVEL = "casual";
/** Level of the bot of the page that takes the seat of an absent opponent. */
export const SUBSTITUTE_LEVEL = "medium";

/** Games that the strongest level does not lose: a test of the engine plays all variations. */
export const NEVER_LOST = Object.freeze(["3x3:3", "3x3:3+misere"]);

/** @param {string} level its number, from 1 on */
export const levelNumber = (level) => LEVELS.indexOf(level) + 1;
