// The state of a room that shows a record. Pure.
import { lineName } from "./line.js";

/** Reasons for an outcome, by the words in a record. */
const WORD_REASONS = Object.freeze({
  line: "line",
  full: "full",
  resignation: "resigned",
  time: "flag",
  agreement: "agreed",
  abandonment: "abandoned",
});

/**
 * @param {import("./record.js").GameRecord} record
 * @returns {import("../core/fold.js").RoomState}
 */
export function recordState({ rules, players, clock, moves, result, winning }) {
  const [first, word = ""] = result.split(" ");
  const winner =
    first === "X" || first === "O"
      ? { winner: /** @type {import("../core/fold.js").Seat} */ (first) }
      : {};
  const line =
    word === "line"
      ? {
          line: {
            first: winning[0] ?? 0,
            direction: [],
            cells: winning,
            name: /** @type {any} */ (lineName(rules, winning)),
          },
        }
      : {};
  const reason =
    /** @type {Record<string, string>} */ (WORD_REASONS)[word] ?? result;
  const outcome =
    result === "*" ? {} : { outcome: { reason, ...winner, ...line } };
  return {
    seq: 0,
    at: 0,
    rules: rules.text,
    ...(clock === null ? {} : { clock }),
    public: false,
    phase: "over",
    game: 1,
    moves,
    players: /** @type {import("../core/fold.js").RoomState["players"]} */ (
      players.map((name) => ({ name, kind: "person" }))
    ),
    score: { wins: [0, 0], draws: 0 },
    offers: [null, null, null],
    ...outcome,
  };
}
