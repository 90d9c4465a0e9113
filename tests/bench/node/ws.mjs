// The game on the package `ws`, written in the usual way: JSON, a map of handlers, an object for
// each room. It implements the part of the product's protocol that the load generator uses. The
// first line on stdout is the address.

import { randomUUID } from "node:crypto";
import { WebSocketServer } from "ws";
import LINES from "./lines.cjs";

class Room {
  constructor(players) {
    this.id = randomUUID();
    this.players = players;
    this.seq = 4;
    this.game = 1;
    this.x = 0;
    this.clear();
    for (const [index, player] of players.entries()) {
      player.room = this;
      player.index = index;
      player.send({ type: "snapshot", room: this.id, you: { seat: "XO"[index], token: randomUUID() }, state: { seq: this.seq } });
    }
  }

  clear() {
    this.board = Array(9).fill(null);
    this.moves = 0;
    this.over = false;
  }

  event(player, id, event) {
    const by = { seat: "XO"[player.index ^ this.x], id };
    return { seq: ++this.seq, at: Date.now(), by, event };
  }

  broadcast(events) {
    const text = JSON.stringify({ type: "events", room: this.id, events });
    for (const player of this.players) player.socket.send(text);
  }

  move(player, { id, cell, seq }) {
    if (seq !== this.seq) return player.reject(id, "stale");
    if (this.over || player.index !== (this.x + this.moves) % 2) return player.reject(id, "not_your_turn");
    if (this.board[cell] !== null) return player.reject(id, "cell_taken");
    const seat = "XO"[this.moves % 2];
    this.board[cell] = seat;
    this.moves += 1;
    const events = [this.event(player, id, { type: "moved", seat, cell })];
    const line = LINES.find((line) => line.every((cell) => this.board[cell] === seat));
    this.over = line !== undefined || this.moves === 9;
    if (this.over) {
      const outcome = line ? { reason: "line", winner: seat, line: { cells: line } } : { reason: "full" };
      events.push(this.event(player, id, { type: "ended", outcome }));
    }
    this.broadcast(events);
  }

  offer(player, { id, offer }) {
    this.broadcast([this.event(player, id, { type: "offered", offer })]);
  }

  accept(player, { id }) {
    this.clear();
    this.game += 1;
    this.x = 1 - this.x;
    this.broadcast([this.event(player, id, { type: "started", game: this.game })]);
  }
}

class Player {
  constructor(socket) {
    this.socket = socket;
  }

  send(message) {
    this.socket.send(JSON.stringify(message));
  }

  reject(re, code) {
    this.send({ type: "reject", re, code });
  }
}

let waiting = null;

const handlers = {
  hello: (player, { id }) => player.send({ type: "welcome", re: id }),
  seek: (player, { id }) => {
    player.send({ type: "done", re: id });
    if (waiting === null) {
      waiting = player;
    } else {
      const first = waiting;
      waiting = null;
      new Room([first, player]);
    }
  },
  move: (player, message) => player.room.move(player, message),
  offer: (player, message) => player.room.offer(player, message),
  accept: (player, message) => player.room.accept(player, message),
  leave: (player, { id }) => player.send({ type: "done", re: id }),
};

const server = new WebSocketServer({ host: "127.0.0.1", port: 0, path: "/ws" });
server.on("connection", (socket) => {
  const player = new Player(socket);
  socket.on("message", (text) => {
    const message = JSON.parse(text);
    handlers[message.type](player, message);
  });
  socket.on("close", () => {
    if (waiting === player) waiting = null;
  });
  // The generator disconnects without a close frame.
  socket.on("error", () => {});
});
server.on("listening", () => console.log(`127.0.0.1:${server.address().port}`));
