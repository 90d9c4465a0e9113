// The engine of Safari: a visitor in WebKit plays with one in Chromium. Run by `node --test`.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { createServer } from "node:net";
import { createInterface } from "node:readline";
import { after, before, test } from "node:test";
import { Fixture, IS_ONLINE, PHONE, moves } from "./fixture.mjs";
import { Driver, Page } from "./webdriver.mjs";

const LIBRARIES = "/usr/lib/x86_64-linux-gnu/";
const fixture = new Fixture({ sizes: [PHONE] });
const { server } = fixture;
const [bob] = fixture.pages;
const ann = new Page();
let display;
let driver;

async function freePort() {
  const listener = createServer().listen(0, "127.0.0.1");
  await once(listener, "listening");
  const { port } = listener.address();
  listener.close();
  await once(listener, "close");
  return port;
}

/** Repeats a call until the driver listens. */
async function retry(call) {
  const end = Date.now() + 20_000;
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (Date.now() > end) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

before(async () => {
  display = spawn(
    "Xvfb",
    ["-displayfd", "3", "-screen", "0", "1280x900x24", "-nolisten", "tcp"],
    { stdio: ["ignore", "ignore", "ignore", "pipe"] },
  );
  const [number] = await once(createInterface(display.stdio[3]), "line");
  const port = await freePort();
  const environment = {
    DISPLAY: `:${number}`,
    GDK_BACKEND: "x11",
    LIBGL_ALWAYS_SOFTWARE: "1",
    WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: "1",
  };
  driver = spawn("WebKitWebDriver", [`--port=${port}`], {
    stdio: "ignore",
    env: { ...process.env, ...environment },
  });
  ann.driver = new Driver();
  ann.driver.url = `http://127.0.0.1:${port}`;
  const folder = readdirSync(LIBRARIES).find((name) =>
    name.startsWith("webkit2gtk-4."),
  );
  const options = {
    binary: `${LIBRARIES}${folder}/MiniBrowser`,
    args: ["--automation"],
  };
  const { sessionId } = await retry(() =>
    ann.driver.call("POST", "/session", {
      capabilities: { alwaysMatch: { "webkitgtk:browserOptions": options } },
    }),
  );
  ann.session = sessionId;
});

after(async () => {
  await ann.close().catch(() => {});
  driver?.kill();
  display?.kill();
});

test("a visitor in WebKit invites one in Chromium, and both play to the end", async () => {
  await fixture.visit(ann);
  await ann.click("Invite a friend");
  const link = await ann.until(
    "document.querySelector('.code')?.textContent && document.querySelector('#link').value",
  );
  await fixture.visit(bob, { name: "Bob", hash: new URL(link).hash });
  await bob.click("Join the game");
  await Promise.all([
    ann.until("document.querySelector('.board')"),
    bob.until("document.querySelector('.board')"),
  ]);
  for (const [index, cell] of [4, 0, 1].entries())
    await fixture.play(ann, bob, cell, index + 1);
  await ann.reload();
  await ann.until(`${IS_ONLINE} && ${moves(3)}`);
  for (const [index, cell] of [8, 7].entries())
    await fixture.play(ann, bob, cell, index + 4);
  await Promise.all([
    ann.until("document.querySelector('.result')"),
    bob.until("document.querySelector('.result')"),
  ]);
  const titles = await Promise.all(
    [ann, bob].map((page) =>
      page.run("return document.querySelector('.result h2').textContent"),
    ),
  );
  assert.deepEqual(titles.sort(), ["You lost", "You win!"]);
  await ann.takePicture("webkit-result");
});

test("boards fit the window in WebKit", async () => {
  for (const rules of ["7x6:4+gravity", "15x15:5", "4x4x4:4"]) {
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

test("the other browser reports no error, no violation and no foreign request", () =>
  fixture.checkNoProblems());
