// Compares the pure modules of the page with the golden files of the protocol. Run by `node
// --test`.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";
import {
  clockText,
  countdownText,
  isAlertDue,
  runningSeconds,
  timeLeft,
  timeLeftOf,
} from "../../../client/web/page/core/clock.js";
import { FoldError, foldEvent } from "../../../client/web/page/core/fold.js";
import {
  MAX_GAP_MS,
  PLACE_FREE_MS,
  keepPlaces,
} from "../../../client/web/page/core/places.js";
import { qrCode } from "../../../client/web/page/core/qr-code.js";
import {
  LANGUAGES,
  chooseLanguage,
  text,
  useTexts,
} from "../../../client/web/page/i18n.js";
import { SETTINGS, pendingMove } from "../../../client/web/page/core/model.js";
import { cueOf } from "../../../client/web/page/game/sounds.js";
import { chooseGames } from "../../../client/web/page/watch/program.js";
import {
  cellAt,
  cellText,
  coordinatesOf,
  parseCell,
} from "../../../client/web/page/core/cells.js";
import {
  readText,
  secretFor,
  sha256,
  textOf,
} from "../../../client/web/page/core/identity.js";
import { NAMED_RULES } from "../../../client/web/page/core/rule-table.js";
import {
  RulesError,
  boardAfter,
  landingCell,
  parseRules,
} from "../../../client/web/page/core/rules.js";
import { Script, snapshot, welcome } from "./script.mjs";

const golden = new URL("../../../protocol/golden/", import.meta.url);
const page = new URL("../../../client/web/page/", import.meta.url);
const linesOf = (name) =>
  readFileSync(new URL(`${name}.jsonl`, golden), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));

test("rules are read as the protocol reads them", () => {
  for (const vector of linesOf("vector-rules")) {
    if (vector.error) {
      assert.throws(() => parseRules(vector.text), RulesError, vector.text);
      continue;
    }
    const rules = parseRules(vector.text);
    assert.equal(rules.text, vector.canonical);
    assert.deepEqual(
      [rules.sides, rules.line, rules.cells],
      [vector.sides, vector.line, vector.cells],
    );
    for (const [cell, name] of vector.names) {
      assert.equal(cellText(rules, cell), name);
      assert.equal(parseCell(rules, name.toUpperCase()), cell);
      assert.equal(cellAt(rules, coordinatesOf(rules, cell)), cell);
    }
  }
});

test("rooms are folded as the protocol folds them", () => {
  let count = 0;
  for (const { before, event, after, landings } of [
    ...linesOf("vector-fold"),
    ...linesOf("vector-first_moves"),
  ]) {
    const folded = foldEvent(before, event);
    // The remaining times are compared below, because only the server deducts the time used since
    // the last event.
    assert.deepEqual(folded, {
      ...after,
      ...(after.left ? { left: folded.left } : {}),
      ...(after.shown ? { shown: folded.shown } : {}),
    });
    if (event.event.left) assert.deepEqual(folded.left, event.event.left);
    assert.deepEqual(
      folded.shown,
      before.shown &&
        (event.event.left ??
          (event.event.type === "started" ? after.shown : before.shown)),
    );
    const rules = parseRules(before.rules);
    const board = boardAfter(rules, before.moves);
    for (const [cell, landing] of landings)
      assert.equal(landingCell(rules, board, cell), landing);
    assert.throws(() => foldEvent(folded, event), FoldError);
    assert.throws(
      () => foldEvent({ ...before, phase: "closed" }, event),
      FoldError,
    );
    count += 1;
  }
  assert.ok(count > 300, `${count} events`);
});

test("the clock stands still during the first move of each side, if the room says so", () => {
  const room = { leftAt: 1_000 };
  const state = {
    phase: "playing",
    turn: "X",
    moves: [],
    left: [290_000, 300_000],
    shown: [300_000, 300_000],
  };
  const shownTimes = (state) =>
    ["X", "O"].map((seat) => timeLeftOf(room, state, seat, 21_000));
  assert.deepEqual(shownTimes(state), [300_000, 300_000]);
  assert.deepEqual(
    shownTimes({ ...state, turn: "O", moves: [4], left: [300_000, 300_000] }),
    [300_000, 300_000],
  );
  assert.deepEqual(shownTimes({ ...state, moves: [4, 0] }), [270_000, 300_000]);
  assert.deepEqual(
    shownTimes({ ...state, shown: undefined }),
    [270_000, 300_000],
    "a room without free moves",
  );
});

test("each change of a game has its sound", () => {
  const state = { game: 1, phase: "playing", moves: [], outcome: null };
  const model = (changes, { seat = "X", pending = {}, id = "a" } = {}) => ({
    room: { id, seat, state: { ...state, ...changes } },
    pending,
  });
  const move = { 7: { request: { type: "move" } } };
  const over = (winner) => ({
    phase: "over",
    outcome: { winner },
    moves: [4, 0],
  });
  const cues = (...models) => {
    let heard = null;
    return models.map((model) => {
      const next = cueOf(heard, model);
      heard = next.heard;
      return next.cue;
    });
  };
  const start = model({});
  assert.deepEqual(
    cues(start, model({}, { pending: move }), model({ moves: [4] })),
    ["start", "own", null],
    "an own move sounds before its confirmation, and once",
  );
  const answered = model({ moves: [4, 0] });
  assert.deepEqual(cues(answered), [null], "a page that is opened in a game");
  assert.deepEqual(cues(start, model({ moves: [4] }), answered), [
    "start",
    "own",
    "opponent",
  ]);
  assert.deepEqual(cues(answered, model({ moves: [4] })), [null, null]);
  for (const [seat, winner, cue] of [
    ["X", "X", "win"],
    ["O", "X", "loss"],
    ["X", null, "end"],
    [null, "X", "end"],
  ])
    assert.deepEqual(
      cues(model({ moves: [4, 0] }, { seat }), model(over(winner), { seat })),
      [null, cue],
    );
  assert.deepEqual(cues(model(over("X")), model({ game: 2 })), [null, "start"]);
  assert.deepEqual(cues(answered, model({ moves: [4, 0, 8] }, { id: "b" })), [
    null,
    null,
  ]);
});

test("the announced clock is the shown one", () => {
  const room = { leftAt: 1_000, seat: "X" };
  const state = {
    phase: "playing",
    turn: "X",
    moves: [4, 0],
    left: [29_500, 300_000],
  };
  const seconds = (changes, ofRoom = {}) =>
    runningSeconds(
      { ...room, ...ofRoom, state: { ...state, ...changes } },
      21_000,
    );
  assert.equal(seconds({}), 10);
  // During a free first move, the flag falls when the time left has passed, but the displayed clock
  // does not run.
  assert.equal(seconds({ moves: [], shown: [300_000, 300_000] }), null);
  assert.equal(seconds({ moves: [] }), 10, "a room without free moves");
  assert.deepEqual(
    [
      seconds({ turn: "O" }),
      seconds({ phase: "over" }),
      seconds({}, { seat: null }),
      seconds({ left: undefined }),
      runningSeconds(null, 0),
    ],
    [null, null, null, null, null],
  );
  assert.deepEqual(
    [
      [60, 61],
      [60, 60],
      [10, 11],
      [9, 10],
      [0, 1],
      [29, Infinity],
    ].map(([now, before]) => isAlertDue(now, before, true)),
    [true, false, true, false, false, true],
  );
  assert.deepEqual(
    [
      [60, 61],
      [10, 11],
      [29, Infinity],
    ].map(([now, before]) => isAlertDue(now, before, false)),
    [false, true, false],
  );
});

test("the identity gives each server the secret of the terminal client", () => {
  const { text, secrets } = JSON.parse(
    readFileSync(
      new URL("../../golden/identity.json", import.meta.url),
      "utf8",
    ),
  );
  const master = readText(text);
  assert.equal(textOf(master), text);
  for (const [origin, secret] of Object.entries(secrets))
    assert.equal(secretFor(master, origin), secret, origin);
  for (let length = 0; length < 130; length += 1) {
    const message = Array.from({ length }, (_, index) => (7 * index) & 255);
    const digest = createHash("sha256").update(Buffer.from(message)).digest();
    assert.deepEqual(sha256(message), [...digest], `${length} bytes`);
  }
});

test("a mistyped identity is not read", () => {
  const digits = "1g64s36d1n6rvkgeb1c9hp8sb6qw";
  assert.ok(readText(` ${digits.toUpperCase().replaceAll("1", "l")}\n`));
  for (const wrong of ["", "é", digits.slice(1), `${digits}0`, "z".repeat(28)])
    assert.equal(readText(wrong), null, wrong);
  for (let index = 0; index < digits.length; index += 1)
    for (const digit of "0123456789abcdefghjkmnpqrstvwxyz") {
      const typed = `${digits.slice(0, index)}${digit}${digits.slice(index + 1)}`;
      assert.equal(readText(typed) !== null, typed === digits, typed);
    }
});

test("rules and cells are read as the protocol page describes them", () => {
  for (const [input, canonical, cells, name] of [
    ["CONNECT4", "7x6:4+gravity", 42, "a3"],
    ["3x3:3+exact+MISERE", "3x3:3+misere+exact", 9, "a3"],
    ["tesseract", "3x3x3x3:3", 81, "a1-3.1"],
    ["25x25:6", "25x25:6", 625, "s25"],
    ["9:3", "9:3", 9, "g1"],
  ]) {
    const rules = parseRules(input);
    assert.deepEqual([rules.text, rules.cells], [canonical, cells]);
    for (let cell = 0; cell < cells; cell += 1) {
      assert.equal(parseCell(rules, cellText(rules, cell).toUpperCase()), cell);
      assert.equal(cellAt(rules, coordinatesOf(rules, cell)), cell);
    }
    assert.equal(
      cellText(
        rules,
        input === "CONNECT4"
          ? 21
          : input === "tesseract"
            ? 18
            : input === "25x25:6"
              ? 18
              : 6,
      ),
      name,
    );
  }
  for (const input of [
    "",
    "chess",
    "3x3",
    "3x3:4",
    "26x3:3",
    "0x3:3",
    "3x3:0",
    "9:3+gravity",
    "3x3:3+fast",
    "3x3:3+exact+exact",
    "2x2x2x2x2:2",
    "25x25x2:3",
  ]) {
    assert.throws(() => parseRules(input), RulesError, input);
  }
});

test("a mark falls to the free cell with the greatest y", () => {
  const rules = parseRules("7x6:4+gravity");
  const board = boardAfter(rules, [38, 31]);
  assert.deepEqual(
    [
      landingCell(rules, board, 3),
      landingCell(rules, board, 38),
      landingCell(rules, board, 0),
    ],
    [24, 24, 35],
  );
  const full = boardAfter(rules, [36, 29, 22, 15, 8, 1]);
  assert.deepEqual(
    [
      landingCell(rules, full, 1),
      landingCell(rules, full, 42),
      landingCell(rules, full, -1),
    ],
    [-1, -1, -1],
  );
});

test("events that the state does not allow are rejected", () => {
  const state = snapshot().state;
  const envelope = (event, seq = 5) => ({ seq, at: 2, event });
  assert.equal(
    foldEvent(state, envelope({ type: "moved", seat: "X", cell: 4 })).turn,
    "O",
  );
  for (const event of [
    { type: "moved", seat: "O", cell: 4 },
    { type: "moved", seat: "X", cell: 9 },
    { type: "moved", seat: "X", cell: 4, left: [1, 1] },
    { type: "started", game: 2 },
    { type: "declined", seat: "X", offer: "draw" },
    { type: "taken_back", plies: 1 },
    { type: "offered", seat: "X", offer: "rematch" },
  ]) {
    assert.throws(
      () => foldEvent(state, envelope(event)),
      FoldError,
      event.type,
    );
  }
  assert.throws(
    () => foldEvent(state, envelope({ type: "moved", seat: "X", cell: 4 }, 6)),
    (error) => error.kind === "gap",
  );
});

test("an aborted game changes no score", () => {
  const { state } = snapshot();
  const ended = (outcome) =>
    foldEvent(state, { seq: 5, at: 2, event: { type: "ended", outcome } });
  assert.deepEqual(ended({ reason: "aborted" }).score, state.score);
  assert.equal(ended({ reason: "agreed" }).score.draws, 1);
});

test("clocks are shown rounded up, and with tenths at the end", () => {
  assert.deepEqual([299_001, 60_000, 9_950, 0, 3_600_000].map(clockText), [
    "5:00",
    "1:00",
    "0:09.9",
    "0:00",
    "1:00:00",
  ]);
  assert.equal(countdownText(41_500), "0:42");
  assert.equal(timeLeft([5000, 7000], 100, 0, true, 1100), 4000);
  assert.equal(timeLeft([5000, 7000], 100, 1, false, 1100), 7000);
  assert.equal(timeLeft([5000, 7000], 100, 0, true, 99_000), 0);
});

// --- The model with a scripted server

const moved = (seq, seat, cell, by) => ({
  type: "events",
  room: "xgwmmd3n",
  events: [
    { seq, at: 2, ...(by ? { by } : {}), event: { type: "moved", seat, cell } },
  ],
});

test("a move is pending until its event arrives", () => {
  const script = new Script().play().act({ type: "play", cell: 4 });
  const { id, ...move } = script.last();
  assert.deepEqual(move, { type: "move", cell: 4, seq: 4 });
  assert.equal(pendingMove(script.model).id, id);
  // The opponent numbers requests too.
  script.receive(moved(5, "X", 4, { seat: "X", id }));
  assert.equal(pendingMove(script.model), null);
  assert.deepEqual(script.model.room.state.moves, [4]);
});

test("a command is sent again with its id after a lost connection", () => {
  const script = new Script().play().act({ type: "play", cell: 4 });
  const move = script.last();
  script.step({ type: "closed", code: 1006, random: 0.5 });
  assert.equal(script.model.connection.state, "offline");
  assert.ok(script.effects.some((effect) => effect.type === "connect-later"));
  script.step({ type: "opened" }).receive(welcome(script.last().id));
  const resume = script.last();
  assert.deepEqual(
    [resume.type, resume.room, resume.seq],
    ["resume", "xgwmmd3n", 4],
  );
  script.receive({
    type: "events",
    re: resume.id,
    room: "xgwmmd3n",
    events: [],
  });
  assert.deepEqual(script.last(), move);
  script.receive({ type: "done", re: move.id, seq: 5 });
  assert.equal(pendingMove(script.model), null);
});

test("a command follows the answer to a resume, because the server rejects it before", () => {
  const script = new Script()
    .play()
    .step({ type: "closed", code: 1006, random: 0.5 });
  script.step({ type: "opened" }).receive(welcome(script.last().id));
  const resume = script.last();
  script.act({ type: "play", cell: 4 });
  const sent = script.effects.filter(
    (effect) => effect.type === "send" && effect.request.type === "move",
  );
  assert.deepEqual(sent, []);
  assert.notEqual(pendingMove(script.model), null);
  script.receive({
    type: "events",
    re: resume.id,
    room: "xgwmmd3n",
    events: [],
  });
  assert.deepEqual([script.last().type, script.last().cell], ["move", 4]);
});

test("a reload resumes the seat of the tab", () => {
  const script = new Script({
    seat: { room: "xgwmmd3n", token: "t" },
  }).online();
  assert.deepEqual(
    [script.last().type, script.last().token, script.last().seq],
    ["resume", "t", undefined],
  );
  script.receive(snapshot({ re: script.last().id }));
  assert.equal(script.model.room.seat, "X");
});

test("a seat taken by another tab is not taken back", () => {
  const script = new Script().play();
  script.step({ type: "closed", code: 4002, random: 0.5 });
  assert.equal(script.model.connection.state, "replaced");
  assert.ok(!script.effects.some((effect) => effect.type === "connect-later"));
  script.act({ type: "reconnect" });
  assert.equal(script.effects.at(-1).type, "connect");
});

test("close codes decide whether the page reconnects", () => {
  for (const [code, state] of [
    [1006, "offline"],
    [1011, "offline"],
    [1012, "offline"],
    [4200, "offline"],
    [4201, "offline"],
    [4100, "offline"],
    [1008, "stopped"],
    [1009, "stopped"],
    [4001, "stopped"],
    [4003, "stopped"],
  ]) {
    assert.equal(
      new Script().play().step({ type: "closed", code, random: 0.5 }).model
        .connection.state,
      state,
      String(code),
    );
  }
});

test("a restart is waited for", () => {
  const script = new Script()
    .play()
    .receive({ type: "restarting", retry_after_ms: 5000 });
  script.step({ type: "closed", code: 1012, random: 0 });
  assert.ok(script.model.connection.retryAt >= 10_000);
});

test("seats swap with each later game", () => {
  const script = new Script().play();
  const ended = { type: "ended", outcome: { reason: "resigned", winner: "X" } };
  const envelope = (seq, event) => ({
    type: "events",
    room: "xgwmmd3n",
    events: [{ seq, at: 2, event }],
  });
  script.receive({
    type: "notice",
    room: "xgwmmd3n",
    notice: {
      type: "presence",
      seat: "O",
      presence: "disconnected",
      claim_in_ms: 10,
    },
  });
  script
    .receive(envelope(5, ended))
    .receive(envelope(6, { type: "offered", seat: "O", offer: "rematch" }));
  script.act({
    type: "command",
    request: { type: "accept", offer: "rematch" },
  });
  const { id } = script.last();
  script.receive({
    type: "events",
    room: "xgwmmd3n",
    events: [
      {
        seq: 7,
        at: 2,
        by: { seat: "X", id },
        event: { type: "started", game: 2 },
      },
    ],
  });
  const { room, pending } = script.model;
  assert.equal(room.seat, "O");
  assert.deepEqual(
    room.state.players.map((player) => player.name),
    ["Bob", "Ann"],
  );
  assert.deepEqual(room.state.score.wins, [0, 1]);
  assert.equal(room.presence[0].presence, "disconnected");
  assert.equal(pending[id], undefined);
});

test("a gap and an unknown event request the state", () => {
  const script = new Script().play().receive(moved(7, "X", 4));
  assert.deepEqual([script.last().type, script.last().seq], ["sync", 4]);
  script.receive({
    type: "events",
    room: "xgwmmd3n",
    events: [{ seq: 5, at: 2, event: { type: "new_in_version_2" } }],
  });
  assert.deepEqual(
    [script.last().type, script.last().seq],
    ["sync", Number.MAX_SAFE_INTEGER],
  );
});

test("rejected requests are repeated or explained", () => {
  const script = new Script().play().act({ type: "play", cell: 4 });
  const { id } = script.last();
  script.receive({ type: "reject", re: id, code: "busy" });
  assert.ok(
    script.effects.some(
      (effect) => effect.type === "resend-later" && effect.id === id,
    ),
  );
  script.receive({ type: "reject", re: id, code: "stale" });
  assert.equal(script.model.banner.key, "reject_stale");
  assert.equal(pendingMove(script.model), null);
});

test("a link joins after the name is known", () => {
  const script = new Script({ name: "", linkCode: "fcem-t8v0-x1sh" }).online();
  assert.equal(script.model.screen, "link");
  script
    .act({
      type: "dialog",
      dialog: { kind: "name", next: { type: "join", room: "fcem-t8v0-x1sh" } },
    })
    .act({ type: "set-name", name: " Bob " });
  assert.equal(script.effects.at(-1).type, "connect");
  script.step({ type: "opened" });
  assert.equal(script.last().name, "Bob");
  script.receive(welcome(script.last().id));
  assert.deepEqual(
    [script.last().type, script.last().room],
    ["join", "fcem-t8v0-x1sh"],
  );
});

test("messages and notices of an unknown type are ignored", () => {
  const script = new Script().play();
  const before = script.model;
  script
    .receive({ type: "later" })
    .receive({ type: "notice", room: "xgwmmd3n", notice: { type: "later" } });
  assert.equal(script.model, before);
});

test("every request has the fields of the protocol", () => {
  const script = new Script().play().act({ type: "play", cell: 4 });
  const wanted = [
    { type: "create", rules: "3x3:3", clock: "5+3", seat: "X", public: false },
    { type: "join", room: "r" },
    { type: "watch", room: "r" },
  ];
  for (const request of wanted)
    script.sent.push(
      ...new Script().online().act({ type: "enter", request }).sent,
    );
  for (const request of [
    { type: "resign" },
    { type: "offer", offer: "draw" },
    { type: "accept", offer: "draw" },
    { type: "decline", offer: "draw" },
    { type: "claim", result: "win" },
  ]) {
    script.sent.push(
      new Script().play().act({ type: "command", request }).last(),
    );
  }
  for (const request of script.sent) {
    const known = new Set(
      linesOf(`request-${request.type}`).flatMap((line) => Object.keys(line)),
    );
    for (const field of Object.keys(request))
      assert.ok(known.has(field), `${request.type}: ${field}`);
  }
});

// --- Texts

const languages = Object.keys(LANGUAGES);
const loaded = Object.fromEntries(
  await Promise.all(
    languages.map(async (name) => {
      const [first, screens] = await Promise.all(
        ["", "screens/"].map(
          async (folder) =>
            (
              await import(
                `${process.env.NOUGHTS_PAGE_TEXTS}/${folder}${name}.mjs`
              )
            ).default,
        ),
      );
      assert.deepEqual(
        Object.keys(first).filter((key) => key in screens),
        [],
        name,
      );
      return [name, { ...first, ...screens }];
    }),
  ),
);

test("a row keeps its place, and a gap is filled after a while", () => {
  const ids = (places) =>
    places.map(({ id, goneAt }) => (goneAt === null ? id : `(${id})`));
  const steps = [
    [["a", "b"], 0, ["a", "b"]],
    [["b"], 1000, ["(a)", "b"]],
    [["b", "c"], 1100, ["(a)", "b", "c"]],
    [["b", "c", "d"], 1000 + PLACE_FREE_MS, ["d", "b", "c"]],
    [["d", "b"], 5000, ["d", "b", "(c)"]],
    [["d", "b"], 5000 + PLACE_FREE_MS, ["d", "b"]],
  ];
  let places = [];
  for (const [now, at, expected] of steps) {
    places = keepPlaces(places, now, at, true);
    assert.deepEqual(ids(places), expected);
  }
  assert.deepEqual(ids(keepPlaces([], ["a", "b", "c"], 0, true, 2)), [
    "a",
    "b",
  ]);
});

test("an old gap closes while no pointer and no focus is in the list", () => {
  const before = [
    { id: "a", goneAt: 0 },
    { id: "b", goneAt: null },
    { id: "c", goneAt: 20_000 },
    { id: "d", goneAt: null },
  ];
  const ids = (now, isInUse) =>
    keepPlaces(before, ["b", "d"], now, isInUse)
      .map(({ id }) => id)
      .join("");
  assert.deepEqual(
    [
      ids(MAX_GAP_MS - 1, false),
      ids(MAX_GAP_MS, true),
      ids(MAX_GAP_MS, false),
      ids(20_000 + MAX_GAP_MS, false),
    ],
    ["abcd", "abcd", "bcd", "bd"],
  );
  // A player who waits again gets the earlier row.
  assert.deepEqual(
    keepPlaces(before, ["a", "b", "d"], MAX_GAP_MS, false)
      .map(({ id }) => id)
      .join(""),
    "abcd",
  );
});

test("a link becomes a QR code", () => {
  const digest = (modules) =>
    createHash("sha256")
      .update(modules.map((row) => row.map(Number).join("")).join("\n"))
      .digest("hex")
      .slice(0, 16);
  // zbarimg reads these codes.
  for (const [link, side, expected] of [
    ["https://play.example.org/#fcem-t8v0-x1sh", 29, "d6a0abf010b1e160"],
    ["x".repeat(106), 41, "536f804ac066bd50"],
  ]) {
    const modules = qrCode(link);
    assert.deepEqual([modules.length, digest(modules)], [side, expected]);
  }
  assert.equal(qrCode("x".repeat(107)), null);
});

test("no text is left in English", () => {
  const names = /Noughts|Qubic|gravity|KiB|\[\w+ \\"[^"]*"\]|[XO]|b2|\{\w+\}/gi;
  const inHelp =
    /noughts bot|Home|End|Page Up|Page Down|Shift|Enter|Escape|draw|undo|resign/g;
  for (const name of languages.slice(1)) {
    for (const [key, entry] of Object.entries(loaded[name])) {
      assert.doesNotMatch(
        JSON.stringify(
          Object.values(typeof entry === "string" ? [entry] : entry),
        )
          .replace(key.startsWith("help_") ? inHelp : "", "")
          .replace(names, ""),
        /[A-Za-z]{2}/,
        `${name}: ${key}`,
      );
    }
  }
});

const sources = readdirSync(page, { recursive: true })
  .filter((name) => name.endsWith(".js") && !name.startsWith("i18n/"))
  .map((name) => [name, readFileSync(new URL(name, page), "utf8")]);

test("every text that the code names exists", () => {
  for (const [name, source] of sources) {
    for (const [, key] of source.matchAll(/\btext\("([a-z_0-9]+)"/g))
      assert.ok(key in loaded.en, `${name}: ${key}`);
  }
  for (const [kind, prefix] of [
    ["word-line", "line_"],
    ["word-phrase", "phrase_"],
  ])
    for (const word of linesOf(kind))
      assert.ok(`${prefix}${word}` in loaded.en, word);
  // A reject code without its own text, for example from a later server, gets a common text.
  for (const name of languages) {
    useTexts(name, loaded[name]);
    for (const code of [...linesOf("code-reject"), "later"])
      assert.doesNotMatch(text(`reject_${code}`), /_/, `${name}: ${code}`);
  }
});

test("the code names every text", () => {
  const code = sources.map(([, source]) => source).join("\n");
  const prefixes = [...code.matchAll(/`([a-z]+_)\$\{/g)].map(
    ([, prefix]) => prefix,
  );
  const words = {
    game_: Object.keys(NAMED_RULES),
    reject_: [...linesOf("code-reject"), "other"],
    phrase_: linesOf("word-phrase"),
    line_: linesOf("word-line"),
  };
  const settings = Object.values(SETTINGS)
    .flatMap((card) => Object.entries(card))
    .flatMap(([name, values]) => values.map((value) => `${name}_${value}`));
  for (const key of Object.keys(loaded.en)) {
    if (settings.includes(key)) continue;
    // The code contains the key as a string or as the name of a field.
    if (new RegExp(`"${key}"|[{ ]${key}: `).test(code)) continue;
    const prefix = prefixes.find((prefix) => key.startsWith(prefix));
    assert.ok(prefix, key);
    if (words[prefix])
      assert.ok(words[prefix].includes(key.slice(prefix.length)), key);
  }
});

test("plural forms follow the language", () => {
  useTexts("ru", loaded.ru);
  assert.deepEqual(
    [1, 3, 5, 21].map((n) => text("spectators", { n })),
    ["1 зритель", "3 зрителя", "5 зрителей", "21 зритель"],
  );
  useTexts("en", loaded.en);
  assert.deepEqual(
    [1, 2].map((n) => text("spectators", { n })),
    ["1 spectator", "2 spectators"],
  );
  assert.deepEqual(
    [["zh-TW"], ["zh-CN", "en"], ["fr", "ru-RU"], ["fr"]].map(chooseLanguage),
    ["zh-hant", "zh-hans", "ru", "en"],
  );
});

test("spectators choose among several games, and not a single one", () => {
  const rooms = [
    { room: "short", spectators: 3, moves: 1 },
    { room: "long", spectators: 0, moves: 9 },
  ].map((room) => ({ ...room, phase: "playing", players: [{}, {}] }));
  const chosen = (count) =>
    chooseGames([], rooms, 0, count).map(({ room }) => room);
  assert.deepEqual(chosen(2), ["short", "long"]);
  assert.deepEqual(chosen(1), ["long"]);
});
