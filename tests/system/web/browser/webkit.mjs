// Tests the engine of Safari: a visitor in WebKit plays against a visitor in Chromium.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { createServer } from "node:net";
import { createInterface } from "node:readline";
import { after, before, test } from "node:test";
import { IS_ONLINE, PHONE, moves, suite } from "./fixture.mjs";
import { Page } from "./page.mjs";
import { waitUntil } from "./wait.mjs";

/** Number of attempts to open a document, and the time limit of each. */
const [NAVIGATIONS, NAVIGATION_MS] = [4, 15_000];
const LIBRARIES = "/usr/lib/x86_64-linux-gnu/";

async function freePort() {
  const listener = createServer().listen(0, "127.0.0.1");
  await once(listener, "listening");
  const { port } = listener.address();
  listener.close();
  await once(listener, "close");
  return port;
}

/** A page in WebKit, driven over WebDriver on a display of its own. */
class WebKitPage extends Page {
  async open() {
    this.display = spawn(
      "Xvfb",
      ["-displayfd", "3", "-screen", "0", "1280x900x24", "-nolisten", "tcp"],
      { stdio: ["ignore", "ignore", "ignore", "pipe"] },
    );
    const [number] = await once(createInterface(this.display.stdio[3]), "line");
    const port = await freePort();
    const environment = {
      DISPLAY: `:${number}`,
      GDK_BACKEND: "x11",
      LIBGL_ALWAYS_SOFTWARE: "1",
      WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: "1",
    };
    this.driver = spawn("WebKitWebDriver", [`--port=${port}`], {
      stdio: "ignore",
      env: { ...process.env, ...environment },
    });
    this.url = `http://127.0.0.1:${port}/session`;
    await waitUntil(
      () => fetch(`http://127.0.0.1:${port}/status`).catch(() => null),
      () => "WebKitWebDriver",
    );
    const folder = readdirSync(LIBRARIES).find((name) =>
      name.startsWith("webkit2gtk-4."),
    );
    const options = {
      binary: `${LIBRARIES}${folder}/MiniBrowser`,
      args: ["--automation"],
    };
    const { sessionId } = await this.call("POST", "", {
      capabilities: { alwaysMatch: { "webkitgtk:browserOptions": options } },
    });
    this.url += `/${sessionId}`;
  }

  async call(method, path, body) {
    const response = await fetch(this.url + path, {
      method,
      body: body && JSON.stringify(body),
    });
    const { value } = await response.json();
    if (value?.error) throw new Error(`${path}: ${value.message}`);
    return value;
  }

  /** The driver may answer before it has replaced the document, and may lose a navigation of a busy page. */
  async go(url) {
    const isThere = `location.pathname === ${JSON.stringify(new URL(url).pathname)}`;
    for (let attempt = 1; ; attempt += 1) {
      await this.call("POST", "/url", { url });
      const limit = { millis: NAVIGATION_MS };
      const arrival = this.until(isThere, isThere, limit);
      if (attempt === NAVIGATIONS) return arrival;
      const hasArrived = await arrival.catch(() => false);
      if (hasArrived) return;
    }
  }
  reload() {
    return this.call("POST", "/refresh", {});
  }
  run(script, ...args) {
    return this.call("POST", "/execute/sync", { script, args });
  }
  find(expression) {
    return this.run(`return ${expression}`);
  }
  capture() {
    return this.call("GET", "/screenshot");
  }

  async tryClick(script, argument) {
    const element = await this.run(script, argument);
    if (!element) return false;
    const [id] = Object.values(element);
    await this.call("POST", `/element/${id}/click`, {});
    return true;
  }

  async close() {
    await this.call("DELETE", "").catch(() => {});
    this.driver?.kill();
    this.display?.kill();
  }
}

suite(
  "a visitor in WebKit plays with one in Chromium",
  { sizes: [PHONE] },
  (fixture) => {
    const [bob] = fixture.pages;
    const ann = new WebKitPage(fixture.limit);
    before(() => ann.open());
    after(() => ann.close());

    test("a visitor in WebKit invites one in Chromium, and both play to the end", async () => {
      await fixture.visit(ann);
      await ann.click("Invite a friend");
      const link = await ann.until(
        "document.querySelector('.code')?.textContent && document.querySelector('#link').value",
      );
      await fixture.visit(bob, { name: "Bob", hash: new URL(link).hash });
      await bob.click("Join the game");
      await Promise.all([ann.shows(".board"), bob.shows(".board")]);
      for (const [index, cell] of [4, 0, 1].entries())
        await fixture.play(ann, bob, cell, index + 1);
      await ann.reload();
      await ann.until(`${IS_ONLINE} && ${moves(3)}`);
      for (const [index, cell] of [8, 7].entries())
        await fixture.play(ann, bob, cell, index + 4);
      await Promise.all([ann.shows(".result"), bob.shows(".result")]);
      const titles = await Promise.all(
        [ann, bob].map((page) => page.textOf(".result h2")),
      );
      assert.deepEqual(titles.sort(), ["You lost", "You win!"]);
      await ann.takePicture("webkit-result");
    });

    test("boards fit the window in WebKit", async () => {
      for (const rules of ["15x15:5", "4x4x4:4"]) {
        await fixture.pair(ann, bob, { rules });
        assert.ok(
          await ann.run(
            "return document.documentElement.scrollWidth <= innerWidth",
          ),
        );
        const skew = await ann.run(
          "return Math.max(...[...document.querySelectorAll('.cell')].map((cell) => cell.getBoundingClientRect()).map((box) => Math.abs(box.width - box.height)))",
        );
        assert.ok(skew < 1.5, `${rules}: ${skew}`);
        await fixture.play(ann, bob, 0, 1);
        await ann.takePicture(`webkit-${rules}`);
      }
    });
  },
);
