// The state of a room: a snapshot, and the changes by each event. Pure.
import { boardAfter, landingCell, parseRules } from "./rules.js";

/**
 * @typedef {import("../../../../protocol/asyncapi/noughts").Seat} Seat
 * @typedef {import("../../../../protocol/asyncapi/noughts").Player} Player
 * @typedef {import("../../../../protocol/asyncapi/noughts").State} WireState
 * @typedef {{ reason: string, winner?: Seat, line?: import("../../../../protocol/asyncapi/noughts").Line }} Outcome also of a record
 * @typedef {Omit<WireState, "outcome"> & { outcome?: Outcome }} RoomState the `state` of a snapshot
 * @typedef {import("../../../../protocol/asyncapi/noughts").EventRecord} EventEnvelope
 */

/** @type {readonly Seat[]} */
export const SEATS = ["X", "O"];
export const OFFERS = ["draw", "takeback", "rematch"];

/**
 * Error for an event that does not follow the state. `kind` is `gap` or
 * `impossible`.
 */
export class FoldError extends Error {
  /**
   * @param {"gap" | "impossible"} kind
   * @param {number} seq
   */
  constructor(kind, seq) {
    super(`event ${seq}: ${kind}`);
    this.kind = kind;
  }
}

/** @param {Seat} seat @returns {Seat} */
export const otherSeat = (seat) => (seat === "X" ? "O" : "X");

/** @param {Seat} seat */
export const seatIndex = (seat) => (seat === "X" ? 0 : 1);

/** @template {any[]} Pair @param {Pair} pair @returns {Pair} */
export const swapPair = ([first, second]) =>
  /** @type {any} */ ([second, first]);

/** @param {number} ply @returns {Seat} */
export const seatOfPly = (ply) => (ply % 2 === 0 ? "X" : "O");

/**
 * Returns the base of a clock such as `5+3` or `90s+0`, in milliseconds.
 * @param {string} clock
 */
export function clockBaseMillis(clock) {
  const base = clock.split("+")[0] ?? "";
  return base.endsWith("s")
    ? Number(base.slice(0, -1)) * 1000
    : Number(base) * 60_000;
}

/**
 * Returns the state after the next event. The given state is unchanged.
 * @param {RoomState} state
 * @param {EventEnvelope} envelope
 * @returns {RoomState}
 * @throws {FoldError} if the event is not the next event, or if the state
 *   does not allow it
 */
export function foldEvent(state, envelope) {
  if (envelope.seq !== state.seq + 1) throw new FoldError("gap", envelope.seq);
  const changed = foldKind(state, envelope.event);
  if (!changed) throw new FoldError("impossible", envelope.seq);
  const next = { ...state, ...changed, seq: envelope.seq, at: envelope.at };
  for (const key of /** @type {(keyof RoomState)[]} */ (Object.keys(next))) {
    if (next[key] === undefined) delete next[key];
  }
  return next;
}

/**
 * Returns the fields that the times of an event change.
 * @param {RoomState} state
 * @param {[number, number] | undefined} left
 * @returns {Partial<RoomState>}
 */
function timesOf(state, left) {
  if (state.clock === undefined || !left) return {};
  return state.shown === undefined ? { left } : { left, shown: left };
}

/** @param {RoomState} state @returns {RoomState["offers"]} */
const copyOffers = ({ offers: [draw, takeback, rematch] }) => [
  draw,
  takeback,
  rematch,
];
/** @returns {RoomState["offers"]} */
const noOffers = () => [null, null, null];

/**
 * @param {RoomState} state
 * @param {any} event
 * @returns {Partial<RoomState> | null} the changed fields, or null if the state does not allow the event
 */
function foldKind(state, event) {
  const isPlaying = state.phase === "playing";
  const offers = noOffers();
  const left = timesOf(state, event.left);
  switch (event.type) {
    case "seated": {
      const at = seatIndex(event.seat);
      if (!isPlaying && (state.phase !== "waiting" || state.players[at]))
        return null;
      const players = /** @type {RoomState["players"]} */ (
        state.players.map((player, index) =>
          index === at ? event.player : player,
        )
      );
      // A substitute takes over the seat, the board and the clock, but neither
      // offers nor wins.
      const wins = /** @type {[number, number]} */ (
        state.score.wins.map((count, index) => (index === at ? 0 : count))
      );
      return isPlaying
        ? { players, offers, score: { ...state.score, wins } }
        : { players };
    }
    case "started":
      return foldStarted(state, event.game);
    case "moved": {
      const hasLeft = event.left !== undefined;
      if (
        !isPlaying ||
        state.turn !== event.seat ||
        hasLeft !== (state.clock !== undefined)
      )
        return null;
      const rules = parseRules(state.rules);
      const cell = landingCell(
        rules,
        boardAfter(rules, state.moves),
        event.cell,
      );
      if (cell < 0) return null;
      return {
        ...left,
        offers,
        moves: [...state.moves, cell],
        turn: otherSeat(event.seat),
      };
    }
    case "offered": {
      const at = OFFERS.indexOf(event.offer);
      if (
        at < 0 ||
        state.phase !== (event.offer === "rematch" ? "over" : "playing")
      )
        return null;
      const offers = copyOffers(state);
      offers[at] = event.seat;
      return { offers };
    }
    case "declined": {
      const at = OFFERS.indexOf(event.offer);
      if (at < 0 || !state.offers[at]) return null;
      const offers = copyOffers(state);
      offers[at] = null;
      return { offers };
    }
    case "taken_back": {
      if (!isPlaying || event.plies > state.moves.length) return null;
      const moves = state.moves.slice(0, state.moves.length - event.plies);
      return { ...left, offers, moves, turn: seatOfPly(moves.length) };
    }
    case "ended":
      return isPlaying ? foldEnded(state, event) : null;
    case "closed":
      if (state.phase === "closed") return null;
      return {
        phase: "closed",
        close_reason: event.reason,
        offers,
        turn: undefined,
      };
    default:
      return null;
  }
}

/** @param {RoomState} state @param {number} game @returns {Partial<RoomState> | null} */
function foldStarted(state, game) {
  const isFirst =
    state.phase === "waiting" &&
    state.game === 0 &&
    state.players.every(Boolean);
  if ((!isFirst && state.phase !== "over") || game !== state.game + 1)
    return null;
  const { wins, draws } = state.score;
  const swapped =
    state.game > 0
      ? {
          players: swapPair(state.players),
          score: { wins: swapPair(wins), draws },
        }
      : {};
  const base =
    state.clock === undefined ? undefined : clockBaseMillis(state.clock);
  const left = timesOf(state, base === undefined ? undefined : [base, base]);
  return {
    ...swapped,
    ...left,
    game,
    phase: "playing",
    turn: "X",
    moves: [],
    offers: noOffers(),
    outcome: undefined,
  };
}

/** @param {RoomState} state @param {any} event @returns {Partial<RoomState>} */
function foldEnded(state, event) {
  const { winner, reason } = event.outcome;
  const [x, o] = state.score.wins;
  /** @type {[number, number]} */
  const wins = [winner === "X" ? x + 1 : x, winner === "O" ? o + 1 : o];
  const draws = state.score.draws + (winner || reason === "aborted" ? 0 : 1);
  const left = timesOf(state, event.left);
  return {
    ...left,
    phase: "over",
    outcome: event.outcome,
    offers: noOffers(),
    turn: undefined,
    score: { wins, draws },
  };
}
