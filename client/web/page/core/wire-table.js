// Words and limits of the wire. A test of the protocol writes this module: see protocol/src/wire/vocabulary.rs.

/** Phrases that a player can say, in the order of the buttons. */
export const PHRASES = Object.freeze([
  "hello",
  "good_luck",
  "have_fun",
  "nice_move",
  "oops",
  "thinking",
  "sorry",
  "well_played",
  "good_game",
  "thanks",
  "one_more",
  "bye",
]);

/** Close codes below 4000 that keep the page from reconnecting. */
export const FINAL_CODES = Object.freeze([1002, 1003, 1007, 1008, 1009]);
export const OUTDATED_CODE = 4001;
export const REPLACED_CODE = 4002;

export const MAX_NAME_CHARACTERS = 48;
export const MAX_DIMENSIONS = 4;
export const MAX_SIDE = 25;
export const MAX_CELLS = 1024;
export const MAX_RULES_BYTES = 40;
