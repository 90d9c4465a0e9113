// Flags and names of rules, from the protocol. Written by NOUGHTS_TEST_GOLDEN=write cargo test -p noughts-protocol

/** @typedef {(typeof FLAGS)[number]} Flag */

/** Flags of rules, in the order of their text. */
export const FLAGS = /** @type {const} */ ([
  "gravity",
  "misere",
  "exact",
  "torus",
]);

/** Well-known names of rules, as a request may use them. */
export const NAMED_RULES = Object.freeze({
  tictactoe: "3x3:3",
  misere: "3x3:3+misere",
  connect4: "7x6:4+gravity",
  gomoku: "15x15:5",
  "gomoku-exact": "15x15:5+exact",
  gomoku19: "19x19:5",
  tictactoe3d: "3x3x3:3",
  qubic: "4x4x4:4",
  score4: "4x4x4:4+gravity",
  tesseract: "3x3x3x3:3",
  torus4: "4x4:4+torus",
});
