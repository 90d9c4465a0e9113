// Checks that messages have the fields that the page needs. Unknown fields are allowed. Pure.
import { parseRules } from "./rules.js";

/**
 * Error for a message that the page cannot read. The message is broken, or the
 * server has another version.
 */
export class MessageError extends Error {}

export const isText = (/** @type {any} */ value) => typeof value === "string";
export const isCount = (/** @type {any} */ value) =>
  Number.isSafeInteger(value) && value >= 0;
const isObject = (/** @type {any} */ value) =>
  value instanceof Object && !Array.isArray(value);
const isPlayer = (/** @type {any} */ value) =>
  value === null || isText(value?.name);
/** @param {any} value @param {(element: any) => boolean} isElement */
const isList = (value, isElement) =>
  Array.isArray(value) && value.every(isElement);

/** @param {any} text */
export function isRules(text) {
  try {
    return isText(text) && parseRules(text).cells > 0;
  } catch {
    return false;
  }
}

const isState = (/** @type {any} */ state) =>
  isObject(state) &&
  isRules(state.rules) &&
  isObject(state.score) &&
  isCount(state.seq) &&
  isText(state.phase) &&
  isCount(state.game) &&
  isList(
    state.moves,
    (cell) => isCount(cell) && cell < parseRules(state.rules).cells,
  ) &&
  isList(state.players, isPlayer) &&
  isList(state.score.wins, isCount) &&
  Array.isArray(state.offers);

/** @type {Readonly<Record<string, (message: any) => boolean>>} */
const CHECKS = {
  welcome: ({ name, identity = name, limits, own_rooms: rooms = [] }) =>
    isText(name) &&
    isText(identity) &&
    isObject(limits) &&
    isList(rooms, isText),
  reject: ({ code }) => isText(code),
  lobby: ({ rooms, seeks, counts }) =>
    isList(rooms, isObject) && isList(seeks, isObject) && isObject(counts),
  lobby_changed: ({
    rooms = [],
    seeks = [],
    rooms_gone: gone = [],
    seeks_gone: numbers = [],
  }) =>
    isList(rooms, isObject) &&
    isList(seeks, isObject) &&
    isList(gone, isText) &&
    isList(numbers, isCount),
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
  announcement: ({ text }) => isText(text),
  restarting: ({ retry_after_ms: millis }) => isCount(millis),
};

/**
 * Checks the fields of a message that the page uses.
 * @param {any} message
 */
export function checkMessage(message) {
  const { type } = message;
  if (Object.hasOwn(CHECKS, type) && !CHECKS[type]?.(message))
    throw new MessageError(`invalid ${type}`);
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
      (seek) => isRules(seek.rules) && isText(seek.player?.name),
    ),
  };
}
