// Messages about the connection and about requests: opened, closed, welcome,
// done and reject. Pure.
import {
  DEFAULT_NAME,
  isUnanswered,
  isWanted,
  needsName,
  newRoom,
  savedSeat,
} from "./model.js";
import {
  BANNER_MS,
  ENTRIES,
  TRANSITIONS,
  andThen,
  closeRoom,
  closeSeat,
  findPending,
  forgetConnection,
  pursueWanted,
  reconnect,
  requestLobby,
  send,
  settle,
  showRefusal,
} from "./step.js";
import { openLink } from "./visitor.js";
import { FINAL_CODES, OUTDATED_CODE, REPLACED_CODE } from "./wire-table.js";

/**
 * @typedef {import("./model.js").Model} Model
 * @typedef {import("./step.js").Message} Message
 * @typedef {import("./step.js").Effect} Effect
 * @typedef {import("./step.js").Step} Step
 */

const RETRY_BUSY_MS = 300;
const RETRY_UNAVAILABLE_MS = 1000;
const MIN_RETRY_CONNECTION_MS = 250;
const MAX_RETRY_CONNECTION_MS = 10_000;
/**
 * Time without a response to a request before the page tests the connection.
 */
const UNANSWERED_MS = 3000;
/** Time without a message until a tested connection counts as dead. */
const PING_TIMEOUT_MS = 5000;
/**
 * Timeout for the response to a hello, and to the request that the visitor
 * wants.
 */
const ANSWER_TIMEOUT_MS = 5000;
/**
 * Time that the page must stay online before the reconnect delay is reset to
 * its minimum.
 */
const STABLE_MS = 10_000;
/** Interval of pings if the server names no interval. */
const DEFAULT_PING_MS = 15_000;

/** Codes of rejects that are not the mistake of the player and need no text. */
const SILENT_REJECTS = [
  "not_seeking",
  "not_in_room",
  "already_offered",
  "hello_twice",
];

/** @param {Model} model @param {number} now @returns {Step} */
export function onOpened(model, now) {
  const { kind, party, identity } = model;
  return send(
    model,
    {
      type: "hello",
      versions: [1, 1],
      name: model.name || DEFAULT_NAME,
      kind,
      client: "noughts-web",
      party,
      identity,
    },
    now,
  );
}

/** @param {Model} model @param {Message} message @returns {Step} */
export function onClosed(model, { code, now, random }) {
  const before = model.connection;
  const base = forgetConnection(model);
  if (before.state === "stopped") return [base, []];
  // With these codes the page must not reconnect automatically.
  if (FINAL_CODES.includes(code) || (code >= 4000 && code < 4100)) {
    const state = code === REPLACED_CODE ? "replaced" : "stopped";
    return [{ ...base, connection: { ...before, state, code } }, []];
  }
  // If the server soon closes each connection, the delays between attempts grow.
  const isStable =
    before.state === "online" && now - before.onlineAt >= STABLE_MS;
  const attempt = isStable ? 0 : before.attempt;
  const delay = Math.min(
    MAX_RETRY_CONNECTION_MS,
    MIN_RETRY_CONNECTION_MS * 2 ** attempt,
  );
  const wait = before.restarting ? before.retryAt - now : 0;
  const retryAt = now + Math.max(wait, 0) + delay * (0.5 + random / 2);
  const lostAt = before.state === "online" ? now : before.lostAt || now;
  const connection = {
    ...before,
    state: /** @type {const} */ ("offline"),
    retryAt,
    attempt: attempt + 1,
    code,
    lostAt,
  };
  const lost =
    before.state === "online"
      ? [{ type: "announce", key: "connection_lost_short", urgent: true }]
      : [];
  return [
    { ...base, connection },
    [{ type: "connect-later", at: retryAt }, ...lost],
  ];
}

/**
 * Tests whether the connection is alive, because the browser does not reveal
 * the server's pings. Drops a dead connection.
 * @param {Model} model
 * @param {Message} message `heardAt`: local time of the last message; `isForced`: whether the network may have changed
 * @returns {Step}
 */
export function onCheck(model, { now, heardAt, isForced }) {
  const entries = Object.values(model.pending);
  const isLate = (/** @type {number} */ since) =>
    now - since >= ANSWER_TIMEOUT_MS;
  const { state, onlineAt } = model.connection;
  if (state !== "online")
    return entries.some(
      ({ request, sentAt }) => request.type === "hello" && isLate(sentAt),
    )
      ? [model, [{ type: "drop" }]]
      : [model, []];
  const isSilent = entries.some(
    ({ request, sentAt }) =>
      TRANSITIONS.includes(request.type) && isLate(sentAt),
  );
  // The visitor does not wait for any single game among several watched games, so the page keeps
  // asking for the game until the server responds.
  const canGiveUp = model.followsLobby || model.kind === "bot";
  if (
    canGiveUp &&
    isUnanswered(model) &&
    isLate(Math.max(model.wantedAt, onlineAt))
  )
    return giveUp(model, now, isSilent);
  // If the server does not give the seat back in time, another connection may succeed.
  if (isSilent) return [model, [{ type: "drop" }]];
  if (
    model.room &&
    entries.some(
      ({ request, firstSentAt }) =>
        ENTRIES.includes(request.type) && isLate(firstSentAt),
    )
  )
    return explainDelay(model, now);
  const ping = entries.find(({ request }) => request.type === "ping");
  if (ping)
    return now - Math.max(ping.sentAt, heardAt) < PING_TIMEOUT_MS
      ? [model, []]
      : [model, [{ type: "drop" }]];
  const hasWaited = entries.some(
    ({ sentAt }) => sentAt > heardAt && now - sentAt >= UNANSWERED_MS,
  );
  const isQuiet = now - heardAt >= (model.limits?.ping_ms ?? DEFAULT_PING_MS);
  return isForced || hasWaited || isQuiet
    ? send(model, { type: "ping" }, now)
    : [model, []];
}

/**
 * Names the reason why the visitor does not see the room yet. The page keeps
 * asking.
 * @param {Model} model
 * @param {number} now
 * @returns {Step}
 */
function explainDelay(model, now) {
  const key = "game_unavailable";
  return [
    { ...model, banner: { key, until: now + BANNER_MS } },
    model.banner?.key === key ? [] : [{ type: "announce", key }],
  ];
}

/**
 * Returns the screen to show without the wanted request.
 * @param {import("./model.js").Screen} screen
 */
const withoutWanted = (screen) =>
  ["looking", "room"].includes(screen) ? "home" : screen;

/**
 * Gives up the request that the visitor wants, with a reason. Drops the
 * connection if the server has not responded. A busy server keeps its
 * connection.
 * @param {Model} model
 * @param {number} now
 * @param {boolean} isSilent whether the server has not responded
 * @returns {Step}
 */
function giveUp(model, now, isSilent) {
  const { wanted, screen, back } = model;
  const code = isSilent ? "no_answer" : "busy";
  const key = isSilent ? code : `reject_${code}`;
  /** @type {Effect[]} */
  const effects = [
    { type: "announce", key },
    ...(isSilent ? [{ type: "drop" }] : []),
  ];
  if (screen !== "link" && isLinkRefused(model, wanted, code))
    return [showRefusal(model, wanted, code), effects];
  return [
    {
      ...model,
      wanted: null,
      bot: null,
      screen: withoutWanted(screen),
      back: withoutWanted(back),
      banner: { key, until: now + BANNER_MS },
    },
    effects,
  ];
}

/**
 * Drops the connection if the network is lost, because the browser notices this
 * before the connection fails.
 * @param {Model} model
 * @param {boolean} hasNetwork
 * @returns {Step}
 */
export const onNetwork = (model, hasNetwork) => [
  { ...model, connection: { ...model.connection, hasNetwork } },
  !hasNetwork && model.connection.state === "online" ? [{ type: "drop" }] : [],
];

/** @param {Model} model @param {import("../../../../protocol/asyncapi/noughts").WelcomeMessage} message @param {number} now @returns {Step} */
export function onWelcome(model, message, now) {
  const wasLost = model.connection.lostAt > 0;
  const connection = {
    ...model.connection,
    state: /** @type {const} */ ("online"),
    onlineAt: now,
    restarting: false,
    code: 0,
    lostAt: 0,
  };
  const name = model.name ? message.name : "";
  let next = {
    ...model,
    connection,
    limits: message.limits,
    address: message.address ?? null,
    name,
    ownRooms: message.own_rooms ?? [],
  };
  /** @type {Effect[]} */
  const effects = [{ type: "limit", limits: message.limits }];
  if (wasLost)
    effects.push({
      type: model.room ? "toast" : "announce",
      key: "reconnected",
    });
  // After a resume, the server sends notices only about absent players. A player without a notice
  // is connected.
  if (next.room)
    next = { ...next, room: { ...next.room, presence: [null, null] } };
  const { room } = next;
  if (room?.token) {
    const { id, token } = room;
    const seq = room.state ? { seq: room.state.seq } : {};
    return andThen([next, effects], (model) =>
      send(model, { type: "resume", room: id, token, ...seq }, now),
    );
  }
  const { grant } = message;
  const isLeft = grant !== undefined && grant.room === model.left;
  if (grant && !isLeft)
    next = {
      ...next,
      room: newRoom(grant.room, grant.token),
      wanted: null,
      screen: "room",
    };
  const entered = andThen(
    model.left && !isLeft ? forgetLeft(next) : [next, []],
    (model) => {
      const { room } = model;
      // The grant may name a seat that the visitor has left. The page resumes this seat and answers
      // the snapshot with `leave`.
      if (grant) return send(model, { type: "resume", ...grant }, now);
      if (room)
        return send(model, { type: "watch", room: room.code ?? room.id }, now);
      return pursueWanted(model, now);
    },
  );
  return andThen(
    andThen([next, effects], () => entered),
    (model) => (model.room ? [model, []] : requestLobby(model, now)),
  );
}

/**
 * Forgets the room that the visitor has left.
 * @param {Model} model
 * @returns {Step}
 */
const forgetLeft = (model) => [
  { ...model, left: null },
  [{ type: "store-left", left: null }],
];

/** @param {Model} model @param {number} id @param {number} now @returns {Step} */
export function onResend(model, id, now) {
  const entry = model.pending[id];
  if (!entry || model.connection.state !== "online") return [model, []];
  if (isStale(model, entry)) return pursueWanted(settle(model, id), now);
  return [
    {
      ...model,
      pending: { ...model.pending, [id]: { ...entry, sentAt: now } },
    },
    [{ type: "send", request: entry.request }],
  ];
}

/** @param {Model} model @param {import("../../../../protocol/asyncapi/noughts").DoneMessage} message @returns {Step} */
export function onDone(model, message) {
  const entry = findPending(model, message.re);
  const next = settle(model, message.re);
  switch (entry?.request.type) {
    case "seek":
      return [
        next.room
          ? next
          : { ...next, seek: { id: entry.request.id, entry, isPaired: false } },
        [],
      ];
    case "cancel":
      return [{ ...next, seek: null }, []];
    case "substitute": {
      if (!next.room || next.room.id !== entry.room) return [next, []];
      if (entry.request.end) return closeSeat(next);
      return [
        { ...next, room: { ...next.room, isOpen: true } },
        [{ type: "call-substitute" }],
      ];
    }
    case "leave":
      return forgetLeft(next);
    default:
      return [next, []];
  }
}

/**
 * Returns whether the visitor has stopped wanting the result of a request.
 * @param {Model} model
 * @param {import("./model.js").PendingRequest} entry
 */
const isStale = (model, { request }) =>
  ENTRIES.includes(request.type) &&
  !isWanted(model, request) &&
  !(model.room && [model.room.id, model.room.code].includes(request.room));

/**
 * Returns whether the reason needs its own screen, because the link admits no
 * player or the visitor can only watch.
 * @param {Model} model
 * @param {any} request
 * @param {string} code
 */
const isLinkRefused = ({ screen, linkCode }, { type }, code) =>
  (type === "join" && code === "room_full") ||
  (type === "resume" && linkCode !== null) ||
  (["join", "watch"].includes(type) &&
    ["link", "refused", "room"].includes(screen));

/**
 * Makes an accepted seek pending again, because no room could be opened for the pair.
 * @param {Model} model
 * @param {number | undefined} re
 * @returns {Model}
 */
function reopenSeek(model, re) {
  const { seek } = model;
  return seek && seek.id === re
    ? { ...model, seek: null, pending: { ...model.pending, [re]: seek.entry } }
    : model;
}

/** @param {Model} before @param {import("../../../../protocol/asyncapi/noughts").RejectMessage} message @param {number} now @returns {Step} */
export function onReject(before, message, now) {
  const model = reopenSeek(before, message.re);
  const entry = findPending(model, message.re);
  const type = entry?.request.type;
  const { code } = message;
  const next = settle(model, message.re);
  if (entry && isStale(model, entry))
    return type === "resume" ? forgetLeft(next) : [next, []];
  if (
    entry &&
    ["busy", "unavailable", "rate_limited"].includes(code) &&
    !["lobby", "say"].includes(type)
  ) {
    const wait =
      message.wait_ms ??
      (code === "busy" ? RETRY_BUSY_MS : RETRY_UNAVAILABLE_MS);
    return [model, [{ type: "resend-later", id: message.re, after: wait }]];
  }
  if (code === "not_seeking" && next.seek)
    return [{ ...next, seek: { ...next.seek, isPaired: true } }, []];
  if (type === "leave") return forgetLeft(next);
  if (type === "lobby" || SILENT_REJECTS.includes(code)) return [next, []];
  // The server then closes the connection. A proxy may hide the close code.
  if (code === "version")
    return [
      {
        ...next,
        connection: {
          ...next.connection,
          state: "stopped",
          code: OUTDATED_CODE,
        },
      },
      [],
    ];
  if (type === "hello") return onHelloRejected(next, message, now);
  if (type === "resume" && code === "unknown_room") {
    const { room, token } = entry?.request;
    const { linkCode } = model;
    const isOfLink = savedSeat(model.saved, linkCode)?.room === room;
    const closed = closeRoom(
      { ...next, wanted: null, room: newRoom(room, token) },
      "room_closed",
      now,
    );
    // The room is gone, or another player has the seat. The response to `join`
    // says which.
    return isOfLink
      ? andThen(closed, (model) => openLink(model, { code: linkCode }, now))
      : closed;
  }
  if (entry && isLinkRefused(model, entry.request, code))
    return [showRefusal(next, entry.request, code), []];
  const key =
    type === "accept_seek" && code === "no_offer"
      ? "seek_gone"
      : `reject_${code}`;
  const shown = {
    ...next,
    banner: { key, until: now + BANNER_MS },
  };
  /** @type {Effect[]} */
  const effects = [{ type: "announce", key }];
  if (ENTRIES.includes(type)) {
    const screen = type === "join" || type === "watch" ? "lobby" : "home";
    return andThen(
      [
        {
          ...shown,
          wanted: null,
          linkCode: null,
          room: null,
          bot: null,
          screen,
        },
        effects,
      ],
      (model) => requestLobby(model, now),
    );
  }
  return [shown, effects];
}

/**
 * Handles a rejected name: asks for another name, and keeps the wanted request.
 * @param {Model} model
 * @param {import("../../../../protocol/asyncapi/noughts").RejectMessage} message
 * @param {number} now
 * @returns {Step}
 */
function onHelloRejected(model, { code, field }, now) {
  // The same hello would be rejected again.
  if (field !== "name" || !model.name)
    return [
      {
        ...model,
        connection: {
          ...model.connection,
          state: "stopped",
          code: OUTDATED_CODE,
        },
      },
      [],
    ];
  const { wanted, bot, linkCode } = model;
  const key = code === "bad_field" ? "name_rejected" : `reject_${code}`;
  let next = {
    ...model,
    name: "",
    banner: { key, until: now + BANNER_MS },
  };
  if (wanted && needsName(wanted)) {
    /** @type {import("./model.js").Screen} */
    const screen = linkCode ? "link" : "home";
    next = {
      ...next,
      wanted: null,
      bot: null,
      screen,
      dialog: linkCode ? null : { kind: "name", next: wanted, bot, error: key },
    };
  }
  const [connecting, effects] = reconnect(next, now);
  const toast =
    next.screen === "settings"
      ? [{ type: "toast", key }]
      : [{ type: "announce", key }];
  return [connecting, [{ type: "store-name", name: "" }, ...toast, ...effects]];
}
