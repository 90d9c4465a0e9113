// A third visitor watches the game of two others: in the grid, on TV, alone, and by its link. Run by `node --test`.
import assert from "node:assert/strict";
import { test } from "node:test";
import { DESKTOP, Fixture, PHONE } from "./fixture.mjs";

const fixture = new Fixture({ sizes: [PHONE, PHONE, DESKTOP] });
const { server } = fixture;
const [ann, bob, eve] = fixture.pages;

async function play(cell, count) {
  const turn = "document.title.startsWith('●')";
  await Promise.race([ann.until(turn), bob.until(turn)]);
  const page = (await ann.run(`return ${turn}`)) ? ann : bob;
  await page.press(cell);
  await Promise.all([ann, bob].map((player) => player.until(`document.querySelectorAll('.cell.marked').length === ${count}`)));
}

test("a public game is in the grid", async () => {
  await Promise.all([fixture.visit(ann, { name: "Ann" }), fixture.visit(bob, { name: "Bob" }), fixture.visit(eve, { name: "Eve" })]);
  await ann.click("Lobby");
  await ann.click("Open a room");
  await ann.until("document.body.innerText.includes('Your room is in the lobby')");
  await bob.click("Lobby");
  // The form for a code has a button with the same text.
  await bob.until("document.querySelector('.row button')?.checkVisibility()");
  await bob.run("document.querySelector('.row button').click()");
  await play(4, 1);
  await eve.click("Watch");
  await eve.until("document.querySelector('.watch-card .picture.position')");
  assert.equal(await eve.run("return document.querySelectorAll('.watch-card').length"), 1);
  assert.match(await eve.run("return document.querySelector('.watch-card').textContent"), /^Tic-tac-toe.*(Ann.*Bob|Bob.*Ann).*move 1$/);
});

test("the grid follows the moves", async () => {
  await play(0, 2);
  await eve.until("document.querySelectorAll('.watch-card .o').length >= 2");
});

test("one game has a link, and a reload keeps watching", async () => {
  await eve.run("document.querySelector('.watch-card').click()");
  await eve.until("document.querySelectorAll('.cell.marked').length === 2");
  assert.match(await eve.run("return location.hash"), /^#w\/[0-9a-z]{8}$/);
  await ann.until("document.querySelector('.watchers')?.textContent.includes('1 spectator')");
  await eve.reload();
  await eve.until("document.querySelectorAll('.cell.marked').length === 2");
  await play(1, 3);
  await eve.until("document.querySelectorAll('.cell.marked').length === 3");
  await eve.click("Leave");
  await eve.until("document.querySelector('.watch-card')");
  assert.equal(await eve.run("return location.hash"), "");
});

test("the TV shows the result, and the next game of the same players", async () => {
  await eve.run("document.querySelector('input[value=tv]').click()");
  await eve.until("document.querySelector('.watch-grid.tv .picture.position')");
  await play(8, 4);
  await play(7, 5);
  await eve.until("document.querySelector('.watch-results strong')?.textContent.includes('wins')");
  assert.match(await eve.run("return document.querySelector('.watch-head').textContent"), /wins/);
  await ann.click("Rematch");
  await bob.click("Accept");
  await eve.until("document.querySelector('.watch-live')");
  assert.equal(await eve.run("return document.querySelectorAll('.watch-results li').length"), 1);
});

test("a game that does not exist has a text and a way on", async () => {
  await eve.go(`${server.page}#w/00000000`);
  await eve.reload();
  await eve.until("document.body.innerText.includes('No such room')");
  await eve.click("Play");
  await eve.until("document.querySelector('.game-card')");
});

test("leaving the screen closes its connections", async () => {
  await eve.click("Watch");
  await ann.until("document.querySelector('.watchers')?.textContent.includes('1 spectator')");
  await eve.click("Play");
  await ann.until("!document.querySelector('.watchers').checkVisibility()");
});

test("the browsers report no error, no violation and no foreign request", () => fixture.checkNoProblems());
