// How the model changes: `update(model, message)` returns the next model and the effects to carry out. Pure.
import { FoldError, foldEvent, otherSeat, seatIndex, swapPair } from "./fold.js";
import { DEFAULT_NAME, NAME_MAX_CHARACTERS, SAVED_SEATS_MAX, canMove, isPlaying, newRoom, pendingMove } from "./model.js";
import { boardAfter, landingCell, parseRules } from "./rules.js";

/**
 * @typedef {import("./model.js").Model} Model
 * @typedef {import("./model.js").Room} Room
 * @typedef {{ type: string, [field: string]: any }} Message
 * @typedef {{ type: string, [field: string]: any }} Effect
 * @typedef {[Model, Effect[]]} Step
 */

const SEQ_OF_SNAPSHOT = Number.MAX_SAFE_INTEGER;
const BANNER_MILLIS = 5000;
const RETRY_BUSY_MILLIS = 300;
const RETRY_UNAVAILABLE_MILLIS = 1000;
const RETRY_CONNECTION_MIN_MILLIS = 250;
const RETRY_CONNECTION_MAX_MILLIS = 10_000;

/** Commands of a player, which are answered by an event and may be sent again with the same id. */
const COMMANDS = ["move", "resign", "offer", "accept", "decline", "claim", "flag"];
/** Requests after which the connection is in a room or seeks. */
const ENTRIES = ["seek", "create", "join", "watch"];
const REPLACED_CODE = 4002;
/** Whether a close code means that the page must not reconnect by itself. @param {number} code */
const isFinal = (code) => [1002, 1003, 1007, 1008, 1009].includes(code) || (code >= 4000 && code < 4100);
/** Rejects that are no mistake of the player and need no text. */
const SILENT_REJECTS = ["not_seeking", "not_in_room", "already_offered", "hello_twice"];

/**
 * @param {Model} model
 * @param {Message} message
 * @returns {Step}
 */
export function update(model, message) {
  switch (message.type) {
    case "opened": return onOpened(model);
    case "closed": return onClosed(model, message);
    case "received": return onReceived(model, message.message, message.now);
    case "tick": return onTick(model, message.now);
    case "resend": return onResend(model, message.id, message.now);
    case "action": return onAction(model, message.action, message.now);
    default: return [model, []];
  }
}

/**
 * Sends a request with a new id.
 * @param {Model} model
 * @param {any} request
 * @param {number} now
 * @returns {Step}
 */
function send(model, request, now) {
  const id = model.nextId;
  const withId = { id, ...request };
  const entry = { request: withId, seat: model.room?.seat ?? null, room: model.room?.id ?? null, sentAt: now };
  return [
    { ...model, nextId: id + 1, pending: { ...model.pending, [id]: entry } },
    [{ type: "send", request: withId }],
  ];
}

/** @param {Step} step @param {(model: Model) => Step} next @returns {Step} */
function andThen([model, effects], next) {
  const [changed, more] = next(model);
  return [changed, [...effects, ...more]];
}

// --- Connection

/** @param {Model} model @returns {Step} */
function onOpened(model) {
  const hello = {
    type: "hello", versions: [1, 1], name: model.name || DEFAULT_NAME, kind: "human", client: "noughts-web",
    party: model.party,
  };
  return send(model, hello, 0);
}

/** @param {Model} model @param {Message} message @returns {Step} */
function onClosed(model, { code, now, random }) {
  const before = model.connection;
  // Only commands survive the connection: the server recognizes them by their id.
  const pending = Object.fromEntries(
    Object.entries(model.pending).filter(([, { request }]) => COMMANDS.includes(request.type)),
  );
  const base = { ...model, pending, isSeeking: false, selected: null };
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

/** @param {Model} model @param {any} message @param {number} now @returns {Step} */
function onWelcome(model, message, now) {
  const wasLost = model.connection.lostAt > 0;
  const connection = {
    ...model.connection, state: /** @type {const} */ ("online"), attempt: 0, restarting: false, code: 0, lostAt: 0,
  };
  const name = model.name ? message.name : "";
  let next = { ...model, connection, limits: message.limits, name };
  const effects = wasLost && model.room ? [{ type: "announce", key: "reconnected", urgent: true }, { type: "toast", key: "reconnected" }] : [];
  const { room } = next;
  if (room?.token) {
    const seq = room.state ? { seq: room.state.seq } : {};
    return andThen([next, effects], (model) => send(model, { type: "resume", room: room.id, token: room.token, ...seq }, now));
  }
  if (message.held) {
    next = { ...next, room: newRoom(message.held.room, message.held.token), wanted: null, screen: "room" };
    return andThen([next, effects], (model) => send(model, { type: "resume", ...message.held }, now));
  }
  if (room) return andThen([next, effects], (model) => send(model, { type: "watch", room: room.code ?? room.id }, now));
  if (next.wanted) return andThen([next, effects], (model) => send(model, model.wanted, now));
  return andThen([next, effects], (model) => send(model, { type: "list" }, now));
}

/** @param {Model} model @param {number} id @param {number} now @returns {Step} */
function onResend(model, id, now) {
  const entry = model.pending[id];
  if (!entry || model.connection.state !== "online") return [model, []];
  return [{ ...model, pending: { ...model.pending, [id]: { ...entry, sentAt: now } } }, [{ type: "send", request: entry.request }]];
}

// --- Messages of the server

/** @param {Model} model @param {any} message @param {number} now @returns {Step} */
function onReceived(model, message, now) {
  switch (message.type) {
    case "welcome": return onWelcome(settle(model, message.re), message, now);
    case "done": return onDone(model, message, now);
    case "reject": return onReject(model, message, now);
    case "snapshot": return onSnapshot(model, message, now);
    case "events": return onEvents(model, message, now);
    case "notice": return onNotice(model, message, now);
    case "rooms": {
      const lobby = { rooms: message.rooms, seeks: message.seeks, loaded: true };
      return [{ ...settle(model, message.re), lobby }, []];
    }
    case "restarting": {
      const connection = { ...model.connection, restarting: true, retryAt: now + message.back_in_ms };
      return [{ ...model, connection }, []];
    }
    default: return [model, []];
  }
}

/** @param {Model} model @param {number | undefined} id @returns {Model} without the pending request */
function settle(model, id) {
  if (id === undefined || !(id in model.pending)) return model;
  const { [id]: _settled, ...pending } = model.pending;
  return { ...model, pending };
}

/** @param {Model} model @param {any} message @param {number} now @returns {Step} */
function onDone(model, message, now) {
  const entry = model.pending[message.re];
  const next = settle(model, message.re);
  switch (entry?.request.type) {
    case "seek": return [{ ...next, isSeeking: true }, []];
    case "cancel": return andThen([{ ...next, isSeeking: false }, []], (model) => sendWanted(model, now));
    case "leave": return andThen([next, []], (model) => sendWanted(model, now));
    default: return [next, []];
  }
}

/** Sends the wanted request if the connection is idle. @param {Model} model @param {number} now @returns {Step} */
function sendWanted(model, now) {
  const isOnline = model.connection.state === "online";
  if (!model.wanted || !isOnline || model.room || model.isSeeking) return [model, []];
  const isSent = Object.values(model.pending).some(({ request }) => [...ENTRIES, "leave", "cancel"].includes(request.type));
  return isSent ? [model, []] : send(model, model.wanted, now);
}

/** @param {Model} model @param {any} message @param {number} now @returns {Step} */
function onReject(model, message, now) {
  const entry = model.pending[message.re];
  const type = entry?.request.type;
  const { code } = message;
  if (entry && ["busy", "unavailable", "rate_limited"].includes(code) && type !== "list") {
    const wait = message.wait_ms ?? (code === "busy" ? RETRY_BUSY_MILLIS : RETRY_UNAVAILABLE_MILLIS);
    return [model, [{ type: "resend-later", id: message.re, after: wait }]];
  }
  const next = settle(model, message.re);
  if (type === "list" || SILENT_REJECTS.includes(code)) return [next, []];
  if (type === "resume") return closeRoom(next, "room_closed", now);
  if (type === "hello") return [{ ...next, name: "" }, [{ type: "reconnect" }]];
  const shown = { ...next, banner: { key: `reject_${code}`, isBad: true, until: now + BANNER_MILLIS } };
  /** @type {Effect[]} */
  const effects = [{ type: "announce", key: `reject_${code}` }];
  if (ENTRIES.includes(type)) {
    const screen = type === "join" || type === "watch" ? "lobby" : "home";
    return andThen([{ ...shown, wanted: null, isSeeking: false, linkCode: null, room: null, screen }, effects], (model) =>
      send(model, { type: "list" }, now));
  }
  return [shown, effects];
}

/** Forgets the room. @param {Model} model @param {string | null} key text of the reason @param {number} now @returns {Step} */
function closeRoom(model, key, now) {
  const id = model.room?.id;
  const saved = model.saved.filter((seat) => seat.room !== id);
  const banner = key ? { key, until: now + BANNER_MILLIS } : null;
  const pending = Object.fromEntries(
    Object.entries(model.pending).filter(([, { request }]) => !COMMANDS.includes(request.type)),
  );
  const next = { ...model, room: null, saved, banner, pending, dialog: null, selected: null, screen: /** @type {const} */ ("home") };
  return andThen([next, [{ type: "store-seat", seat: null }, { type: "store-saved", saved }]], (model) =>
    model.connection.state === "online" ? send(model, { type: "list" }, now) : [model, []]);
}

/** @param {Model} model @param {any} message @param {number} now @returns {Step} */
function onSnapshot(model, message, now) {
  const entry = model.pending[message.re];
  const before = model.room?.id === message.room ? model.room : null;
  if (message.re === undefined && !before && !model.isSeeking && !model.wanted) return [model, []];
  const seat = message.you.seat ?? null;
  const code = message.you.code ?? before?.code ?? (entry?.request.type === "watch" ? entry.request.room : null);
  /** @type {Room} */
  const room = {
    ...(before ?? newRoom(message.room, null)), seat, code, token: message.you.token ?? null, state: message.state,
    leftAt: now, animated: message.state.moves.length,
  };
  const saved = remember(model.saved, room);
  const next = {
    ...settle(model, message.re), room, saved, wanted: null, isSeeking: false, linkCode: null, banner: null,
    selected: null, screen: /** @type {const} */ ("room"),
  };
  if (message.state.phase === "closed") return closeRoom(next, "room_closed", now);
  const isNew = !before?.state;
  /** @type {Effect[]} */
  const effects = [{ type: "store-seat", seat: seatToStore(room) }, { type: "store-saved", saved }];
  if (isNew) effects.push({ type: "clear-link" });
  if (isNew && message.state.phase === "playing") effects.push({ type: "announce", key: turnKey(room), values: namesOf(room) });
  return andThen([next, effects], resendCommands);
}

/** @param {Room} room */
function seatToStore(room) {
  return room.token ? { room: room.id, token: room.token, rules: room.state?.rules } : null;
}

/** @param {import("./model.js").SavedSeat[]} saved @param {Room} room */
function remember(saved, room) {
  if (!room.token || !room.seat || !room.state) return saved;
  const others = saved.filter((seat) => seat.room !== room.id);
  if (room.state.phase !== "playing") return others;
  const opponent = room.state.players[seatIndex(otherSeat(room.seat))]?.name ?? "";
  return [{ room: room.id, token: room.token, rules: room.state.rules, opponent }, ...others].slice(0, SAVED_SEATS_MAX);
}

/** Sends unanswered commands of the room again, after a resume. @param {Model} model @returns {Step} */
function resendCommands(model) {
  const commands = Object.values(model.pending).filter(
    ({ request, room }) => COMMANDS.includes(request.type) && room === model.room?.id,
  );
  return [model, commands.map(({ request }) => ({ type: "send", request }))];
}

/** @param {Model} model @param {any} message @param {number} now @returns {Step} */
function onEvents(model, message, now) {
  const type = model.pending[message.re]?.request.type;
  let next = settle(model, message.re);
  /** @type {Effect[]} */
  const effects = [];
  for (const envelope of message.events) {
    const room = next.room;
    if (!room?.state || room.id !== message.room || envelope.seq <= room.state.seq) continue;
    try {
      const [changed, more] = applyEvent(next, room, envelope, now);
      next = changed;
      effects.push(...more);
    } catch (error) {
      if (!(error instanceof FoldError)) throw error;
      const seq = error.kind === "gap" ? room.state.seq : SEQ_OF_SNAPSHOT;
      return andThen([next, effects], (model) => send(model, { type: "sync", seq }, now));
    }
    if (next.room?.state?.phase === "closed") return andThen([next, effects], (model) => closeRoom(model, "room_closed", now));
  }
  const { room } = next;
  if (room && message.events.length > 0) {
    const saved = remember(next.saved, room);
    next = { ...next, saved };
    effects.push({ type: "store-saved", saved });
  }
  return type === "resume" ? andThen([next, effects], resendCommands) : [next, effects];
}

/**
 * @param {Model} model
 * @param {Room} room
 * @param {import("./fold.js").EventEnvelope} envelope
 * @param {number} now
 * @returns {Step}
 */
function applyEvent(model, room, envelope, now) {
  const state = foldEvent(/** @type {any} */ (room.state), envelope);
  const { event, by } = envelope;
  const isOwn = by !== undefined && by.seat === room.seat && model.pending[by.id] !== undefined;
  let next = isOwn ? settle(model, by?.id) : model;
  /** @type {Room} */
  let changed = { ...room, state };
  if (event.type === "started" && event.game > 1) {
    changed = {
      ...changed, seat: room.seat && otherSeat(room.seat), presence: swapPair(room.presence), lag: swapPair(room.lag),
    };
  }
  if (event.left || event.type === "started") changed.leftAt = now;
  if (["started", "moved", "taken_back"].includes(event.type)) next = { ...next, selected: null };
  if (event.type === "started" || event.type === "taken_back") changed = { ...changed, review: null, animated: state.moves.length };
  if (event.type === "moved" && changed.review !== null && changed.review >= state.moves.length - 1) changed.review = null;
  if (event.type === "ended") next = { ...next, dialog: null };
  // The server has decided a later position: an own move of an earlier one is stale.
  const move = pendingMove(next);
  if (event.type === "ended" && move) next = settle(next, move.id);
  return [{ ...next, room: changed }, eventEffects(changed, event, isOwn)];
}

/** @param {Room} room */
function namesOf(room) {
  const [x, o] = room.state?.players ?? [];
  const opponent = room.seat === "O" ? x : o;
  return { name: opponent?.name ?? "", x: x?.name ?? "", o: o?.name ?? "" };
}

/** @param {Room} room */
function turnKey(room) {
  if (!room.seat) return room.state?.turn === "X" ? "turn_of_x" : "turn_of_o";
  return room.state?.turn === room.seat ? "your_move" : "is_thinking";
}

/** Returns the announcements of an event. @param {Room} room @param {any} event @param {boolean} isOwn @returns {Effect[]} */
function eventEffects(room, event, isOwn) {
  const names = namesOf(room);
  switch (event.type) {
    case "started":
      return [{ type: "announce", key: turnKey(room), values: names }, { type: "sound", when: room.state?.turn === room.seat }];
    case "moved": {
      const values = { ...names, mark: event.seat, cell: event.cell, isCell: true };
      return [
        { type: "announce", key: "plays", values, then: room.state?.turn === room.seat ? "your_move" : undefined },
        { type: "sound", when: event.seat !== room.seat },
      ];
    }
    case "offered":
      return isOwn || event.seat === room.seat ? [] : [{ type: "announce", key: `offer_${event.offer}`, values: names }];
    case "declined":
      return isOwn ? [] : [{ type: "announce", key: "offer_declined", values: names }, { type: "toast", key: "offer_declined", values: names }];
    case "taken_back":
      return [{ type: "announce", key: "taken_back" }];
    case "ended":
      return [{ type: "announce-result", urgent: true }];
    default:
      return [];
  }
}

/** @param {Model} model @param {any} message @param {number} now @returns {Step} */
function onNotice(model, message, now) {
  const room = model.room;
  if (!room || room.id !== message.room) return [model, []];
  const { notice } = message;
  switch (notice.type) {
    case "presence": {
      const at = seatIndex(notice.seat);
      const claimAt = notice.claim_in_ms === undefined ? null : now + notice.claim_in_ms;
      const presence = room.presence.map((old, index) => (index === at ? { presence: notice.presence, claimAt } : old));
      const wasHere = (room.presence[at]?.presence ?? "here") === "here";
      const isChanged = wasHere !== (notice.presence === "here") && notice.seat !== room.seat && room.seat;
      const key = notice.presence === "here" ? "is_back" : "is_disconnected_short";
      /** @type {Effect[]} */
      const effects = isChanged ? [{ type: "announce", key, values: namesOf(room) }] : [];
      if (isChanged && key === "is_back") effects.push({ type: "toast", key, values: namesOf(room) });
      return [{ ...model, room: { ...room, presence } }, effects];
    }
    case "lag": return [{ ...model, room: { ...room, lag: notice.ms } }, []];
    case "crowd": return [{ ...model, room: { ...room, spectators: notice.watching } }, []];
    default: return [model, []];
  }
}

/** @param {Model} model @param {number} now @returns {Step} */
function onTick(model, now) {
  let next = model;
  if (model.banner && model.banner.until <= now) next = { ...next, banner: null };
  return [next, []];
}

// --- Actions of the visitor

/** @param {Model} model @param {any} action @param {number} now @returns {Step} */
function onAction(model, action, now) {
  switch (action.type) {
    case "show": return showScreen(model, action.screen, now);
    case "choose": return [{ ...model, choice: { ...model.choice, ...action.choice } }, [{ type: "store-choice", choice: { ...model.choice, ...action.choice } }]];
    case "enter": return enter(model, action.request, now);
    case "cancel": return cancel(model, now);
    case "continue": {
      const room = newRoom(action.seat.room, action.seat.token);
      const { room: id, token } = action.seat;
      return andThen([{ ...model, room, screen: "room" }, []], (model) => send(model, { type: "resume", room: id, token }, now));
    }
    case "set-name": return setName(model, action.name, now);
    case "set-settings": {
      const settings = { ...model.settings, ...action.settings };
      return [{ ...model, settings }, [{ type: "store-settings", settings }]];
    }
    case "list": return model.connection.state === "online" ? send(model, { type: "list" }, now) : [model, []];
    case "reconnect": return [{ ...model, connection: { ...model.connection, state: "connecting", retryAt: now } }, [{ type: "connect" }]];
    case "dialog": return [{ ...model, dialog: action.dialog }, []];
    case "review": return review(model, action.ply);
    case "select": return [{ ...model, selected: action.cell }, []];
    case "play": return play(model, action.cell, now);
    case "command": return command(model, action.request, now);
    case "leave": return leave(model, action.then ?? null, now);
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
  return screen === "lobby" || screen === "home" ? onAction(next, { type: "list" }, now) : [next, []];
}

/** Wants a seek or a room; asks for a name first. @param {Model} model @param {any} request @param {number} now @returns {Step} */
function enter(model, request, now) {
  if (!model.name && request.type !== "watch") return [{ ...model, dialog: { kind: "name", next: request } }, []];
  const screen = request.type === "seek" ? "looking" : model.screen;
  const next = { ...model, wanted: request, wantedAt: now, screen, dialog: null, banner: null };
  if (model.room) return leave(next, { request }, now);
  if (model.isSeeking) return send(next, { type: "cancel" }, now);
  return sendWanted(next, now);
}

/** @param {Model} model @param {number} now @returns {Step} */
function cancel(model, now) {
  const next = { ...model, wanted: null, linkCode: null, screen: /** @type {const} */ ("home") };
  if (model.connection.state !== "online") return [{ ...next, isSeeking: false }, []];
  return model.isSeeking ? send(next, { type: "cancel" }, now) : [next, []];
}

/** @param {Model} model @param {string} text @param {number} now @returns {Step} */
function setName(model, text, now) {
  const name = text.trim().replace(/\s+/g, " ").slice(0, NAME_MAX_CHARACTERS);
  const request = model.dialog?.kind === "name" ? model.dialog.next : null;
  if (!name || name === model.name) {
    const next = { ...model, dialog: null };
    return name && request ? enter(next, request, now) : [next, []];
  }
  const next = { ...model, name, dialog: null };
  /** @type {Effect[]} */
  const effects = [{ type: "store-name", name }];
  // The server reads a name at the start of a connection only. A game that is on keeps the old one.
  if (model.room) return [next, effects];
  if (!request) return [next, [...effects, { type: "reconnect" }]];
  const screen = request.type === "seek" ? "looking" : model.screen;
  return [{ ...next, wanted: request, wantedAt: now, screen }, [...effects, { type: "reconnect" }]];
}

/** @param {Model} model @param {number} ply @returns {Step} */
function review(model, ply) {
  const room = model.room;
  if (!room?.state) return [model, []];
  const latest = room.state.moves.length;
  const shown = ply >= latest ? null : Math.max(0, ply);
  return [{ ...model, selected: null, room: { ...room, review: shown, animated: latest } }, []];
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

/** Leaves the room. @param {Model} model @param {any} then the screen or the request that follows @param {number} now @returns {Step} */
function leave(model, then, now) {
  const isOnline = model.connection.state === "online";
  const wanted = then?.request ?? null;
  const screen = then?.screen ?? (wanted?.type === "seek" ? "looking" : "home");
  const [closed, effects] = closeRoom(model, null, now);
  const kept = effects.filter((effect) => effect.type !== "send");
  // The seat stays in the list of saved seats only while the game can go on.
  const next = { ...closed, pending: {}, wanted, wantedAt: now, screen };
  if (!isOnline) return [next, kept];
  return andThen([next, kept], (model) => andThen(send(model, { type: "leave" }, now), (model) => send(model, { type: "list" }, now)));
}
