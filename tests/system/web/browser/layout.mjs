// Messages of the server must not move a button or a cell under the pointer of a visitor.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  DESKTOP,
  IS_LOADED_AHEAD,
  IS_ONLINE,
  PHONE,
  moves,
  suite,
} from "./fixture.mjs";

suite(
  "messages of the server move no button",
  { sizes: [PHONE, DESKTOP, DESKTOP] },
  (fixture) => {
    const [phone, desktop, other] = fixture.pages;

    /**
     * Records the places of all elements that can be pressed, and the layout shifts that no press
     * has caused.
     */
    const KEEP_PLACES = `
  window.places = () => {
    const found = {};
    for (const element of document.querySelectorAll('main :is(button, input, label, .cell), .tabs button, .bar button')) {
      if (!element.checkVisibility()) continue;
      const { x, y, width, height } = element.getBoundingClientRect();
      const name = element.dataset.cell === undefined ? (element.textContent.trim() || element.getAttribute('aria-label') || element.value) : 'cell ' + element.dataset.cell;
      const row = element.closest('.row')?.querySelector('.name')?.textContent ?? '';
      found[row + name] = [x, y, width, height].map(Math.round).join(' ');
    }
    return found;
  };
  window.shifts ??= [];
  // A text, or an element that is gone, cannot be pressed.
  const hasButton = (node) => node instanceof Element && (node.matches('button, input, label, .cell') || node.querySelector('button, input, label, .cell'));
  window.observer ??= new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) {
      for (const { node, previousRect, currentRect } of entry.sources) if (hasButton(node)) {
        window.shifts.push(node.nodeName + '.' + node.className + ' ' + [previousRect.y, currentRect.y, previousRect.x, currentRect.x].map(Math.round));
      }
    }
  });
  window.observer.observe({ type: 'layout-shift', buffered: true });
  window.kept = window.places();
  return Object.keys(window.kept).length;`;

    const keepPlaces = async (page) =>
      assert.ok((await page.run(KEEP_PLACES)) > 5);

    /**
     * Checks that each recorded element that still exists has the same place, and that no layout
     * shift occurred.
     */
    async function checkPlaces(page, what, allowed = []) {
      const [before, places, shifts] = await page.run(
        "return [window.kept, window.places(), window.shifts.splice(0)]",
      );
      const moved = Object.entries(before)
        .filter(
          ([name, place]) =>
            places[name] !== undefined && places[name] !== place,
        )
        .map(([name, place]) => `${name}: ${place} to ${places[name]}`);
      assert.deepEqual(moved, [], what);
      assert.deepEqual(
        shifts.filter(
          (shift) => !allowed.some((pattern) => pattern.test(shift)),
        ),
        [],
        `${what}: shifts`,
      );
    }

    const hasRow = (name) =>
      `[...document.querySelectorAll('.first-list .row:not(.gone)')].some((row) => row.checkVisibility() && row.textContent.includes('${name}'))`;

    for (const [size, page] of [
      ["a phone", phone],
      ["a desktop", desktop],
    ]) {
      test(`players who come and go move nothing on the first screen of ${size}`, async () => {
        await fixture.visit(page, { name: "Ann" });
        await keepPlaces(page);
        await fixture.visit(other, { name: "Bob" });
        await other.click("Find an opponent");
        await page.until(hasRow("Bob"));
        await checkPlaces(page, "a seek");
        await keepPlaces(page);
        await other.click("Cancel");
        await page.until(`!(${hasRow("Bob")})`);
        await checkPlaces(page, "a seek that ends");
      });

      test(`a rejected request and its end move nothing in the lobby of ${size}`, async () => {
        await fixture.visit(page, { name: "Ann" });
        await page.click("Lobby");
        await page.type("#code", "0000-0000-0000\n");
        await page.until("document.querySelector('.notice').textContent");
        await keepPlaces(page);
        await page.skipTime(5_000);
        await page.until("!document.querySelector('.notice').textContent");
        await checkPlaces(page, "a banner that ends");
      });

      test(`rows of the lobby keep their places on ${size}`, async () => {
        await fixture.visit(page, { name: "Ann" });
        await page.click("Lobby");
        await page.shows("#code");
        await page.until(
          "/people? online|only one/.test(document.body.innerText)",
        );
        await keepPlaces(page);
        await fixture.visit(other, { name: "Bob" });
        await other.click("Find an opponent");
        await page.until(hasRow("Bob"));
        const third = size === "a phone" ? desktop : phone;
        await fixture.visit(third, { name: "Cleo", rules: "15x15:5" });
        await third.click("Find an opponent");
        await page.until(hasRow("Cleo"));
        await checkPlaces(page, "two seeks");
        await keepPlaces(page);
        await other.click("Cancel");
        await page.until(`!(${hasRow("Bob")})`);
        await checkPlaces(page, "a seek above another that ends");
        await third.click("Cancel");
        await page.until(`!(${hasRow("Cleo")})`);
        await page.skipTime(30_000);
        await page.until("!document.querySelector('.rows .row')");
      });

      test(`a lost connection moves nothing on the first screen of ${size}`, async () => {
        const proxy = await fixture.openProxy();
        await fixture.visit(page, { name: "Ann", at: proxy.page });
        await page.until(IS_LOADED_AHEAD);
        await keepPlaces(page);
        proxy.cut();
        await page.until(
          "/No connection/.test(document.querySelector('.notice').innerText)",
        );
        await checkPlaces(page, "a lost connection");
        // A request waits for the connection. A screen that was loaded ahead opens without a
        // connection.
        await page.click("Invite a friend");
        await page.until(
          "document.querySelector('.button[aria-busy]')?.innerText === 'Invite a friend'",
        );
        await page.click("Play a bot");
        await page.shows("input[value=perfect]");
        await page.activate(".heading button");
        await page.shows(".game-card");
        // Without a connection, the first screen begins with the entry of the puzzle, and makes no
        // statement about other players.
        await page.until(
          "[...document.querySelectorAll('.home-main button, .game-card')].findIndex((element) => element.closest('.puzzle-entry')) === 0",
        );
        assert.match(
          await page.textOf(".puzzle-entry"),
          /you need a connection/,
        );
        assert.doesNotMatch(
          await page.run("return document.querySelector('main').innerText"),
          /No players are waiting|Nobody is playing/,
        );
        proxy.mend();
        await page.until(IS_ONLINE);
      });

      test(`a game on ${size} stays where it is`, async () => {
        const proxy = await fixture.openProxy();
        await fixture.visit(page, { name: "Ann", at: proxy.page });
        await fixture.visit(other, { name: "Bob" });
        await page.click("Find an opponent");
        await other.click("Find an opponent");
        await Promise.all([page.shows(".board"), other.shows(".board")]);
        await fixture.play(page, other, 4, 1);
        await fixture.play(page, other, 0, 2);
        await page.click("Draw");
        await other.click("Decline");
        await page.shows(".toast");
        const covered =
          await page.run(`const box = document.querySelector('.toast').getBoundingClientRect();
    const isCovered = (element) => {
      const { left, right, top, bottom } = element.getBoundingClientRect();
      return element.checkVisibility() && left < box.right && right > box.left && top < box.bottom && bottom > box.top;
    };
    return [...document.querySelectorAll('.bar-title, .board, .action, .clock')].filter(isCovered).map(({ className }) => className)`);
        assert.deepEqual(covered, [], "what a short text covers");
        // The entries of the move list may shift, because the list scrolls with the game.
        const allowed = [/^LI\./];
        await keepPlaces(page);
        await other.click("Draw");
        await page.until(
          "document.querySelector('.banner')?.innerText.includes('offers a draw')",
        );
        await checkPlaces(page, "an offer", allowed);
        await other.click("Say");
        await other.click("Hello");
        await page.until(
          "document.querySelector('.player.far .bubble')?.checkVisibility()",
        );
        await checkPlaces(page, "a phrase", allowed);
        await other.click("Cancel offer");
        await page.until("!document.querySelector('.banner')");
        await checkPlaces(page, "an offer that ends", allowed);
        await other.go("about:blank");
        await page.until(
          "/disconnected|claim/.test(document.querySelector('.banner')?.innerText)",
        );
        await checkPlaces(page, "an absent opponent", allowed);
        await other.back();
        await page.until("!document.querySelector('.banner')");
        await checkPlaces(page, "an opponent who is back", allowed);
        proxy.cut();
        await page.shows(".banner.bad");
        await checkPlaces(page, "a lost connection", allowed);
        proxy.mend();
        await page.until("!document.querySelector('.banner')");
        await checkPlaces(page, "a connection that is back", allowed);
        const leave =
          "return [...document.querySelectorAll('.action')].slice(-2).map((action) => Math.round(action.getBoundingClientRect().x))";
        const leaveAt = await page.run(leave);
        await other.click("Resign");
        await other.confirm();
        await page.shows(".result");
        const [before, after] = await page.run(
          "return [window.kept, window.places()].map((places) => Object.entries(places).filter(([name]) => name.startsWith('cell ')))",
        );
        assert.deepEqual(after, before, "the board at the end of the game");
        assert.deepEqual(
          await page.run(leave),
          leaveAt,
          "Say and Leave keep their places when the game ends",
        );
        await Promise.all([page.leaveGame(), other.leaveGame()]);
      });
    }
  },
);
