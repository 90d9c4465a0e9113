// Levels of play, the weakest first, as on the command line of the terminal client.
export const LEVELS = Object.freeze(["easy", "medium", "hard", "perfect"]);
