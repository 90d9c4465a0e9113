// A visitor replays a game: pasted, and copied from a game that has ended.
import assert from "node:assert/strict";
import { test } from "node:test";
import { deflateRawSync } from "node:zlib";
import { DESKTOP, PHONE, suite } from "./fixture.mjs";

suite("a visitor replays games", { sizes: [PHONE, DESKTOP] }, (fixture) => {
  const [ann, bob] = fixture.pages;

  const RECORD =
    '[Rules "3x3:3"]\n[X "<b>Ann</b>"]\n[O "Bob"]\n[Clock "5+3"]\n[Result "X line"]\n\n1. b2 a1 2. c1 b1 3. a3\n';
  const marked = (count) =>
    `document.querySelectorAll('.cell.marked').length === ${count}`;

  /** Puts a text into the field, as a paste does. */
  const paste = (page, source) =>
    page.run(
      "const area = document.querySelector('#record'); area.value = arguments[0]; area.dispatchEvent(new Event('input'))",
      source,
    );

  async function openReplay(page) {
    await page.click("My games");
    await page.shows("#record");
  }
  const keptGames = (count) =>
    `document.querySelectorAll('.my-game').length === ${count}`;

  test("a pasted record can be stepped through", async () => {
    await fixture.visit(ann);
    await openReplay(ann);
    await paste(ann, RECORD);
    await ann.click("Replay");
    await ann.shows(".board");
    await ann.until(marked(5));
    assert.equal(await ann.count(".cell.win"), 3);
    assert.equal(await ann.textOf(".player.near bdi"), "<b>Ann</b>");
    assert.match(await ann.textOf(".result"), /\(X\) wins/);
    await ann.click("Review");
    // The engine shows the better move that the loser has missed.
    await ann.shows(".cell.better");
    assert.match(
      await ann.textOf(".review"),
      /^Bob: mistake 1 of 1Move 4: cell 2 allowed a forced win/,
    );
    await ann.click("Result");
    const step = (label) =>
      ann.run(
        'document.querySelector(`[aria-label="${arguments[0]}"]`).click()',
        label,
      );
    await step("First move");
    await ann.until(marked(0));
    await step("Next move");
    await ann.until(marked(1));
    await ann.click("Result");
    await ann.click("Play this game");
    await ann.shows(".game-card");
    assert.equal(
      await ann.run(
        "return document.querySelector('.game-card input:checked').value",
      ),
      "3x3:3",
    );
    await openReplay(ann);
    await paste(ann, RECORD);
    await ann.click("Replay");
    await ann.shows(".board");
  });

  test("a record with an error names its line", async () => {
    await ann.leaveGame();
    await paste(ann, '[Rules "3x3:3"]\n\n1. b2 b2');
    await ann.click("Replay");
    await ann.until(
      "document.querySelector('#record-error').textContent === 'Line 3: The cell is taken.'",
    );
  });

  test("a dropped file is opened, and its error is shown", async () => {
    const drop = (content) =>
      ann.run(
        `const data = new DataTransfer();
    data.items.add(new File([arguments[0]], "game.txt", { type: "text/plain" }));
    document.querySelector(".record-drop").dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));`,
        content,
      );
    await ann.run("document.querySelector('.record-drop').open = false");
    await drop("x".repeat(32 * 1024 + 1));
    await ann.until(
      "document.querySelector('.record-drop').open && document.querySelector('#record-error').textContent.includes('32 KiB')",
    );
    await drop(RECORD);
    await ann.shows(".board");
  });

  test("a game that has ended is reviewed, copied and replayed", async () => {
    await fixture.pair(ann, bob);
    for (const [index, cell] of [4, 0, 2, 1, 6].entries())
      await fixture.play(ann, bob, cell, index + 1);
    await bob.shows(".result");
    await bob.activate('[aria-label="Previous move"]');
    await bob.until(marked(4));
    await bob.run(
      "navigator.clipboard.writeText = (text) => { window.copied = text; return Promise.resolve(); }",
    );
    await bob.run(
      "HTMLAnchorElement.prototype.click = function () { window.saved = this.download; }; URL.createObjectURL = (file) => { window.picture = file; return 'blob:'; }",
    );
    await bob.click("Picture");
    await bob.until("window.saved === 'noughts.png'");
    const drawn = await bob.run(
      "return createImageBitmap(window.picture).then(({ width, height }) => [window.picture.type, width, height])",
    );
    assert.deepEqual(drawn, ["image/png", 1080, 1260]);
  });

  test("the engine of the page shows the mistake of a game, and the better move", async () => {
    await bob.shows(".cell.better");
    await bob.click("Result");
    await bob.shows(".result");
    await bob.click("Review");
    await bob.shows(".cell.better");
    assert.ok(await bob.run(`return ${marked(5)}`));
    assert.match(
      await bob.textOf(".review"),
      /mistake 1 of 1Move 4: cell 2 allowed a forced win\. Cell 7 was better\./,
    );
    await bob.run(
      "const slider = document.querySelector('.review input'); slider.value = 3; slider.dispatchEvent(new Event('input'))",
    );
    await bob.until(marked(3));
    // A question of the opponent replaces the review, which returns after the answer.
    await ann.click("Rematch");
    await bob.shows(".result");
    await bob.click("Decline");
    await bob.shows(".review");
    await bob.run(
      "const back = document.querySelector('.review-buttons button:last-child'); back.focus(); back.click()",
    );
    await bob.shows(".result");
    assert.equal(
      await bob.run("return document.activeElement.textContent"),
      "Rematch",
    );
  });

  test("a link to a finished game shows the game to others, also after a reload", async () => {
    await bob.click("Copy link");
    const link = await bob.until("window.copied");
    assert.match(link, /\/#r\/[\w-]{40,200}$/);
    await fixture.visit(ann, { hash: link.slice(link.indexOf("#")) });
    await ann.shows(".board");
    await ann.reload();
    await ann.shows(".board");
    assert.equal(await ann.run("return location.href"), link);
    await ann.run(
      "navigator.clipboard.writeText = (text) => { window.copied = text; return Promise.resolve(); }",
    );
    await ann.click("Copy game");
    assert.match(
      await ann.until("window.copied"),
      /^\[Rules "3x3:3"\]\n\[X "(Ann|Bob)"\]\n\[O "(Ann|Bob)"\]\n\[Result "X line"\]\n\n1\. b2 a1 2\. c1 b1 3\. a3\n$/,
    );
  });

  test("a link without a game says so, and leads to the first screen", async () => {
    await fixture.visit(ann, { hash: "#r/c3RvcA" });
    await ann.until(
      "document.querySelector('main').textContent.includes('This link contains no game.')",
    );
    await ann.click("Start page");
    await ann.shows(".game-card");
  });

  test("the games of a visitor are kept, and deleted games return on demand", async () => {
    await bob.leaveGame();
    await openReplay(bob);
    await bob.until(keptGames(1));
    assert.match(await bob.textOf(".my-game"), /^AnnTic-tac-toe.*(Won|Lost)$/);
    await bob.click("Delete all");
    await bob.until(keptGames(0));
    await bob.click("Undo");
    await bob.until(keptGames(1));
    await bob.run("document.querySelector('.my-game-open').click()");
    await bob.shows(".board");
    await bob.run(
      "document.activeElement.blur(); document.querySelector('.moves').focus()",
    );
    await bob.run(
      "document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: ',', bubbles: true }))",
    );
    await bob.until(marked(4));
  });

  test("a game that ends behind the settings is kept", async () => {
    await fixture.pair(ann, bob);
    await fixture.play(ann, bob, 4, 1);
    await bob.activate(".bar > .icon-button:last-child");
    await bob.shows("#own-name");
    await ann.click("Resign");
    await ann.confirm();
    await bob.until(
      "JSON.parse(localStorage.getItem('noughts.games')).length === 2",
    );
  });

  test("a link that is entered during a game is opened after the game", async () => {
    const linkOf = (record) =>
      `#r/${deflateRawSync(record).toString("base64url")}`;
    const enter = (link) => ann.run("location.hash = arguments[0]", link);
    const isShown = (link, name) =>
      `location.hash === '${link}' && document.querySelector('.player.near bdi')?.textContent === '${name}'`;
    const [link, other] = [RECORD, RECORD.replace("<b>Ann</b>", "Cyd")].map(
      linkOf,
    );
    await fixture.pair(ann, bob);
    await enter(link);
    await ann.shows("dialog");
    await ann.click("Leave");
    await ann.until(isShown(link, "<b>Ann</b>"));
    await enter(other);
    await ann.until(isShown(other, "Cyd"));
  });

  test("the page copies where the browser denies it the clipboard", async () => {
    await ann.run(
      "navigator.clipboard.writeText = () => Promise.reject(new Error()); document.addEventListener('copy', () => { const { value, selectionStart, selectionEnd } = document.activeElement; window.copied = value.slice(selectionStart, selectionEnd); })",
    );
    await ann.click("Copy game");
    assert.equal(
      await ann.until("window.copied"),
      RECORD.replace("<b>Ann</b>", "Cyd"),
    );
    await ann.until("document.body.textContent.includes('Game copied.')");
    assert.equal(await ann.count("textarea"), 0);
  });
});
