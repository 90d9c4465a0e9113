// Steps of the model that several messages share. Pure.

/**
 * @typedef {import("./model.js").Model} Model
 * @typedef {{ type: string, [field: string]: any }} Message
 * @typedef {{ type: string, [field: string]: any }} Effect
 * @typedef {[Model, Effect[]]} Step
 * @typedef {WithoutId<import("../../../../protocol/asyncapi/noughts").Request>} RequestFields a request without its id
 */

/** @template T @typedef {T extends any ? Omit<T, "id"> : never} WithoutId */

/** Time for which a banner stays. */
export const BANNER_MILLIS = 5000;
/** Commands of a player, which are answered by an event and may be sent again with the same id. */
export const COMMANDS = ["move", "resign", "offer", "accept", "decline", "claim", "flag"];
/** Requests after which the connection is in a room or seeks. */
export const ENTRIES = ["seek", "answer", "create", "join", "watch"];
/** Requests for the lobby, which the page repeats by itself. */
export const LOBBY_REQUESTS = ["list", "lobby"];

/**
 * Sends a request with a new id.
 * @param {Model} model
 * @param {RequestFields} request
 * @param {number} now
 * @returns {Step}
 */
export function send(model, request, now) {
  const id = model.nextId;
  const withId = { id, ...request };
  const entry = { request: withId, seat: model.room?.seat ?? null, room: model.room?.id ?? null, sentAt: now };
  return [
    { ...model, nextId: id + 1, pending: { ...model.pending, [id]: entry } },
    [{ type: "send", request: withId }],
  ];
}

/** @param {Step} step @param {(model: Model) => Step} next @returns {Step} */
export function andThen([model, effects], next) {
  const [changed, more] = next(model);
  return [changed, [...effects, ...more]];
}

/** @param {Model} model @param {number | undefined} id the `re` of an answer */
export const findPending = (model, id) => (id === undefined ? undefined : model.pending[id]);

/** @param {Model} model @param {number | undefined} id @returns {Model} without the pending request */
export function settle(model, id) {
  if (id === undefined || !(id in model.pending)) return model;
  const { [id]: _settled, ...pending } = model.pending;
  return { ...model, pending };
}

/**
 * Sends the wanted request if the connection is idle.
 * @param {Model} model
 * @param {number} now
 * @returns {Step}
 */
export function sendWanted(model, now) {
  const isOnline = model.connection.state === "online";
  if (!model.wanted || !isOnline || model.room || model.isSeeking) return [model, []];
  const isSent = Object.values(model.pending).some(({ request }) => [...ENTRIES, "leave", "cancel"].includes(request.type));
  return isSent ? [model, []] : send(model, model.wanted, now);
}

/**
 * Asks for the lobby: once for all changes where the server sends them, else for a list.
 * @param {Model} model
 * @param {number} now
 * @returns {Step}
 */
export function requestLobby(model, now) {
  if (model.connection.state !== "online" || model.isSubscribed) return [model, []];
  const isPushed = model.features.includes("lobby");
  const isSent = Object.values(model.pending).some(({ request }) => request.type === "lobby" && !request.end);
  return isSent ? [model, []] : send(model, { type: isPushed ? "lobby" : "list" }, now);
}

/**
 * Forgets the room.
 * @param {Model} model
 * @param {string | null} key text of the reason
 * @param {number} now
 * @returns {Step}
 */
export function closeRoom(model, key, now) {
  const id = model.room?.id;
  const saved = model.saved.filter((seat) => seat.room !== id);
  const banner = key ? { key, until: now + BANNER_MILLIS } : null;
  const pending = Object.fromEntries(
    Object.entries(model.pending).filter(([, { request }]) => !COMMANDS.includes(request.type)),
  );
  const next = { ...model, room: null, bot: null, saved, banner, pending, dialog: null, selected: null, screen: /** @type {const} */ ("home") };
  const stop = model.bot ? [{ type: "stop-bot" }] : model.room?.seat ? [] : [{ type: "clear-link" }];
  return andThen([next, [{ type: "store-seat", seat: null }, { type: "store-saved", saved }, ...stop]], (model) =>
    requestLobby(model, now));
}

/**
 * Ends the consent to a substitute. A bot of the page that waits for the seat ends with it.
 * @param {Model} model
 * @returns {Step}
 */
export function closeSeat(model) {
  if (!model.room?.isOpen) return [model, []];
  const isWaiting = Boolean(model.bot?.isSubstitute && !model.bot.seat);
  return [{ ...model, bot: isWaiting ? null : model.bot, room: { ...model.room, isOpen: false } }, isWaiting ? [{ type: "stop-bot" }] : []];
}
