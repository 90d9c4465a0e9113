// Actions of the visitor. Pure.
import { NAME_MAX_CHARACTERS, canMove, isPlaying, newRoom } from "./model.js";
import { createRequest } from "./requests.js";
import { boardAfter, landingCell, parseRules } from "./rules.js";
import { andThen, closeRoom, requestLobby, send, sendWanted } from "./step.js";

/**
 * @typedef {import("./model.js").Model} Model
 * @typedef {import("./step.js").Effect} Effect
 * @typedef {import("./step.js").Step} Step
 */

/** Level of the bot of the page that takes the seat of an absent opponent. */
const SUBSTITUTE_LEVEL = "medium";

/** @param {Model} model @param {any} action @param {number} now @returns {Step} */
export function onAction(model, action, now) {
  switch (action.type) {
    case "show": return showScreen(model, action.screen, now);
    case "choose": return [{ ...model, choice: { ...model.choice, ...action.choice } }, [{ type: "store-choice", choice: { ...model.choice, ...action.choice } }]];
    case "enter": return enter(model, action.request, now);
    case "play-bot": {
      const { level, party, seat } = action;
      return enter(model, createRequest({ ...model.choice, seat }, false), now, { level, party, seat: null });
    }
    case "cancel": return cancel(model, now);
    case "continue": {
      const room = newRoom(action.seat.room, action.seat.token);
      const { room: id, token } = action.seat;
      return andThen([{ ...model, room, bot: action.seat.bot ?? null, screen: "room" }, []], (model) => send(model, { type: "resume", room: id, token }, now));
    }
    case "set-name": return setName(model, action.name, now);
    case "set-settings": {
      const settings = { ...model.settings, ...action.settings };
      return [{ ...model, settings }, [{ type: "store-settings", settings }]];
    }
    case "list": return requestLobby(model, now);
    case "phrase": return command(model, { type: "say", phrase: action.phrase }, now);
    case "mute": return [model.room ? { ...model, room: { ...model.room, isMuted: action.isMuted } } : model, []];
    case "substitute-bot": {
      if (!model.room?.isOpen) return [model, []];
      const bot = { level: SUBSTITUTE_LEVEL, party: action.party, seat: null, isSubstitute: true };
      return [{ ...model, bot }, [{ type: "start-bot", room: model.room.id, code: model.room.code, bot }]];
    }
    case "reconnect": return [{ ...model, connection: { ...model.connection, state: "connecting", retryAt: now } }, [{ type: "connect" }]];
    case "dialog": return [{ ...model, dialog: action.dialog }, []];
    case "review": return review(model, action.ply);
    case "select": return [{ ...model, selected: action.cell }, []];
    case "play": return play(model, action.cell, now);
    case "command": return command(model, action.request, now);
    case "leave": return leave(model, action.then ?? null, now);
    case "open-record": {
      const record = { ...newRoom("record", null), state: action.state, review: 0, animated: Infinity };
      return [{ ...model, record, screen: "record" }, []];
    }
    case "toast": return [model, [{ type: "toast", key: action.key }]];
    default: return [model, []];
  }
}

/** @param {Model} model @param {import("./model.js").Screen} screen @param {number} now @returns {Step} */
function showScreen(model, screen, now) {
  if (model.room && screen !== "settings" && screen !== "room") {
    return isPlaying(model) ? [{ ...model, dialog: { kind: "leave", next: { screen } } }, []] : leave(model, { screen }, now);
  }
  if ((model.isSeeking || model.wanted) && screen !== "settings" && screen !== "looking") {
    return andThen(cancel(model, now), (model) => [{ ...model, screen }, []]);
  }
  const next = { ...model, screen, linkCode: null };
  return screen === "lobby" || screen === "home" || screen === "watch" ? onAction(next, { type: "list" }, now) : [next, []];
}

/**
 * Wants a seek or a room; asks for a name first.
 * @param {Model} model
 * @param {any} request
 * @param {number} now
 * @param {import("./model.js").PageBot | null} [bot] the bot for the other seat
 * @returns {Step}
 */
function enter(model, request, now, bot = null) {
  if (!model.name && request.type !== "watch") return [{ ...model, dialog: { kind: "name", next: request, bot } }, []];
  const screen = request.type === "seek" ? "looking" : model.screen;
  const next = { ...model, wanted: request, wantedAt: now, screen, dialog: null, banner: null };
  if (model.room) return leave(next, { request, bot }, now);
  if (model.isSeeking) return send({ ...next, bot }, { type: "cancel" }, now);
  return sendWanted({ ...next, bot }, now);
}

/** @param {Model} model @param {number} now @returns {Step} */
function cancel(model, now) {
  const next = { ...model, wanted: null, bot: null, linkCode: null, screen: /** @type {const} */ ("home") };
  if (model.connection.state !== "online") return [{ ...next, isSeeking: false }, []];
  return model.isSeeking ? send(next, { type: "cancel" }, now) : [next, []];
}

/** @param {Model} model @param {string} text @param {number} now @returns {Step} */
function setName(model, text, now) {
  const name = text.trim().replace(/\s+/g, " ").slice(0, NAME_MAX_CHARACTERS);
  const request = model.dialog?.kind === "name" ? model.dialog.next : null;
  const bot = model.dialog?.bot ?? null;
  if (!name || name === model.name) {
    const next = { ...model, dialog: null };
    return name && request ? enter(next, request, now, bot) : [next, []];
  }
  const next = { ...model, name, dialog: null };
  /** @type {Effect[]} */
  const effects = [{ type: "store-name", name }];
  // The server reads a name at the start of a connection only. A game that is on keeps the old one.
  if (model.room) return [next, effects];
  if (!request) return [next, [...effects, { type: "reconnect" }]];
  const screen = request.type === "seek" ? "looking" : model.screen;
  return [{ ...next, bot, wanted: request, wantedAt: now, screen }, [...effects, { type: "reconnect" }]];
}

/** @param {Model} model @param {number} ply @returns {Step} */
function review(model, ply) {
  const place = model.screen === "record" ? "record" : "room";
  const room = model[place];
  if (!room?.state) return [model, []];
  const latest = room.state.moves.length;
  const shown = ply >= latest ? null : Math.max(0, ply);
  return [{ ...model, selected: null, [place]: { ...room, review: shown, animated: latest } }, []];
}

/** @param {Model} model @param {number} cell @param {number} now @returns {Step} */
function play(model, cell, now) {
  const state = model.room?.state;
  if (!state || !canMove(model)) return [model, []];
  const rules = parseRules(state.rules);
  const landing = landingCell(rules, boardAfter(rules, state.moves), cell);
  if (landing < 0) {
    const key = rules.gravity ? "reject_column_full" : "reject_cell_taken";
    return [{ ...model, selected: null }, [{ type: "announce", key }]];
  }
  return send({ ...model, selected: null }, { type: "move", cell: landing, seq: state.seq }, now);
}

/** @param {Model} model @param {any} request @param {number} now @returns {Step} */
function command(model, request, now) {
  const isRepeated = Object.values(model.pending).some(
    (entry) => entry.request.type === request.type && entry.request.offer === request.offer,
  );
  if (!model.room?.seat || model.connection.state !== "online" || isRepeated) return [{ ...model, dialog: null }, []];
  return send({ ...model, dialog: null }, request, now);
}

/**
 * Leaves the room.
 * @param {Model} model
 * @param {any} then the screen or the request that follows
 * @param {number} now
 * @returns {Step}
 */
function leave(model, then, now) {
  const isOnline = model.connection.state === "online";
  const wanted = then?.request ?? null;
  const screen = then?.screen ?? (wanted?.type === "seek" ? "looking" : model.room?.seat ? "home" : "watch");
  const [closed, effects] = closeRoom(model, null, now);
  const kept = effects.filter((effect) => effect.type !== "send");
  // The seat stays in the list of saved seats only while the game can go on.
  const next = { ...closed, pending: {}, bot: then?.bot ?? null, wanted, wantedAt: now, screen };
  if (!isOnline) return [next, kept];
  return andThen([next, kept], (model) => andThen(send(model, { type: "leave" }, now), (model) => requestLobby(model, now)));
}
