// The games that the page watches in addition to its own connection. Each game
// has a connection.
import { initialModel } from "../core/model.js";
import { ModelConnection, localMillis } from "../io/model-connection.js";
import { drawParty } from "../io/storage.js";
import { chooseGames } from "./program.js";

/** @typedef {import("../core/model.js").Room} Room */

/** A watched game: its connection, and the last known state of its room. */
class WatchedGame {
  /** @param {ModelConnection} connection */
  constructor(connection) {
    this.connection = connection;
    /** @type {Room | null} */
    this.room = null;
    this.isGone = false;
    /**
     * The reject code, if the server refused the request.
     * @type {string | null}
     */
    this.reject = null;
  }
}

export class WatchedGames {
  /**
   * @param {string} url
   * @param {string} name of the visitor
   * @param {() => void} onChange
   */
  constructor(url, name, onChange) {
    this.url = url;
    this.name = name;
    this.onChange = onChange;
    /** @type {Map<string, WatchedGame>} */
    this.games = new Map();
  }

  /**
   * Watches only these rooms.
   * @param {readonly string[]} rooms
   */
  watch(rooms) {
    for (const [room, game] of this.games) {
      if (rooms.includes(room)) continue;
      game.connection.close();
      this.games.delete(room);
    }
    for (const room of rooms)
      if (!this.games.has(room)) this.games.set(room, this.open(room));
  }

  /** @param {string} room */
  open(room) {
    const model = initialModel({
      now: Math.floor(localMillis()),
      party: drawParty(),
      name: this.name,
      settings: {},
      saved: [],
      seat: null,
      linkCode: null,
    });
    const connection = new ModelConnection(
      this.url,
      { ...model, wanted: { type: "watch", room } },
      (changed) => {
        // When a room closes, its last state is kept.
        if (changed.room?.state) game.room = changed.room;
        game.isGone = !changed.room && !changed.wanted;
        if (game.isGone && !game.room)
          game.reject = changed.banner?.key.replace("reject_", "") ?? null;
        this.onChange();
      },
    );
    const game = new WatchedGame(connection);
    connection.connect();
    return game;
  }

  /** @param {string} room */
  find(room) {
    return this.games.get(room) ?? null;
  }

  /**
   * Returns the state of a room once it has arrived.
   * @param {string} room
   */
  stateOf(room) {
    return this.find(room)?.room?.state ?? null;
  }

  /**
   * Watches the games to show now, at most `count`, and returns them. A game that has left the
   * lobby stays until its result has been shown.
   * @param {readonly import("./program.js").ShownGame[]} shown shown games so
   *   far
   * @param {readonly any[]} rooms the rooms of the lobby
   * @param {number} now
   * @param {number} count
   */
  follow(shown, rooms, now, count) {
    const isGone = (/** @type {string} */ room) => this.find(room)?.isGone;
    const hasEnded = (/** @type {string} */ room) =>
      isGone(room) ||
      ["over", "closed"].includes(this.stateOf(room)?.phase ?? "");
    const kept = shown
      .filter(({ room }) => !isGone(room) || this.stateOf(room))
      .map(({ room, endedAt }) => ({
        room,
        endedAt: hasEnded(room) ? (endedAt ?? now) : null,
      }));
    const others = rooms.filter(({ room }) => !isGone(room));
    const games = chooseGames(kept, others, now, count);
    this.watch(games.map(({ room }) => room));
    return games;
  }

  close() {
    this.watch([]);
  }
}
