// A visitor replays a game: pasted, and copied from a game that has ended.
import assert from "node:assert/strict";
import { test } from "node:test";
import { DESKTOP, PHONE, suite } from "./fixture.mjs";

suite("a visitor replays games", { sizes: [PHONE, DESKTOP] }, (fixture) => {
  const [ann, bob] = fixture.pages;

  const RECORD =
    '[Rules "3x3:3"]\n[X "<b>Ann</b>"]\n[O "Bob"]\n[Clock "5+3"]\n[Result "X line"]\n\n1. b2 a1 2. c1 b1 3. a3\n';
  const marked = (count) =>
    `document.querySelectorAll('.cell.marked').length === ${count}`;

  /** Puts a text into the field, as a paste does. */
  const paste = (page, source) =>
    page.run("document.querySelector('#record').value = arguments[0]", source);

  async function openReplay(page) {
    await page.click("Watch");
    await page.click("Replay a game");
    await page.shows("#record");
  }

  test("a pasted record can be stepped through", async () => {
    await fixture.visit(ann);
    await openReplay(ann);
    await paste(ann, RECORD);
    await ann.click("Replay");
    await ann.shows(".board");
    assert.ok(await ann.run(`return ${marked(0)}`));
    assert.equal(await ann.textOf(".player.near bdi"), "<b>Ann</b>");
    const step = (label) =>
      ann.run(
        'document.querySelector(`[aria-label="${arguments[0]}"]`).click()',
        label,
      );
    await step("Next move");
    await ann.until(marked(1));
    await step("Last move");
    await ann.until(marked(5));
    assert.equal(await ann.count(".cell.win"), 3);
    assert.match(await ann.textOf(".result"), /\(X\) wins/);
    await step("Previous move");
    await ann.until(marked(4));
    await step("First move");
    await ann.until(marked(0));
  });

  test("a record with an error names its line", async () => {
    await ann.leaveGame();
    await paste(ann, '[Rules "3x3:3"]\n\n1. b2 b2');
    await ann.click("Replay");
    await ann.until(
      "document.querySelector('#record-error').textContent === 'Line 3: The cell is taken.'",
    );
  });

  test("a dropped file is opened", async () => {
    await ann.run(
      `const data = new DataTransfer();
    data.items.add(new File([arguments[0]], "game.txt", { type: "text/plain" }));
    document.querySelector(".record-drop").dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));`,
      RECORD,
    );
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
    await bob.click("Copy game");
    const copied = await bob.until("window.copied");
    assert.match(
      copied,
      /^\[Rules "3x3:3"\]\n\[X "(Ann|Bob)"\]\n\[O "(Ann|Bob)"\]\n\[Result "X line"\]\n\n1\. b2 a1 2\. c1 b1 3\. a3\n$/,
    );
    await bob.run(
      "HTMLAnchorElement.prototype.click = function () { window.saved = this.download; }; URL.createObjectURL = (file) => { window.picture = file; return 'blob:'; }",
    );
    await bob.click("Save picture");
    await bob.until("window.saved === 'noughts.png'");
    const drawn = await bob.run(
      "return createImageBitmap(window.picture).then(({ width, height }) => [window.picture.type, width, height])",
    );
    assert.deepEqual(drawn, ["image/png", 1080, 1260]);
    await bob.leaveGame();
    await openReplay(bob);
    await paste(bob, copied);
    await bob.click("Replay");
    await bob.shows(".board");
  });
});
