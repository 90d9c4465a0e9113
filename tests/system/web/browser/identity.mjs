// The identity of a visitor: its tag, and a game that is continued in another browser.
import assert from "node:assert/strict";
import { test } from "node:test";
import { DESKTOP, IS_ONLINE, PHONE, suite } from "./fixture.mjs";

suite(
  "a visitor is recognised in another browser",
  { sizes: [PHONE, DESKTOP, PHONE] },
  (fixture) => {
    const [ann, bob, phone] = fixture.pages;
    const SECRET = "JSON.parse(localStorage['noughts.visitor']).identity";

    /** Opens the page as a visitor who is recognised, and waits for the connection. */
    async function visitAgain(page, name) {
      await fixture.visit(page, { name });
      await page.until(SECRET);
      await page.reload();
      await page.until(IS_ONLINE);
    }

    async function openDialog(page) {
      // A page that was reloaded on the settings shows them again.
      if (!(await page.run("return location.hash")))
        await page.activate(".bar > .icon-button:last-child");
      await page.shows("#open-identity");
      await page.activate("#open-identity");
      await page.shows("dialog[open] #other-identity");
    }

    const stored = (page) =>
      page.run("return localStorage['noughts.identity']");
    const typeOther = (page, text) =>
      page.run(
        "document.querySelector('#other-identity').value = arguments[0]",
        text,
      );
    const ALERT =
      "[...document.querySelectorAll('dialog[open] [role=alert]')].map(({ textContent }) => textContent).join('')";

    test("a list and the cards of namesakes show the tags", async () => {
      await Promise.all([visitAgain(ann, "Ann"), visitAgain(bob, "Ann")]);
      await ann.click("Find an opponent");
      await bob.shows(".first-list .identity");
      await bob.takePicture("identity-list");
      await bob.click("Find an opponent");
      await Promise.all([ann.shows(".board"), bob.shows(".board")]);
      await bob.until(
        "document.querySelectorAll('.player .identity').length === 2",
      );
      const tags = await bob.run(
        "return [...document.querySelectorAll('.player .identity')].map(({ textContent }) => textContent)",
      );
      for (const tag of tags) assert.match(tag, /^·[0-9a-hjkmnp-tv-z]{6}$/);
      await bob.takePicture("identity-game");
    });

    test("a mistyped text is not imported", async () => {
      await visitAgain(phone, "Ann");
      await openDialog(phone);
      const own = await phone.run("return identity.value");
      await typeOther(phone, own.slice(1));
      await phone.click("Import");
      await phone.until(ALERT);
      assert.equal(await stored(phone), own);
      await phone.takePicture("identity-dialog");
    });

    test("an identity is deleted only after a question", async () => {
      const own = await stored(phone);
      await phone.click("Forget");
      await phone.until(`${ALERT}.includes('copy')`);
      await phone.click("Cancel");
      await phone.until(`!${ALERT}`);
      assert.equal(await stored(phone), own);
    });

    test("a full storage keeps the former identity", async () => {
      const own = await stored(phone);
      await phone.run(`
        const visitor = JSON.parse(localStorage['noughts.visitor']);
        delete visitor.identity;
        localStorage['noughts.visitor'] = JSON.stringify(visitor);
        for (let length = 2 ** 22; length >= 1; length /= 2)
          try {
            for (;;) localStorage['fill' + Math.random()] = "x".repeat(length);
          } catch {}
      `);
      await typeOther(phone, await stored(ann));
      await phone.click("Import");
      await phone.until(`${ALERT}.includes('copy')`);
      await phone.click("Import");
      await phone.until(`${ALERT}.includes('keep')`);
      assert.equal(await stored(phone), own);
      await phone.run(
        "for (const key of Object.keys(localStorage)) if (key.startsWith('fill')) localStorage.removeItem(key)",
      );
      await phone.click("Done");
      await phone.reload();
      await phone.until(IS_ONLINE);
      await openDialog(phone);
    });

    test("the game is continued with the text of the first browser", async () => {
      const text = await stored(ann);
      await typeOther(phone, text);
      await phone.click("Import");
      await phone.until(`${ALERT}.includes('copy')`);
      await phone.takePicture("identity-question");
      assert.notEqual(await stored(phone), text);
      await phone.click("Import");
      await phone.until("!document.querySelector('dialog[open]')");
      assert.equal(await stored(phone), text);
      await fixture.leavePage(phone);
      await phone.go(fixture.server.page);
      await phone.shows(".continue .picture");
      await phone.takePicture("identity-continue");
      await phone.click("Continue");
      await phone.shows(".board");
      // The first browser says that the game is open elsewhere, and offers to take the seat back.
      await ann.until("document.body.innerText.includes('another')");
      assert.equal(await phone.count(".player .identity"), 2);
    });

    test("a damaged identity stays, and the visitor is a guest", async () => {
      await fixture.leavePage(bob);
      await bob.run(
        "localStorage['noughts.identity'] = 'damaged'; sessionStorage.clear(); localStorage['noughts.visitor'] = JSON.stringify({ name: 'Bob', identity: 'damaged' })",
      );
      await bob.go(fixture.server.page);
      await bob.until(IS_ONLINE);
      await openDialog(bob);
      assert.equal(await bob.count("#identity"), 0);
      assert.equal(await stored(bob), "damaged");
    });
  },
);
