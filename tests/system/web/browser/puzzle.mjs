// The puzzle of the day, which needs no server once it is loaded.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import {
  puzzleOfDay,
  rightCell,
} from "../../../../client/web/page/puzzle/puzzle.js";
import {
  landingCell,
  boardAfter,
} from "../../../../client/web/page/core/rules.js";
import { axeViolations } from "./axe.mjs";
import { DESKTOP, IS_LOADED_AHEAD, suite } from "./fixture.mjs";

const SMALL_PHONE = [390, 664];
const LIST = readFileSync(
  new URL("../../../../client/puzzles.txt", import.meta.url),
  "utf8",
);

suite(
  "a visitor solves the puzzle of the day",
  { sizes: [SMALL_PHONE, DESKTOP] },
  (fixture) => {
    const [phone, desktop] = fixture.pages;
    const marked = (count) =>
      `document.querySelectorAll('.cell.marked').length === ${count}`;
    const kept = (page) =>
      page.run("return JSON.parse(localStorage.getItem('noughts.puzzle'))");

    /** Returns the puzzle that the page shows. */
    const puzzleOf = async (page) => {
      const day = await page.run("return Math.floor(Date.now() / 86400000)");
      return { day, ...puzzleOfDay(LIST, day) };
    };

    /** Returns a free cell that does not solve the puzzle. */
    function wrongCell(puzzle) {
      const board = boardAfter(puzzle.rules, puzzle.moves);
      return board.findIndex(
        (_, cell) =>
          landingCell(puzzle.rules, board, cell) >= 0 &&
          rightCell(puzzle, 0, cell) < 0,
      );
    }

    /**
     * Stores a state of the puzzle in the browser, and opens the first screen and then the puzzle.
     */
    async function open(page, stored) {
      await fixture.visit(page, { settings: { confirm: "never" } });
      await page.run(
        "localStorage.setItem('noughts.puzzle', arguments[0])",
        stored,
      );
      await page.reload();
      await page.shows(".puzzle-entry button");
    }

    /** Makes a move, and waits for the reply. */
    async function play(page, puzzle, ply) {
      await page.press(puzzle.solution[ply]);
      await page.until(
        marked(Math.min(puzzle.moves.length + ply + 2, lastPly(puzzle))),
      );
    }
    const lastPly = ({ moves, solution }) => moves.length + solution.length;

    test("a wrong move is not made, and each right move gets a reply, without a server", async () => {
      const puzzle = await puzzleOf(phone);
      await open(
        phone,
        JSON.stringify({
          day: puzzle.day - 1,
          tries: 2,
          state: "solved",
          streak: 4,
        }),
      );
      await phone.until(IS_LOADED_AHEAD);
      assert.match(await phone.textOf(".puzzle-entry"), /4 days in a row/);
      await phone.takePicture("puzzle-home-phone");
      await fixture.server.kill();
      await phone.until(
        "document.querySelector('.connection').innerText === 'Offline'",
      );
      await phone.activate(".puzzle-entry button");
      await phone.until(marked(puzzle.moves.length));
      const n = (puzzle.solution.length + 1) / 2;
      assert.match(
        await phone.textOf(".status"),
        new RegExp(`^[XO] to move wins in ${n}`),
      );
      await phone.takePicture("puzzle-phone");
      await phone.press(wrongCell(puzzle));
      await phone.shows(".status [role=alert]");
      assert.match(
        await phone.textOf(".status"),
        /That does not win in \d moves?\. Try again\./,
      );
      await phone.takePicture("puzzle-wrong-phone");
      assert.ok(await phone.run(`return ${marked(puzzle.moves.length)}`));
      assert.deepEqual(await axeViolations(phone), []);
      for (let ply = 0; ply < puzzle.solution.length; ply += 2)
        await play(phone, puzzle, ply);
      await phone.shows(".result");
      const { result, rules } = await phone.run(
        "return { result: document.querySelector('.result h2').textContent, rules: document.querySelectorAll('.cell.win').length }",
      );
      assert.equal(result, "Solved with 2 tries");
      assert.ok(puzzle.rules.misere ? rules === 0 : rules >= puzzle.rules.line);
      await phone.takePicture("puzzle-solved-phone");
      assert.deepEqual(await axeViolations(phone), []);
    });

    test("the result is one line to share, and a reload keeps it", async () => {
      await fixture.server.start();
      await phone.reload();
      await phone.shows(".result");
      const { day, tries, state, streak } = await kept(phone);
      assert.deepEqual([tries, state, streak], [2, "solved", 5]);
      await phone.run(
        "delete Navigator.prototype.share; navigator.clipboard.writeText = (text) => { window.copied = text; return Promise.resolve(); }",
      );
      await phone.activate(".result-buttons button");
      const date = new Date(day * 86_400_000).toISOString().slice(0, 10);
      assert.match(
        (await phone.until("window.copied")).replace(date, "DATE"),
        /^Noughts puzzle DATE: [^\n]+, win in \d\. Solved with 2 tries\. 5 days in a row\. http:[^ ]+\/#puzzle$/,
      );
    });

    test("Back leads to the first screen, which shows the days in a row", async () => {
      await phone.leaveGame();
      await phone.until(
        "document.querySelector('.puzzle-entry')?.textContent.includes('5 days in a row')",
      );
      await phone.activate(".puzzle-entry button");
      await phone.shows(".result");
      await phone.run("history.back()");
      await phone.shows(".game-card");
    });

    test("a solution that is shown ends the days in a row", async () => {
      const puzzle = await puzzleOf(desktop);
      await open(
        desktop,
        JSON.stringify({
          day: puzzle.day - 1,
          tries: 1,
          state: "solved",
          streak: 4,
        }),
      );
      await desktop.takePicture("puzzle-home-desktop");
      await desktop.activate(".puzzle-entry button");
      await desktop.until(marked(puzzle.moves.length));
      await desktop.takePicture("puzzle-desktop");
      await desktop.click("Show the solution");
      await desktop.shows(".banner");
      await desktop.takePicture("puzzle-question-desktop");
      assert.match(
        await desktop.textOf(".banner"),
        /^Show the solution\?Your 4 days in a row end\./,
      );
      await desktop.click("Keep playing");
      await desktop.until("!document.querySelector('.banner')");
      assert.equal((await kept(desktop)).streak, 4);
      await desktop.click("Show the solution");
      await desktop.shows(".banner");
      await desktop.confirm();
      await desktop.until(marked(lastPly(puzzle)));
      await desktop.shows(".result");
      assert.match(await desktop.textOf(".result"), /^Not solved/);
      await desktop.run("document.documentElement.dataset.theme = 'dark'");
      await desktop.takePicture("puzzle-given-up-desktop-dark");
      assert.deepEqual(await axeViolations(desktop), []);
      const { state, streak } = await kept(desktop);
      assert.deepEqual([state, streak], ["given_up", 0]);
    });
  },
);
