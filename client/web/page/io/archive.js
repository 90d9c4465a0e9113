// Questions to the server about finished games and players. They have a
// connection of their own. The module is loaded only with the screens that use
// it, because the download of the first screen is limited.
import { isCount, isText } from "../core/message.js";
import { parseRules } from "../core/rules.js";
import { Connection } from "./connection.js";
import { localMillis } from "./model-connection.js";
import { serverUrl } from "./server-url.js";
import { readStorage } from "./storage.js";

/**
 * @typedef {import("../../../../protocol/asyncapi/noughts").FinishedEntry} Listing
 * @typedef {import("../../../../protocol/asyncapi/noughts").GamesMessage} GamesMessage
 * @typedef {import("../../../../protocol/asyncapi/noughts").GameMessage} GameMessage
 * @typedef {import("../../../../protocol/asyncapi/noughts").ProfileMessage} ProfileMessage
 * @typedef {{ request: any, resolve: (message: any) => void, reject: (error: ArchiveError) => void, tries: number }} Question
 */

/** Time limit for the response to a question, including the connection. */
const QUESTION_TIMEOUT_MS = 5000;
/** Delay before the second try if a reject names no `wait_ms`. Each further delay is longer by this time. */
const RETRY_MS = 300;
const MAX_TRIES = 5;
const RETRIED_CODES = ["busy", "unavailable", "rate_limited"];
const HELLO_ID = 1;
/** Name of a visitor if the browser keeps no name. No other player sees it. */
const NO_NAME = "?";

/** A request that was rejected or got no response. `code`: the code of the reject, or `no_answer`. */
export class ArchiveError extends Error {
  /** @param {string} code */
  constructor(code) {
    super(code);
    this.code = code;
  }
}

/** @param {any} listing @returns {listing is Listing} whether this version of the page can show the game */
function isListing(listing) {
  try {
    parseRules(listing.rules);
  } catch {
    return false;
  }
  return (
    isCount(listing.game) &&
    isText(listing.room) &&
    isCount(listing.number) &&
    isCount(listing.ended) &&
    isText(listing.result) &&
    Array.isArray(listing.players) &&
    listing.players.length === 2 &&
    listing.players.every((/** @type {any} */ player) => isText(player?.name))
  );
}

/** @param {any} list @returns {Listing[]} */
const listingsOf = (list) =>
  Array.isArray(list) ? list.filter(isListing) : [];

export class Archive {
  constructor() {
    /** @type {Question[]} the question that was sent, and the questions that wait for it */
    this.questions = [];
    /** @type {string | null} the visitor's identity, as the server shows it; null for a guest */
    this.own = null;
    this.isOpen = false;
    this.lastId = HELLO_ID;
    this.timer = 0;
    this.connection = new Connection(serverUrl(), localMillis, {
      onOpened: () => this.sayHello(),
      onClosed: () => this.close(),
      onMessage: (message) => this.receive(message),
    });
  }

  /**
   * @param {string | undefined} of the identity of a player, or the visitor
   * @param {number | undefined} before the id of a game
   * @returns {Promise<{ games: Listing[], before: number | null }>} rejects with an ArchiveError
   */
  async games(of, before) {
    const message = await this.ask({
      type: "games",
      ...(of ? { of } : {}),
      ...(before ? { before } : {}),
    });
    const next = message.before ?? null;
    return { games: listingsOf(message.games), before: next };
  }

  /** @param {number} game @returns {Promise<string>} its record; rejects with an ArchiveError */
  async record(game) {
    const { record } = await this.ask({ type: "game", game });
    return isText(record) ? record : "";
  }

  /** @param {string} of an identity @returns {Promise<ProfileMessage>} rejects with an ArchiveError */
  async profile(of) {
    const profile = await this.ask({ type: "profile", of });
    return { ...profile, games: listingsOf(profile.games) };
  }

  /** @param {any} request @returns {Promise<any>} the response; rejects with an ArchiveError */
  ask(request) {
    return new Promise((resolve, reject) => {
      this.questions.push({ request, resolve, reject, tries: 0 });
      if (this.questions.length > 1) return;
      if (this.isOpen) this.sendNext();
      else {
        this.connection.connect();
        this.expectAnswer();
      }
    });
  }

  sayHello() {
    const { name, identity } = readStorage();
    this.connection.send({
      id: HELLO_ID,
      type: "hello",
      versions: [1, 1],
      name: name || NO_NAME,
      kind: "person",
      client: "noughts-web",
      // The visitor is connected already, and counts once.
      wants: ["second"],
      identity,
    });
  }

  sendNext() {
    const [question] = this.questions;
    if (!question || !this.isOpen) return;
    this.lastId += 1;
    this.connection.send({ id: this.lastId, ...question.request });
    this.expectAnswer();
  }

  expectAnswer() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.close(), QUESTION_TIMEOUT_MS);
  }

  /** @param {any} message */
  receive(message) {
    if (message.type === "welcome") {
      this.connection.limit(message.limits ?? {});
      this.own = isText(message.identity) ? message.identity : null;
      this.isOpen = true;
      this.sendNext();
      return;
    }
    if (message.re === HELLO_ID) return this.close();
    if (message.re !== this.lastId) return;
    const [question] = this.questions;
    if (!question) return;
    clearTimeout(this.timer);
    question.tries += 1;
    const isRejected = message.type === "reject";
    if (
      isRejected &&
      RETRIED_CODES.includes(message.code) &&
      question.tries < MAX_TRIES
    ) {
      const wait = message.wait_ms ?? RETRY_MS * question.tries;
      this.timer = setTimeout(() => this.sendNext(), wait);
      return;
    }
    this.questions.shift();
    if (isRejected) question.reject(new ArchiveError(String(message.code)));
    else question.resolve(message);
    this.sendNext();
  }

  /** Closes the connection. The next question opens it again. */
  close() {
    clearTimeout(this.timer);
    this.isOpen = false;
    this.connection.disconnect();
    for (const { reject } of this.questions.splice(0))
      reject(new ArchiveError("no_answer"));
  }
}
