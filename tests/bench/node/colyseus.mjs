// The game as a Colyseus room with synchronised state. `node colyseus.mjs` sends patches every 50 ms, the default;
// `node colyseus.mjs tuned` sends one after each message. The first line on stdout is the address.

import { createServer } from "node:http";
import { Room, Server } from "@colyseus/core";
import { schema } from "@colyseus/schema";
import { WebSocketTransport } from "@colyseus/ws-transport";
import LINES from "./lines.cjs";

const TUNED = process.argv[2] === "tuned";

const State = schema({ board: ["uint8"], moves: "uint8", winner: "uint8", over: "boolean", game: "uint16" });

class Game extends Room {
  maxClients = 2;
  patchRate = TUNED ? null : 50;
  state = new State({ board: Array(9).fill(0), moves: 0, winner: 0, over: false, game: 1 });
  /** Seats of the players; the first to join moves first. */
  seats = [];

  onCreate() {
    this.onMessage("move", (client, { cell }) => this.move(client, cell));
    this.onMessage("again", () => this.again());
  }

  onJoin(client) {
    this.seats.push(client.sessionId);
  }

  move(client, cell) {
    const state = this.state;
    const player = this.seats.indexOf(client.sessionId);
    const turn = (state.game - 1 + state.moves) % 2;
    if (state.over || player !== turn || state.board[cell] !== 0) return;
    const mark = (state.moves % 2) + 1;
    state.board[cell] = mark;
    state.moves += 1;
    if (LINES.some((line) => line.every((cell) => state.board[cell] === mark))) {
      state.winner = mark;
      state.over = true;
    } else if (state.moves === 9) {
      state.over = true;
    }
    this.told();
  }

  again() {
    const state = this.state;
    if (!state.over) return;
    for (let cell = 0; cell < 9; cell++) state.board[cell] = 0;
    state.moves = 0;
    state.winner = 0;
    state.over = false;
    state.game += 1;
    this.told();
  }

  told() {
    if (TUNED) this.broadcastPatch();
  }
}

/** Room for idle connections. */
class Idle extends Room {
  maxClients = Infinity;
  patchRate = TUNED ? null : 50;
}

const http = createServer();
const server = new Server({ transport: new WebSocketTransport({ server: http }), greet: false });
server.define("game", Game);
server.define("idle", Idle);
await server.listen(0, "127.0.0.1");
console.log(`127.0.0.1:${http.address().port}`);
