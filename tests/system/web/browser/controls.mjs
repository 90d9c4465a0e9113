// Focus, keys, dialogs, announcements, and tabs of one browser.
import assert from "node:assert/strict";
import { test } from "node:test";
import { DESKTOP, IS_ONLINE, PHONE, moves, suite } from "./fixture.mjs";

// A short time until a seat can be claimed, so that a test can wait for it.
suite(
  "controls keep the focus and their meaning",
  {
    sizes: [PHONE, DESKTOP],
    options: ["--set", "reconnect-grace=2s", "--set", "leave-grace=2s"],
  },
  (fixture) => {
    const { server } = fixture;
    const [ann, bob] = fixture.pages;

    const focused = (page) =>
      page.run(
        "return [document.activeElement.name, document.activeElement.value, document.activeElement.checked]",
      );
    const dialogText = (page) =>
      page.until("document.querySelector('dialog[open]')?.innerText");
    const clickLast = (page) =>
      page.run(
        "[...document.querySelectorAll('dialog[open] button')].at(-1).click()",
      );

    test("arrow keys go through the choices one by one", async () => {
      await fixture.visit(ann, { rules: "3x3:3" });
      await ann.run(
        "document.querySelector('input[name=game]:checked').focus()",
      );
      await ann.keys("ArrowRight");
      assert.deepEqual(await focused(ann), ["game", "7x6:4+gravity", true]);
      await ann.keys("ArrowRight");
      assert.deepEqual(await focused(ann), ["game", "15x15:5", true]);
      await ann.run(
        "document.querySelector('input[name=clock]:checked').focus()",
      );
      await ann.keys("ArrowRight");
      await ann.keys("ArrowRight");
      assert.deepEqual(await focused(ann), ["clock", "5+3", true]);
    });

    test("a change of theme, name or language keeps the focus", async () => {
      await ann.activate("[aria-label=Settings]");
      await ann.shows("input[name=theme]");
      await ann.run(
        "document.querySelector('input[name=theme]:checked').focus()",
      );
      await ann.keys("ArrowRight");
      await ann.keys("ArrowRight");
      assert.deepEqual(await focused(ann), ["theme", "dark", true]);
      await ann.run(
        "document.querySelector('input[name=language]:checked').focus()",
      );
      await ann.keys("ArrowRight");
      await ann.until(
        "document.documentElement.lang === 'ru' && document.activeElement.name === 'language'",
      );
      assert.deepEqual(await focused(ann), ["language", "ru", true]);
    });

    test("the button that the focus is on stays when it becomes usable", async () => {
      await fixture.pair(ann, bob);
      await fixture.play(ann, bob, 4, 1);
      const [mover, waiting] = await fixture.lose(ann, bob);
      await waiting.until(
        "[...document.querySelectorAll('.banner button')].find((button) => button.textContent === 'Claim the win' && button.getAttribute('aria-disabled') === 'true')",
      );
      await waiting.run("document.querySelector('.banner button').focus()");
      await waiting.skipTime(2_000);
      await waiting.until(
        "document.querySelector('.banner button').getAttribute('aria-disabled') !== 'true'",
      );
      assert.equal(
        await waiting.run("return document.activeElement.textContent"),
        "Claim the win",
      );
    });

    test("a question names the opponent of this game", async () => {
      await fixture.visit(ann, { name: "Ann" });
      // Ann does not load the page again, so both questions use the same element.
      for (const name of ["Bob", "Cleo"]) {
        await fixture.visit(bob, { name });
        await ann.click("Find an opponent");
        await bob.click("Find an opponent");
        await fixture.both("document.querySelector('.board')");
        await ann.click("Say");
        await ann.until(
          `document.querySelector('.mute')?.ariaLabel === 'Mute ${name}' && document.querySelector('.mute').ariaPressed === 'false'`,
        );
        await ann.activate(".mute");
        await ann.shows(".mute[aria-pressed=true]");
        await ann.click("Resign");
        await ann.until(
          `document.querySelector('.banner')?.innerText.includes('${name} wins')`,
        );
        await ann.confirm();
        await fixture.both("document.querySelector('.result')");
        await ann.leaveGame();
        await ann.shows(".game-card");
      }
    });

    test("a press that plays no mark says why, and a game is where it was after a look back", async () => {
      await fixture.pair(ann, bob);
      const [mover, waiting] = await fixture.turn(ann, bob);
      const hint = "document.querySelector('.hint[role=alert]')?.textContent";
      await waiting.press(4);
      await waiting.until(`${hint} === 'It is not your turn.'`);
      await mover.press(4);
      await fixture.both(moves(1));
      await mover.until(
        "/is thinking/.test(document.querySelector('.status').innerText)",
      );
      await waiting.press(4);
      await waiting.until(`${hint} === 'The cell is taken.'`);
      // While a player looks at an earlier position, the screen still shows the player to move, and
      // a press on a cell returns to the game without a move.
      await waiting.press(0);
      await fixture.both(moves(2));
      await mover.activate(".move");
      await mover.until(
        "document.querySelector('.now')?.textContent === 'Your move' && document.querySelectorAll('.cell.marked').length === 1",
      );
      await mover.press(8);
      await mover.until(
        "document.querySelectorAll('.cell.marked').length === 2 && document.querySelectorAll('.move').length === 2",
      );
    });

    test("a panel below the board takes the focus, and gives it back to its button", async () => {
      await fixture.pair(ann, bob);
      const focus = (label) =>
        ann.until(`document.activeElement.textContent === '${label}'`);
      await ann.click("Resign");
      await focus("Keep playing");
      await ann.keys("Escape");
      await focus("Resign");
      await ann.click("Resign");
      await ann.click("Keep playing");
      await focus("Resign");
      await ann.click("Say");
      await focus("Hello");
      await ann.keys("2");
      await focus("Say");
      await ann.until("!document.querySelector('.phrases')");
      await bob.until("document.body.innerText.includes('Good luck')");
      // A phone has no move box.
      await bob.type(".move-box input", "resign\n");
      await bob.until("document.activeElement.textContent === 'Keep playing'");
      await bob.keys("Escape");
      await bob.until(
        "document.activeElement === document.querySelector('.move-box input')",
      );
    });

    test("a refused press says why once, also while an offer stands in the place of the turn", async () => {
      await fixture.pair(ann, bob);
      const [mover, waiting] = await fixture.turn(ann, bob);
      await mover.click("Draw");
      await waiting.shows(".banner");
      const said = () =>
        waiting.run(
          "return [...document.querySelectorAll('[role=log] p, [role=alert]')].filter((line) => line.textContent === 'It is not your turn.').length",
        );
      await waiting.press(4);
      await waiting.shows(".toast");
      assert.equal(await said(), 1);
      await waiting.click("Decline");
      await waiting.until("!document.querySelector('.banner')");
      assert.equal(await said(), 1);
    });

    test("a mark stands from the press on, and is in brackets only if the server is slow", async () => {
      await fixture.pair(ann, bob);
      const [mover] = await fixture.turn(ann, bob);
      await mover.run(`const send = WebSocket.prototype.send;
        window.held = [];
        WebSocket.prototype.send = function (data) { window.held.push(() => send.call(this, data)); };
        document.querySelector('.board').addEventListener('pointerdown', () => { window.pressedAt = performance.now(); }, true);
        document.querySelector('.board').addEventListener('click', () => {
          const mark = document.querySelector('.cell.pending .mark');
          window.shown = [performance.now() - pressedAt < 100, getComputedStyle(mark).strokeDasharray];
          window.mark = mark;
        });`);
      await mover.press(4);
      assert.deepEqual(await mover.until("window.shown"), [true, "none"]);
      await mover.until(
        "getComputedStyle(document.querySelector('.cell.pending .mark')).strokeDasharray !== 'none'",
      );
      await mover.run(
        "delete WebSocket.prototype.send; for (const send of held) send();",
      );
      await mover.until(
        "document.querySelector('.cell.last .mark') === window.mark && !document.querySelector('.cell.pending')",
      );
    });

    test("sounds are loaded and heard only if the visitor wants them", async () => {
      const SOUNDS_LOADED =
        "performance.getEntriesByType('resource').some(({ name }) => /sounds/.test(name))";
      const end = await ann.runFirst(`const Tone = OscillatorNode;
        window.tones = [];
        window.OscillatorNode = class extends Tone {
          constructor(context, options) { super(context, options); window.tones.push(options.frequency); }
        };`);
      await fixture.pair(ann, bob, { settings: { sounds: true } });
      await end();
      await ann.until(SOUNDS_LOADED);
      await fixture.play(ann, bob, 4, 1);
      // A browser lets a page play sounds only after a press on the page.
      await ann.press(4);
      await fixture.play(ann, bob, 0, 2);
      await fixture.play(ann, bob, 8, 3);
      await ann.until("tones.includes(440) && tones.includes(330)");
      await fixture.pair(ann, bob);
      await fixture.play(ann, bob, 4, 1);
      assert.equal(await ann.run(`return ${SOUNDS_LOADED}`), false);
    });

    test("Escape takes back the choice of a cell", async () => {
      const settings = { confirm: "always" };
      await fixture.pair(ann, bob, { settings });
      const [mover] = await fixture.turn(ann, bob);
      await mover.press(4);
      await mover.shows(".cell.selected");
      await mover.keys("Escape");
      await mover.until("!document.querySelector('.cell.selected, .confirm')");
    });

    test("the end of a game leaves the focus on an action, and a rematch names the new mark", async () => {
      await fixture.pair(ann, bob);
      const [mover, waiting] = await fixture.turn(ann, bob);
      const seat = (page) =>
        page.run(
          "return document.querySelector('.player.near').classList.contains('x') ? 'X' : 'O'",
        );
      const before = await seat(waiting);
      await bob.run("document.querySelector('.move-box input').focus()");
      await ann.click("Resign");
      await ann.confirm();
      await bob.until("document.activeElement.textContent === 'Rematch'");
      await waiting.click("Rematch");
      await mover.click("Accept");
      const after = before === "X" ? "O" : "X";
      await waiting.until(
        `document.querySelector('.status').innerText.includes('You play ${after} now.')`,
      );
      assert.equal(await seat(waiting), after);
      await waiting.until(
        "document.querySelector('.player.near .score').textContent.includes('–')",
      );
    });

    test("Back leads to the screen before, and asks before it ends a game", async () => {
      const back = (shown) =>
        ann
          .run("history.back()")
          .then(() => ann.until(`document.querySelector('${shown}')`));
      await fixture.visit(ann, { name: "Ann" });
      await ann.click("Lobby");
      await ann.click("Watch");
      await ann.until("location.hash === '#/watch'");
      await back("#code");
      await back(".game-card");
      // The settings lead back to the search, which has continued.
      await ann.click("Find an opponent");
      await ann.shows(".elapsed");
      await ann.activate("[aria-label=Settings]");
      await ann.shows("#own-name");
      await ann.activate(".heading button");
      await ann.until("history.state.screen === 'looking'");
      assert.ok(await ann.run("return document.querySelector('.elapsed')"));
      await back(".game-card");
      await fixture.pair(ann, bob);
      await ann.activate("[aria-label=Settings]");
      await ann.until("location.hash === '#/settings'");
      await back(".board");
      // The button of the browser skips entries that a page adds without an action of the visitor; `history.back()` does not.
      for (const times of [1, 2, 3, 4]) {
        await ann.run(
          "window.isReturned = false; addEventListener('popstate', () => { window.isReturned = history.state.screen === 'room'; })",
        );
        await ann.pressBack();
        assert.match(await dialogText(ann), /Leave this game/, `${times}`);
        await ann.until("window.isReturned", `the entry of the game, ${times}`);
      }
      await ann.click("Keep playing");
      await fixture.play(ann, bob, 4, 1);
      await back("dialog[open]");
      await clickLast(ann);
      await ann.shows(".game-card");
      // The history has no entry of the game any more.
      await ann.run("history.forward()");
      await bob.shows(".banner");
      assert.ok(await ann.run("return document.querySelector('.game-card')"));
      await fixture.visit(ann, { name: "Ann", hash: "#/settings" });
      await ann.shows("#own-name");
      const help = await ann.run(
        "return document.getElementById('help').textContent",
      );
      assert.match(help, /Page Up and Page Down change the layer/);
    });

    test("the link to the content and an unknown fragment change no screen", async () => {
      const skip = () =>
        ann.run(
          "document.querySelector('.skip').click(); return [document.activeElement.id, location.hash]",
        );
      await fixture.visit(ann, { name: "Ann" });
      const shown = [
        ["Lobby", "#code", "#/lobby"],
        ["Play", ".game-card", ""],
        ["Find an opponent", ".elapsed", ""],
      ];
      for (const [name, selector, hash] of shown) {
        await ann.click(name);
        await ann.until(`document.querySelector('${selector}')`);
        assert.deepEqual(await skip(), ["main", hash]);
        await ann.run("location.hash = 'later'");
        await ann.until(`location.hash === '${hash}'`);
        assert.ok(
          await ann.run(`return document.querySelector('${selector}')`),
        );
      }
      await fixture.visit(bob, { name: "Bob" });
      await bob.click("Find an opponent");
      await ann.shows(".board");
      assert.deepEqual(await skip(), ["main", ""]);
      await ann.run("location.hash = 'later'");
      await ann.until("location.hash === ''");
      assert.ok(
        await ann.run("return !document.querySelector('dialog[open]')"),
      );
    });

    test("the settings and a link keep an open invitation", async () => {
      await fixture.visit(ann, { name: "Ann" });
      await ann.click("Invite a friend");
      const code = await ann.until(
        "document.querySelector('.code')?.textContent",
      );
      await ann.activate("[aria-label=Settings]");
      await ann.shows("#own-name");
      await ann.activate(".heading [aria-label=Back]");
      await ann.until(
        `document.querySelector('.code')?.checkVisibility() && document.querySelector('.code').textContent === '${code}'`,
      );
      await ann.run("location.hash = arguments[0]", code);
      await ann.until("location.hash === ''");
      await ann.run("location.hash = 'zzzz-zzzz-zzzz'");
      assert.match(await dialogText(ann), /Close this room/);
      await ann.click("Stay");
      // The friend can still join.
      // The title of the hidden tab names the friend.
      await ann.run(
        "Object.defineProperty(document, 'hidden', { value: true, configurable: true })",
      );
      await fixture.visit(bob, { name: "Bob" });
      await bob.click("Lobby");
      await bob.type("#code", "hello\n");
      await bob.until(
        "/not a code/.test(document.querySelector('[role=alert].detail').textContent)",
      );
      await bob.run("document.querySelector('#code').value = ''");
      await bob.type("#code", `${server.page}#${code}\n`);
      await fixture.both("document.querySelector('.board')");
      const tab = () =>
        ann.run(
          "return [document.title, document.querySelector('link[rel=icon]').getAttribute('href')]",
        );
      const isFirst = await ann.run(
        "return document.querySelector('.player.near').classList.contains('x')",
      );
      assert.deepEqual(await tab(), [
        isFirst ? "● Your move – Noughts" : "● Bob joined – Noughts",
        "/icon-call.svg",
      ]);
      await ann.run(
        "delete document.hidden; document.dispatchEvent(new Event('visibilitychange'))",
      );
      const [title, icon] = await tab();
      assert.match(title, /^(● Your move|Tic-tac-toe) – Noughts$/);
      assert.equal(icon, "/icon.svg");
      // A hidden tab that loads a game again does not announce its beginning.
      await fixture.play(ann, bob, 4, 1);
      if (isFirst) await fixture.play(ann, bob, 0, 2);
      const end = await ann.runFirst(
        "Object.defineProperty(document, 'hidden', { value: true, configurable: true })",
      );
      await ann.reload();
      await ann.until(moves(isFirst ? 2 : 1));
      await end();
      assert.deepEqual(await tab(), [
        "● Your move – Noughts",
        "/icon-call.svg",
      ]);
      await fixture.play(ann, bob, 8, isFirst ? 3 : 2);
      assert.deepEqual(await tab(), ["Tic-tac-toe – Noughts", "/icon.svg"]);
    });

    test("the page follows the contrast of the device", async () => {
      await fixture.visit(ann);
      const contrast =
        "document.documentElement.dataset.contrast === 'more' || null";
      assert.equal(await ann.run(`return ${contrast}`), null);
      await ann.setMedia({ "prefers-contrast": "more" });
      await ann.until(contrast);
      await ann.reload();
      await ann.until(contrast);
      await fixture.visit(ann, { settings: { contrast: "normal" } });
      assert.equal(await ann.run(`return ${contrast}`), null);
      await ann.setMedia({});
    });

    test("a friend sees the host, has a random name, and may choose a name in the settings", async () => {
      await fixture.visit(ann, { name: "Ann" });
      await ann.click("Invite a friend");
      const code = await ann.until(
        "document.querySelector('.code')?.textContent",
      );
      await fixture.visit(bob, { name: "", hash: `#${code}` });
      await bob.until(
        "document.querySelector('main h1')?.textContent === 'Ann invites you to Tic-tac-toe' && /you play [XO]/.test(document.querySelector('main').innerText)",
      );
      await bob.until(
        "document.activeElement.id === 'name' && /^\\w+ \\w+$/.test(document.activeElement.value)",
      );
      await ann.until("document.body.innerText.includes('opened the link')");
      await bob.activate("[aria-label=Settings]");
      await bob.type("#own-name", "Bob\n");
      await bob.activate(".heading [aria-label=Back]");
      await bob.until("document.querySelector('#name')?.value === 'Bob'");
      await bob.click("Join the game");
      await fixture.both("document.querySelector('.board')");
    });

    test("letters answer in every layout of the keyboard, and all that is said at once is announced", async () => {
      await ann.run("document.querySelector('.cell[tabindex=\"0\"]').focus()");
      await ann.run(
        "document.addEventListener('keydown', (event) => setTimeout(() => { window.isTaken = event.defaultPrevented; }), true)",
      );
      const lines = (region) =>
        ann.run(
          `return [...document.querySelectorAll('[role=${region}] p')].map((line) => line.textContent)`,
        );
      const press = (key, code) =>
        ann.devtools("Input.dispatchKeyEvent", { type: "keyDown", key, code });
      await press("щ", "KeyO");
      await ann.until("window.isTaken === true");
      assert.equal((await lines("log")).at(-1), "Bob");
      const before = (await lines("log")).length;
      for (const [key, code] of [
        ["5", "Digit5"],
        ["я", "KeyZ"],
      ]) {
        await ann.run("window.isTaken = undefined");
        await press(key, code);
        await ann.until("window.isTaken === false", key);
      }
      assert.equal((await lines("log")).length, before);
      // If the page announces the same line again, it adds the line again.
      await press("o", "KeyO");
      assert.deepEqual((await lines("log")).slice(-2), ["Bob", "Bob"]);
    });

    test("another tab does not offer the game of this one", async () => {
      const tab = await fixture.openTab(ann);
      await tab.go(server.page);
      await tab.until(IS_ONLINE);
      await tab.until(
        "document.querySelector('.game-card') && document.querySelector('.continued').hidden",
      );
      await ann.close();
      await tab.click("Continue");
      await tab.until(moves(0));
      await fixture.play(tab, bob, 4, 1);
    });

    test("records with the same cells have the moves of their own board", async () => {
      await fixture.visit(bob);
      await bob.click("Watch");
      await bob.click("Replay");
      for (const [rules, cell, expected] of [
        ["3x3:3", "a1", "1"],
        ["3x3x3:3", "a1-1", "a1-1"],
      ]) {
        await bob.until("document.querySelector('#record')?.checkVisibility()");
        await bob.run(
          "document.querySelector('#record').value = arguments[0]",
          `[Rules "${rules}"]\n\n1. ${cell}`,
        );
        await bob.click("Replay");
        await bob.until("document.querySelector('.move')?.checkVisibility()");
        assert.equal(await bob.textOf(".move"), expected);
        await bob.leaveGame();
      }
    });
  },
);
