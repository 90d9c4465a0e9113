// The lobby that the server pushes, a resident bot in it, and phrases. Run by `node --test`.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { DESKTOP, Fixture, PHONE } from "./fixture.mjs";

const fixture = new Fixture({ sizes: [PHONE, DESKTOP] });
const [ann, bob] = fixture.pages;

/** Time for a pushed change or an answer, on a loaded machine; a poll every four seconds would take longer on average. */
const PUSH_MILLIS = 3000;
const row = (name) => `[...document.querySelectorAll('.row')].find((row) => row.checkVisibility() && row.textContent.includes('${name}'))`;
const hasBoard = "document.querySelector('.board')";

async function within(millis, wait) {
  const startedAt = Date.now();
  await wait;
  assert.ok(Date.now() - startedAt < millis, `${Date.now() - startedAt} ms`);
}

test("a seek appears at once on the page of another visitor, and goes with its game", async () => {
  await Promise.all([fixture.visit(ann, { name: "Ann" }), fixture.visit(bob, { name: "Bob" })]);
  await bob.click("Find an opponent");
  await within(PUSH_MILLIS, ann.until(row("Bob")));
  await ann.run(`${row("Bob")}.querySelector('button').click()`);
  await within(PUSH_MILLIS, Promise.all([ann.until(hasBoard), bob.until(hasBoard)]));
});

test("a phrase is shown beside its player", async () => {
  await ann.click("Say");
  await ann.until("document.querySelector('dialog[open] .phrases')");
  await ann.click("Good luck!");
  await bob.until("document.querySelector('.player.far .bubble')?.checkVisibility() && document.querySelector('.player.far .bubble').textContent === 'Good luck!'");
  await bob.until("document.querySelector('[role=log]').textContent.startsWith('Ann: Good luck!')");
  await ann.until("document.querySelector('.player.near .bubble').checkVisibility() && !document.querySelector('dialog[open]')");
});

test("a muted opponent is not shown", async () => {
  await bob.click("Say");
  await bob.until("document.querySelector('dialog[open] [role=switch]')");
  await bob.run("document.querySelector('dialog [role=switch]').click(); document.querySelector('dialog [aria-label=Close]').click()");
  await bob.until("!document.querySelector('.player.far .bubble').checkVisibility()");
  await ann.click("Say");
  await ann.click("Thanks!");
  await ann.until("document.querySelector('.player.near .bubble').textContent === 'Thanks!'");
  // The move follows the phrase on the same connection, so that the phrase has arrived as well.
  await fixture.play(ann, bob, 4, 1);
  assert.equal(await bob.run("return document.querySelector('.player.far .bubble').checkVisibility()"), false);
});

test("a resident bot is shown among the players who wait, and seats a visitor at once", async () => {
  const { NOUGHTS_SERVER: program, ...env } = process.env;
  const bot = spawn(join(dirname(program), "noughts"), ["bot", fixture.server.listen, "--rules", "connect4", "--name", "Deep", "--level", "easy"], { stdio: "ignore", env });
  fixture.atEnd(() => bot.kill());
  await fixture.visit(ann, { name: "Ann" });
  await ann.until(row("Deep"));
  assert.equal(await ann.run(`return ${row("Deep")}.querySelector('.tag').textContent`), "bot");
  await ann.run(`${row("Deep")}.querySelector('button').click()`);
  await within(PUSH_MILLIS, ann.until(hasBoard));
});

test("the lobby counts people and bots", async () => {
  await bob.run("sessionStorage.clear()");
  await fixture.visit(bob, { name: "Bob" });
  await bob.click("Lobby");
  await bob.until("document.body.innerText.includes('2 people online · 1 bot online')");
});

test("the browsers report no error, no violation and no foreign request", () => fixture.checkNoProblems());
