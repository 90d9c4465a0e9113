// What every suite in browsers needs: a server, and pages of visitors.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { ChromiumPage, stopChromium, theChromium } from "./chromium.mjs";
import { Proxy, Server } from "./server.mjs";
import { newLimit } from "./wait.mjs";

export const PHONE = [390, 844];
export const DESKTOP = [1280, 800];

/**
 * Measured times may exceed their budget by this factor, because other tests run at the same time.
 * `NOUGHTS_SLACK=1` tests the budget itself.
 */
export const SLACK = Number(process.env.NOUGHTS_SLACK ?? 4);

/** Condition that the page shows this number of moves. */
export const moves = (count) =>
  `document.querySelectorAll('.move').length === ${count}`;
/**
 * Screens that a visitor reaches without an opponent: name, the way from the first screen, the
 * selector of an element on the screen, and the way back. The last screen has no way back.
 */
export const SCREENS = [
  ["home", [], ".game-card"],
  ["lobby", ["[data-screen=lobby]"], "#code", "[data-screen=home]"],
  [
    "settings",
    [".bar > .icon-button:last-child"],
    "#own-name",
    ".heading button",
  ],
  ["custom", ["button.game-card"], ".fields", ".heading button"],
  [
    "bot",
    [".actions-home .button:nth-child(3)"],
    "input[value=perfect]",
    ".heading button",
  ],
  ["puzzle", [".puzzle-entry button"], ".puzzle .board", ".action.leave"],
  [
    "looking",
    [".actions-home .button:nth-child(1)"],
    ".looking-picture",
    ".heading button",
  ],
  ["invitation", [".actions-home .button:nth-child(2)"], "#link"],
];

export const IS_ONLINE = "document.querySelector('.connection .connected')";

/** Condition that the screens that are loaded ahead are there. */
export const IS_LOADED_AHEAD =
  "performance.getEntriesByType('resource').some(({ name }) => name.endsWith('/bot.js')) && performance.getEntriesByType('resource').every(({ responseEnd }) => performance.now() - responseEnd > 500)";

class Fixture {
  constructor(sizes, options) {
    this.folder = mkdtempSync(join(tmpdir(), "noughts-web-"));
    this.server = new Server(join(this.folder, "data"), options);
    this.sizes = sizes;
    this.stops = [];
    /** The limit of the waits. All pages share it. */
    this.limit = newLimit();
    /** Addresses of the proxies. */
    this.proxied = [];
    this.pages = sizes.map(() => new ChromiumPage(this.limit));
  }

  async start() {
    await this.server.start();
    for (const [index, size] of this.sizes.entries())
      await theChromium().open(this.pages[index], size);
  }

  async stop() {
    for (const stop of this.stops) stop();
    await theChromium().closeContexts(this.pages);
    await this.server.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Calls a function at the end, also after a failure. */
  atEnd(stop) {
    this.stops.push(stop);
  }

  /** Starts a proxy that can lose the connections of a page. */
  async openProxy() {
    const proxy = new Proxy(this.server.page);
    await proxy.start();
    this.atEnd(() => proxy.stop());
    this.proxied.push(proxy.page);
    return proxy;
  }

  /** Opens another tab of the visitor of a page. */
  async openTab(page) {
    const tab = new ChromiumPage(this.limit);
    this.pages.push(tab);
    await theChromium().open(tab, page.size, page.context);
    return tab;
  }

  /** Opens a document of the same origin that does not change the storage. */
  leavePage(page, at = this.server.page) {
    return page.go(`${at}icon.svg`);
  }

  /** Loads the page for a visitor with a name, a choice and settings, but without a seat. */
  async visit(
    page,
    {
      name = "Ann",
      rules,
      clock,
      settings = {},
      hash = "",
      at = this.server.page,
    } = {},
  ) {
    await this.leavePage(page, at);
    const choice = { rules, clock };
    const visitor = { name, settings, ...(rules ? { choice } : {}) };
    await page.run(
      "sessionStorage.clear(); localStorage.setItem('noughts.visitor', arguments[0])",
      JSON.stringify(visitor),
    );
    await page.go(at + hash);
    await page.until(IS_ONLINE);
  }

  /** Opens a screen of `SCREENS` on pages that show the first screen, and returns to the first screen after a check. */
  async showScreen(pages, [, path, shown, back], check) {
    const press = async (page, selectors, found) => {
      for (const selector of selectors) {
        await page.shows(selector);
        await page.activate(selector);
      }
      await page.shows(found);
    };
    await Promise.all(pages.map((page) => press(page, path, shown)));
    await check();
    if (back)
      await Promise.all(pages.map((page) => press(page, [back], ".game-card")));
  }

  /** Forgets a visitor: seat, name and settings. */
  async forget(page) {
    await this.leavePage(page);
    await page.run("sessionStorage.clear(); localStorage.clear()");
  }

  /** Lets two visitors find each other. */
  async pair(ann, bob, { rules = "3x3:3", ...options } = {}) {
    await Promise.all([
      this.visit(ann, { name: "Ann", rules, ...options }),
      this.visit(bob, { name: "Bob", rules, ...options }),
    ]);
    for (const page of [ann, bob])
      await page.clickFound(
        "return document.querySelector('.actions-home .button')",
        null,
        "Find an opponent",
      );
    await Promise.all([ann.shows(".board"), bob.shows(".board")]);
  }

  /** Waits until the first two pages fulfil a condition. */
  both(condition) {
    const [one, other] = this.pages;
    return Promise.all([one.until(condition), other.until(condition)]);
  }

  /** Returns the page of the player to move, then the other page. */
  async turn(ann, bob) {
    await ann.shows(".now, .status-text");
    return (await ann.run("return document.title.startsWith('●')"))
      ? [ann, bob]
      : [bob, ann];
  }

  /** Pairs two visitors so that the first visitor is to move. */
  async pairWithTurn(ann, bob, rules) {
    await this.pair(ann, bob, { rules });
    if ((await this.turn(ann, bob))[0] === bob) await this.play(ann, bob, 0, 1);
  }

  /** Lets the player to move leave the page. Returns the page of that player, then the other page. */
  async lose(ann, bob) {
    const [mover, waiting] = await this.turn(ann, bob);
    await mover.go("about:blank");
    return [mover, waiting];
  }

  /** Plays a cell on the page of the player to move, and waits until both pages show the move. */
  async play(ann, bob, cell, count) {
    const [page] = await this.turn(ann, bob);
    await page.press(cell);
    await Promise.all([ann.until(moves(count)), bob.until(moves(count))]);
  }

  /** Returns the reports of the browsers: errors, violations of the policy, requests to other hosts. */
  takeProblems(pages = this.pages) {
    return pages.flatMap((page) =>
      page.problems(this.server.page, ...this.proxied),
    );
  }
}

/**
 * Limit of a suite. A suite that takes longer counts as hanging and ends, so that the other suites
 * still report.
 */
const SUITE_MS = 300_000;
const suites = [];

/** Adds a suite. Its tests have a server and visitors of their own in the browser of all suites. */
export function suite(title, { sizes, options = [] }, declare) {
  suites.push(() =>
    describe(title, { concurrency: 1, timeout: SUITE_MS }, () => {
      const fixture = new Fixture(sizes, options);
      before(() => fixture.start());
      after(() => fixture.stop());
      declare(fixture);
      test("the browsers report no error, no violation and no foreign request", () =>
        assert.deepEqual(fixture.takeProblems(), []));
    }),
  );
}

export function declareSuites() {
  after(stopChromium);
  for (const declare of suites) declare();
}
