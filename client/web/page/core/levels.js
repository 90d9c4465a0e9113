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

/** Level that is offered to a visitor who has not played with a bot: a newcomer beats it sometimes. */
export const FIRST_LEVEL = "easy";
/** Level of the bot of the page that takes the seat of an absent opponent. */
export const SUBSTITUTE_LEVEL = "medium";

/** Games that the strongest level does not lose: every variation of 3 × 3 was played, and tests play the others. */
export const NEVER_LOST = Object.freeze([
  "3x3:3",
  "3x3:3+misere",
  "4x4:4",
  "5x5:4",
  "5x5:5",
]);

/** @param {string} level its number, from 1 on */
export const levelNumber = (level) => LEVELS.indexOf(level) + 1;
