// Tests the model with a scripted server: wishes of visitors and answers of the server, in unlucky
// orders. Run by `node --test`.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  changeSaved,
  isUnanswered,
  pendingMove,
  playedRoom,
  seatsToContinue,
} from "../../../client/web/page/core/model.js";
import {
  hashOf,
  routeOf,
  routeOfInput,
} from "../../../client/web/page/io/history.js";
import { latinLetter } from "../../../client/web/page/game/board.js";
import { linkOrigin } from "../../../client/web/page/view/link-origin.js";
import { Script, snapshot, welcome } from "./script.mjs";

const SEEK = { type: "seek", rules: "3x3:3" };
const CREATE = { type: "create", rules: "3x3:3", public: false };
const CODE = "fcem-t8v0-x1sh";
const ROOM = "xgwmmd3n";
const SEAT = { room: ROOM, token: "t".repeat(26) };
const waiting = (changes = {}) => {
  const { state, ...rest } = snapshot({
    role: { seat: "X", token: SEAT.token, code: CODE },
    ...changes,
  });
  return {
    ...rest,
    state: {
      ...state,
      phase: "waiting",
      game: 0,
      players: [{ name: "Ann", kind: "person" }, null],
      turn: undefined,
    },
  };
};
const ended = {
  type: "events",
  room: ROOM,
  events: [
    {
      seq: 5,
      at: 2,
      event: { type: "ended", outcome: { reason: "resigned", winner: "X" } },
    },
  ],
};
const visitor = (stored = {}) => new Script({ followsLobby: true, ...stored });
const host = () => {
  const script = visitor().online().act({ type: "enter", request: CREATE });
  return script.answer("create", waiting());
};
const player = (stored = {}) => {
  const script = visitor(stored)
    .online()
    .act({ type: "enter", request: SEEK })
    .done("seek");
  script.receive(snapshot());
  script.news();
  return script;
};

test("the settings lead back to the screen before them", () => {
  const script = host();
  script.news();
  script.act({ type: "show", screen: "settings" }).act({ type: "back" });
  assert.deepEqual(
    [script.model.screen, script.model.room.id, script.news()],
    ["room", ROOM, []],
  );
  const looking = visitor()
    .online()
    .act({ type: "enter", request: SEEK })
    .done("seek");
  looking.news();
  looking.act({ type: "show", screen: "settings" }).act({ type: "back" });
  assert.deepEqual(
    [looking.model.screen, looking.model.wanted, looking.news()],
    ["looking", SEEK, []],
  );
  const guest = visitor({ name: "", linkCode: CODE })
    .online()
    .act({ type: "show", screen: "settings" })
    .act({ type: "back" });
  assert.deepEqual([guest.model.screen, guest.model.linkCode], ["link", CODE]);
});

test("all seats of another device are continued by the identity, until their rooms are gone", () => {
  const identity = "1g64s36d1n6rvkgeb1c9hp8sb6";
  const saved = [{ ...SEAT, rules: "3x3:3", opponent: "Bob", at: 1 }];
  const script = visitor({ identity, saved });
  script.online({ own_rooms: [ROOM, "00000000", "00000001", "00000002"] });
  assert.equal(script.sent[0].identity, identity);
  const offered = () => seatsToContinue(script.model, 5000);
  const rooms = () => offered().map(({ room }) => room);
  assert.deepEqual(rooms(), [ROOM, "00000000", "00000001", "00000002"]);
  // Only the saved seats change when another tab changes the storage.
  script.step({ type: "saved", saved: [] });
  script.step({ type: "elsewhere", rooms: [ROOM, "00000001"] });
  assert.deepEqual(rooms(), ["00000000", "00000002"]);
  script.act({ type: "continue", seat: offered()[0] });
  const resume = script.last();
  assert.deepEqual(
    [resume.type, resume.room, resume.token],
    ["resume", "00000000", undefined],
  );
  script.reject("resume", "unknown_room");
  assert.deepEqual(rooms(), ["00000002"]);
  assert.equal(script.model.screen, "home");
});

test("a game that begins while the settings are open is shown", () => {
  const script = host().act({ type: "show", screen: "settings" });
  const events = [
    {
      seq: 5,
      at: 2,
      event: {
        type: "seated",
        seat: "O",
        player: { name: "Bob", kind: "person" },
      },
    },
    { seq: 6, at: 2, event: { type: "started", game: 1 } },
  ];
  script.receive({ type: "events", room: ROOM, events });
  assert.equal(script.model.screen, "room");
});

test("a room that others may enter is left only after a question", () => {
  for (const screen of ["home", "lobby", "watch", "bot"]) {
    const script = host();
    script.news();
    script.act({ type: "show", screen });
    assert.deepEqual(
      [script.model.dialog, script.model.room.id, script.news()],
      [{ kind: "leave", next: { screen, link: undefined } }, ROOM, []],
    );
    script.act({ type: "leave", then: { screen } });
    assert.deepEqual(
      [script.model.screen, script.model.room, script.news().includes("leave")],
      [screen, null, true],
    );
  }
  // A player who leaves a game that is over is not asked, because no opponent waits.
  const script = player().receive(ended).act({ type: "show", screen: "lobby" });
  assert.deepEqual(
    [script.model.screen, script.model.room, script.model.dialog],
    ["lobby", null, null],
  );
});

test("a new connection requests the lobby again", () => {
  const lobby = {
    type: "lobby",
    rooms: [],
    seeks: [],
    counts: { people: 1, bots: 0, waiting: 0, games: 0 },
  };
  for (const reconnect of [
    (script) => script.act({ type: "reconnect" }),
    (script) => script.act({ type: "set-name", name: "Eve" }),
    (script) => script.lose(),
  ]) {
    const script = visitor().online().answer("lobby", lobby);
    assert.equal(script.model.isSubscribed, true);
    reconnect(script);
    assert.deepEqual(
      [
        script.model.isSubscribed,
        script.model.seek,
        script.model.connection.state === "online",
      ],
      [false, null, false],
    );
    script.news();
    assert.deepEqual(script.online().news(), ["hello", "lobby"]);
  }
  // The connections of bots and of watched games show no lobby.
  const watched = new Script({});
  watched.model = { ...watched.model, wanted: { type: "watch", room: ROOM } };
  watched.online().answer("watch", snapshot({ role: {} }));
  watched.receive({
    type: "events",
    room: ROOM,
    events: [{ seq: 5, at: 2, event: { type: "closed", reason: "idle" } }],
  });
  assert.deepEqual(watched.news(), ["hello", "watch"]);
});

test("a search that is cancelled before the server confirms it is cancelled after it", () => {
  const script = visitor()
    .online()
    .act({ type: "enter", request: SEEK })
    .act({ type: "cancel" });
  script.news();
  assert.deepEqual(script.done("seek").news(), ["cancel"]);
  script.done("cancel");
  assert.deepEqual(
    [
      script.model.seek,
      script.model.wanted,
      script.model.screen,
      script.news(),
    ],
    [null, null, "home", []],
  );
});

test("a visitor who was paired at the moment of Cancel leaves the game", () => {
  const script = visitor()
    .online()
    .act({ type: "enter", request: SEEK })
    .done("seek")
    .act({ type: "cancel" });
  script.news();
  assert.deepEqual(script.reject("cancel", "not_seeking").news(), []);
  script.receive(snapshot());
  assert.deepEqual(
    [script.model.room, script.model.screen, script.news()],
    [null, "home", ["leave"]],
  );
  script.act({ type: "enter", request: SEEK });
  assert.deepEqual(script.news(), []);
  assert.deepEqual(script.done("leave").news(), ["seek"]);
});

test("the last wish counts, in whatever order the answers come", () => {
  // The visitor presses "Find an opponent", and then "Invite a friend" before the answer arrives.
  let script = visitor()
    .online()
    .act({ type: "enter", request: SEEK })
    .act({ type: "enter", request: CREATE });
  script.news();
  assert.deepEqual(script.done("seek").news(), ["cancel"]);
  assert.deepEqual(script.done("cancel").news(), ["create"]);
  // The visitor joins by a row, and then presses "Find an opponent". The page leaves the game if
  // the join has succeeded.
  for (const [answer, requests] of [
    [
      (script) => script.answer("accept_seek", snapshot()).done("leave"),
      ["leave", "seek"],
    ],
    [(script) => script.reject("accept_seek", "no_offer"), ["seek"]],
  ]) {
    script = visitor()
      .online()
      .act({ type: "enter", request: { type: "accept_seek", seek: 7 } })
      .act({ type: "enter", request: SEEK });
    script.news();
    answer(script);
    assert.deepEqual(
      [script.news(), script.model.screen, script.model.wanted],
      [requests, "looking", SEEK],
    );
  }
  // If the visitor wishes the same again, no new search is needed.
  script = visitor()
    .online()
    .act({ type: "enter", request: SEEK })
    .act({ type: "cancel" })
    .act({ type: "enter", request: { ...SEEK } });
  script.news();
  assert.deepEqual(
    [script.done("seek").news(), script.model.seek !== null],
    [[], true],
  );
});

test("a request that waits for `leave` is sent also if the room has closed", () => {
  const script = player().receive(ended).act({ type: "enter", request: SEEK });
  assert.equal(script.news().at(-1), "leave");
  assert.deepEqual(script.reject("leave", "not_in_room").news(), ["seek"]);
});

test("a search that ends because no room can be opened is repeated or explained", () => {
  const script = visitor()
    .online()
    .act({ type: "enter", request: SEEK })
    .done("seek");
  const { id } = script.last();
  script.reject("seek", "unavailable");
  assert.deepEqual(script.effects.at(-1), {
    type: "resend-later",
    id,
    after: 1000,
  });
  script.step({ type: "resend", id });
  assert.equal(script.last().id, id);
  script.done("seek").reject("seek", "server_full");
  assert.deepEqual(
    [
      script.model.screen,
      script.model.banner.key,
      script.model.seek,
      script.model.wanted,
    ],
    ["home", "reject_server_full", null, null],
  );
});

test("a link that is opened during a game asks before it leaves", () => {
  const request = { type: "join", room: "aaaa-bbbb-cccc" };
  for (const script of [player(), host()]) {
    script.news();
    script.act({ type: "open-link", code: request.room, room: null });
    assert.deepEqual(
      [script.model.dialog, script.model.room.id, script.news()],
      [{ kind: "leave", next: { request, bot: null } }, ROOM, []],
    );
    script.act({ type: "leave", then: script.model.dialog.next }).done("leave");
    assert.deepEqual(
      [script.last().type, script.last().room],
      ["join", request.room],
    );
  }
});

test("the link of the own room changes nothing", () => {
  const script = host();
  script.news();
  for (const link of [
    { code: CODE },
    { code: CODE.replaceAll("-", "").toUpperCase() },
    { room: ROOM },
  ]) {
    script.act({ type: "open-link", ...link });
    assert.deepEqual(
      [script.model.dialog, script.model.room.id, script.news()],
      [null, ROOM, []],
    );
  }
});

test("a link that is opened by a visitor without a name asks for one", () => {
  const script = visitor({ name: "" })
    .online()
    .act({ type: "open-link", code: CODE, room: null });
  assert.deepEqual(
    [script.model.screen, script.model.linkCode, script.model.wanted],
    ["link", CODE, null],
  );
});

test("an invitation is saved with its code until a bot plays or the visitor leaves", () => {
  const script = host();
  const seat = {
    ...SEAT,
    rules: "3x3:3",
    opponent: "",
    code: CODE,
    bot: null,
    at: 5000,
    isOver: false,
  };
  assert.deepEqual(script.model.saved, [seat]);
  script.act({ type: "leave" });
  assert.deepEqual(script.model.saved, []);
  const alone = visitor().online();
  alone.act({ type: "play-bot", level: "easy", party: "1".repeat(26) });
  assert.deepEqual(alone.answer("create", waiting()).model.saved, []);
});

test("the link of a saved seat leads back to it, in a new tab and in an open one", () => {
  const saved = [{ ...SEAT, code: CODE }];
  for (const link of [CODE, CODE.replaceAll("-", "").toUpperCase(), ROOM]) {
    const opened = visitor({ saved, linkCode: link });
    const open = visitor({ saved })
      .online()
      .act({ type: "open-link", code: link });
    for (const script of [opened.online(), open]) {
      assert.deepEqual(
        [script.last().type, script.model.screen],
        ["resume", "room"],
      );
      script.answer(
        "resume",
        snapshot({ role: { ...SEAT, seat: "O", code: CODE } }),
      );
      assert.deepEqual(
        [script.model.room.id, script.model.linkCode, script.model.dialog],
        [ROOM, null, null],
      );
    }
  }
  // The answer to the link says whether another player has the seat or the room is gone.
  for (const code of ["room_full", "unknown_room"]) {
    const script = visitor({ saved, linkCode: CODE })
      .online()
      .reject("resume", "unknown_room")
      .reject("join", code);
    assert.deepEqual(
      [script.model.screen, script.model.refused, script.model.saved],
      ["refused", { code, room: CODE, isWatched: false }, []],
    );
  }
});

test("a link that admits nobody has a screen, and the lobby keeps a code that was typed", () => {
  const join = { type: "enter", request: { type: "join", room: CODE } };
  const outcome = (script, type, code) => {
    const { model } = script.reject(type, code);
    return [model.screen, model.refused?.code, model.banner?.key, model.wanted];
  };
  const open = () => visitor().online().act({ type: "open-link", code: CODE });
  const lobby = () => visitor().online().act({ type: "show", screen: "lobby" });
  const gone = ["refused", "unknown_room", undefined, null];
  assert.deepEqual(outcome(open(), "join", "unknown_room"), gone);
  assert.deepEqual(outcome(open(), "join", "room_full")[0], "refused");
  assert.deepEqual(
    outcome(lobby().act(join), "join", "room_full")[0],
    "refused",
  );
  assert.deepEqual(outcome(lobby().act(join), "join", "unknown_room"), [
    "lobby",
    undefined,
    "reject_unknown_room",
    null,
  ]);
  const watched = visitor({ linkRoom: ROOM }).online();
  assert.deepEqual(outcome(watched, "watch", "unknown_room"), gone);
  watched.act({ type: "show", screen: "home" });
  assert.deepEqual(watched.model.refused, null);
  const pasted = visitor().online();
  pasted.act({ type: "open-link", code: null, room: ROOM });
  assert.equal(hashOf(pasted.model), null, "the address stays");
  assert.deepEqual(outcome(pasted, "watch", "unknown_room"), gone);
});

test("a link that admits nobody is refused before the visitor joins, and not while the visitor joins", () => {
  const guest = visitor({ linkCode: CODE }).online();
  guest.act({ type: "enter", request: { type: "join", room: CODE } });
  guest.act({ type: "refuse-link", code: "room_full" });
  assert.equal(guest.model.screen, "link", "the answer to join decides");
  const late = visitor({ linkCode: CODE }).online();
  late.act({ type: "refuse-link", code: "room_full" });
  assert.deepEqual(
    [late.model.screen, late.model.refused],
    ["refused", { code: "room_full", room: CODE, isWatched: false }],
  );
  late.act({ type: "show", screen: "lobby" });
  late.act({ type: "refuse-link", code: "room_full" });
  assert.equal(late.model.screen, "lobby");
});

test("a game with a bot is remembered, and a random name is kept", () => {
  const script = visitor({ name: "" });
  script.act({ type: "random-name", name: "Green Fox" });
  assert.deepEqual(
    [script.model.name, script.effects],
    ["Green Fox", [{ type: "store-name", name: "Green Fox" }]],
  );
  script.online();
  assert.equal(
    script.sent.find(({ type }) => type === "hello").name,
    "Green Fox",
  );
  script.act({ type: "play-bot", level: "hard", seat: "O", party: "p" });
  const { level, botSeat, seat } = script.model.choice;
  assert.deepEqual([level, botSeat, seat], ["hard", "O", null]);
  assert.deepEqual(
    [script.sent.at(-1).type, script.sent.at(-1).seat],
    ["create", "O"],
  );
});

test("a link that the server cannot open now can be tried again", () => {
  const links = [
    [{ linkRoom: ROOM }, "watch", { room: ROOM }],
    [{ linkCode: CODE, saved: [{ ...SEAT, code: CODE }] }, "resume"],
    [{ linkCode: CODE, name: "" }, "join"],
  ];
  for (const [stored, type, link = { code: CODE }] of links) {
    const open = () => {
      const script = visitor(stored).online();
      if (type === "join")
        script
          .act({
            type: "dialog",
            dialog: { kind: "name", next: { type, room: CODE } },
          })
          .act({ type: "set-name", name: "Ann" })
          .online();
      return script;
    };
    const full = open().reject(type, "server_full");
    const silent = open();
    if (type === "watch")
      silent.step({ type: "check", now: 10_000, heardAt: 10_000 });
    for (const [script, code] of [
      [full, "server_full"],
      ...(type === "watch" ? [[silent, "no_answer"]] : []),
    ]) {
      const { screen, refused, wanted } = script.model;
      const room = link.code ?? link.room;
      assert.deepEqual(
        [screen, refused, wanted],
        ["refused", { code, room, isWatched: type === "watch" }, null],
      );
      assert.equal(hashOf(script.model), null, "the address stays");
    }
    full.news();
    full.act({ type: "open-link", ...link });
    assert.deepEqual(full.news(), [type]);
  }
});

test("an action that shows another screen closes the open question", () => {
  for (const [action, screen] of [
    [{ type: "show", screen: "lobby" }, "lobby"],
    [{ type: "back" }, "home"],
    [{ type: "open-link", code: CODE, room: null }, "link"],
  ]) {
    const script = visitor({ name: "" })
      .online()
      .act({ type: "enter", request: CREATE });
    assert.equal(script.model.dialog.kind, "name");
    script.act(action);
    assert.deepEqual(
      [script.model.screen, script.model.dialog],
      [screen, null],
    );
  }
});

test("a tab whose seat another tab has taken leaves without a question, and the seat stays saved", () => {
  for (const script of [player(), host()]) {
    script.step({ type: "closed", code: 4002, random: 0.5 });
    const { saved } = script.model;
    assert.equal(saved.length, 1);
    script.effects.length = 0;
    script.act({ type: "show", screen: "home" });
    assert.deepEqual(
      [script.model.screen, script.model.room, script.model.dialog],
      ["home", null, null],
    );
    assert.deepEqual([script.model.saved, script.model.left], [saved, null]);
    assert.deepEqual(script.effects, [{ type: "store-seat", seat: null }]);
  }
});

test("a seat is offered until its room closes, games first, and old ones last", () => {
  const HOUR = 3_600_000;
  const script = player();
  script.receive(ended);
  const [over] = script.model.saved;
  assert.deepEqual([over.room, over.isOver], [ROOM, true]);
  const offered = (saved, now = 5000) =>
    seatsToContinue({ ...script.model, saved }, now)[0] ?? null;
  const seat = (room, changes) => ({ ...SEAT, room, at: 5000, ...changes });
  const game = seat("game0000", { opponent: "Bob" });
  const invitation = seat("wait0000", { opponent: "" });
  assert.equal(offered([over, invitation, game]), game);
  const second = seat("game0001", { opponent: "Cleo" });
  assert.deepEqual(
    seatsToContinue(
      { ...script.model, saved: [over, second, invitation, game] },
      5000,
    ),
    [second, game, over],
    "all games, then the newest room without one",
  );
  assert.equal(offered([over, invitation]), over, "the newest");
  assert.equal(offered([invitation, over], 5000 + HOUR), null);
  assert.equal(offered([invitation, game], 5000 + HOUR), game);
  const later = { ...invitation, at: 5000 + 24 * HOUR };
  assert.equal(offered([game, later], later.at), later);
  assert.equal(offered([game], later.at), game, "a server may keep it longer");
  // Invitations that no friend has accepted do not displace saved games.
  let saved = [game];
  for (let count = 0; count < 10; count += 1)
    saved = changeSaved(saved, `wait${count}`, seat(`wait${count}`, {}));
  assert.deepEqual(
    [saved.length, saved[0].room, saved.at(-1)],
    [8, "wait9", game],
  );
  // A running game is saved again from time to time.
  const playing = player();
  const moved = (seq, seat, cell, now) =>
    playing.step({
      type: "received",
      message: {
        type: "events",
        room: ROOM,
        events: [{ seq, at: 2, event: { type: "moved", seat, cell } }],
      },
      now,
    }).model.saved[0].at;
  assert.deepEqual(
    [moved(5, "X", 0, 6000), moved(6, "O", 1, HOUR)],
    [5000, HOUR],
  );
  playing.receive({
    type: "events",
    room: ROOM,
    events: [{ seq: 7, at: 2, event: { type: "closed", reason: "idle" } }],
  });
  assert.deepEqual(playing.model.saved, []);
});

test("Continue waits for the connection", () => {
  const script = visitor({ saved: [SEAT] }).act({
    type: "continue",
    seat: SEAT,
  });
  assert.deepEqual([script.news(), script.model.screen], [[], "room"]);
  assert.deepEqual(script.online().news(), ["hello", "resume", "lobby"]);
  script.answer("resume", snapshot());
  assert.deepEqual([script.model.room.id, script.model.wanted], [ROOM, null]);
});

test("a seat is forgotten only if its room is gone", () => {
  for (const code of [
    "already_in_room",
    "already_seeking",
    "hello_first",
    "draining",
  ]) {
    const script = visitor({ saved: [SEAT] })
      .online()
      .act({ type: "continue", seat: SEAT })
      .reject("resume", code);
    assert.deepEqual(
      [
        script.model.saved,
        script.model.room,
        script.model.screen,
        script.model.banner.key,
      ],
      [[SEAT], null, "home", `reject_${code}`],
    );
    assert.ok(!script.effects.some(({ type }) => type === "store-saved"));
  }
  const script = visitor({ saved: [SEAT] })
    .online()
    .act({ type: "continue", seat: SEAT })
    .reject("resume", "unknown_room");
  assert.deepEqual(
    [script.model.saved, script.model.screen, script.model.banner.key],
    [[], "home", "room_closed"],
  );
  assert.deepEqual(
    script.effects.find(({ type }) => type === "store-saved"),
    { type: "store-saved", room: ROOM, seat: null },
  );
});

test("a name that the server rejects keeps the invitation and the wish", () => {
  const rejected = (script) =>
    script
      .step({ type: "opened" })
      .reject("hello", "bad_field", { field: "name" });
  const guest = visitor({ name: "", linkCode: CODE }).online();
  guest
    .act({
      type: "dialog",
      dialog: { kind: "name", next: { type: "join", room: CODE } },
    })
    .act({ type: "set-name", name: "Ann ❤️" });
  rejected(guest);
  assert.deepEqual(
    [
      guest.model.screen,
      guest.model.linkCode,
      guest.model.name,
      guest.model.banner.key,
    ],
    ["link", CODE, "", "name_rejected"],
  );
  guest
    .online()
    .act({
      type: "dialog",
      dialog: { kind: "name", next: { type: "join", room: CODE } },
    })
    .act({ type: "set-name", name: "Ann" });
  guest.online();
  assert.deepEqual(
    [guest.sent.findLast(({ type }) => type === "join").room, guest.model.name],
    [CODE, "Ann"],
  );

  const finder = visitor({ name: "" })
    .online()
    .act({ type: "enter", request: SEEK })
    .act({ type: "set-name", name: "\u202eevil" });
  rejected(finder);
  assert.deepEqual(finder.model.dialog, {
    kind: "name",
    next: SEEK,
    bot: null,
    error: "name_rejected",
  });
  assert.deepEqual([finder.model.screen, finder.model.wanted], ["home", null]);
  finder.online().act({ type: "set-name", name: "Ann" }).online();
  assert.ok(finder.news().includes("seek"));
});

test("a hello that no other name would mend is not repeated", () => {
  const script = visitor()
    .step({ type: "opened" })
    .reject("hello", "bad_field", { field: "party" });
  assert.deepEqual(
    [
      script.model.connection.state,
      script.effects.some(({ type }) => type === "connect"),
    ],
    ["stopped", false],
  );
});

test("an invitation is shown after the room of the tab has closed", () => {
  const script = visitor({ seat: SEAT, linkCode: CODE })
    .online()
    .reject("resume", "unknown_room");
  assert.deepEqual(
    [script.model.screen, script.model.linkCode, script.model.banner],
    ["link", CODE, null],
  );
  assert.equal(hashOf(script.model), `#${CODE}`);
});

test("an invitation that a tab opens with its game asks before it leaves", () => {
  const script = visitor({ seat: SEAT, linkCode: CODE })
    .online()
    .answer("resume", snapshot());
  assert.deepEqual(
    [script.model.room.id, script.model.dialog.next.request],
    [ROOM, { type: "join", room: CODE }],
  );
});

test("a game that was left without a connection is not resumed", () => {
  for (const stored of [false, true]) {
    let script = player();
    script.lose().act({ type: "leave" });
    assert.deepEqual([script.model.left, script.model.room], [ROOM, null]);
    // The visitor may load the page again before the page has connected.
    if (stored)
      script = visitor({
        left: script.effects.findLast(({ type }) => type === "store-left").left,
      });
    script.act({ type: "enter", request: CREATE });
    script.news();
    assert.deepEqual(script.online({ grant: SEAT }).news(), [
      "hello",
      "resume",
      "lobby",
    ]);
    script.answer("resume", snapshot());
    assert.deepEqual([script.model.room, script.news()], [null, ["leave"]]);
    script.done("leave");
    assert.deepEqual([script.model.left, script.news()], [null, ["create"]]);
    assert.deepEqual(
      script.effects.findLast(({ type }) => type === "store-left"),
      { type: "store-left", left: null },
    );
  }
});

test("a `leave` that is lost with its connection is repeated, and no other seat is left", () => {
  const script = player().act({ type: "leave" }).lose();
  script.news();
  assert.deepEqual(script.online({ grant: SEAT }).news(), [
    "hello",
    "resume",
    "lobby",
  ]);
  const other = player()
    .act({ type: "leave" })
    .lose()
    .online({ grant: { room: "other000", token: SEAT.token } });
  assert.deepEqual([other.model.room.id, other.model.left], ["other000", null]);
});

test("a connection without a sign of life is tested, then dropped", () => {
  const check = (script, now, heardAt, isForced = false) =>
    script.step({ type: "check", now, heardAt, isForced });
  const isDropped = (script) =>
    script.effects.some(({ type }) => type === "drop");
  const script = player().act({ type: "play", cell: 4 });
  script.news();
  assert.deepEqual(
    check(script, 7000, 4000).news(),
    [],
    "an answer may take a moment",
  );
  assert.deepEqual(check(script, 8000, 4000).news(), ["ping"]);
  check(script, 12_000, 4000);
  assert.equal(isDropped(script), false);
  check(script, 13_000, 4000);
  assert.equal(isDropped(script), true);
  script.lose();
  assert.deepEqual(
    Object.values(script.model.pending).map(({ request }) => request.type),
    ["move"],
  );

  const answered = check(player(), 8000, 8000, true);
  assert.deepEqual(answered.news(), ["ping"]);
  check(answered, 12_500, 12_400);
  check(answered, 17_300, 12_400);
  assert.equal(isDropped(answered), false, "other messages are signs of life");
  answered.done("ping");
  assert.deepEqual(check(answered, 20_000, 17_500).news(), []);
  assert.deepEqual(
    check(answered, 33_000, 17_500).news(),
    ["ping"],
    "after the interval of the server",
  );
});

test("no wait for the server is endless", () => {
  const check = (script, now) =>
    script.step({ type: "check", now, heardAt: now });
  const drops = (script) =>
    script.effects.splice(0).filter(({ type }) => type === "drop").length;
  // The connection opens, but no welcome follows.
  const silent = visitor().step({ type: "opened" });
  assert.equal(drops(check(silent, 9_999)), 0);
  assert.equal(drops(check(silent, 10_000)), 1);

  // If a request gets no answer, or only `busy`, the visitor can try again after some time.
  const state = ({ model }) => [model.wanted, model.screen, model.banner?.key];
  for (const request of [CREATE, SEEK, { type: "join", room: CODE }]) {
    const script = visitor().online().act({ type: "enter", request });
    check(script, 9_999);
    assert.deepEqual([drops(script), script.model.wanted], [0, request]);
    check(script, 10_000);
    assert.deepEqual(state(script), [null, "home", "no_answer"]);
    assert.equal(drops(script), 1);
  }
  // The settings do not lead back to a request that was given up.
  for (const [request, stored] of [
    [SEEK, {}],
    [{ type: "resume", ...SEAT }, { saved: [SEAT] }],
  ]) {
    const script = visitor(stored).online();
    if (request === SEEK) script.act({ type: "enter", request });
    else script.act({ type: "continue", seat: SEAT });
    check(script.act({ type: "show", screen: "settings" }), 10_000);
    assert.equal(script.model.screen, "settings");
    assert.equal(script.act({ type: "back" }).model.screen, "home");
  }
  const busy = visitor().online().act({ type: "enter", request: CREATE });
  const { id } = busy.last();
  busy.reject("create", "busy").step({ type: "resend", id, now: 9_800 });
  check(busy, 10_000);
  assert.deepEqual(state(busy), [null, "home", "reject_busy"]);
  assert.equal(drops(busy), 0);
  busy.news();
  busy.reject("create", "busy").step({ type: "resend", id, now: 10_100 });
  assert.deepEqual(busy.act({ type: "enter", request: CREATE }).news(), [
    "create",
  ]);

  // A seek may wait for an opponent, and a wish for the connection, without a limit. A seat waits
  // for its snapshot only for a limited time.
  const seeking = visitor().online().act({ type: "enter", request: SEEK });
  assert.equal(drops(check(seeking.done("seek"), 60_000)), 0);
  assert.deepEqual(seeking.model.wanted, SEEK);
  const offline = visitor().act({ type: "enter", request: CREATE });
  assert.deepEqual(check(offline, 60_000).model.wanted, CREATE);
  const resumed = visitor({ seat: SEAT }).online();
  assert.equal(drops(check(resumed, 10_000)), 1);
  assert.deepEqual(resumed.model.room.id, ROOM);

  // If the server cannot open the room yet, the page keeps asking and shows the reason.
  const held = visitor({ seat: SEAT }).online();
  const resume = held.last().id;
  held.effects.length = 0;
  for (let now = 6000; now <= 11_000; now += 1000) {
    held
      .reject("resume", "unavailable")
      .step({ type: "resend", id: resume, now });
    check(held, now);
  }
  assert.deepEqual(
    [held.model.banner.key, held.model.room.id, drops(held)],
    ["game_unavailable", ROOM, 0],
  );
  assert.equal(held.news().filter((type) => type === "resume").length, 7);
  held.answer("resume", snapshot());
  assert.equal(held.model.banner, null);

  // The server answers pings, but not the request that ends the room or the search. The page drops
  // the connection, because it could otherwise send no later request.
  const left = player()
    .act({ type: "leave" })
    .act({ type: "enter", request: CREATE });
  assert.equal(drops(check(left, 10_000)), 1);
  const cancelled = visitor()
    .online()
    .act({ type: "enter", request: SEEK })
    .done("seek");
  cancelled
    .act({ type: "cancel" })
    .act({ type: "enter", request: { ...SEEK, rules: "15x15:5" } });
  assert.equal(isUnanswered(cancelled.model), true);
  assert.equal(drops(check(cancelled, 10_000)), 1);
  assert.deepEqual(state(cancelled), [null, "home", "no_answer"]);

  // The page of a watched game keeps its wish until the server answers.
  const watched = new Script({});
  watched.model = { ...watched.model, wanted: { type: "watch", room: ROOM } };
  watched.online();
  const watch = watched.last().id;
  watched
    .reject("watch", "busy")
    .step({ type: "resend", id: watch, now: 9_800 });
  assert.equal(drops(check(watched, 10_000)), 0);
  assert.notEqual(watched.model.wanted, null);
  assert.equal(drops(check(watched, 14_800)), 1);
});

test("a server that closes each connection soon is tried less and less often", () => {
  const script = visitor();
  const delays = (online) =>
    [1, 2, 3].map(() => {
      script
        .online()
        .step({ type: "closed", code: 1011, random: 1, now: 5000 + online });
      return script.model.connection.retryAt - 5000 - online;
    });
  assert.deepEqual(delays(1000), [250, 500, 1000]);
  assert.deepEqual(delays(10_000), [250, 250, 250]);
});

test("a connection ends when the browser reports that the network is lost", () => {
  const script = visitor()
    .online()
    .step({ type: "network", hasNetwork: false });
  assert.deepEqual(script.effects.at(-1), { type: "drop" });
  assert.equal(script.model.connection.hasNetwork, false);
  script.lose().step({ type: "network", hasNetwork: true });
  assert.equal(script.model.connection.hasNetwork, true);
});

test("a move without a connection is sent when the seat is resumed", () => {
  const script = player().lose().act({ type: "play", cell: 4 });
  assert.deepEqual(script.news(), []);
  script.act({ type: "play", cell: 5 }).online();
  assert.deepEqual(script.news(), ["hello", "resume"]);
  script.answer("resume", snapshot());
  assert.deepEqual(
    script.sent.filter(({ type }) => type === "move").map(({ cell }) => cell),
    [4],
  );
  // If the game has ended meanwhile, the pending move is void.
  const late = player().lose().act({ type: "play", cell: 4 }).online();
  late.answer("resume", { ...ended, re: undefined });
  assert.equal(pendingMove(late.model), null);
});

test("a record has its link as its address, until the visitor goes elsewhere", () => {
  const { state } = snapshot();
  const script = visitor({ screen: "record" });
  assert.equal(hashOf(script.model), null, "the address stays");
  script.act({ type: "open-record", state, link: "AbC-_1" });
  assert.equal(hashOf(script.model), "#r/AbC-_1");
  script.act({ type: "show", screen: "settings" }).act({ type: "back" });
  assert.equal(hashOf(script.model), "#r/AbC-_1");
  script.act({ type: "show", screen: "record", link: "AbC-_2" });
  assert.equal(script.model.record.state, null, "another link is read");
  assert.equal(hashOf(script.model), "#r/AbC-_2");
  assert.equal(
    visitor({ screen: "record", link: "AbC-_1" }).model.record.id,
    "AbC-_1",
  );
});

test("a link to a finished game survives the question of a running game", () => {
  const script = player();
  const { state } = snapshot();
  script.model = { ...script.model, record: { id: "AbC-_1", state } };
  script.act({ type: "show", screen: "record", link: "AbC-_2" });
  assert.equal(hashOf(script.model), "");
  script.act({ type: "leave", then: script.model.dialog.next });
  assert.equal(hashOf(script.model), "#r/AbC-_2");
  assert.equal(script.model.record.state, null, "the link is read");
});

test("a game of the visitor is kept once, at its end, whatever screen is shown", () => {
  const keptBy = (script) =>
    script.effects
      .filter(({ type }) => type === "keep-game")
      .map(({ room }) => [room.id, room.state.game, room.state.phase]);
  const once = [[ROOM, 1, "over"]];
  const { state, ...rest } = snapshot();
  const over = { ...rest, state: { ...state, phase: "over", turn: undefined } };
  const script = player()
    .act({ type: "show", screen: "settings" })
    .receive(ended);
  assert.deepEqual(keptBy(script), once);
  script.lose().online().answer("resume", over);
  assert.deepEqual(keptBy(script), once);
  const reload = ({ model }) => {
    const [seat] = model.saved;
    return visitor({ saved: model.saved, seat })
      .online()
      .answer("resume", over);
  };
  assert.deepEqual(keptBy(reload(script)), []);
  // The game ends while the page is closed.
  assert.deepEqual(keptBy(reload(player())), once);
  const watched = visitor({ linkRoom: ROOM }).online();
  watched.answer("watch", snapshot({ role: {} })).receive(ended);
  assert.deepEqual(keptBy(watched), []);
});

test("stored settings of a wrong kind are the defaults", () => {
  const { settings } = visitor().model;
  const wrong = { language: { toString: 1 }, theme: 1, sounds: "yes" };
  assert.deepEqual(visitor({ settings: wrong }).model.settings, settings);
});

test("a resumed game has its bot", () => {
  const bot = {
    level: "easy",
    party: "1".repeat(26),
    seat: { room: ROOM, token: "b".repeat(26) },
  };
  const script = visitor({ seat: { ...SEAT, bot } })
    .online()
    .answer("resume", snapshot());
  script
    .step({ type: "closed", code: 4002, random: 0.5 })
    .act({ type: "reconnect" })
    .online();
  script.effects.length = 0;
  script.answer("resume", { type: "events", room: ROOM, events: [] });
  assert.deepEqual(
    script.effects.filter(({ type }) => type === "start-bot"),
    [{ type: "start-bot", room: ROOM, code: null, bot }],
  );
});

test("tabs change their own seats in the common list", async () => {
  const areas = [new Map(), new Map()].map((items) => ({
    getItem: (key) => items.get(key) ?? null,
    setItem: (key, value) => items.set(key, value),
  }));
  globalThis.window = { localStorage: areas[0], sessionStorage: areas[1] };
  const { readStorage, storeSaved } =
    await import("../../../client/web/page/io/storage.js");
  // Tab B has read the storage before the game of tab A begins.
  const b = player({ saved: readStorage().saved });
  const a = player({ saved: readStorage().saved });
  const carryOut = (script, room) => {
    for (const effect of script.effects)
      if (effect.type === "store-saved")
        storeSaved(room, effect.seat && { ...effect.seat, room });
    script.effects.length = 0;
  };
  carryOut(a, "aaaaaaaa");
  carryOut(b, "bbbbbbbb");
  assert.deepEqual(
    readStorage().saved.map(({ room }) => room),
    ["bbbbbbbb", "aaaaaaaa"],
  );
  carryOut(b.act({ type: "leave" }), "bbbbbbbb");
  assert.deepEqual(
    readStorage().saved.map(({ room }) => room),
    ["aaaaaaaa"],
  );
  b.step({ type: "saved", saved: readStorage().saved });
  assert.deepEqual(
    b.model.saved.map(({ room }) => room),
    ["aaaaaaaa"],
  );
  delete globalThis.window;
});

test("stored data that this version does not know is not used", async () => {
  const items = new Map();
  const area = {
    getItem: (key) => items.get(key) ?? null,
    setItem: (key, value) => items.set(key, value),
  };
  globalThis.window = { localStorage: area, sessionStorage: area };
  const { readStorage } =
    await import("../../../client/web/page/io/storage.js");
  const read = (stored) => {
    for (const key of ["noughts.tab", "noughts.visitor"])
      items.set(
        key,
        typeof stored === "string" ? stored : JSON.stringify(stored),
      );
    const { party, ...rest } = readStorage();
    assert.match(party, /^[0-7][0-9a-z]{25}$/);
    return rest;
  };
  const none = read({});
  assert.equal(none.settings.language, "");
  const game = { ...SEAT, rules: "chess" };
  const bot = { level: "godlike", party: "", seat: null };
  const named = { level: "easy", party: "", seat: null, name: "b".repeat(49) };
  for (const stored of [
    "",
    "null",
    "[]",
    "7",
    "{",
    { settings: { theme: 7, confirm: null, phrases: "no" } },
    { settings: [], choice: "3x3:3", saved: {}, seat: 1, search: "seek" },
    { choice: { rules: "chess" }, seat: game, saved: [game, null, 7] },
    { seat: { ...SEAT, bot }, saved: [{ ...SEAT, opponent: 5 }], party: "x" },
    { seat: { ...SEAT, bot: named }, name: "A".repeat(49) },
    { search: { type: "join", room: ROOM }, name: ["Ann"], left: {} },
    { search: { type: "seek", rules: "3x3:3", clock: "fast" } },
  ])
    assert.deepEqual(read(stored), none, JSON.stringify(stored));
  const seat = { ...SEAT, rules: "3x3:3", opponent: "Bob", code: CODE };
  const kept = read({
    saved: [seat],
    seat: { ...SEAT, bot: { level: "easy", party: "p", seat: null } },
    search: { ...SEEK, clock: "3+2" },
    name: "Ann",
    settings: { language: "ru", later: 1 },
    choice: { rules: "gomoku", clock: "5+3", level: "hard", botSeat: "Z" },
  });
  assert.deepEqual(
    [kept.saved, kept.search, kept.name, kept.settings.language, kept.choice],
    [
      [seat],
      { ...SEEK, clock: "3+2" },
      "Ann",
      "ru",
      {
        rules: "15x15:5",
        clock: "5+3",
        seat: null,
        level: "hard",
        botSeat: null,
      },
    ],
  );
  assert.equal(kept.seat.bot.level, "easy");
  delete globalThis.window;
});

test("the address of a screen leads to that screen", () => {
  for (const screen of [
    "home",
    "lobby",
    "watch",
    "bot",
    "custom",
    "settings",
  ]) {
    const { model } = visitor().online().act({ type: "show", screen });
    assert.equal(routeOf(hashOf(model)).screen, screen);
    assert.equal(visitor({ screen }).model.screen, screen);
  }
  const { screen, link: payload } = routeOf("#r/AbC-_1");
  assert.deepEqual([screen, payload], ["record", "AbC-_1"]);
  const link = routeOf(`#${CODE}`).code;
  assert.deepEqual(
    [
      link,
      routeOf(`#w/${ROOM}`).room,
      routeOf("#settings").code,
      routeOf("#main").screen,
    ],
    [CODE, ROOM, "settings", null],
  );
  // A visitor pastes a link, or types a code with blanks.
  for (const input of [
    `https://play.example/#${CODE}`,
    ` ${CODE} `,
    CODE.replaceAll("-", " "),
  ])
    assert.equal(
      routeOfInput(input).code.replaceAll("-", ""),
      CODE.replaceAll("-", ""),
    );
  assert.equal(routeOfInput(`https://play.example/#w/${CODE}`).room, CODE);
  for (const input of ["hello", "https://play.example/"]) {
    const { code, room } = routeOfInput(input);
    assert.deepEqual([code, room], [null, null], input);
  }
  // The address of the players does not contain the code of their game.
  assert.equal(hashOf(host().model), "");
  assert.equal(hashOf(visitor({ linkCode: CODE }).model), `#${CODE}`);
  const watched = visitor({ linkRoom: ROOM }).online();
  assert.equal(hashOf(watched.model), null);
  watched.answer("watch", snapshot({ role: {} }));
  assert.equal(hashOf(watched.model), `#w/${ROOM}`);
  // During a game, Back asks for confirmation. During a search, Back ends the search.
  const script = player().act({ type: "show", screen: "home" });
  assert.deepEqual(
    [script.model.screen, script.model.dialog.kind],
    ["room", "leave"],
  );
});

test("a game that another tab plays is not offered", () => {
  const seat = { ...SEAT, at: 5000 };
  const other = { ...seat, room: "other000" };
  const script = visitor({ saved: [seat, other] });
  assert.equal(seatsToContinue(script.model, 5000)[0], seat);
  script.step({ type: "elsewhere", rooms: [ROOM] });
  assert.equal(seatsToContinue(script.model, 5000)[0], other);
  script.step({ type: "elsewhere", rooms: [ROOM, "other000"] });
  assert.deepEqual(seatsToContinue(script.model, 5000), []);
  const owner = player();
  assert.equal(playedRoom(owner.model), ROOM);
  assert.equal(
    playedRoom(owner.step({ type: "closed", code: 4002, random: 0.5 }).model),
    null,
  );
});

test("each line that is shown for a moment is announced once", () => {
  const announced = (script, message) => {
    script.effects.length = 0;
    return script
      .receive(message)
      .effects.filter(({ type }) => type === "announce" || type === "toast")
      .map(({ type, key }) => `${type} ${key}`);
  };
  const script = player();
  const presence = (presence) => ({
    type: "notice",
    room: ROOM,
    notice: { type: "presence", seat: "O", presence },
  });
  assert.deepEqual(announced(script, presence("disconnected")), [
    "announce is_disconnected",
  ]);
  assert.deepEqual(announced(script, presence("connected")), ["toast is_back"]);
  // The presence of the page's own bot is not announced, because the bot connects and disconnects
  // with the visitor.
  script.model = {
    ...script.model,
    bot: { level: "casual", party: "", seat: { room: ROOM, token: "" } },
  };
  assert.deepEqual(announced(script, presence("disconnected")), []);
  assert.deepEqual(announced(script, presence("connected")), []);
  // The bot has not taken the seat yet, so the opponent is still a person, who is announced.
  script.model = {
    ...script.model,
    bot: { level: "casual", party: "", seat: null, isSubstitute: true },
  };
  assert.deepEqual(announced(script, presence("disconnected")), [
    "announce is_disconnected",
  ]);
  assert.deepEqual(announced(script, presence("connected")), ["toast is_back"]);
  script.model = { ...script.model, bot: null };
  const events = [
    { seq: 5, at: 2, event: { type: "offered", seat: "X", offer: "draw" } },
    { seq: 6, at: 2, event: { type: "declined", seat: "O", offer: "draw" } },
  ];
  assert.deepEqual(announced(script, { type: "events", room: ROOM, events }), [
    "toast declined_draw",
  ]);
  script.lose().step({ type: "opened" });
  assert.deepEqual(announced(script, welcome(script.last().id)), [
    "toast reconnected",
  ]);
  script.answer("resume", snapshot());
  const home = visitor().online().lose().step({ type: "opened" });
  assert.deepEqual(announced(home, welcome(home.last().id)), [
    "announce reconnected",
  ]);
  assert.deepEqual(
    announced(script, {
      type: "events",
      room: ROOM,
      events: [{ seq: 5, at: 2, event: { type: "closed", reason: "idle" } }],
    }),
    ["announce room_closed"],
  );
});

test("the letters of the board do not depend on the layout of the keyboard", () => {
  const letters = [
    ["l", "KeyL"],
    ["L", "KeyL"],
    ["д", "KeyL"],
    ["l", "KeyP"],
    ["5", "Digit5"],
    ["F5", "F5"],
    [" ", "Space"],
    ["Dead", "KeyL"],
  ];
  assert.deepEqual(
    letters.map(([key, code]) => latinLetter({ key, code })),
    ["l", "l", "l", "l", "", "", "", ""],
  );
});

test("a link for others has an address that they can reach", () => {
  const local = { hostname: "127.0.0.1", origin: "http://127.0.0.1:7878" };
  const own = {
    hostname: "games.example.org",
    origin: "https://games.example.org",
  };
  assert.deepEqual(
    [
      linkOrigin("wss://games.example.org/ws", local),
      linkOrigin(null, local),
      linkOrigin("?", local),
      linkOrigin("ws://10.0.0.7:7878/ws", own),
    ],
    ["https://games.example.org", local.origin, local.origin, own.origin],
  );
});

test("a connection keeps to the limits of its server, and is given up if it does not open", async (t) => {
  const { Connection } =
    await import("../../../client/web/page/io/connection.js");
  const sockets = [];
  globalThis.WebSocket = class {
    static CONNECTING = 0;
    static OPEN = 1;
    readyState = 0;
    sent = [];
    constructor() {
      sockets.push(this);
    }
    addEventListener() {}
    send(text) {
      this.sent.push(text);
    }
    close() {
      this.readyState = 3;
    }
  };
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const codes = [];
  const connection = new Connection("ws://server/ws", () => 0, {
    onOpened() {},
    onClosed: (code) => codes.push(code),
    onMessage() {},
  });
  connection.connect();
  t.mock.timers.tick(4_999);
  assert.deepEqual(codes, []);
  t.mock.timers.tick(1);
  assert.deepEqual([codes, sockets[0].readyState], [[1006], 3]);
  connection.connect();
  sockets[1].readyState = 1;
  const script = visitor().online({
    limits: { burst: 8, per_second: 5 },
  });
  connection.limit(script.effects.find(({ type }) => type === "limit").limits);
  for (let id = 0; id < 10; id += 1) connection.send({ id });
  assert.equal(sockets[1].sent.length, 6);
  t.mock.timers.tick(60_000);
  assert.deepEqual(codes, [1006], "a connection that is open stays");
  connection.disconnect();
  delete globalThis.WebSocket;
});
