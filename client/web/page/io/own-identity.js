// The identity of the visitor in the local storage of the browser. The secret for this server is kept beside the name,
// so that the first screen needs no code to derive it.
import { readText, secretFor, textOf } from "../core/identity.js";
import { readStorage, storeVisitor } from "./storage.js";

/** Key of the text of the master secret. */
const KEY = "noughts.identity";

/** The address of the server as the terminal client writes it: with the port. */
function serverOrigin() {
  const { protocol, hostname, port } = location;
  const isSecure = protocol === "https:";
  const scheme = isSecure ? "wss" : "ws";
  return `${scheme}://${hostname}:${port || (isSecure ? 443 : 80)}`;
}

/** @returns {string | null} the stored text, even if it is damaged */
function storedText() {
  try {
    return localStorage.getItem(KEY);
  } catch {
    // Private browsing keeps nothing.
    return null;
  }
}

/** Whether the browser keeps an identity, even if it is damaged. */
export const isStored = () => storedText() !== null;

/**
 * Keeps the secret for this server first, then the master secret: a full storage keeps both as they were.
 * @param {number[]} master @returns {boolean} whether the browser has kept it
 */
function keep(master) {
  const [text, identity] = [textOf(master), secretFor(master, serverOrigin())];
  const former = readStorage().identity;
  if (former !== identity) storeVisitor({ identity });
  if (readStorage().identity !== identity) return false;
  try {
    if (storedText() !== text) localStorage.setItem(KEY, text);
  } catch {
    // Private browsing, or the storage is full: the visitor keeps the earlier identity.
    storeVisitor({ identity: former });
  }
  return storedText() === text;
}

/**
 * Returns the text of the identity. Draws an identity at the first visit.
 * @returns {string | null} null if the stored identity is damaged, which then stays as it is, or if
 * the browser keeps nothing
 */
export function ownIdentity() {
  const stored = storedText();
  const master =
    stored === null
      ? [...crypto.getRandomValues(new Uint8Array(16))]
      : readText(stored);
  return master && keep(master) ? textOf(master) : null;
}

/**
 * @param {string} text of another device
 * @returns {{ master: number[] | null, isOwn: boolean }} its master secret, null for another text; whether this browser has it
 */
export function readIdentity(text) {
  const master = readText(text);
  return { master, isOwn: master !== null && textOf(master) === storedText() };
}

/** @param {number[]} master of another device @returns {boolean} whether the browser has kept it; this browser's own secret is then lost */
export const importIdentity = (master) => keep(master);

/** Forgets the identity. The next visit draws another identity. */
export function forgetIdentity() {
  localStorage.removeItem(KEY);
  storeVisitor({ identity: undefined });
}
