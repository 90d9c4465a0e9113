// Offers, clocks, absence, touch, and a room shared with the client in a terminal.
import assert from "node:assert/strict";
import { test } from "node:test";
import { DESKTOP, PHONE, moves, suite } from "./fixture.mjs";
import { Terminal } from "./server.mjs";

// A short time until an absent opponent loses, so that a test can wait for it.
suite(
  "offers, clocks and absence are shown",
  {
    sizes: [PHONE, DESKTOP],
    options: [
      "--set",
      "reconnect-grace=1s",
      "--set",
      "leave-grace=1s",
      "--set",
      "max-spectators=0",
    ],
  },
  (fixture) => {
    const { server } = fixture;
    const [ann, bob] = fixture.pages;

    const status = (page) =>
      page.run("return document.querySelector('.status').innerText");

    test("players find each other by touch and keyboard", async () => {
      await fixture.pairWithTurn(ann, bob);
      // The first tap of a large cell plays it.
      const count = await ann.count(".move");
      await ann.tap('[data-cell="4"]');
      await fixture.both(moves(count + 1));
    });

    test("each player offers, accepts, declines and withdraws", async () => {
      const count = await ann.count(".move");
      for (const [one, other] of [
        [ann, bob],
        [bob, ann],
      ]) {
        await one.click("Draw");
        await other.until(
          "document.querySelector('.banner')?.innerText.includes('offers a draw')",
        );
        await one.click("Cancel offer");
        await fixture.both("!document.querySelector('.banner')");
        await one.click("Draw");
        await other.click("Decline");
        await fixture.both("!document.querySelector('.banner')");
      }
      await ann.click("Take back");
      await bob.click("Accept");
      await fixture.both(
        `document.querySelectorAll('.move').length < ${count}`,
      );
      await bob.click("Draw");
      await ann.click("Accept");
      await fixture.both("document.querySelector('.result')");
      assert.match(await status(ann), /Draw/);
      await bob.click("Rematch");
      await ann.click("Decline");
      await ann.click("Rematch");
      await bob.click("Accept");
      await fixture.both(moves(0));
    });

    test("a player who is absent too long loses by a claim", async () => {
      const [mover, waiting] = await fixture.lose(ann, bob);
      await waiting.until(
        "/disconnected|claim/.test(document.querySelector('.banner')?.innerText)",
      );
      await waiting.until(
        "[...document.querySelectorAll('.banner button')].find((button) => button.getAttribute('aria-disabled') !== 'true')",
      );
      await waiting.click("Claim the win");
      await waiting.shows(".result");
      assert.match(await status(waiting), /You win!/);
      // The browser has kept the page of the absent player, and the page connects again.
      await mover.back();
      await mover.shows(".result");
      assert.match(await status(mover), /You lost/);
      assert.match(await status(mover), /You were away too long/);
    });

    test("a bot takes the seat of an opponent who does not come back", async () => {
      await fixture.pair(ann, bob);
      await fixture.play(ann, bob, 4, 1);
      const [mover, waiting] = await fixture.lose(ann, bob);
      await waiting.until(
        "[...document.querySelectorAll('.banner button')].find((button) => button.textContent === 'Let a bot play' && button.getAttribute('aria-disabled') !== 'true')",
      );
      await waiting.click("Let a bot play");
      await waiting.until(
        "document.querySelector('.player.far .name')?.textContent === 'Bot 4'",
      );
      // The bot of the page continues the game, because it is to move.
      await waiting.until(moves(2));
      await waiting.until(
        "!document.querySelector('.banner') && document.title.startsWith('●')",
      );
      // The absent player has lost the seat, so the page does not show the game.
      await mover.back();
      await mover.until("!document.querySelector('.board')");
      await waiting.leaveGame();
      await waiting.confirm();
      await waiting.shows(".game-card");
    });

    /** Ways of a visitor back to a seat after the tab is gone. */
    const WAYS_BACK = {
      "by the link": (tab, link) => tab.go(link),
      "by Continue": async (tab) => {
        await tab.go(server.page);
        await tab.click("Continue");
      },
    };

    for (const [way, comeBack] of Object.entries(WAYS_BACK)) {
      test(`a host and a friend who close their tabs get their seats back ${way}`, async () => {
        let host = await fixture.openTab(ann);
        let friend = await fixture.openTab(bob);
        await fixture.visit(host, { name: "Ann" });
        await host.click("Invite a friend");
        const link = await host.until(
          "document.querySelector('.code')?.textContent && document.querySelector('#link').value",
        );
        /** Closes a tab, and returns a tab that is back at the seat. */
        const reopen = async (tab, found) => {
          const next = await fixture.openTab(tab);
          await tab.close();
          await comeBack(next, link);
          await next.shows(found);
          return next;
        };
        // The host reopens the tab before the friend has joined.
        host = await reopen(host, "#link");
        assert.equal(await host.run("return link.value"), link);
        await fixture.visit(friend, { name: "Bob", hash: new URL(link).hash });
        await friend.click("Join the game");
        await Promise.all([host.shows(".board"), friend.shows(".board")]);
        // Both reopen their tabs after the friend has joined.
        host = await reopen(host, ".board");
        friend = await reopen(friend, ".board");
        await fixture.play(host, friend, 4, 1);
        await fixture.play(host, friend, 0, 2);
        for (const tab of [host, friend]) await tab.close();
      });
    }

    test("a page and a terminal play in one room, until a clock runs out", async () => {
      const terminal = new Terminal(
        fixture.folder,
        "play",
        `${server.page.replace("http", "ws")}ws`,
        "--private",
        "--clock",
        "3s+0",
        "--name",
        "Tom",
        "--seat",
        "x",
      );
      fixture.atEnd(() => terminal.kill());
      const [, code] = await terminal.until(
        /\b([0-9a-z]{4}-[0-9a-z]{4}-[0-9a-z]{4})\b/,
      );
      // The room has a free seat, but no place for a spectator, so the server refuses the preview
      // of the link.
      const end = await bob.runFirst(`const Connection = WebSocket;
        window.WebSocket = class extends Connection {
          constructor(...options) {
            super(...options);
            this.addEventListener('message', ({ data }) => { window.isPreviewRefused ||= /room_full/.test(data); });
          }
        };`);
      await fixture.visit(bob, { name: "Bob", hash: `#${code}` });
      await end();
      await bob.until("window.isPreviewRefused");
      await bob.click("Join the game");
      await bob.shows(".board");
      assert.equal(await bob.textOf(".player.far bdi"), "Tom");
      await terminal.until(/Your move/);
      terminal.write("b2");
      await bob.until(moves(1));
      await bob.press(0);
      await bob.until(moves(2));
      await terminal.until(/a1/);
      await bob.shows(".clock.running.low");
      await bob.shows(".result");
      assert.match(await status(bob), /You win!\s+Time ran out\./);
    });
  },
);
