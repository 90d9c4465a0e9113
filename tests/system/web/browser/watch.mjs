// A third visitor watches the game of two others: in the grid, on TV, alone, and by its link.
import assert from "node:assert/strict";
import { test } from "node:test";
import { DESKTOP, PHONE, suite } from "./fixture.mjs";
import { waitUntil } from "./wait.mjs";
import { RawPlayers } from "./raw-players.mjs";

suite(
  "a visitor watches the games of others",
  { sizes: [PHONE, PHONE, DESKTOP] },
  (fixture) => {
    const { server } = fixture;
    const [ann, bob, eve] = fixture.pages;

    const play = (cell, count) => fixture.play(ann, bob, cell, count);

    test("a public game is in the grid", async () => {
      await Promise.all([
        fixture.visit(ann, { name: "Ann" }),
        fixture.visit(bob, { name: "Bob" }),
        fixture.visit(eve, { name: "Eve" }),
      ]);
      await ann.click("Lobby");
      await ann.click("Open a room");
      await ann.until(
        "document.body.innerText.includes('Your room is in the lobby')",
      );
      await bob.click("Lobby");
      // The button is found by its row, because the form for a code has a button with the same
      // text.
      await bob.until(
        "document.querySelector('.row button')?.checkVisibility()",
      );
      await bob.activate(".row button");
      await play(4, 1);
      await eve.click("Watch");
      await eve.shows(".watch-card .picture.position");
      assert.equal(await eve.count(".watch-card"), 1);
      assert.match(
        await eve.textOf(".watch-card"),
        /^Tic-tac-toemove 1(Ann.*Bob|Bob.*Ann)$/,
      );
    });

    test("the grid follows the moves", async () => {
      await play(0, 2);
      await eve.until(
        "document.querySelectorAll('.watch-card .o').length >= 2",
      );
    });

    test("one game has a link, and a reload keeps watching", async () => {
      await eve.activate(".watch-card");
      await eve.until("document.querySelectorAll('.cell.marked').length === 2");
      assert.match(await eve.run("return location.hash"), /^#w\/[0-9a-z]{8}$/);
      await ann.until(
        "document.querySelector('.watchers')?.textContent.includes('1 spectator')",
      );
      assert.equal(await eve.textOf(".tab[aria-current]"), "Watch");
      await eve.reload();
      await eve.until("document.querySelectorAll('.cell.marked').length === 2");
      await play(1, 3);
      await eve.until("document.querySelectorAll('.cell.marked').length === 3");
      await eve.leaveGame();
      await eve.shows(".watch-card");
      await eve.until("location.hash === '#/watch'");
    });

    test("the TV shows the result, and the next game of the same players", async () => {
      await eve.activate("input[value=tv]");
      await eve.shows(".watch-grid.tv .picture.position");
      await play(8, 4);
      await play(7, 5);
      await eve.until(
        "document.querySelector('.watch-results strong')?.textContent.includes('wins')",
      );
      assert.match(await eve.textOf(".watch-head"), /wins/);
      await ann.click("Rematch");
      await bob.click("Accept");
      await eve.shows(".watch-head .live");
      assert.equal(await eve.count(".watch-results li"), 1);
    });

    test("a game that does not exist has a text and a way on", async () => {
      // Opens the link from another document. Otherwise only the hash would change, and the reload
      // that follows would lose the answer.
      await fixture.leavePage(eve);
      await eve.go(`${server.page}#w/00000000`);
      await eve.until("document.body.innerText.includes('no longer valid')");
      await eve.click("Play");
      await eve.shows(".game-card");
    });

    test("leaving the screen closes its connections", async () => {
      await eve.click("Watch");
      await ann.until(
        "document.querySelector('.watchers')?.textContent.includes('1 spectator')",
      );
      await eve.click("Play");
      await ann.until("!document.querySelector('.watchers').checkVisibility()");
    });

    const cards =
      "[...document.querySelectorAll('.watch-card')].map((card) => card.textContent)";
    /** Games of different boards, with their first moves. */
    const GAMES = [
      ["3x3:3", [4, 0, 8]],
      ["7x6:4+gravity", [38, 31, 39]],
      ["15x15:5", [112, 113, 128]],
      ["4x4x4:4", [0, 21, 63]],
      ["3x3x3x3:3", [40, 0, 80]],
      ["25x25:6", [312, 313, 338]],
      ["9:3", [4, 3, 5]],
    ];

    test("the grid shows six of seven games, and the seventh after the end of one", async () => {
      // Ends the game of the earlier tests.
      await ann.click("Resign");
      await ann.confirm();
      // Waits for the result, because a player who leaves earlier would be asked for confirmation.
      await fixture.both("document.querySelector('.result')");
      await Promise.all([ann.leaveGame(), bob.leaveGame()]);
      await bob.shows(".game-card");
      await Promise.all([
        fixture.visit(ann, { name: "Ann" }),
        fixture.visit(eve, { name: "Eve" }),
      ]);
      // The page does not show an empty list.
      await eve.until(
        "document.querySelector('.stage-empty') && !document.querySelector('.home-side .rows')",
      );
      const players = new RawPlayers(ann);
      for (const [index, [rules, moves]] of GAMES.slice(0, 6).entries()) {
        await players.start([`Left${index}`, `Right${index}`], rules);
        for (const [ply, cell] of moves.entries())
          await players.play(`Left${index}`, ply, cell);
      }
      // The first screen of each visitor shows one of the games over a further connection, and
      // closes this connection when the visitor leaves the screen.
      const untilConnections = (wanted) =>
        waitUntil(
          async () => {
            const metrics = await (await fetch(`${server.page}metrics`)).text();
            const [, count] =
              /^noughts_connections(?:\{[^}]*\})? (\d+)/m.exec(metrics) ?? [];
            return Number(count) === wanted;
          },
          () => eve.describe(`${wanted} connections`),
        );
      await eve.until(
        "document.querySelector('.live-card .picture.position') && document.querySelectorAll('.live-card').length === 1",
      );
      await untilConnections(12 + 2 * fixture.pages.length);
      await eve.takePicture("home-live-desktop");
      // A hidden page does not watch games.
      const hide = (isHidden) =>
        eve.run(
          "Object.defineProperty(document, 'hidden', { value: arguments[0], configurable: true }); document.dispatchEvent(new Event('visibilitychange'))",
          isHidden,
        );
      await hide(true);
      await untilConnections(12 + 2 * fixture.pages.length - 1);
      await hide(false);
      await untilConnections(12 + 2 * fixture.pages.length);
      await eve.click("Watch");
      await eve.until(
        "document.querySelectorAll('.watch-card .picture.position').length === 6",
      );
      for (const index of GAMES.slice(0, 6).keys())
        await eve.until(
          `${cards}.filter((text) => text.includes('Left${index}') && text.includes('Right${index}') && /move 3/.test(text)).length === 1`,
        );
      await hide(true);
      await untilConnections(12 + 2 * fixture.pages.length - 1);
      await hide(false);
      await untilConnections(12 + 2 * fixture.pages.length - 1 + 6);
      await eve.takePicture("grid-desktop");
      await eve.resize(...PHONE);
      await eve.takePicture("grid-phone");
      await eve.resize(...DESKTOP);
      const before = await eve.run(
        "return [...document.querySelectorAll('.watch-card')].map((card) => card.textContent.match(/Left\\d/)[0])",
      );
      await players.play("Left2", 3, 0);
      await eve.until(
        `${cards}.some((text) => text.includes('Left2') && /move 4/.test(text))`,
      );
      await players.start(["Left6", "Right6"], GAMES[6][0]);
      await players.resign("Left3");
      await eve.until(
        `${cards}.some((text) => text.includes('Right3') && text.includes('wins'))`,
      );
      await eve.skipTime(8_000);
      await eve.until(`${cards}.some((text) => text.includes('Left6'))`);
      const after = await eve.run(
        "return [...document.querySelectorAll('.watch-card')].map((card) => card.textContent.match(/Left\\d/)[0])",
      );
      assert.deepEqual(
        after,
        before.map((name) => (name === "Left3" ? "Left6" : name)),
        "the other games keep their places",
      );
      // One connection for each page, one for each game that is shown, and one for each first screen.
      await untilConnections(14 + 2 * fixture.pages.length - 1 + 6);
      // After the end of a game, the visitor can go to another game.
      await eve.run(
        "[...document.querySelectorAll('.watch-card')].find((card) => card.textContent.includes('Left0')).click()",
      );
      await eve.until("document.querySelectorAll('.cell.marked').length === 3");
      const watched = await eve.run("return location.hash");
      await players.resign("Left0");
      await eve.click("Next game");
      await eve.until(
        `/^#w\\/\\w+$/.test(location.hash) && location.hash !== '${watched}' && !document.querySelector('.result')`,
      );
      await eve.click("Play");
      await ann.reload();
    });
  },
);
