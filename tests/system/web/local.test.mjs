// Tests games against the bot without a server: the referee decides as the server has decided in
// the golden files, and the bot answers offers. Run by `node --test`.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { LocalGame } from "../../../client/web/page/local/local-game.js";
import { decideRequest } from "../../../client/web/page/local/referee.js";

const golden = new URL("../../../protocol/golden/", import.meta.url);

/** Returns the request that leads to an event, or null if another player or the time causes it. */
function requestOf({ type, seat, cell, offer, outcome }, { phase, offers }) {
  if (type === "moved") return [seat, { type: "move", cell }];
  if (type === "offered") return [seat, { type: "offer", offer }];
  if (type === "started" && phase === "over")
    return [
      offers[2] === "X" ? "O" : "X",
      { type: "accept", offer: "rematch" },
    ];
  if (outcome?.reason === "resigned")
    return [outcome.winner === "X" ? "O" : "X", { type: "resign" }];
  return null;
}

test("requests are decided as the server decides them", () => {
  const vectors = readFileSync(new URL("vector-fold.jsonl", golden), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  const counts = { moved: 0, offered: 0, started: 0, ended: 0, line: 0 };
  for (const [index, { before, event, after }] of vectors.entries()) {
    const found = requestOf(event.event, before);
    if (!found) continue;
    const { left: _left, ...wanted } = event.event;
    const { events } = decideRequest(before, ...found);
    const [first, end] = events;
    assert.deepEqual(first, wanted);
    counts[wanted.type] += 1;
    const next = vectors[index + 1];
    const reason =
      next?.before.seq === after.seq && next.event.event.outcome?.reason;
    assert.equal(end !== undefined, reason === "line", JSON.stringify(after));
    if (!end) continue;
    const { outcome } = next.event.event;
    assert.equal(end.outcome.winner, outcome.winner);
    assert.deepEqual(end.outcome.line.cells, outcome.line.cells);
    assert.equal(end.outcome.line.name, outcome.line.name);
    counts.line += 1;
  }
  assert.ok(Math.min(...Object.values(counts)) >= 5, JSON.stringify(counts));
});

test("a request that the state does not allow is rejected", () => {
  const state = {
    rules: "7x6:4+gravity",
    phase: "playing",
    turn: "X",
    moves: [38, 31, 24, 17, 10, 3],
    offers: [null, null, null],
  };
  const code = (seat, request, changes = {}) =>
    decideRequest({ ...state, ...changes }, seat, request).code;
  assert.equal(code("O", { type: "move", cell: 0 }), "not_your_turn");
  assert.equal(code("X", { type: "move", cell: 3 }), "column_full");
  assert.equal(
    code("X", { type: "move", cell: 4 }, { rules: "3x3:3", moves: [4, 0] }),
    "cell_taken",
  );
  assert.equal(code("X", { type: "offer", offer: "rematch" }), "game_on");
  assert.equal(code("X", { type: "resign" }, { phase: "over" }), "game_over");
  assert.equal(code("X", { type: "accept", offer: "draw" }), "no_offer");
  const takeback = { type: "offer", offer: "takeback" };
  assert.equal(code("O", takeback, { moves: [38] }), "nothing_to_take_back");
  assert.equal(code("X", takeback, { moves: [] }), "nothing_to_take_back");
});

/** A game of 3×3. The visitor is X, and the test is the engine. */
function begin(options = {}) {
  const searches = [];
  const effects = [];
  const game = new LocalGame(
    {
      id: "local",
      rules: "3x3:3",
      level: "easy",
      seat: "X",
      name: "Ann",
      botName: "Bot 2",
      ...options,
    },
    {
      now: () => 1,
      think: (search) => searches.push(search),
      onChange: (_model, more) => effects.push(...more),
    },
  );
  game.start();
  const state = () => game.model.room.state;
  const answer = (cell, acceptsDraw = false) =>
    game.playBot({ cell, acceptsDraw, seq: searches.at(-1).seq });
  const offer = (kind) =>
    game.act({ type: "command", request: { type: "offer", offer: kind } });
  return { game, searches, effects, state, answer, offer };
}

test("the bot moves, allows a takeback, and accepts a draw that it does not want to win", () => {
  const { game, searches, state, answer, offer } = begin();
  assert.deepEqual(searches, []);
  game.act({ type: "play", cell: 4 });
  assert.deepEqual(searches.at(-1).moves, [4]);
  offer("takeback");
  assert.deepEqual(state().moves, []);
  // The search was for a position that is not on the board any more.
  answer(0);
  assert.deepEqual(state().moves, []);
  game.act({ type: "play", cell: 8 });
  answer(0);
  assert.deepEqual(state().moves, [8, 0]);
  offer("draw");
  assert.equal(state().phase, "playing");
  assert.deepEqual(state().offers, [null, null, null]);
  game.act({ type: "play", cell: 1 });
  answer(2, true);
  offer("draw");
  assert.equal(state().outcome.reason, "agreed");
  offer("rematch");
  assert.equal(state().game, 2);
  assert.equal(game.model.room.seat, "O");
  assert.deepEqual(state().score, { wins: [0, 0], draws: 1 });
  assert.deepEqual(searches.at(-1).moves, []);
});

test("a won game ends once, and is not a seat of a server", () => {
  const { game, effects, state, answer } = begin();
  for (const [cell, reply] of [
    [0, 3],
    [1, 4],
  ]) {
    game.act({ type: "play", cell });
    answer(reply);
  }
  game.act({ type: "play", cell: 2 });
  assert.equal(state().outcome.winner, "X");
  const types = effects.map(({ type }) => type);
  assert.equal(types.filter((type) => type === "announce-result").length, 1);
  assert.ok(!types.some((type) => type.startsWith("store-seat")), types);
  assert.deepEqual(game.model.saved, []);
});

test("stored moves continue a game, and impossible moves begin it anew", () => {
  const continued = begin({ moves: [0, 3, 1] });
  assert.deepEqual(continued.searches.at(-1).moves, [0, 3, 1]);
  for (const moves of [[0, 0], [9], [0, 3, 1, 4, 2]])
    assert.deepEqual(begin({ moves }).state().moves, []);
});
