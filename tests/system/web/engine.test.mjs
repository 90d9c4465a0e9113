// Compares the engine of the page with the native engine. The Rust test of the same name writes the
// positions, one JSON object a line: rules, moves, level, nodes, seed and the native move.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { loadEngine } from "../../../client/web/page/bot/engine.js";
import { reviewMoves } from "../../../client/web/page/bot/game-review.js";
import { orderedMistakes } from "../../../client/web/page/game/mistakes.js";
import { LEVELS } from "../../../client/web/page/core/levels.js";
import { initialModel, newRoom } from "../../../client/web/page/core/model.js";
import { decide, moveMillis } from "../../../client/web/page/bot/decision.js";

const bytes = readFileSync(
  new URL("../../../client/web/page/bot/engine.wasm", import.meta.url),
);
const positions = readFileSync(process.env.NOUGHTS_POSITIONS, "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line));

test("the engine of the page plays the moves of the native engine", async () => {
  const engine = await loadEngine(bytes);
  assert.ok(positions.length >= 60);
  for (const { rules, moves, level, nodes, seed, best } of positions) {
    engine.setPosition(rules, moves);
    const what = `${rules} ${moves.join(" ")} ${level}: run client/web/rebuild-engine after a change of the engine`;
    assert.equal(engine.bestMove({ level, nodes, seed }), best, what);
  }
});

test("the engine of the page ends a search in time", async () => {
  const engine = await loadEngine(bytes);
  engine.setPosition("25x25:5", [312, 313, 288]);
  const startedAt = performance.now();
  assert.ok(engine.bestMove({ level: "hard", millis: 200, seed: 1 }) >= 0);
  // A loaded machine may suspend the process; the search itself checks the clock every 256 nodes.
  assert.ok(performance.now() - startedAt < 5000);
});

test("a finished game has no move, and what is not valid is an error", async () => {
  const engine = await loadEngine(bytes);
  engine.setPosition("3x3:3", [0, 3, 1, 4, 2]);
  for (const level of LEVELS)
    assert.equal(engine.bestMove({ level, nodes: 1000, seed: 1 }), -1);
  assert.equal(engine.bestMove({ level: "unknown", nodes: 1000, seed: 1 }), -1);
  assert.throws(() => engine.setPosition("99x99:5", []));
  assert.throws(() => engine.setPosition("x".repeat(1000), []));
  assert.throws(() => engine.setPosition("3x3:3", [4, 4]));
  engine.setPosition("3x3:3", []);
  assert.equal(engine.acceptsDraw(), false);
});

/** Returns the model of a bot that plays O on an empty board, with these changes to its room. */
function botModel(changes, state) {
  const model = initialModel({
    now: 1,
    party: "0",
    name: "Bot",
    settings: {},
    saved: [],
    seat: null,
    linkCode: null,
  });
  const room = { ...newRoom("aeps5mgc", "token"), seat: "O", ...changes };
  room.state = {
    seq: 4,
    at: 0,
    rules: "3x3:3",
    public: false,
    phase: "playing",
    players: [
      { name: "Ann", kind: "person" },
      { name: "Bot", kind: "bot" },
    ],
    game: 1,
    score: { wins: [0, 0], draws: 0 },
    moves: [4],
    turn: "O",
    offers: [null, null, null],
    ...state,
  };
  return {
    ...model,
    kind: "bot",
    room,
    connection: { ...model.connection, state: "online" },
  };
}

test("the bot thinks on its turn only", () => {
  assert.deepEqual(decide(botModel(), false), { type: "think" });
  assert.equal(decide(botModel({}, { turn: "X", moves: [] }), false), null);
  assert.equal(
    decide({ ...botModel(), connection: { state: "offline" } }, false),
    null,
  );
  assert.equal(moveMillis(botModel()), 1000);
  assert.equal(
    moveMillis(botModel({}, { clock: "1+0", left: [60_000, 5_000] })),
    250,
  );
});

test("the bot answers offers as the bot of the terminal does", () => {
  const answer = (offers, acceptsDraw, state = {}) =>
    decide(botModel({}, { offers, ...state }), acceptsDraw)?.request;
  assert.deepEqual(answer(["X", null, null], true), {
    type: "accept",
    offer: "draw",
  });
  assert.deepEqual(answer(["X", null, null], false), {
    type: "decline",
    offer: "draw",
  });
  assert.deepEqual(answer([null, "X", null], false), {
    type: "accept",
    offer: "takeback",
  });
  assert.deepEqual(answer([null, "X", null], false, { clock: "1+0" }), {
    type: "decline",
    offer: "takeback",
  });
  assert.deepEqual(
    answer([null, null, "X"], false, { phase: "over", turn: undefined }),
    { type: "accept", offer: "rematch" },
  );
  const pending = { 7: { request: { type: "accept", offer: "rematch" } } };
  assert.equal(
    decide({ ...botModel({}, { offers: [null, null, "X"] }), pending }, false),
    null,
  );
});

test("the bot ends without a room, or when its seat is taken", () => {
  assert.deepEqual(decide({ ...botModel(), room: null }, false), {
    type: "end",
  });
  assert.equal(
    decide({ ...botModel(), room: null, wanted: { type: "join" } }, false),
    null,
  );
  for (const state of ["replaced", "stopped"])
    assert.deepEqual(decide({ ...botModel(), connection: { state } }, false), {
      type: "end",
    });
});

test("a review names the mistakes of a game, and the better moves", async () => {
  const engine = await loadEngine(bytes);
  const review = (rules, moves, end) => {
    const left = [];
    const verdicts = reviewMoves(
      engine,
      { rules, moves, end },
      (count) => left.push(count),
      100_000,
    );
    assert.deepEqual(left, moves.map((_, index) => index).reverse());
    return verdicts;
  };
  const mistakes = (verdicts) =>
    verdicts.flatMap(({ kind, before, after }, index) =>
      kind === "mistake" ? [[index, before + 0, after + 0]] : [],
    );
  // The edge is a losing reply to the centre; then O blocks at the wrong place.
  const lost = review("3x3:3", [4, 1, 0, 8, 6, 3, 2], 1);
  assert.deepEqual(mistakes(lost), [[1, 0, -1]]);
  assert.ok([0, 2, 6, 8].includes(lost[1].best));
  assert.equal(lost[0].kind, "best");
  // X misses a3, and O completes its own column.
  const missed = review("3x3:3", [0, 1, 3, 4, 2, 7], 1);
  assert.deepEqual(mistakes(missed), [
    [1, 0, -1],
    [4, 1, -1],
  ]);
  assert.equal(missed[4].best, 6);
  assert.deepEqual(
    mistakes(review("3x3:3", [4, 0, 8, 2, 1, 7, 6, 3, 5], 0)),
    [],
  );
  // In misère, the player who completes a line loses.
  const misere = review("4x1:2+misere", [0, 2, 1], -1);
  assert.deepEqual([misere[2].kind, misere[2].best], ["mistake", 3]);
});

/**
 * Returns a solver by exhaustive search on a flat board, 1 for a win of the
 * side to move. A board is a string of "x", "o" and ".".
 */
function exhaustiveSolver(width, height, needed) {
  const lines = [];
  for (let row = 0; row < height; row += 1)
    for (let column = 0; column < width; column += 1)
      for (const [right, down] of [
        [1, 0],
        [0, 1],
        [1, 1],
        [-1, 1],
      ]) {
        const end = column + right * (needed - 1);
        if (end < 0 || end >= width || row + down * (needed - 1) >= height)
          continue;
        lines.push(
          Array.from(
            { length: needed },
            (_, step) => (row + down * step) * width + column + right * step,
          ),
        );
      }
  const known = new Map();
  const isWonBy = (stones, mark) =>
    lines.some((line) => line.every((cell) => stones[cell] === mark));
  const solve = (stones, mark) => {
    const saved = known.get(stones);
    if (saved !== undefined) return saved;
    const opponent = mark === "x" ? "o" : "x";
    let value = -1;
    if (!isWonBy(stones, opponent)) {
      const free = [...stones].flatMap((stone, cell) =>
        stone === "." ? [cell] : [],
      );
      if (free.length === 0) value = 0;
      for (const cell of free) {
        const next = stones.slice(0, cell) + mark + stones.slice(cell + 1);
        value = Math.max(value, -solve(next, opponent));
        if (value === 1) break;
      }
    }
    known.set(stones, value);
    return value;
  };
  return { solve, isWonBy };
}

test("every sentence of a short review is true", async () => {
  const engine = await loadEngine(bytes);
  let judged = 0;
  let seed = 1;
  const random = (/** @type {number} */ count) => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % count;
  };
  for (const [width, height, needed] of [
    [3, 3, 3],
    [4, 3, 3],
    [5, 2, 2],
  ]) {
    const { solve, isWonBy } = exhaustiveSolver(width, height, needed);
    for (let game = 0; game < 40; game += 1) {
      const moves = [];
      const boards = [".".repeat(width * height)];
      let end = 0;
      while (moves.length < width * height && end === 0) {
        const board = boards[moves.length];
        const free = [...board].flatMap((stone, cell) =>
          stone === "." ? [cell] : [],
        );
        const cell = free[random(free.length)];
        const mark = "xo"[moves.length % 2];
        const next = board.slice(0, cell) + mark + board.slice(cell + 1);
        moves.push(cell);
        boards.push(next);
        if (isWonBy(next, mark)) end = 1;
      }
      const rules = `${width}x${height}:${needed}`;
      for (const nodes of [2_000, 10_000]) {
        const verdicts = reviewMoves(
          engine,
          { rules, moves, end },
          () => {},
          nodes,
        );
        verdicts.forEach(({ kind, before, after }, ply) => {
          if (kind !== "mistake") return;
          const mark = "xo"[ply % 2];
          const what = `${rules} ${moves} ${ply} ${nodes}`;
          // A mistake either gives up a win, or lets the opponent win.
          if (before > 0) assert.equal(solve(boards[ply], mark), 1, what);
          if (after < 0)
            assert.equal(solve(boards[ply + 1], "xo"[1 - (ply % 2)]), 1, what);
          judged += 1;
        });
      }
    }
  }
  assert.ok(judged > 100, `${judged}`);
});

test("a better move that loses too is not named", () => {
  const engine = {
    moves: [],
    setPosition: (rules, moves) => (engine.moves = moves),
    evaluate: () =>
      engine.moves.length === 0
        ? { best: 4, forced: 0 }
        : { best: 8, forced: engine.moves.length === 1 ? 1 : 0 },
  };
  const game = { rules: "3x3:3", moves: [0], end: 0 };
  const [first] = reviewMoves(/** @type {any} */ (engine), game, () => {}, 1);
  assert.notEqual(first.kind, "mistake");
});

test("a review shows the mistakes of its reader first, and of each player the move that lost", () => {
  const verdict = (/** @type {number} */ before, /** @type {number} */ after) =>
    /** @type {const} */ ({
      kind: after < before ? "mistake" : "fine",
      best: 0,
      before,
      after,
    });
  const verdicts = [
    verdict(1, 0),
    verdict(1, 0),
    verdict(0, -1),
    verdict(0, -1),
    verdict(0, 0),
  ];
  assert.deepEqual(orderedMistakes(verdicts, "X"), [3, 1, 4, 2]);
  assert.deepEqual(orderedMistakes(verdicts, "O"), [4, 2, 3, 1]);
  assert.deepEqual(orderedMistakes(verdicts, null), [3, 4, 1, 2]);
});

test("a move that keeps a win in another way is no mistake", () => {
  let ply = 0;
  const engine = {
    setPosition: (rules, moves) => (ply = moves.length),
    // The short search of the position after the first move finds nothing.
    evaluate: ({ nodes }) =>
      [
        { best: 4, forced: 1 },
        { best: 1, forced: nodes > 1 ? -1 : 0 },
        { best: 8, forced: 0 },
      ][ply],
  };
  const game = { rules: "3x3:3", moves: [0, 1], end: 0 };
  const [first] = reviewMoves(/** @type {any} */ (engine), game, () => {}, 1);
  assert.deepEqual(first, { kind: "fine", best: 4, before: 1, after: 1 });
});
