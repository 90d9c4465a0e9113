// The profile of an opponent, and the games of an identity that only the server has.
import assert from "node:assert/strict";
import { test } from "node:test";
import { DESKTOP, IS_ONLINE, PHONE, suite } from "./fixture.mjs";

suite(
  "a visitor sees the profile of an opponent, and the games on the server",
  { sizes: [PHONE, DESKTOP] },
  (fixture) => {
    const [ann, bob] = fixture.pages;
    const SECRET = "JSON.parse(localStorage['noughts.visitor']).identity";

    async function visitAgain(page, name) {
      await fixture.visit(page, { name, rules: "3x3:3" });
      await page.until(SECRET);
      await page.reload();
      await page.until(IS_ONLINE);
    }

    const dialogText = (page) => page.textOf("dialog[open].profile");
    const rows = (count) =>
      `document.querySelectorAll('.my-game').length === ${count}`;

    test("a tap on the name of the opponent shows the profile after the game", async () => {
      await Promise.all([visitAgain(ann, "Ann"), visitAgain(bob, "Bob")]);
      await ann.click("Find an opponent");
      await bob.click("Find an opponent");
      await Promise.all([ann.shows(".board"), bob.shows(".board")]);
      assert.equal(await ann.count(".profile-link"), 0);
      for (const [index, cell] of [4, 0, 2, 1, 6].entries())
        await fixture.play(ann, bob, cell, index + 1);
      await fixture.both("document.querySelector('.result')");
      assert.equal(await ann.count(".profile-link"), 1);
      await ann.activate(".profile-link");
      await ann.shows("dialog[open] .profile-games");
      const text = await dialogText(ann);
      assert.match(text, /^Bob·[0-9a-z]{6}1 game, [01] won, 0 drawn/);
      assert.match(
        text,
        /Your games against this player: [01] won, 0 drawn, [01] lost/,
      );
      assert.match(text, /Tic-tac-toe[01]0[01]/);
      await ann.takePicture("profile");
      await ann.click("Close");
      await ann.until("!document.querySelector('dialog')");
    });

    test("a game in the profile is replayed", async () => {
      await bob.activate(".profile-link");
      await bob.shows("dialog[open] .my-game-open");
      await bob.takePicture("profile-desktop");
      await bob.activate("dialog[open] .my-game-open");
      await bob.until("location.hash.startsWith('#r/')");
      await bob.until("document.querySelectorAll('.cell.win').length === 3");
      assert.equal(await bob.count("dialog"), 0);
    });

    test("a game that the browser keeps is listed once", async () => {
      await bob.go(fixture.server.page);
      await bob.until(IS_ONLINE);
      await bob.click("My games");
      await bob.until(rows(1));
      // The list of the server has arrived when the profile of the same connection has.
      await bob.activate(".my-game .icon-button");
      await bob.shows("dialog[open] .profile-games");
      await bob.click("Close");
      await bob.until("!document.querySelector('dialog')");
      assert.ok(await bob.run(`return ${rows(1)}`));
      assert.equal(await bob.count(".my-games h2"), 0);
    });

    test("a game that another browser keeps comes from the server", async () => {
      await fixture.leavePage(bob);
      await bob.run("localStorage.removeItem('noughts.games')");
      await bob.go(fixture.server.page);
      await bob.until(IS_ONLINE);
      await bob.click("My games");
      await bob.shows(".my-games h2");
      assert.ok(await bob.run(`return ${rows(1)}`));
      assert.match(await bob.textOf(".my-game"), /^Ann·[0-9a-z]{6}Tic-tac-toe/);
      await bob.takePicture("server-games");
      await bob.activate(".my-game-open");
      await bob.until("document.querySelectorAll('.cell.win').length === 3");
    });
  },
);
