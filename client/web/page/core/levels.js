// Levels of play, the weakest first, as on the terminal client's command line.
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

/** Level of the first game against a bot. A newcomer sometimes beats it. */
export const FIRST_LEVEL = "casual";
/** Level of the page's bot that takes an absent opponent's seat. */
export const SUBSTITUTE_LEVEL = "medium";

/**
 * Games that the strongest level never loses. A test of the engine plays all
 * variations.
 */
export const NEVER_LOST = Object.freeze(["3x3:3", "3x3:3+misere"]);

/**
 * Returns the number of a level, 1 for the weakest.
 * @param {string} level
 */
export const levelNumber = (level) => LEVELS.indexOf(level) + 1;
