// A game against the engine without a server. The visitor's side has the model of a game on a
// server; the referee of the page takes the place of the server.
import { decide, moveMillis } from "../bot/decision.js";
import { foldEvent, otherSeat } from "../core/fold.js";
import { DEFAULT_NAME, initialModel, newRoom } from "../core/model.js";
import { update } from "../core/update.js";
import { decideRequest, openedState } from "./referee.js";

/**
 * @typedef {import("../core/model.js").Model} Model
 * @typedef {import("../core/step.js").Effect} Effect
 * @typedef {import("../core/fold.js").Seat} Seat
 *
 * @typedef {object} LocalGameOptions
 * @property {string} id of the room
 * @property {string} rules
 * @property {string} level
 * @property {Seat} seat the visitor's seat
 * @property {string} name of the visitor
 * @property {string} botName
 * @property {readonly number[]} [moves] of a game that continues
 *
 * @typedef {object} LocalGameHandlers
 * @property {() => number} now
 * @property {(game: { rules: string, moves: number[], level: string, millis: number, seq: number }) => void} think asks for a
 *   move of the bot. The caller passes the move to `playBot`
 * @property {(model: Model, effects: Effect[]) => void} onChange called after each change, with the effects for the page
 */

/**
 * Returns the state after these moves, or null if a move is not possible or ends the game.
 * @param {import("../core/fold.js").RoomState} opened
 * @param {readonly number[]} moves
 */
export function stateAfter(opened, moves) {
  let state = opened;
  for (const cell of moves) {
    const { turn } = state;
    const decision = turn && decideRequest(state, turn, { type: "move", cell });
    if (!decision || !("events" in decision) || decision.events.length > 1)
      return null;
    state = foldEvent(state, {
      seq: state.seq + 1,
      at: 0,
      event: decision.events[0],
    });
  }
  return state;
}

export class LocalGame {
  /** @param {LocalGameOptions} options @param {LocalGameHandlers} handlers */
  constructor({ id, rules, level, seat, name, botName, moves = [] }, handlers) {
    this.handlers = handlers;
    const person = /** @type {const} */ ({
      name: name || DEFAULT_NAME,
      kind: "person",
    });
    const bot = /** @type {const} */ ({ name: botName, kind: "bot" });
    const opened = openedState(
      rules,
      seat === "X" ? [person, bot] : [bot, person],
    );
    const initial = initialModel({
      now: Math.floor(handlers.now()),
      party: "",
      name,
      settings: {},
      saved: [],
      seat: null,
      linkCode: null,
    });
    /** @type {Model} */
    this.model = {
      ...initial,
      screen: "room",
      connection: { ...initial.connection, state: "online" },
      bot: { level, party: "", seat: { room: id, token: "" } },
      room: {
        ...newRoom(id, null),
        seat,
        state: stateAfter(opened, moves) ?? opened,
        animated: moves.length,
      },
    };
    /** Whether the bot agreed to a draw after its last search. */
    this.acceptsDraw = false;
    /** The number of the event that the search of the bot follows. */
    this.thinksAfter = 0;
  }

  /** Lets the bot move if it is its turn. Restarts a search that was stopped. */
  start() {
    this.thinksAfter = 0;
    this.followBot();
  }

  /**
   * Replaces parts of the model that the page owns, such as the settings.
   * @param {Partial<Model>} changes
   */
  change(changes) {
    this.model = { ...this.model, ...changes };
  }

  /** @param {any} action of the visitor */
  act(action) {
    this.dispatch({ type: "action", action, now: this.handlers.now() });
  }

  /**
   * Plays the move that the bot has found, unless the game has changed during the search.
   * @param {{ cell: number, acceptsDraw: boolean, seq: number }} found
   */
  playBot({ cell, acceptsDraw, seq }) {
    if (seq !== this.model.room?.state?.seq) return;
    this.acceptsDraw = acceptsDraw;
    this.request(this.botSeat(), { type: "move", cell });
  }

  botSeat() {
    return otherSeat(this.model.room?.seat ?? "O");
  }

  /** @param {import("../core/step.js").Message} message */
  dispatch(message) {
    const [model, effects] = update(this.model, message);
    this.model = model;
    const isSent = (/** @type {Effect} */ { type }) => type === "send";
    this.handlers.onChange(
      model,
      effects.filter((effect) => !isSent(effect)),
    );
    for (const { request } of effects.filter(isSent))
      if (model.room?.seat) this.request(model.room.seat, request);
  }

  /**
   * Decides a request, and shows the visitor what follows.
   * @param {Seat} seat
   * @param {any} request
   */
  request(seat, request) {
    const { room } = this.model;
    if (!room?.state) return;
    const decision = decideRequest(room.state, seat, request);
    const isOwn = seat === room.seat;
    const now = this.handlers.now();
    if ("events" in decision) {
      const events = decision.events.map((event, index) => ({
        seq: Number(room.state?.seq) + 1 + index,
        at: Math.floor(now),
        event,
        ...(isOwn ? { by: { seat, id: request.id } } : {}),
      }));
      const message = { type: "events", room: room.id, events };
      this.dispatch({ type: "received", message, now });
    } else if (isOwn) {
      const message = { type: "reject", re: request.id, code: decision.code };
      this.dispatch({ type: "received", message, now });
    }
    this.followBot();
  }

  /** Makes the next step of the bot: a search, or the answer to an offer. */
  followBot() {
    const { room, bot } = this.model;
    const state = room?.state;
    if (!room || !state || !bot) return;
    const model = {
      ...this.model,
      room: { ...room, seat: this.botSeat(), review: null },
      pending: {},
    };
    const step = decide(model, this.acceptsDraw);
    if (step?.type === "command") this.request(this.botSeat(), step.request);
    else if (step?.type === "think" && this.thinksAfter !== state.seq) {
      this.thinksAfter = state.seq;
      this.handlers.think({
        rules: state.rules,
        moves: state.moves,
        level: bot.level,
        millis: moveMillis(model),
        seq: state.seq,
      });
    }
  }
}
