// Data that survives a reload. The session storage belongs to a tab: party,
// seat and search. The local storage belongs to all tabs: name, settings and
// saved seats. If a browser refuses both, nothing survives.

import { LEVELS } from "../core/levels.js";
import { isRules, isText } from "../core/message.js";
import { CLOCKS, changeSaved, settingsOf } from "../core/model.js";
import { parseRules } from "../core/rules.js";
import { MAX_NAME_CHARACTERS } from "../core/wire-table.js";

const DIGITS = "0123456789abcdefghjkmnpqrstvwxyz";
const PARTY_DIGITS = 26;
/** A clock of any client, such as 5+3 or 30s+0. */
const CLOCK = /^\d{1,5}s?\+\d{1,3}$/;
/** A secret of 128 bits: of a party, or of the identity for this server. */
const PARTY = /^[0-7][0-9a-hjkmnp-tv-z]{25}$/;

const RELOAD_INTERVAL_MS = 60_000;
const TAB = "noughts.tab";
/** Key of the data that all tabs share. */
export const VISITOR = "noughts.visitor";

/** @param {() => Storage} storage @param {string} key @returns {any} */
function read(storage, key) {
  try {
    const value = JSON.parse(storage().getItem(key) ?? "{}");
    return typeof value === "object" && value !== null ? value : {};
  } catch {
    return {};
  }
}

/** @param {() => Storage} storage @param {string} key @param {any} changes */
function write(storage, key, changes) {
  try {
    storage().setItem(
      key,
      JSON.stringify({ ...read(storage, key), ...changes }),
    );
  } catch {
    // Private browsing: the game continues, but does not survive a reload.
  }
}

const session = () => window.sessionStorage;
const local = () => window.localStorage;

/** Draws the secret that identifies this tab: 128 random bits in base 32. */
export function drawParty() {
  const bytes = crypto.getRandomValues(new Uint8Array(PARTY_DIGITS));
  const digits = [...bytes].map(
    (byte, index) => DIGITS[byte % (index === 0 ? 8 : 32)],
  );
  return digits.join("");
}

/** @param {any} mark */
const isMark = (mark) => ["X", "O"].includes(mark);

/** @param {any} name */
const isName = (name) => isText(name) && name.length <= MAX_NAME_CHARACTERS;

/** @param {any} bot */
const isBot = (bot) =>
  LEVELS.includes(bot?.level) &&
  isName(bot.name ?? "") &&
  isText(bot.party) &&
  (bot.seat === null || isSeat(bot.seat));

/** @param {any} seat @returns {boolean} */
const isSeat = (seat) =>
  isText(seat?.room) &&
  isText(seat.token) &&
  (seat.rules === undefined || isRules(seat.rules)) &&
  isText(seat.opponent ?? "") &&
  Number.isFinite(seat.at ?? 0) &&
  isText(seat.code ?? "") &&
  ((seat.bot ?? null) === null || isBot(seat.bot));

/** @param {any} search */
const isSearch = (search) =>
  search?.type === "seek" &&
  isRules(search.rules) &&
  (search.clock === undefined || CLOCK.test(search.clock)) &&
  (search.seat === undefined || isMark(search.seat)) &&
  [undefined, "person", "bot"].includes(search.opponents);

/** @param {any} choice @returns {import("../core/model.js").Choice | null} */
const choiceOf = (choice) =>
  isRules(choice?.rules)
    ? {
        rules: parseRules(choice.rules).text,
        clock: CLOCKS.includes(choice.clock) ? choice.clock : null,
        seat: null,
        level: LEVELS.includes(choice.level) ? choice.level : null,
        botSeat: isMark(choice.botSeat) ? choice.botSeat : null,
      }
    : null;

/** @param {any} visitor @returns {import("../core/model.js").SavedSeat[]} */
const savedSeats = ({ saved }) =>
  Array.isArray(saved) ? saved.filter(isSeat) : [];

/**
 * Returns the stored data that this version of the page can use. Another
 * version may have written the data.
 */
export function readStorage() {
  const tab = read(session, TAB);
  const visitor = read(local, VISITOR);
  const party = PARTY.test(tab.party) ? tab.party : drawParty();
  write(session, TAB, { party });
  return {
    party,
    saved: savedSeats(visitor),
    left: isText(tab.left) ? tab.left : null,
    seat: isSeat(tab.seat) ? tab.seat : null,
    search: isSearch(tab.search) ? tab.search : null,
    name: isName(visitor.name) ? visitor.name : "",
    identity: PARTY.test(visitor.identity) ? visitor.identity : undefined,
    settings: settingsOf(visitor.settings),
    choice: choiceOf(visitor.choice),
  };
}

/**
 * Returns whether the page may reload itself. Stores the time, so that a reload that does not help
 * is not repeated.
 * @param {number} now
 */
export function canReload(now) {
  const { reloadedAt = 0 } = read(session, TAB);
  if (now - reloadedAt < RELOAD_INTERVAL_MS) return false;
  write(session, TAB, { reloadedAt: now });
  return true;
}

/** @param {any} seat */
export const storeSeat = (seat) => write(session, TAB, { seat });

/** @param {string | null} left */
export const storeLeft = (left) => write(session, TAB, { left });

/**
 * @param {any} search the request of a search that survives a reload, or null
 */
export const storeSearch = (search) => write(session, TAB, { search });

/**
 * Changes the saved seat in a room. First reads the other seats, because
 * another tab may have changed them.
 * @param {string | undefined} room
 * @param {import("../core/model.js").SavedSeat | null} seat
 */
export const storeSaved = (room, seat) =>
  storeVisitor({
    saved: changeSaved(savedSeats(read(local, VISITOR)), room, seat),
  });

/** @param {any} changes `name`, `identity`, `settings`, `choice` or `saved` */
export const storeVisitor = (changes) => write(local, VISITOR, changes);
