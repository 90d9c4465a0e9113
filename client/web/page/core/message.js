// Checks that messages have the fields that the page needs. Unknown fields are allowed. Pure.
import { parseRules } from "./rules.js";

/**
 * Error for a message that the page cannot read. The message is broken, or the
 * server has another version.
 */
export class MessageError extends Error {}

export const isText = (/** @type {unknown} */ value) =>
  typeof value === "string";
export const isCount = (/** @type {unknown} */ value) =>
  Number.isSafeInteger(value) && Number(value) >= 0;
const isObject = (/** @type {unknown} */ value) =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isPlayer = (/** @type {any} */ value) =>
  value === null || (isObject(value) && isText(value.name));
/** @param {any} value @param {(element: any) => boolean} isElement */
const isList = (value, isElement) =>
  Array.isArray(value) && value.every(isElement);

/** @param {unknown} text */
export function isRules(text) {
  try {
    return isText(text) && parseRules(String(text)).cells > 0;
  } catch {
    return false;
  }
}

/** @param {any} state */
function isState(state) {
  if (!isObject(state) || !isRules(state.rules) || !isObject(state.score))
    return false;
  const { cells } = parseRules(state.rules);
  return (
    isCount(state.seq) &&
    isText(state.phase) &&
    isCount(state.game) &&
    isList(state.moves, (cell) => isCount(cell) && cell < cells) &&
    isList(state.players, isPlayer) &&
    isList(state.score.wins, isCount) &&
    Array.isArray(state.offers)
  );
}

/** @type {Readonly<Record<string, (message: any) => boolean>>} */
const CHECKS = Object.freeze({
  welcome: ({ name, limits }) => isText(name) && isObject(limits),
  reject: ({ code }) => isText(code),
  lobby: ({ rooms, seeks, counts }) =>
    isList(rooms, isObject) && isList(seeks, isObject) && isObject(counts),
  lobby_changed: ({
    rooms = [],
    seeks = [],
    rooms_gone: roomsGone = [],
    seeks_gone: seeksGone = [],
  }) =>
    isList(rooms, isObject) &&
    isList(seeks, isObject) &&
    isList(roomsGone, isText) &&
    isList(seeksGone, isCount),
  snapshot: ({ room, role, state }) =>
    isText(room) && isObject(role) && isState(state),
  events: ({ room, events }) =>
    isText(room) &&
    isList(
      events,
      (record) =>
        isObject(record) && isCount(record.seq) && isObject(record.event),
    ),
  notice: ({ room, notice }) => isText(room) && isObject(notice),
  restarting: ({ retry_after_ms: millis }) => isCount(millis),
});

/**
 * Checks the fields of a message that the page uses.
 * @param {any} message
 */
export function checkMessage(message) {
  const isValid = Object.hasOwn(CHECKS, message.type)
    ? CHECKS[message.type]
    : null;
  if (isValid && !isValid(message))
    throw new MessageError(`invalid ${message.type} message`);
}

/**
 * Returns the listed rooms and seeks that the page can show. A newer server may
 * have other games.
 * @param {{ rooms: any[], seeks: any[] }} message
 */
export function knownRooms({ rooms, seeks }) {
  return {
    rooms: rooms.filter(
      (room) =>
        isText(room.room) &&
        isRules(room.rules) &&
        isList(room.players, isPlayer),
    ),
    seeks: seeks.filter(
      (seek) => isRules(seek.rules) && seek.player && isPlayer(seek.player),
    ),
  };
}
