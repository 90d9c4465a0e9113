// A visitor plays with the bot of the page, which runs in a worker with a connection of its own.
import assert from "node:assert/strict";
import { test } from "node:test";
import { NAMED_RULES } from "../../../../client/web/page/core/rule-table.js";
import { PHONE, suite } from "./fixture.mjs";
import { waitUntil } from "./wait.mjs";

suite(
  "a visitor plays with the bot of the page",
  { sizes: [PHONE] },
  (fixture) => {
    const { server } = fixture;
    const [page] = fixture.pages;

    const marks = () => page.count(".cell.marked");
    const isOwnTurn =
      "document.title.startsWith('●') && document.querySelector('.cell') && !document.querySelector('.cell.pending')";
    const isOver = "document.querySelector('.result')";

    /** Plays the first free cell, and waits for the move of the bot or the end. */
    async function play() {
      const count = await marks();
      const cell = await page.run(
        "return document.querySelector('.cell:not(.marked)').dataset.cell",
      );
      await page.press(cell);
      await page.until(
        `document.querySelectorAll('.cell.marked').length > ${count} && (${isOwnTurn} || ${isOver})`,
      );
    }

    async function playToTheEnd() {
      await page.until(`${isOwnTurn} || ${isOver}`);
      while (!(await page.run(`return Boolean(${isOver})`))) await play();
    }

    test("the bot of the page joins and plays", async () => {
      await page.go(server.page);
      await page.shows(".connection .connected");
      await page.click("Play a bot");
      await page.shows("input[value=perfect]");
      await page.run(
        "document.querySelector('input[value=perfect]').click(); document.querySelector('input[name=seat][value=X]').click()",
      );
      await page.click("Start");
      // A visitor without a name gets a random name.
      await page.until(isOwnTurn);
      assert.match(
        await page.textOf(".player.near bdi"),
        /^[A-Z][a-z]+ [A-Z][a-z]+$/,
      );
      assert.equal(
        await page.run(
          "return document.querySelector('.player.far').textContent.includes('Bot 8')",
        ),
        true,
      );
      assert.equal(await page.count(".player.far .tag"), 0);
      await play();
      assert.equal(await marks(), 2);
    });

    test("a reload starts the bot again with its seat", async () => {
      await page.reload();
      await page.until(isOwnTurn);
      await playToTheEnd();
      // The perfect player never loses.
      assert.match(await page.textOf(".result h2"), /^(You lost|Draw)$/);
    });

    test("the bot accepts a rematch, and begins as X", async () => {
      await page.click("Rematch");
      await page.until(
        `document.querySelectorAll('.cell.marked').length === 1 && ${isOwnTurn}`,
      );
      assert.equal(
        await page.run(
          "return document.querySelector('.player.near').className.includes(' o')",
        ),
        true,
      );
    });

    test("the bot allows a takeback without a clock", async () => {
      await play();
      await page.click("Take back");
      await page.until("document.querySelectorAll('.cell.marked').length < 3");
    });

    test("both recover from a killed server", async () => {
      await server.kill();
      await page.shows(".banner.bad");
      await server.start();
      await page.until(
        "document.querySelector('.connection .connected') && !document.querySelector('.banner.bad')",
      );
      await playToTheEnd();
    });

    test("after the visitor has left, the server has no room", async () => {
      await page.leaveGame();
      await page.shows(".game-card");
      const metrics = async () => (await fetch(`${server.page}metrics`)).text();
      const isEmpty = async () =>
        /^noughts_rooms(\{[^}]*\})? 0$/m.test(await metrics());
      await waitUntil(isEmpty, metrics);
    });

    test("one press starts the last game with a bot again", async () => {
      await page.click("Bot 8");
      await page.until(isOwnTurn);
      assert.match(await page.textOf(".player.far"), /Bot 8/);
      assert.match(
        await page.run(
          "return document.querySelector('.player.near').className",
        ),
        / x/,
        "the same side",
      );
      await play();
      await page.leaveGame();
      await page.confirm();
      await page.shows(".game-card");
    });

    // The tests of the engine play the other boards.
    for (const name of ["connect4", "score4"]) {
      test(`the bot of the page plays ${name}`, async () => {
        await fixture.visit(page, { name: "Ann", rules: NAMED_RULES[name] });
        await page.click("Play a bot");
        await page.shows("input[value=easy]");
        await page.run(
          "document.querySelector('input[value=easy]').click(); document.querySelector('input[name=seat][value=X]').click()",
        );
        await page.click("Start");
        await page.until(isOwnTurn);
        await play();
        assert.equal(await marks(), 2);
      });
    }

    test("an easier bot follows a lost game, and all that follows fits every window, also a review", async () => {
      await fixture.visit(page, {
        rules: "3x3:3",
        settings: { language: "ru" },
      });
      const press = (selector) =>
        page.clickFound(
          "return document.querySelector(arguments[0])",
          selector,
          selector,
        );
      await press(".actions-home .button:nth-child(3)");
      await page.shows("input[value=easy]");
      await page.run(
        "document.querySelector('input[value=easy]').click(); document.querySelector('input[name=seat][value=X]').click()",
      );
      await press(".button.main");
      await page.until(isOwnTurn);
      await play();
      await press(".action.flag");
      await page.confirm();
      await page.until(isOver);
      for (const shown of [".result", ".review"]) {
        if (shown === ".review") await press(".action.replay");
        await page.shows(shown);
        for (const size of [
          PHONE,
          [390, 664],
          [320, 568],
          [750, 340],
          [1280, 800],
        ]) {
          await page.resize(...size);
          await page.takePicture(`end${shown}-${size.join("x")}`);
          assert.deepEqual(
            await page.run(
              "return [...document.querySelectorAll('.status, .review-text, .status .button, .action, body')].filter((element) => element.scrollWidth > element.clientWidth + 1).map((element) => element.textContent)",
            ),
            [],
            `${shown} ${size}`,
          );
        }
      }
      await page.resize(...PHONE);
      await press(".review-buttons > :last-child");
      await press(".result-buttons .button:nth-child(2)");
      await page.until(
        `${isOwnTurn} && document.querySelector('.player.far .name').textContent === 'Бот 1'`,
      );
      await page.leaveGame();
      await page.confirm();
      await page.shows(".game-card");
    });

    test("only the worker may compile WebAssembly", async () => {
      const compile =
        "return WebAssembly.compile(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0])).then(() => 'compiled', (error) => error.name)";
      assert.equal(await page.run(compile), "CompileError");
      const worker =
        "try { new Worker('/icon.svg'); return 'started'; } catch (error) { return error.name; }";
      assert.equal(await page.run(worker), "TypeError");
      fixture.takeProblems();
    });
  },
);
