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
