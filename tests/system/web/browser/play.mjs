// Two browsers play a game on the page of a real server.
import assert from "node:assert/strict";
import { test } from "node:test";
import { DESKTOP, IS_ONLINE, PHONE, moves, suite } from "./fixture.mjs";

suite(
  "two browsers play on the page",
  { sizes: [PHONE, DESKTOP] },
  (fixture) => {
    const { server } = fixture;
    const [ann, bob] = fixture.pages;
    const IS_LOOKING = "document.querySelector('.looking-picture')";
    /** Replaces the tab of a visitor by a new tab with its own session storage. */
    const newTab = async (page) => {
      await fixture.leavePage(page);
      await page.run("sessionStorage.clear()");
    };
    const play = (cell, count) => fixture.play(ann, bob, cell, count);

    test("a reload goes on with the search for an opponent", async () => {
      await fixture.visit(ann, { name: "Ann" });
      await ann.click("Find an opponent");
      await ann.until(IS_LOOKING);
      await ann.reload();
      await ann.until(`${IS_ONLINE} && ${IS_LOOKING}`);
      await fixture.visit(bob, { name: "Bob" });
      await bob.click("Find an opponent");
      await fixture.both("document.querySelector('.board')");
      await Promise.all([fixture.forget(ann), fixture.forget(bob)]);
    });

    test("a search that was given up does not come back with a reload", async () => {
      await fixture.visit(ann, { name: "Ann" });
      await ann.click("Find an opponent");
      await ann.until(IS_LOOKING);
      await ann.click("Cancel");
      await ann.reload();
      await ann.until(`${IS_ONLINE} && document.querySelector('.game-card')`);
      await fixture.forget(ann);
    });

    test("a friend joins by a link, and both play to the end", async () => {
      await ann.go(server.page);
      await ann.until(IS_ONLINE);
      await ann.click("Invite a friend");
      const link = await ann.until(
        "document.querySelector('.code')?.textContent && document.querySelector('#link').value",
      );
      assert.match(link, /#[0-9a-z]{4}-[0-9a-z]{4}-[0-9a-z]{4}$/);
      const shownLink = `${IS_ONLINE} && document.querySelector('.code')?.textContent && document.querySelector('#link').value`;
      // The link stays the same after a reload of the waiting page, and in a new tab after the page was closed.
      await ann.reload();
      assert.equal(await ann.until(shownLink), link);
      await newTab(ann);
      await ann.go(server.page);
      await ann.until(
        "document.querySelector('.continue').innerText.includes('Waiting for an opponent')",
      );
      await ann.click("Continue");
      assert.equal(await ann.until(shownLink), link);
      await newTab(ann);
      await ann.go(link);
      assert.equal(await ann.until(shownLink), link);
      await newTab(ann);
      await bob.go(link);
      await bob.type("#name", "<b>Боб</b>");
      await bob.click("Join the game");
      await bob.shows(".board");
      // The friend has joined while the host was away.
      await ann.go(link);
      await ann.shows(".board");
      // The page shows names as text, and the address does not contain the code any more.
      assert.equal(await ann.textOf(".player.far bdi"), "<b>Боб</b>");
      assert.equal(await bob.run("return location.hash"), "");
      await play(4, 1);
      await newTab(bob);
      await bob.go(link);
      await bob.until(moves(1));
      await play(0, 2);
    });

    test("a reload during the game resumes it", async () => {
      await ann.reload();
      await ann.until(moves(2));
      await ann.until(IS_ONLINE);
      await play(1, 3);
    });

    test("both pages recover from a killed server by themselves", async () => {
      await server.kill();
      await fixture.both("document.querySelector('.banner.bad')");
      assert.equal(await ann.count(".cell.marked"), 3);
      await server.start();
      const isBack = `${IS_ONLINE} && !document.querySelector('.banner.bad')`;
      await fixture.both(isBack);
      await play(8, 4);
      for (const page of [ann, bob])
        await page.run(`window.rains = 0;
          new MutationObserver((records) => {
            for (const { addedNodes } of records) for (const node of addedNodes) if (node.className === "confetti") window.rains += 1;
          }).observe(document.querySelector(".game"), { childList: true });`);
      await play(7, 5);
      await fixture.both("document.querySelector('.result')");
      const titles = await Promise.all(
        [ann, bob].map((page) => page.textOf(".result h2")),
      );
      assert.deepEqual(titles.toSorted(), ["You lost", "You win!"]);
      assert.equal(await ann.count(".cell.win"), 3);
      // The winning line is drawn below the marks, on the board and on the stamp. Confetti falls
      // only for the winner, and soon disappears.
      await fixture.both(
        "document.querySelector('.frame').firstElementChild.matches('.win-line') && document.querySelector('.stamp path.won')",
      );
      const [winner, loser] =
        titles[0] === "You win!" ? [ann, bob] : [bob, ann];
      await winner.until("rains === 1 && !document.querySelector('.confetti')");
      assert.equal(await loser.run("return rains"), 0);
    });

    test("a reload after the end shows the result again", async () => {
      const result = () =>
        ann.until("document.querySelector('.result')?.textContent");
      const before = await result();
      await ann.reload();
      assert.equal(await result(), before);
      await ann.until(
        `${IS_ONLINE} && document.querySelectorAll('.cell.win').length === 3`,
      );
    });

    test("a rematch swaps the seats", async () => {
      const before = await ann.run(
        "return document.querySelector('.player.near').className.includes(' x')",
      );
      await ann.click("Rematch");
      await bob.click("Accept");
      await fixture.both(moves(0));
      const seats = await Promise.all(
        [ann, bob].map((page) =>
          page.run(
            "return document.querySelector('.player.near').className.includes(' x')",
          ),
        ),
      );
      assert.deepEqual(seats, [!before, before]);
    });

    test("the keyboard is enough to play to a win", async () => {
      const [page, other] = await fixture.turn(ann, bob);
      await page.run("document.querySelector('.cell[tabindex=\"0\"]').focus()");
      // Control and Home, arrow down, Enter.
      await page.keys("Control", "Home");
      await page.keys("ArrowDown");
      await page.keys("Enter");
      await fixture.both(moves(1));
      const label = await page.run(
        "return document.querySelector('.cell.last').getAttribute('aria-label')",
      );
      assert.match(label, /^4, X, last move$/);
      // The other player begins at 1; then both go to the right.
      const turns = [
        [other, ["Control", "Home"]],
        [page, ["ArrowRight"]],
        [other, ["ArrowRight"]],
        [page, ["ArrowRight"]],
      ];
      for (const [index, [player, keys]] of turns.entries()) {
        await player.run(
          "document.querySelector('.cell[tabindex=\"0\"]').focus()",
        );
        await player.keys(...keys);
        await player.keys("Enter");
        await fixture.both(moves(index + 2));
      }
      await fixture.both("document.querySelector('.result')");
      await ann.click("Rematch");
      await bob.click("Accept");
      await fixture.both(moves(0));
      await play(4, 1);
    });
  },
);
