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

/** Level of the page's bot that takes an absent opponent's seat. */
export const SUBSTITUTE_LEVEL = "medium";

/**
 * Returns the number of a level, 1 for the weakest.
 * @param {string} level
 */
export const levelNumber = (level) => LEVELS.indexOf(level) + 1;
