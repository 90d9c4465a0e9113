// Messages on the connection and on requests: open, closed, welcome, done, reject. Pure.
import { DEFAULT_NAME, newRoom } from "./model.js";
import { BANNER_MILLIS, COMMANDS, ENTRIES, LOBBY_REQUESTS, andThen, closeRoom, closeSeat, findPending, requestLobby, send, sendWanted, settle } from "./step.js";

/**
 * @typedef {import("./model.js").Model} Model
 * @typedef {import("./step.js").Message} Message
 * @typedef {import("./step.js").Effect} Effect
 * @typedef {import("./step.js").Step} Step
 */

const RETRY_BUSY_MILLIS = 300;
const RETRY_UNAVAILABLE_MILLIS = 1000;
const RETRY_CONNECTION_MIN_MILLIS = 250;
const RETRY_CONNECTION_MAX_MILLIS = 10_000;

/** Close code of a server that does not support the version of the page. */
export const OUTDATED_CODE = 4001;
const REPLACED_CODE = 4002;
/**
 * Whether a close code means that the page must not reconnect by itself.
 * @param {number} code
 */
const isFinal = (code) => [1002, 1003, 1007, 1008, 1009].includes(code) || (code >= 4000 && code < 4100);
/** Rejects that are no mistake of the player and need no text. */
const SILENT_REJECTS = ["not_seeking", "not_in_room", "already_offered", "hello_twice"];

/** @param {Model} model @returns {Step} */
export function onOpened(model) {
  const { kind, party, wants } = model;
  const wanted = wants.length > 0 ? { wants: [...wants] } : {};
  return send(model, { type: "hello", versions: [1, 1], name: model.name || DEFAULT_NAME, kind, client: "noughts-web", party, ...wanted }, 0);
}

/** @param {Model} model @param {Message} message @returns {Step} */
export function onClosed(model, { code, now, random }) {
  const before = model.connection;
  // Only commands survive the connection: the server recognizes them by their id.
  const pending = Object.fromEntries(
    Object.entries(model.pending).filter(([, { request }]) => COMMANDS.includes(request.type)),
  );
  const base = { ...model, pending, isSeeking: false, isSubscribed: false, selected: null };
  if (before.state === "stopped") return [base, []];
  if (code === REPLACED_CODE) return [{ ...base, connection: { ...before, state: "replaced", code } }, []];
  if (isFinal(code)) return [{ ...base, connection: { ...before, state: "stopped", code } }, []];
  const delay = Math.min(RETRY_CONNECTION_MAX_MILLIS, RETRY_CONNECTION_MIN_MILLIS * 2 ** before.attempt);
  const wait = before.restarting ? before.retryAt - now : 0;
  const retryAt = now + Math.max(wait, 0) + delay * (0.5 + random / 2);
  const lostAt = before.state === "online" ? now : before.lostAt || now;
  const connection = { ...before, state: /** @type {const} */ ("offline"), retryAt, attempt: before.attempt + 1, code, lostAt };
  const lost = before.state === "online" && model.room ? [{ type: "announce", key: "connection_lost_short", urgent: true }] : [];
  return [{ ...base, connection }, [{ type: "connect-later", at: retryAt }, ...lost]];
}

/** @param {Model} model @param {import("../../../../protocol/asyncapi/noughts").WelcomeMessage} message @param {number} now @returns {Step} */
export function onWelcome(model, message, now) {
  const wasLost = model.connection.lostAt > 0;
  const connection = {
    ...model.connection, state: /** @type {const} */ ("online"), attempt: 0, restarting: false, code: 0, lostAt: 0,
  };
  const name = model.name ? message.name : "";
  let next = { ...model, connection, limits: message.limits, features: message.has ?? [], address: message.address ?? null, name };
  const effects = wasLost && model.room ? [{ type: "announce", key: "reconnected", urgent: true }, { type: "toast", key: "reconnected" }] : [];
  // A client that enters a room again gets the presence of absent players only.
  if (next.room) next = { ...next, room: { ...next.room, presence: [null, null] } };
  const { room } = next;
  if (room?.token) {
    const { id, token } = room;
    const seq = room.state ? { seq: room.state.seq } : {};
    return andThen([next, effects], (model) => send(model, { type: "resume", room: id, token, ...seq }, now));
  }
  const { held } = message;
  if (held) {
    next = { ...next, room: newRoom(held.room, held.token), wanted: null, screen: "room" };
    return andThen([next, effects], (model) => send(model, { type: "resume", ...held }, now));
  }
  if (room) return andThen([next, effects], (model) => send(model, { type: "watch", room: room.code ?? room.id }, now));
  if (next.wanted) return andThen([next, effects], (model) => send(model, model.wanted, now));
  return andThen([next, effects], (model) => requestLobby(model, now));
}

/** @param {Model} model @param {number} id @param {number} now @returns {Step} */
export function onResend(model, id, now) {
  const entry = model.pending[id];
  if (!entry || model.connection.state !== "online") return [model, []];
  return [{ ...model, pending: { ...model.pending, [id]: { ...entry, sentAt: now } } }, [{ type: "send", request: entry.request }]];
}

/** @param {Model} model @param {import("../../../../protocol/asyncapi/noughts").DoneMessage} message @param {number} now @returns {Step} */
export function onDone(model, message, now) {
  const entry = findPending(model, message.re);
  const next = settle(model, message.re);
  switch (entry?.request.type) {
    case "seek": return [{ ...next, isSeeking: true }, []];
    case "cancel": return andThen([{ ...next, isSeeking: false }, []], (model) => sendWanted(model, now));
    case "substitute": {
      if (!next.room) return [next, []];
      if (entry.request.end) return closeSeat(next);
      return [{ ...next, room: { ...next.room, isOpen: true } }, [{ type: "call-substitute" }]];
    }
    case "leave": return andThen([next, []], (model) => sendWanted(model, now));
    default: return [next, []];
  }
}

/** @param {Model} model @param {import("../../../../protocol/asyncapi/noughts").RejectMessage} message @param {number} now @returns {Step} */
export function onReject(model, message, now) {
  const entry = findPending(model, message.re);
  const type = entry?.request.type;
  const { code } = message;
  if (entry && ["busy", "unavailable", "rate_limited"].includes(code) && ![...LOBBY_REQUESTS, "say"].includes(type)) {
    const wait = message.wait_ms ?? (code === "busy" ? RETRY_BUSY_MILLIS : RETRY_UNAVAILABLE_MILLIS);
    return [model, [{ type: "resend-later", id: message.re, after: wait }]];
  }
  const next = settle(model, message.re);
  if (LOBBY_REQUESTS.includes(type) || SILENT_REJECTS.includes(code)) return [next, []];
  if (type === "resume") return closeRoom(next, "room_closed", now);
  // The server closes the connection after it. A proxy may hide the code of the close.
  if (code === "version") return [{ ...next, connection: { ...next.connection, state: "stopped", code: OUTDATED_CODE } }, []];
  if (type === "hello") {
    const banner = { key: `reject_${code}`, isBad: true, until: now + BANNER_MILLIS };
    return [{ ...next, name: "", wanted: null, screen: next.room ? next.screen : "home", banner }, [{ type: "store-name", name: "" }, { type: "reconnect" }]];
  }
  const key = type === "answer" && code === "no_offer" ? "seek_gone" : `reject_${code}`;
  const shown = { ...next, banner: { key, isBad: true, until: now + BANNER_MILLIS } };
  /** @type {Effect[]} */
  const effects = [{ type: "announce", key }];
  if (ENTRIES.includes(type)) {
    const screen = type === "join" || type === "watch" ? "lobby" : "home";
    return andThen([{ ...shown, wanted: null, isSeeking: false, linkCode: null, room: null, bot: null, screen }, effects], (model) =>
      requestLobby(model, now));
  }
  return [shown, effects];
}
