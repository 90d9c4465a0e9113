// Steps of the model that several messages share. Pure.
import { changeSaved, isWanted, playedRoom } from "./model.js";

/**
 * @typedef {import("./model.js").Model} Model
 * @typedef {{ type: string, [field: string]: any }} Message
 * @typedef {{ type: string, [field: string]: any }} Effect
 * @typedef {[Model, Effect[]]} Step
 * @typedef {WithoutId<import("../../../../protocol/asyncapi/noughts").Request>} RequestFields a request without its id
 */

/** @template T @typedef {T extends any ? Omit<T, "id"> : never} WithoutId */

/** Time that a banner stays. */
export const BANNER_MS = 5000;
/**
 * A player's commands. The response is an event. The page may send a command
 * again with the same id.
 */
export const COMMANDS = [
  "move",
  "resign",
  "offer",
  "accept",
  "decline",
  "claim",
  "flag",
];
/** Requests that bring the connection into a room or make it seek. */
export const ENTRIES = [
  "seek",
  "accept_seek",
  "create",
  "join",
  "watch",
  "resume",
];
/**
 * Requests that change whether the connection is in a room or seeks. Only one
 * of them is pending at a time.
 */
export const TRANSITIONS = [...ENTRIES, "leave", "cancel"];

/**
 * Sends a request with a new id. Without a connection, and while the seat is
 * being resumed, commands wait for the response to `resume`.
 * @param {Model} model
 * @param {RequestFields} request
 * @param {number} now
 * @returns {Step}
 */
export function send(model, request, now) {
  const id = model.nextId;
  const withId = { id, ...request };
  const entry = {
    request: withId,
    seat: model.room?.seat ?? null,
    room: model.room?.id ?? null,
    sentAt: now,
    firstSentAt: now,
  };
  return [
    { ...model, nextId: id + 1, pending: { ...model.pending, [id]: entry } },
    COMMANDS.includes(request.type) &&
    (isPending(model, ["resume"]) || model.connection.state !== "online")
      ? []
      : [{ type: "send", request: withId }],
  ];
}

/** @param {Step} step @param {(model: Model) => Step} next @returns {Step} */
export function andThen([model, effects], next) {
  const [changed, more] = next(model);
  return [changed, [...effects, ...more]];
}

/**
 * Returns the pending request with this id.
 * @param {Model} model
 * @param {number | undefined} id the `re` of a response
 */
export const findPending = (model, id) =>
  id === undefined ? undefined : model.pending[id];

/**
 * Removes a pending request.
 * @param {Model} model
 * @param {number | undefined} id
 * @returns {Model}
 */
export function settle(model, id) {
  if (id === undefined || !(id in model.pending)) return model;
  const { [id]: _settled, ...pending } = model.pending;
  return { ...model, pending };
}

/**
 * Returns whether a request of these types has no response yet.
 * @param {Model} model
 * @param {readonly string[]} types
 */
export const isPending = (model, types) =>
  Object.values(model.pending).some(({ request }) =>
    types.includes(request.type),
  );

/**
 * Brings the connection closer to the wanted request: cancels another seek,
 * then sends the request. Does nothing while a request that changes whether the
 * connection is in a room or seeks has no response.
 * @param {Model} model
 * @param {number} now
 * @returns {Step}
 */
export function pursueWanted(model, now) {
  const { wanted, seek } = model;
  if (model.connection.state !== "online" || isPending(model, TRANSITIONS))
    return [model, []];
  if (seek)
    return seek.isPaired || isWanted(model, seek.entry.request)
      ? [model, []]
      : send(model, { type: "cancel" }, now);
  return wanted && !model.room ? send(model, wanted, now) : [model, []];
}

/**
 * Forgets everything that belongs to a connection. Only commands survive it,
 * because the server recognizes them by their ids.
 * @param {Model} model
 * @returns {Model}
 */
export function forgetConnection(model) {
  const pending = Object.fromEntries(
    Object.entries(model.pending).filter(([, { request }]) =>
      COMMANDS.includes(request.type),
    ),
  );
  return { ...model, pending, seek: null, isSubscribed: false, selected: null };
}

/**
 * Shows why a link or a room does not admit the visitor.
 * @param {Model} model
 * @param {any} request
 * @param {string} code of the reject, or `no_answer`
 * @returns {Model}
 */
export const showRefusal = (model, { type, room }, code) => ({
  ...model,
  wanted: null,
  linkCode: null,
  room: null,
  bot: null,
  refused: { code, room: model.linkCode ?? room, isWatched: type === "watch" },
  screen: "refused",
});

/**
 * Connects again, even if the connection is open.
 * @param {Model} model
 * @param {number} now
 * @returns {Step}
 */
export function reconnect(model, now) {
  const connection = {
    ...model.connection,
    state: /** @type {const} */ ("connecting"),
    retryAt: now,
  };
  return [{ ...forgetConnection(model), connection }, [{ type: "connect" }]];
}

/**
 * Asks for the lobby if the page shows it. One request covers all changes.
 * @param {Model} model
 * @param {number} now
 * @returns {Step}
 */
export function requestLobby(model, now) {
  if (
    !model.followsLobby ||
    model.connection.state !== "online" ||
    model.isSubscribed
  )
    return [model, []];
  const isSent = Object.values(model.pending).some(
    ({ request }) => request.type === "lobby" && !request.end,
  );
  return isSent ? [model, []] : send(model, { type: "lobby" }, now);
}

/**
 * Forgets the room, and its saved seat unless another tab has taken the seat.
 * @param {Model} model
 * @param {string | null} key text of the reason
 * @param {number} now
 * @returns {Step}
 */
export function closeRoom(model, key, now) {
  const played = playedRoom(model);
  const saved = played ? changeSaved(model.saved, played, null) : model.saved;
  const { linkCode } = model;
  const banner = key && !linkCode ? { key, until: now + BANNER_MS } : null;
  /** @type {import("./model.js").Screen} */
  const screen = linkCode ? "link" : "home";
  const pending = Object.fromEntries(
    Object.entries(model.pending).filter(
      ([, { request }]) => !COMMANDS.includes(request.type),
    ),
  );
  const next = {
    ...model,
    room: null,
    bot: null,
    saved,
    ownRooms: model.ownRooms.filter((own) => own !== model.room?.id),
    banner,
    pending,
    dialog: null,
    selected: null,
    screen,
  };
  const stop = model.bot ? [{ type: "stop-bot" }] : [];
  return andThen(
    [
      next,
      [
        { type: "store-seat", seat: null },
        ...(played ? [{ type: "store-saved", room: played, seat: null }] : []),
        ...stop,
        ...(banner ? [{ type: "announce", key: banner.key }] : []),
      ],
    ],
    (model) => requestLobby(model, now),
  );
}

/**
 * Leaves the room. The server may not receive the request, so the page
 * remembers the room until the server responds, and resumes no seat in it.
 * @param {Model} model
 * @param {string | null} key text of the reason
 * @param {number} now
 * @returns {Step}
 */
export function leaveRoom(model, key, now) {
  const [closed, effects] = closeRoom(model, key, now);
  const left = playedRoom(model) ?? closed.left;
  /** @type {Step} */
  const step = [
    { ...closed, left },
    left === closed.left ? effects : [...effects, { type: "store-left", left }],
  ];
  return closed.connection.state === "online"
    ? andThen(step, (model) => send(model, { type: "leave" }, now))
    : step;
}

/**
 * Withdraws the visitor's consent to a substitute. Also ends a bot of the page that waits for the
 * seat.
 * @param {Model} model
 * @returns {Step}
 */
export function closeSeat(model) {
  if (!model.room?.isOpen) return [model, []];
  const isWaiting = Boolean(model.bot?.isSubstitute && !model.bot.seat);
  return [
    {
      ...model,
      bot: isWaiting ? null : model.bot,
      room: { ...model.room, isOpen: false },
    },
    isWaiting ? [{ type: "stop-bot" }] : [],
  ];
}
