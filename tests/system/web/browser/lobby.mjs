// The lobby that the server pushes, a resident bot in it, and phrases.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { DESKTOP, PHONE, SLACK, suite } from "./fixture.mjs";

suite(
  "the lobby follows the server",
  { sizes: [PHONE, DESKTOP] },
  (fixture) => {
    const [ann, bob] = fixture.pages;

    /**
     * Maximum time until a pushed change or a response arrives on a busy machine. Polling every
     * four seconds would take longer in some of the cases.
     */
    const PUSH_MS = 3000;
    const row = (name) =>
      `[...document.querySelectorAll('.first-list .row')].find((row) => row.checkVisibility() && row.textContent.includes('${name}'))`;
    const hasBoard = "document.querySelector('.board')";

    /** Maximum time from the choice of a waiting opponent until the board of the game is drawn. */
    const MAX_GAME_START_MS = 1000;

    /** Presses the button in a row of the lobby, and measures the time until the game begins. */
    async function startGame(t, page, name) {
      const millis = await page.run(`return new Promise((resolve) => {
    const startedAt = performance.now();
    const observer = new MutationObserver(() => {
      if (!${hasBoard}) return;
      observer.disconnect();
      requestAnimationFrame(() => resolve(performance.now() - startedAt));
    });
    observer.observe(document, { childList: true, subtree: true });
    ${row(name)}.querySelector('button').click();
  })`);
      t.diagnostic(
        `measured: from the choice of ${name} until the game begins: ${millis.toFixed()} ms`,
      );
      assert.ok(millis < MAX_GAME_START_MS * SLACK, `${millis} ms`);
    }

    async function within(millis, wait) {
      const startedAt = Date.now();
      await wait;
      assert.ok(
        Date.now() - startedAt < millis,
        `${Date.now() - startedAt} ms`,
      );
    }

    test("a seek appears at once on the page of another visitor, and goes with its game", async (t) => {
      await Promise.all([
        fixture.visit(ann, { name: "Ann" }),
        fixture.visit(bob, { name: "Bob" }),
      ]);
      await bob.click("Find an opponent");
      await within(PUSH_MS, ann.until(row("Bob")));
      await startGame(t, ann, "Bob");
      await within(PUSH_MS, bob.until(hasBoard));
    });

    test("a phrase is shown beside its player", async () => {
      await ann.click("Say");
      await ann.shows(".status .phrases");
      // The key of a phrase is its number in the list.
      await ann.keys("2");
      await bob.until(
        "document.querySelector('.player.far .bubble')?.checkVisibility() && document.querySelector('.player.far .bubble').textContent === 'Good luck'",
      );
      await bob.until(
        "document.querySelector('[role=log] p:last-child')?.textContent.startsWith('Ann: Good luck')",
      );
      await ann.until(
        "document.querySelector('.player.near .bubble').checkVisibility() && !document.querySelector('.phrases')",
      );
    });

    test("a muted opponent is not shown", async () => {
      await bob.click("Say");
      await bob.shows(".phrases .mute");
      await bob.activate(".phrases .mute");
      await bob.until(
        "document.querySelector('.mute[aria-pressed=true]')?.getAttribute('aria-label') === 'Mute Ann'",
      );
      await bob.keys("Escape");
      await bob.until("!document.querySelector('.phrases')");
      // The phrase that is already shown stays until its time is over.
      await bob.skipTime(6_000);
      await bob.until(
        "!document.querySelector('.player.far .bubble').checkVisibility()",
      );
      await ann.click("Say");
      await ann.click("Nice move");
      await ann.until(
        "document.querySelector('.player.near .bubble').textContent === 'Nice move'",
      );
      // The move follows the phrase on the same connection, so that the phrase has arrived as well.
      await fixture.play(ann, bob, 4, 1);
      assert.equal(
        await bob.run(
          "return document.querySelector('.player.far .bubble').checkVisibility()",
        ),
        false,
      );
    });

    test("a resident bot is shown among the players who wait, and seats a visitor at once", async (t) => {
      const { NOUGHTS_SERVER: program, ...env } = process.env;
      const bot = spawn(
        join(dirname(program), "noughts"),
        [
          "bot",
          fixture.server.listen,
          "--rules",
          "connect4",
          "--name",
          "Deep",
          "--level",
          "easy",
        ],
        { stdio: "ignore", env },
      );
      // The bot is killed, because after any other signal it plays its game to the end, and
      // reconnects until then.
      fixture.atEnd(() => bot.kill("SIGKILL"));
      await fixture.visit(ann, { name: "Ann" });
      await ann.until(row("Deep"));
      assert.equal(
        await ann.run(
          `return ${row("Deep")}.querySelector('.tag').textContent`,
        ),
        "bot",
      );
      await startGame(t, ann, "Deep");
    });

    test("the lobby counts people and bots", async () => {
      await bob.run("sessionStorage.clear()");
      await fixture.visit(bob, { name: "Bob" });
      await bob.click("Lobby");
      await bob.until(
        "document.body.innerText.includes('2 people online · 1 bot online')",
      );
    });

    test("a long search asks whether to play a bot, and admits bots on request", async () => {
      await bob.run("sessionStorage.clear()");
      await fixture.visit(bob, { name: "Bob" });
      await bob.click("Find an opponent");
      await bob.until(
        "/^[0-9]/.test(document.querySelector('.elapsed')?.textContent)",
      );
      await bob.skipTime(10_000);
      await bob.until(
        "document.querySelector('[role=status].reserved')?.textContent.startsWith('No opponent yet.')",
      );
      await bob.until(
        "document.querySelector('[role=switch]')?.checked === false",
      );
      await bob.activate("[role=switch]");
      await bob.until(
        "document.querySelector('[role=switch]')?.checked === true",
      );
      // The question whether to play a bot is gone, and returns only in a later search.
      await bob.until(
        "document.querySelector('[role=status].reserved').textContent === ''",
      );
      await bob.click("Cancel");
    });
  },
);
