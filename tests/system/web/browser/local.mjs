// A visitor plays the bot of the page without a server.
import assert from "node:assert/strict";
import { test } from "node:test";
import { axeViolations } from "./axe.mjs";
import {
  DESKTOP,
  IS_LOADED_AHEAD,
  IS_ONLINE,
  PHONE,
  suite,
} from "./fixture.mjs";

suite(
  "a visitor plays the bot without a server",
  { sizes: [PHONE, DESKTOP] },
  (fixture) => {
    const { server } = fixture;
    const [page, desktop] = fixture.pages;

    const marks = () => page.count(".cell.marked");
    const isOwnTurn = "document.querySelector('.status .now')";
    const isOver = "document.querySelector('.result')";

    /** Plays the first free cell, and waits for the move of the bot or the end. */
    async function play() {
      const count = await marks();
      const cell = await page.run(
        "return document.querySelector('.cell:not(.marked)').dataset.cell",
      );
      await page.press(cell);
      await page.until(
        `${isOver} || (document.querySelectorAll('.cell.marked').length > ${count} && ${isOwnTurn})`,
      );
    }

    async function start(level, seat) {
      await page.click("Play a bot");
      await page.shows(`input[value=${level}]`);
      await page.run(
        "document.querySelector(`input[value=${arguments[0]}]`).click(); document.querySelector(`input[name=seat][value=${arguments[1]}]`).click()",
        level,
        seat,
      );
    }

    test("the first screen names what works, and the game begins", async () => {
      for (const visitor of [page, desktop]) {
        await fixture.visit(visitor, { rules: "3x3:3", clock: "5+3" });
        await visitor.until(IS_LOADED_AHEAD);
        await visitor.until("navigator.serviceWorker.controller");
      }
      await server.kill();
      for (const visitor of [page, desktop]) {
        await visitor.until(
          "document.querySelector('.connection').innerText === 'Offline'",
        );
        await visitor.click("My games");
        await visitor.shows("#record");
        await visitor.activate("[data-screen=home]");
        await visitor.until(
          "document.querySelectorAll('.puzzle-entry button').length === 3",
        );
        assert.deepEqual(
          await visitor.run(
            "return [...document.querySelectorAll('.actions-home > *')].filter((element) => element.checkVisibility()).map((element) => element.innerText)",
          ),
          ["Find an opponent", "Invite a friend"],
        );
        await visitor.takePicture(`local-home-${visitor.size[0]}`);
        assert.deepEqual(await axeViolations(visitor), []);
      }
      await start("easy", "X");
      await page.takePicture("local-bot");
      await page.click("Start");
      await page.until(isOwnTurn);
      assert.equal(await page.textOf(".player.far .name"), "Bot 2");
      assert.equal(await page.count(".clock:not([hidden])"), 0);
      await play();
      assert.equal(await marks(), 2);
      await page.takePicture("local-game");
    });

    test("a reload without a server keeps the game", async () => {
      await page.reload();
      await page.until(
        `document.querySelectorAll('.cell.marked').length === 2 && ${isOwnTurn}`,
      );
      await page.click("Take back");
      await page.until(
        "document.querySelectorAll('.cell.marked').length === 0",
      );
    });

    test("a game that the visitor leaves continues", async () => {
      await play();
      await page.leaveGame();
      await page.shows(".game-card");
      await page.click("Play a bot");
      await page.click("Continue");
      await page.until(
        `document.querySelectorAll('.cell.marked').length === 2 && ${isOwnTurn}`,
      );
    });

    test("the game ends, and its review and rematch need no server", async () => {
      while (!(await page.run(`return Boolean(${isOver})`))) await play();
      await page.takePicture("local-result");
      await page.click("Review");
      await page.shows(".review");
      await page.until(
        "/mistake|No mistakes/i.test(document.querySelector('.review-text').innerText)",
      );
      await page.click("Result");
      await page.click("Rematch");
      await page.until(
        `document.querySelectorAll('.cell.marked').length === 1 && ${isOwnTurn}`,
      );
      await page.click("Resign");
      await page.shows(".banner");
      await page.confirm();
      await page.until(isOver);
      assert.equal(await page.textOf(".result h2"), "You lost");
      await page.leaveGame();
      await page.click("My games");
      await page.until("document.querySelectorAll('.my-game').length === 2");
    });

    test("the server is back, and the next game is there", async () => {
      await server.start();
      await page.until(IS_ONLINE);
      await page.activate("[data-screen=home]");
      await page.click("Bot 2");
      await page.until("document.title.startsWith('●')");
      assert.equal(await page.count(".clock:not([hidden])"), 2);
    });
  },
);
