// Boards of one to four dimensions, languages, narrow and enlarged windows, forced colours, no script.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  DESKTOP,
  IS_LOADED_AHEAD,
  IS_ONLINE,
  PHONE,
  SCREENS,
  moves,
  suite,
} from "./fixture.mjs";

suite(
  "boards and languages fit every window",
  { sizes: [PHONE, DESKTOP] },
  (fixture) => {
    const { server } = fixture;
    const [phone, desktop] = fixture.pages;

    const IS_NARROW =
      "document.documentElement.scrollWidth <= innerWidth && document.querySelector('main').scrollWidth <= document.querySelector('main').clientWidth";
    const focused = (page) =>
      page.run("return Number(document.activeElement.dataset.cell)");

    /**
     * Checks what every board needs: square cells of at least this size, inside their box, each
     * with its own label.
     */
    async function checkBoard(page, cells, size) {
      const found = await page.run(`
    const cells = [...document.querySelectorAll('.cell')];
    const boxes = cells.map((cell) => cell.getBoundingClientRect());
    const stage = document.querySelector('.stage');
    const board = document.querySelector('.board').getBoundingClientRect();
    return { count: cells.length, isInside: boxes.every((box) => box.left > board.left - 1 && box.right < board.right + 1), isAtStart: board.left >= stage.getBoundingClientRect().left,
      smallest: Math.min(...boxes.map((box) => Math.min(box.width, box.height))),
      skew: Math.max(...boxes.map((box) => Math.abs(box.width - box.height))),
      labels: new Set(cells.map((cell) => cell.getAttribute('aria-label'))).size, stops: document.querySelectorAll('.cell[tabindex="0"]').length,
      isScrollable: stage.scrollWidth > stage.clientWidth ? getComputedStyle(stage).overflowX === 'auto' : true };`);
      assert.equal(found.count, cells);
      assert.equal(found.labels, cells, "every cell has its own label");
      assert.equal(found.stops, 1, "the board has one tab stop");
      assert.ok(found.smallest >= size - 0.6, `cells of ${found.smallest} px`);
      assert.ok(found.skew < 1.5, `cells are ${found.skew} px from square`);
      assert.ok(found.isScrollable);
      assert.ok(found.isInside, "a cell is outside the board");
      assert.ok(found.isAtStart, "the first column cannot be reached");
      // The board scrolls in its own box, so that the actions stay in reach.
      assert.ok(
        await page.run(
          "return [...document.querySelectorAll('.action')].every((action) => action.getBoundingClientRect().bottom <= innerHeight + 0.5)",
        ),
        "an action is below the window",
      );
      assert.ok(
        await page.run(`return ${IS_NARROW}`),
        "the page scrolls sideways",
      );
    }

    /** Size of the window of a phone at 400 % zoom. */
    const ENLARGED = [320, 200];

    /**
     * Sizes of phone windows beside the bars of the browser: portrait, a smaller portrait, and
     * landscape.
     */
    const WINDOWS = [
      [390, 664],
      [360, 640],
      [750, 340],
    ];

    /** Checks that a window shows the whole board and all actions, with cells of at least this size. */
    async function checkWhole(page, size) {
      const found = await page.run(`
    const stage = document.querySelector('.stage');
    const box = stage.getBoundingClientRect();
    const cells = [...document.querySelectorAll('.cell')].map((cell) => cell.getBoundingClientRect());
    const isHidden = ({ left, right, top, bottom }) => left < box.left - 0.5 || right > box.right + 0.5 || top < box.top - 0.5 || bottom > box.bottom + 0.5;
    return { hidden: cells.filter(isHidden).length, smallest: Math.min(...cells.map(({ width }) => width)),
      scrolling: [stage, document.querySelector('main'), document.querySelector('.status')].filter((element) => element.scrollHeight > element.clientHeight || element.scrollWidth > element.clientWidth).map(({ className }) => className),
      below: [...document.querySelectorAll('.action')].filter((action) => action.getBoundingClientRect().bottom > innerHeight + 0.5).length };`);
      const { smallest, ...rest } = found;
      assert.deepEqual(
        rest,
        { hidden: 0, scrolling: [], below: 0 },
        `${page.size}`,
      );
      assert.ok(smallest >= size, `${page.size}: cells of ${smallest} px`);
    }

    // For each board: rules, number of cells, minimum size of a cell, and for the boards of the
    // first screen the minimum size in each window.
    for (const [rules, cells, size, whole] of [
      ["3x3:3", 9, 44, [120, 110, 90]],
      ["7x6:4+gravity", 42, 44, [50, 48, 42]],
      ["15x15:5", 225, 24, [24, 24, 17]],
      ["19x19:5", 361, 20, [19, 18]],
      ["25x25:6", 625, 15],
      ["9:3", 9, 24],
      ["1x25:3", 25, 15],
      ["3x3x3:3", 27, 30],
      ["4x4x4:4", 64, 44, [44, 40, 29]],
      ["4x4x4:4+gravity", 64, 30],
      ["3x3x3x3:3", 81, 30, [36, 33, 22]],
      ["5x5x5x2:4", 250, 24],
    ]) {
      test(`${rules} is drawn, read out and played`, async () => {
        await fixture.pair(phone, desktop, { rules });
        await Promise.all([
          checkBoard(phone, cells, size),
          checkBoard(desktop, cells, Math.max(size, 24)),
        ]);
        await fixture.play(phone, desktop, 0, 1);
        const [page] = await fixture.turn(phone, desktop);
        await page.run(
          "document.querySelector('.cell[tabindex=\"0\"]').focus()",
        );
        await page.keys("Control", "End");
        assert.equal(await focused(page), cells - 1);
        await page.keys("PageUp");
        await page.keys("Shift", "PageUp");
        await page.keys("End");
        const [columns, rows = 1, layers = 1, cubes = 1] = rules
          .split(/[:+]/)[0]
          .split("x")
          .map(Number);
        const layer = layers > 1 ? columns * rows : 0;
        const cube = cubes > 1 ? columns * rows * layers : 0;
        assert.equal(await focused(page), cells - 1 - layer - cube);
        await page.keys("Enter");
        await fixture.both(moves(2));
        for (const each of [phone, desktop])
          await each.until(
            "(([cell, stage]) => cell.top >= stage.top - 1 && cell.bottom <= stage.bottom + 1 && cell.left >= stage.left - 1 && cell.right <= stage.right + 1)(['.cell.last', '.stage'].map((name) => document.querySelector(name).getBoundingClientRect()))",
            "the last move in the stage",
          );
        for (const [index, least] of (whole ?? []).entries()) {
          await phone.resize(...WINDOWS[index]);
          await checkWhole(phone, least);
        }
        if (whole) await phone.resize(...PHONE);
        await phone.takePicture(`board-${rules}-phone`);
        await desktop.takePicture(`board-${rules}-desktop`);
      });
    }

    /** Sizes of windows with little room for the status, and of windows of a small notebook. */
    const LOW_WINDOWS = [
      PHONE,
      ...WINDOWS,
      [320, 568],
      [1366, 625],
      [1024, 600],
    ];
    /**
     * Lets a test act as the server and send a notice or an event to the page, in the room of the
     * visitor's seat and not in the room of a preview.
     */
    const KEEP_SOCKET = `
  const Socket = WebSocket;
  window.WebSocket = class extends Socket {
    constructor(...values) {
      super(...values);
      this.addEventListener('message', ({ data }) => {
        const message = JSON.parse(data);
        if (message.type === 'snapshot' && message.role.seat) window.last = { socket: this, room: message.room, seat: message.role.seat, seq: message.state.seq };
        if (message.type === 'events' && window.last?.socket === this) last.seq = message.events.at(-1)?.seq ?? last.seq;
      });
    }
  };
  const send = (message) => last.socket.dispatchEvent(new MessageEvent('message', { data: JSON.stringify({ room: last.room, ...message }) }));
  window.notify = (presence, claim_in_ms) => send({ type: 'notice', notice: { type: 'presence', seat: last.seat === 'X' ? 'O' : 'X', presence, claim_in_ms } });
  window.receive = (event) => send({ type: 'events', events: [{ seq: last.seq + 1, at: 1, event: { seat: last.seat === 'X' ? 'O' : 'X', ...event } }] });`;

    /**
     * Returns what a visitor cannot see or press: parts of the status, cells of the board, and
     * during a game the visitor's own clock.
     */
    const hiddenParts = (page) =>
      page.run(`
    const status = document.querySelector('.status');
    const box = status.getBoundingClientRect();
    const clock = document.querySelector('.player.near .clock');
    const isOutside = ({ left, right, top, bottom }, outer) => left < outer.left - 0.5 || right > outer.right + 0.5 || top < outer.top - 0.5 || bottom > outer.bottom + 0.5;
    const isCovered = (element) => {
      const { x, y, width, height } = element.getBoundingClientRect();
      return !element.contains(document.elementFromPoint(x + width / 2, y + height / 2));
    };
    const parts = [...status.querySelectorAll('button, p, h2, strong, .detail, .cut')].filter((part) => part.checkVisibility());
    const isShown = document.querySelector('.result') ? [] : [clock];
    return [
      ...parts.filter((part) => isOutside(part.getBoundingClientRect(), box)).map((part) => 'outside: ' + part.textContent),
      ...[...parts, clock].filter((part) => part.scrollWidth > part.clientWidth + 1 && getComputedStyle(part).display !== 'inline').map((part) => 'cut: ' + part.textContent),
      ...[...status.querySelectorAll('button'), ...isShown].filter(isCovered).map((part) => 'covered: ' + part.textContent),
      ...(status.scrollHeight > status.clientHeight || status.scrollWidth > status.clientWidth ? ['the status scrolls'] : []),
      ...(box.bottom > innerHeight ? ['the status is below the window'] : []),
      ...[...document.querySelectorAll('.cell')].filter((cell) => isCovered(cell) || isOutside(cell.getBoundingClientRect(), document.querySelector('.stage').getBoundingClientRect())).map((cell) => 'cell ' + cell.dataset.cell),
    ];`);

    for (const language of ["en", "ru"]) {
      test(`the status shows all that it says, and the own clock, in ${language}`, async () => {
        const end = await phone.runFirst(KEEP_SOCKET);
        await fixture.pair(phone, desktop, {
          rules: "4x4x4:4",
          clock: "1+0",
          settings: { language, confirm: "always" },
        });
        await end();
        if ((await fixture.turn(phone, desktop))[0] === desktop) {
          await desktop.press(0);
          await desktop.clickFound(
            "return document.querySelector('.confirm .main')",
            null,
            "the move",
          );
          await phone.until(moves(1));
        }
        const receive = (event) => () => phone.run(`receive(${event})`);
        // Each state, the action that leads to it, and the selector of an element that it shows.
        const states = [
          ["turn", () => {}, ".now"],
          ["question", () => phone.press(5), ".confirm"],
          [
            "absence",
            () =>
              phone.run(
                "document.querySelector('.confirm-buttons > :last-child').click(); notify('disconnected', 60_000)",
              ),
            ".banner.warn [aria-disabled]",
          ],
          [
            "absence in the turn of the opponent",
            receive(
              "{ type: 'moved', seat: last.seat, cell: 5, left: [60_000, 60_000] }",
            ),
            ".progress",
          ],
          [
            "an opponent who has left",
            () => phone.run("notify('left', 0)"),
            ".banner.warn :not([aria-disabled]) + :not([aria-disabled])",
          ],
          [
            "offer",
            async () => {
              await phone.run("notify('connected')");
              await phone.run("receive({ type: 'offered', offer: 'draw' })");
            },
            ".banner:not(.warn)",
          ],
          [
            "result",
            receive(
              "{ type: 'ended', outcome: { reason: 'resigned', winner: last.seat } }",
            ),
            ".result .score",
          ],
          [
            "result with an offer",
            receive("{ type: 'offered', offer: 'rematch' }"),
            ".result:not(:has(.score))",
          ],
        ];
        const problems = {};
        for (const [name, enter, shown] of states) {
          await phone.resize(...PHONE);
          await enter();
          await phone.until(
            `document.querySelector(${JSON.stringify(`.status ${shown}`)})`,
          );
          for (const size of LOW_WINDOWS) {
            await phone.resize(...size);
            await phone.takePicture(
              `status-${name.replaceAll(" ", "-")}-${language}-${size.join("x")}`,
            );
            const hidden = await hiddenParts(phone);
            if (hidden.length > 0) problems[`${name}, ${size}`] = hidden;
          }
        }
        await phone.resize(...PHONE);
        assert.deepEqual(problems, {});
      });
    }

    test("texts of twice the size stay whole and apart on a phone", async () => {
      const IS_WIDE =
        "document.documentElement.scrollWidth > innerWidth || document.documentElement.scrollHeight > innerHeight";
      const enlarge =
        "document.documentElement.style.setProperty('font-size', '200%')";
      const proxy = await fixture.openProxy();
      await fixture.pair(phone, desktop, { clock: "1+0", at: proxy.page });
      await phone.resize(390, 664);
      await phone.run(enlarge);
      // The rows of the game must lie one below the other.
      const overlaps = await phone.run(`
        const parts = ['.bar', '.player.far', '.stage', '.player.near', '.status', '.actions'].map((name) => document.querySelector(name));
        const edges = parts.map((part) => part.getBoundingClientRect());
        return [
          ...edges.slice(1).flatMap(({ top }, index) => (top < edges[index].bottom - 0.5 ? [parts[index].className] : [])),
          ...parts.filter((part) => part.matches('.bar, .player, .actions') && part.scrollHeight > part.clientHeight + 1).map((part) => 'cut: ' + part.className),
          ...[...document.querySelectorAll('.action, .bar-title')].filter((part) => part.getBoundingClientRect().height < part.scrollHeight - 1).map((part) => 'cut: ' + part.textContent),
        ];`);
      assert.deepEqual(overlaps, []);
      assert.ok(!(await phone.run(`return ${IS_WIDE}`)), "game");
      await phone.takePicture("text-200-game");
      // The page also fits without a connection, with the longest texts in the narrowest window.
      for (const [size, settings, text] of [
        [[390, 664], {}, enlarge],
        [[320, 568], { language: "ru" }, ""],
      ]) {
        await fixture.visit(phone, { settings, at: proxy.page });
        await phone.resize(...size);
        await phone.run(text);
        await phone.until(IS_LOADED_AHEAD);
        proxy.cut();
        await phone.shows(".notice .button");
        assert.ok(!(await phone.run(`return ${IS_WIDE}`)), `${size}`);
        const right = await phone.run(
          "return document.querySelector('.notice .button').getBoundingClientRect().right",
        );
        assert.ok(right <= size[0], `${right} of ${size}`);
        await phone.takePicture(`text-200-lost-${size.join("x")}`);
        proxy.mend();
      }
      await phone.resize(...PHONE);
    });

    test("a small cell is played in two taps, and another tap moves the choice", async () => {
      await fixture.pairWithTurn(phone, desktop, "15x15:5");
      const count = await phone.count(".move");
      await phone.tap('[data-cell="112"]');
      await phone.until(
        "document.querySelector('.cut') && document.querySelector('.cell.selected')?.dataset.cell === '112'",
      );
      await phone.takePicture("confirm-phone");
      await phone.tap('[data-cell="113"]');
      await phone.until(
        "document.querySelector('.cell.selected')?.dataset.cell === '113'",
      );
      assert.equal(await phone.count(".move"), count);
      await phone.activate(".confirm .main");
      await fixture.both(moves(count + 1));
    });

    for (const language of ["en", "ru", "zh-hans", "zh-hant"]) {
      test(`no screen is wider than a phone in ${language}`, async () => {
        await fixture.visit(phone, { settings: { language } });
        for (const screen of SCREENS)
          await fixture.showScreen([phone], screen, async () => {
            const [name] = screen;
            assert.equal(
              await phone.run("return document.documentElement.lang"),
              language,
            );
            const cut = await phone.run(
              "return [...document.querySelectorAll('button, h1, h2, legend, .segment')].filter((element) => element.checkVisibility() && element.scrollWidth > element.clientWidth + 1).map((element) => element.textContent)",
            );
            assert.deepEqual(cut, [], `${name}: texts do not fit`);
            assert.ok(await phone.run(`return ${IS_NARROW}`), name);
            await phone.takePicture(`${name}-phone-${language}`);
            if (language !== "en") return;
            await phone.resize(...ENLARGED);
            assert.ok(await phone.run(`return ${IS_NARROW}`), `${name}, zoom`);
            await phone.resize(...PHONE);
          });
      });
    }

    test("a game is one column at 400 % zoom", async () => {
      await fixture.pair(phone, desktop, { rules: "15x15:5" });
      await phone.resize(...ENLARGED);
      assert.ok(
        await phone.run(
          "return document.documentElement.scrollWidth <= innerWidth",
        ),
      );
      await phone.takePicture("zoom-game");
      await phone.resize(...PHONE);
    });

    test("marks and the turn stay visible with forced colours", async () => {
      await desktop.setMedia({ "forced-colors": "active" });
      await fixture.pair(phone, desktop);
      await fixture.play(phone, desktop, 4, 1);
      const background = await desktop.run(
        "return getComputedStyle(document.documentElement).backgroundColor",
      );
      assert.match(background, /^rgb\(/, "the page has an opaque background");
      const strokes = await desktop.run(
        "return [...document.querySelectorAll('.cell .mark, .lines path')].map((element) => getComputedStyle(element).stroke)",
      );
      assert.ok(strokes.length > 0);
      for (const stroke of strokes) assert.notEqual(stroke, background);
      const [, waiting] = await fixture.turn(desktop, phone);
      const turn = await (waiting === phone ? desktop : phone).run(
        "const { color, backgroundColor } = getComputedStyle(document.querySelector('.now')); return [color, backgroundColor]",
      );
      assert.notEqual(...turn);
      await desktop.takePicture("forced-colors");
      await desktop.setMedia({ "forced-colors": "none" });
    });

    test("no animation is shown when the visitor wants none", async () => {
      await desktop.setMedia({ "prefers-reduced-motion": "reduce" });
      await fixture.play(phone, desktop, 0, 2);
      assert.equal(
        await desktop.run("return document.getAnimations().length"),
        0,
      );
      await desktop.setMedia({ "prefers-reduced-motion": "no-preference" });
    });

    test("without scripts the page names the command of the terminal", async () => {
      await fixture.leavePage(desktop);
      await desktop.devtools("Emulation.setScriptExecutionDisabled", {
        value: true,
      });
      await desktop.go(server.page);
      const { root } = await desktop.devtools("DOM.getDocument", {});
      const { nodeId } = await desktop.devtools("DOM.querySelector", {
        nodeId: root.nodeId,
        selector: "main.noscript code",
      });
      const { outerHTML } = await desktop.devtools("DOM.getOuterHTML", {
        nodeId,
      });
      // The text is visible without scrolling.
      const { model } = await desktop.devtools("DOM.getBoxModel", { nodeId });
      assert.ok(model.content[5] < DESKTOP[1], `${model.content}`);
      assert.match(outerHTML, /noughts join/);
      await desktop.takePicture("no-script");
      await desktop.devtools("Emulation.setScriptExecutionDisabled", {
        value: false,
      });
      await desktop.go(server.page);
      await desktop.until(IS_ONLINE);
    });
  },
);
