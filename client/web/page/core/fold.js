// The state of a room: a snapshot, and how each event changes it. Pure.
import { boardAfter, landingCell, parseRules } from "./rules.js";

/**
 * @typedef {"X" | "O"} Seat
 * @typedef {{ name: string, kind: string }} Player
 * @typedef {{ reason: string, winner?: Seat, line?: { first: number, direction: number[], cells: number[], name: string } }} Outcome
 * @typedef {object} RoomState the `state` of a snapshot
 * @property {number} seq
 * @property {number} at
 * @property {string} rules
 * @property {string} [clock]
 * @property {boolean} public
 * @property {"waiting" | "playing" | "over" | "closed"} phase
 * @property {(Player | null)[]} players
 * @property {number} game
 * @property {{ wins: number[], draws: number }} score
 * @property {number[]} moves
 * @property {Seat} [turn]
 * @property {number[]} [left]
 * @property {(Seat | null)[]} offers
 * @property {Outcome} [outcome]
 * @property {string} [closing]
 *
 * @typedef {{ seq: number, at: number, by?: { seat: Seat, id: number }, event: any }} EventEnvelope
 */

/** @type {readonly Seat[]} */
export const SEATS = ["X", "O"];
export const OFFERS = ["draw", "takeback", "rematch"];

/** An event that does not follow the state. `kind` is `gap` or `impossible`. */
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

/** @template T @param {T[]} pair @returns {T[]} */
export const swapPair = ([first, second]) => /** @type {T[]} */ ([second, first]);

/** @param {number} ply @returns {Seat} */
export const seatOfPly = (ply) => (ply % 2 === 0 ? "X" : "O");

/**
 * Returns the base of a clock such as `5+3` or `90s+0`, in milliseconds.
 * @param {string} clock
 */
export function clockBaseMillis(clock) {
  const base = clock.split("+")[0] ?? "";
  return base.endsWith("s") ? Number(base.slice(0, -1)) * 1000 : Number(base) * 60_000;
}

/**
 * Returns the state after the next event. The given state is unchanged.
 * @param {RoomState} state
 * @param {EventEnvelope} envelope
 * @returns {RoomState}
 * @throws {FoldError} if the event is not the next one, or the state does not allow it
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

const NO_OFFERS = Object.freeze([null, null, null]);

/**
 * @param {RoomState} state
 * @param {any} event
 * @returns {Partial<RoomState> | null} the changed fields, or null if the state does not allow the event
 */
function foldKind(state, event) {
  const isPlaying = state.phase === "playing";
  const offers = [...NO_OFFERS];
  const left = state.clock === undefined ? {} : { left: event.left };
  switch (event.type) {
    case "seated": {
      const at = seatIndex(event.seat);
      if (state.phase !== "waiting" || state.players[at]) return null;
      return { players: state.players.map((player, index) => (index === at ? event.player : player)) };
    }
    case "started":
      return foldStarted(state, event.game);
    case "moved": {
      const hasLeft = event.left !== undefined;
      if (!isPlaying || state.turn !== event.seat || hasLeft !== (state.clock !== undefined)) return null;
      const rules = parseRules(state.rules);
      const cell = landingCell(rules, boardAfter(rules, state.moves), event.cell);
      if (cell < 0) return null;
      return { ...left, offers, moves: [...state.moves, cell], turn: otherSeat(event.seat) };
    }
    case "offered": {
      const at = OFFERS.indexOf(event.offer);
      if (at < 0 || state.phase !== (event.offer === "rematch" ? "over" : "playing")) return null;
      return { offers: state.offers.map((seat, index) => (index === at ? event.seat : seat)) };
    }
    case "declined": {
      const at = OFFERS.indexOf(event.offer);
      if (at < 0 || !state.offers[at]) return null;
      return { offers: state.offers.map((seat, index) => (index === at ? null : seat)) };
    }
    case "taken_back": {
      if (!isPlaying || event.plies > state.moves.length) return null;
      const moves = state.moves.slice(0, state.moves.length - event.plies);
      return { ...(event.left ? left : {}), offers, moves, turn: seatOfPly(moves.length) };
    }
    case "ended":
      return isPlaying ? foldEnded(state, event) : null;
    case "closed":
      if (state.phase === "closed") return null;
      return { phase: "closed", closing: event.closing, offers, turn: undefined };
    default:
      return null;
  }
}

/** @param {RoomState} state @param {number} game @returns {Partial<RoomState> | null} */
function foldStarted(state, game) {
  const isFirst = state.phase === "waiting" && state.game === 0 && state.players.every(Boolean);
  if ((!isFirst && state.phase !== "over") || game !== state.game + 1) return null;
  const { wins, draws } = state.score;
  const swapped = state.game > 0
    ? { players: swapPair(state.players), score: { wins: swapPair(wins), draws } }
    : {};
  const base = state.clock === undefined ? undefined : clockBaseMillis(state.clock);
  const left = base === undefined ? {} : { left: [base, base] };
  return {
    ...swapped, ...left, game, phase: "playing", turn: "X", moves: [], offers: [...NO_OFFERS], outcome: undefined,
  };
}

/** @param {RoomState} state @param {any} event @returns {Partial<RoomState>} */
function foldEnded(state, event) {
  const { winner } = event.outcome;
  const wins = state.score.wins.map((count, index) => (SEATS[index] === winner ? count + 1 : count));
  const draws = state.score.draws + (winner ? 0 : 1);
  const left = event.left ? { left: event.left } : {};
  return {
    ...left, phase: "over", outcome: event.outcome, offers: [...NO_OFFERS], turn: undefined, score: { wins, draws },
  };
}
