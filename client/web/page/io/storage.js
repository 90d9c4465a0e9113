// Data that survives a reload. The session storage belongs to a tab: party, seat and search. The local storage belongs to all
// tabs: name, settings, saved seats. A browser may refuse both; then nothing survives.

import { changeSaved } from "../core/model.js";

const DIGITS = "0123456789abcdefghjkmnpqrstvwxyz";
const PARTY_DIGITS = 26;

const RELOAD_INTERVAL_MILLIS = 60_000;
const TAB = "noughts.tab";
/** Key of the data of all tabs. */
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
    // Private browsing: the game goes on, but does not survive a reload.
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

const isSeat = (/** @type {any} */ seat) =>
  typeof seat?.room === "string" && typeof seat?.token === "string";

/** @param {any} visitor @returns {import("../core/model.js").SavedSeat[]} */
const savedSeats = ({ saved }) =>
  Array.isArray(saved) ? saved.filter(isSeat) : [];

/** Reads all stored data. */
export function readStorage() {
  const tab = read(session, TAB);
  const visitor = read(local, VISITOR);
  const party = typeof tab.party === "string" ? tab.party : drawParty();
  write(session, TAB, { party });
  return {
    party,
    saved: savedSeats(visitor),
    left: typeof tab.left === "string" ? tab.left : null,
    seat: isSeat(tab.seat) ? tab.seat : null,
    search: tab.search ?? null,
    name: typeof visitor.name === "string" ? visitor.name : "",
    settings: visitor.settings ?? {},
    choice: visitor.choice ?? null,
  };
}

/**
 * Returns whether the page may reload itself, and remembers the time: a reload that does not help is not repeated.
 * @param {number} now
 */
export function canReload(now) {
  const { reloadedAt = 0 } = read(session, TAB);
  if (now - reloadedAt < RELOAD_INTERVAL_MILLIS) return false;
  write(session, TAB, { reloadedAt: now });
  return true;
}

/** @param {any} seat */
export const storeSeat = (seat) => write(session, TAB, { seat });

/** @param {string | null} left */
export const storeLeft = (left) => write(session, TAB, { left });

/** @param {any} search the request of a search that a reload does not end, or null */
export const storeSearch = (search) => write(session, TAB, { search });

/**
 * Changes the saved seat in a room. Reads the others before: another tab may have changed them.
 * @param {string | undefined} room
 * @param {import("../core/model.js").SavedSeat | null} seat
 */
export const storeSaved = (room, seat) =>
  storeVisitor({
    saved: changeSaved(savedSeats(read(local, VISITOR)), room, seat),
  });

/** @param {any} changes `name`, `settings`, `choice` or `saved` */
export const storeVisitor = (changes) => write(local, VISITOR, changes);
