// What a screen reader gets. axe-core must find no fault on any screen, and the accessibility tree
// of a game must match `accessibility-tree.txt`.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { axeViolations } from "./axe.mjs";
import {
  DESKTOP,
  IS_ONLINE,
  PHONE,
  SCREENS,
  moves,
  suite,
} from "./fixture.mjs";
import { Terminal } from "./server.mjs";

suite("every screen is accessible", { sizes: [PHONE, DESKTOP] }, (fixture) => {
  const { server } = fixture;
  const [phone, desktop] = fixture.pages;
  const RECORD =
    '[Rules "3x3:3"]\n[X "Ann"]\n[O "Bob"]\n[Clock "5+3"]\n[Result "X line"]\n\n1. b2 a1 2. c1 b1 3. a3\n';
  const TREE = new URL("accessibility-tree.txt", import.meta.url);

  const screens = readFileSync(
    new URL("../../../../client/web/page/view/screens.js", import.meta.url),
    "utf8",
  );
  /** Screens that axe has checked. */
  const checked = new Set();

  /**
   * Checks a page, with the light theme on the phone and the dark theme on the desktop. Together
   * they check both themes and both sizes of each screen.
   */
  async function check(page, name) {
    // An open dialog covers the screen, so the check counts for the dialog.
    checked.add(
      await page.run(
        "return document.querySelector('dialog[open]') ? 'dialog' : document.querySelector('main').dataset.view",
      ),
    );
    const [size, theme] =
      page === phone ? ["phone", "light"] : ["desktop", "dark"];
    await page.run(
      "document.documentElement.dataset.theme = arguments[0]",
      theme,
    );
    assert.deepEqual(await axeViolations(page), [], `${name}, ${theme}`);
    await page.takePicture(`axe-${name}-${size}`);
  }

  /** Keeps the first socket of a page, so that a test can close it as a server does. Other sockets may watch games. */
  const KEEP_SOCKET =
    "const Socket = WebSocket; window.WebSocket = class extends Socket { constructor(...values) { super(...values); window.socket ??= this; } };";

  const checkBoth = async (name) => {
    await Promise.all([check(phone, name), check(desktop, name)]);
  };

  for (const screen of SCREENS) {
    const [name] = screen;
    test(`axe finds nothing on the screen ${name}`, async () => {
      if (name === "home")
        // The pages choose different rules, so that no game begins.
        await Promise.all([
          fixture.visit(phone, { rules: "3x3:3" }),
          fixture.visit(desktop, { rules: "4x4:4" }),
        ]);
      await fixture.showScreen([phone, desktop], screen, () => checkBoth(name));
    });
  }

  test("axe finds nothing on the screen of a link and the question for a name", async () => {
    const host = new Terminal(
      fixture.folder,
      "play",
      `${server.page.replace("http", "ws")}ws`,
      "--private",
      "--seat",
      "x",
    );
    fixture.atEnd(() => host.kill());
    const [code] = await host.until(/\b[0-9a-z]{4}-[0-9a-z]{4}-[0-9a-z]{4}\b/);
    const open = (hash) =>
      Promise.all(
        [phone, desktop].map((page) => fixture.visit(page, { name: "", hash })),
      );
    await open(`#${code}`);
    await fixture.both("document.querySelector('.invited-picture .picture')");
    await checkBoth("link");
    host.kill();
    // The server has no room with this code, so the page does not ask for a name.
    await open("#zzzz-zzzz-zzzz");
    await fixture.both(
      "document.querySelector('main').dataset.view === 'refused'",
    );
    await checkBoth("refused");
    await open("");
    for (const page of [phone, desktop]) {
      await page.click("Change name");
      await page.shows("dialog[open]");
    }
    await checkBoth("name");
    for (const page of [phone, desktop]) {
      await page.type("#dialog-name", "Ann\n");
      await page.until(
        "document.querySelector('.you .name').textContent === 'Ann'",
      );
    }
  });

  for (const rules of ["3x3:3", "7x6:4+gravity", "15x15:5", "4x4x4:4"]) {
    test(`axe finds nothing on a game of ${rules}`, async () => {
      await fixture.pair(phone, desktop, { rules });
      await fixture.play(phone, desktop, 0, 1);
      await fixture.play(phone, desktop, 1, 2);
      await checkBoth(`game-${rules}`);
    });
  }

  test("axe finds nothing on a line through layers, whose cells are numbered", async () => {
    await fixture.pair(phone, desktop, { rules: "3x3x3:3" });
    for (const [index, cell] of [0, 1, 13, 2, 26].entries())
      await fixture.play(phone, desktop, cell, index + 1);
    await fixture.both("document.querySelector('.result')");
    for (const page of [phone, desktop])
      assert.deepEqual(
        await page.run(
          "return [...document.querySelectorAll('.cell.win')].map((cell) => [cell.dataset.cell, getComputedStyle(cell, '::after').content])",
        ),
        [
          ["0", '"1"'],
          ["13", '"2"'],
          ["26", '"3"'],
        ],
      );
    await checkBoth("line-through-layers");
  });

  test("axe finds nothing on offers, questions, the review and the result", async () => {
    await fixture.pair(phone, desktop);
    await fixture.play(phone, desktop, 4, 1);
    await phone.click("Draw");
    await desktop.shows(".banner");
    await checkBoth("offer");
    await desktop.click("Decline");
    await fixture.both("!document.querySelector('.banner')");
    await phone.click("Resign");
    await desktop.leaveGame();
    await phone.shows(".banner .danger");
    await desktop.shows("dialog[open]");
    await checkBoth("question");
    await desktop.click("Keep playing");
    await phone.click("Keep playing");
    for (const [index, cell] of [0, 3, 8].entries())
      await fixture.play(phone, desktop, cell, index + 2);
    await desktop.activate(".move");
    await desktop.shows(".status-line");
    await checkBoth("review");
    await desktop.click("Back to the game");
    await phone.click("Resign");
    await phone.confirm();
    await fixture.both("document.querySelector('.result')");
    await checkBoth("result");
  });

  test("axe finds nothing on the choice of a small cell and an absent opponent", async () => {
    await fixture.pairWithTurn(phone, desktop, "15x15:5");
    await phone.tap('[data-cell="112"]');
    await phone.shows(".cut");
    await check(phone, "confirm");
    await phone.activate(".confirm .main");
    // The phone sees that the opponent is to move.
    await phone.shows('.cell.marked[data-cell="112"]');
    await desktop.go("about:blank");
    await phone.shows(".banner.warn .progress");
    await check(phone, "absent");
    // The bar grows until the claim.
    const part =
      "Number(document.querySelector('.progress').style.getPropertyValue('--part'))";
    const before = await phone.run(`return ${part}`);
    await phone.until(`${part} > ${before} && ${part} < 1`);
    await desktop.back();
    await phone.until("!document.querySelector('.banner')");
    await phone.go("about:blank");
    await desktop.shows(".banner.warn");
    await check(desktop, "absent");
    await phone.back();
    await desktop.until("!document.querySelector('.banner')");
  });

  test("axe finds nothing on the phrases", async () => {
    await fixture.pair(phone, desktop);
    for (const page of [phone, desktop]) {
      await page.click("Say");
      await page.shows(".status .phrases");
    }
    await checkBoth("phrases");
    for (const page of [phone, desktop]) await page.click("Good luck");
    await fixture.both(
      "document.querySelector('.player.far .bubble')?.checkVisibility()",
    );
    await checkBoth("said");
  });

  test("axe finds nothing on a lobby, a grid, a TV and a watched game with players", async () => {
    const address = `${server.page.replace("http", "ws")}ws`;
    const start = (name, ...options) => {
      const player = new Terminal(
        join(fixture.folder, name),
        ...options,
        "--name",
        name,
      );
      fixture.atEnd(() => player.kill());
      return player;
    };
    const tom = start("Tom", "play", address, "--public", "--seat", "x");
    const [, code] = await tom.until(/#([0-9a-z]{8})\b/);
    start("Tim", "join", `${address}#${code}`);
    start("Deep", "bot", address, "--rules", "connect4", "--level", "easy");
    await tom.until(/Your move/);
    tom.write("b2");
    for (const page of [phone, desktop]) {
      await fixture.visit(page);
      await page.activate("[data-screen=lobby]");
      await page.until(
        "['Tom', 'Deep'].every((name) => [...document.querySelectorAll('.row')].some((row) => row.textContent.includes(name)))",
      );
    }
    await checkBoth("lobby-players");
    for (const page of [phone, desktop])
      await page.activate("[data-screen=watch]");
    await fixture.both(
      "document.querySelector('.watch-card .picture.position')",
    );
    await checkBoth("grid");
    for (const page of [phone, desktop]) await page.activate("input[value=tv]");
    await fixture.both(
      "document.querySelector('.watch-grid.tv .picture.position')",
    );
    await checkBoth("tv");
    for (const page of [phone, desktop])
      await page.activate("input[value=grid]");
    // The other cards show games of earlier tests. Their players have left.
    const card =
      "[...document.querySelectorAll('.watch-card')].find((card) => card.textContent.includes('Tom'))";
    await fixture.both(card);
    for (const page of [phone, desktop]) await page.run(`${card}.click()`);
    await fixture.both(
      "document.querySelectorAll('.cell.marked').length === 1",
    );
    await checkBoth("watched");
  });

  test("axe finds nothing on a game without a server", async () => {
    for (const page of [phone, desktop]) {
      await fixture.visit(page, { hash: "#/local" });
      await page.shows(".board");
    }
    await checkBoth("local");
  });

  test("axe finds nothing on the replay and a record", async () => {
    for (const page of [phone, desktop]) {
      await fixture.visit(page);
      await page.activate("[data-screen=watch]");
      await page.click("Replay");
      await page.shows("#record");
      await page.run("document.querySelector('.record-drop').open = true");
    }
    await checkBoth("replay");
    for (const page of [phone, desktop]) {
      await page.run("document.querySelector('#record').value = 'no record'");
      await page.click("Replay");
      await page.until(
        "document.querySelector('#record-error').textContent.startsWith('Line 1')",
      );
    }
    await checkBoth("replay-error");
    for (const page of [phone, desktop]) {
      await page.run(
        "document.querySelector('#record').value = arguments[0]",
        RECORD,
      );
      await page.click("Replay");
      await page.shows(".board");
      await page.activate('[aria-label="Last move"]');
      await page.until("document.querySelectorAll('.cell.win').length === 3");
    }
    await checkBoth("record");
  });

  test("axe finds nothing when the connection is lost", async () => {
    await fixture.pair(phone, desktop);
    await fixture.server.kill();
    await fixture.both("document.querySelector('.banner.bad')");
    await checkBoth("lost");
    await fixture.server.start();
    await fixture.both("!document.querySelector('.banner.bad')");
  });

  test("axe finds nothing on the frame of a page that was opened elsewhere, or is out of date", async () => {
    const pages = [phone, desktop];
    const ends = await Promise.all(
      pages.map((page) => page.runFirst(KEEP_SOCKET)),
    );
    for (const [code, name] of [
      [4002, "replaced"],
      [4001, "outdated"],
    ]) {
      await Promise.all(pages.map((page) => fixture.visit(page)));
      for (const page of pages)
        await page.run(
          "socket.dispatchEvent(new CloseEvent('close', { code: arguments[0] }))",
          code,
        );
      await fixture.both("document.querySelector('.notice button')");
      await checkBoth(name);
    }
    for (const end of ends) await end();
  });

  test("axe finds nothing while the page waits for a room", async () => {
    for (const page of [phone, desktop]) {
      await fixture.visit(page);
      const end = await page.runFirst(
        "window.WebSocket = class extends EventTarget { close() {} send() {} }",
      );
      await fixture.leavePage(page);
      await page.go(`${server.page}#w/00000000`);
      await page.until(
        "document.querySelector('main').dataset.view === 'loading'",
      );
      await check(page, "loading");
      await end();
    }
  });

  test("axe has checked every screen", () => {
    const list = /CREATORS = Object\.freeze\(\{(.*?)\n\}\);/s.exec(screens)[1];
    const names = [...list.matchAll(/^  (\w+): /gm)].map(([, name]) => name);
    assert.ok(names.length >= 13, list);
    assert.deepEqual(
      names.filter((name) => !checked.has(name)),
      [],
    );
  });

  /**
   * Returns the accessibility tree as indented lines with role, name and state, without measured
   * times.
   */
  function treeLines(nodes) {
    const byId = new Map(nodes.map((node) => [node.nodeId, node]));
    const lines = [];
    const visit = (node, depth, outer) => {
      const role = node.role?.value ?? "";
      const name = String(node.name?.value ?? "")
        .replace(/ · \d+ ms$/, "")
        .replace(/^\d+ ms$/, "Online");
      const isOwnText = role === "StaticText" && !outer.includes(name);
      const isShown =
        !node.ignored &&
        (isOwnText ||
          ![
            "StaticText",
            "InlineTextBox",
            "none",
            "generic",
            "LineBreak",
          ].includes(role));
      if (isShown) {
        const states = (node.properties ?? [])
          .filter(
            ({ name, value }) =>
              ["disabled", "checked", "live", "focusable"].includes(name) &&
              value.value !== false,
          )
          .map(({ name, value }) =>
            value.value === true ? name : `${name}=${value.value}`,
          );
        lines.push(
          `${"  ".repeat(depth)}${role === "StaticText" ? "" : role}${name && ` "${name}"`}${states.length > 0 ? ` (${states.join(", ")})` : ""}`,
        );
      }
      for (const id of node.childIds ?? [])
        visit(byId.get(id), depth + (isShown ? 1 : 0), isShown ? name : outer);
    };
    visit(nodes[0], 0, "");
    return lines;
  }

  test("the tree of a game is the one in the file", async () => {
    await fixture.pair(phone, desktop);
    await fixture.play(phone, desktop, 4, 1);
    await fixture.play(phone, desktop, 0, 2);
    // The page of X shows the tree. No toast about the connection is shown, no element has the
    // focus, and no measurement is running.
    const [page] = await fixture.turn(phone, desktop);
    await page.resize(...PHONE);
    await page.until(moves(2));
    await page.devtools("Accessibility.enable", {});
    const { nodes } = await page.devtools("Accessibility.getFullAXTree", {});
    const names = (line) =>
      line
        .replaceAll(page === phone ? "Ann" : "Bob", "OWN")
        .replaceAll(page === phone ? "Bob" : "Ann", "OTHER");
    const tree = `${treeLines(nodes).map(names).join("\n")}\n`;
    await page.resize(...(page === phone ? PHONE : DESKTOP));
    if (process.env.NOUGHTS_BLESS) writeFileSync(TREE, tree);
    assert.equal(tree, readFileSync(TREE, "utf8"));
  });
});
