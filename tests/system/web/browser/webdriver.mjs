// Drives Chromium over WebDriver.
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";

const WAIT_MILLIS = 20_000;
const sleep = (millis) => new Promise((resolve) => setTimeout(resolve, millis));

/** The driver, which starts the browsers. */
export class Driver {
  async start() {
    this.process = spawn("chromedriver", ["--port=0"], {
      stdio: ["ignore", "pipe", "ignore"],
    });
    const lines = createInterface(this.process.stdout);
    const port = await new Promise((resolve, reject) => {
      this.process.once("exit", () =>
        reject(new Error("chromedriver did not start")),
      );
      lines.on("line", (line) => {
        const found = /successfully on port (\d+)/.exec(line);
        if (found) resolve(found[1]);
      });
    });
    this.url = `http://127.0.0.1:${port}`;
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

  /** Opens a browser with its own storage. */
  async open(page, width, height) {
    const args = [
      "--headless=new",
      "--no-sandbox",
      "--disable-gpu",
      "--disable-dev-shm-usage",
      "--lang=en",
      `--window-size=${width},${height}`,
    ];
    const options = { args, prefs: { "intl.accept_languages": "en" } };
    const { sessionId } = await this.call("POST", "/session", {
      capabilities: {
        alwaysMatch: {
          browserName: "chrome",
          "goog:chromeOptions": options,
          "goog:loggingPrefs": { browser: "ALL", performance: "ALL" },
        },
      },
    });
    page.driver = this;
    page.session = sessionId;
    await page.resize(width, height);
  }

  stop() {
    this.process.kill();
  }
}

/** One browser with its own storage. */
export class Page {
  call(method, path, body) {
    return this.driver.call(method, `/session/${this.session}${path}`, body);
  }
  devtools(cmd, params) {
    return this.call("POST", "/goog/cdp/execute", { cmd, params });
  }
  go(url) {
    return this.call("POST", "/url", { url });
  }
  reload() {
    return this.call("POST", "/refresh", {});
  }
  run(script, ...args) {
    return this.call("POST", "/execute/sync", { script, args });
  }

  async until(expression, what = expression, millis = WAIT_MILLIS) {
    const end = Date.now() + millis;
    for (;;) {
      const value = await this.run(`return ${expression}`).catch(() => null);
      if (value) return value;
      if (Date.now() > end)
        throw new Error(
          `waited for ${what}: ${await this.run("return document.body.innerText")}`,
        );
      await sleep(50);
    }
  }

  /** Clicks a button by its text, as a visitor does: it must be visible. */
  async click(label) {
    const script =
      "return [...document.querySelectorAll('button')].find((button) => button.checkVisibility() && button.textContent.trim() === arguments[0])";
    const end = Date.now() + WAIT_MILLIS;
    for (;;) {
      const element = await this.run(script, label).catch(() => null);
      if (element) {
        const clicked = await this.call(
          "POST",
          `/element/${Object.values(element)[0]}/click`,
          {},
        ).then(
          () => true,
          () => false,
        );
        if (clicked) return;
      }
      if (Date.now() > end)
        throw new Error(
          `no button ${label}: ${await this.run("return document.body.innerText")}`,
        );
      await sleep(50);
    }
  }

  async type(selector, value) {
    const element = await this.until(
      `document.querySelector(${JSON.stringify(selector)})`,
    );
    await this.call("POST", `/element/${Object.values(element)[0]}/value`, {
      text: value,
    });
  }

  async press(cell) {
    const element = await this.until(
      `document.querySelector('[data-cell="${cell}"]')`,
    );
    await this.call("POST", `/element/${Object.values(element)[0]}/click`, {});
  }

  /** Presses and releases keys together, as with Shift. */
  keys(...values) {
    const actions = [
      ...values.map((value) => ({ type: "keyDown", value })),
      ...values.map((value) => ({ type: "keyUp", value })),
    ];
    return this.call("POST", "/actions", {
      actions: [{ type: "key", id: "keys", actions }],
    });
  }

  /** Touches the middle of an element. */
  async tap(selector) {
    const element = await this.until(
      `document.querySelector(${JSON.stringify(selector)})`,
    );
    const actions = [
      { type: "pointerMove", duration: 0, origin: element, x: 0, y: 0 },
      { type: "pointerDown", button: 0 },
      { type: "pointerUp", button: 0 },
    ];
    await this.call("POST", "/actions", {
      actions: [
        {
          type: "pointer",
          id: "finger",
          parameters: { pointerType: "touch" },
          actions,
        },
      ],
    });
  }

  /** Sets the size of the window in CSS pixels. */
  resize(width, height) {
    return this.devtools("Emulation.setDeviceMetricsOverride", {
      width,
      height,
      deviceScaleFactor: 1,
      mobile: width < 700,
    });
  }

  /** Sets media features, such as `prefers-color-scheme`. */
  setMedia(features) {
    return this.devtools("Emulation.setEmulatedMedia", {
      features: Object.entries(features).map(([name, value]) => ({
        name,
        value,
      })),
    });
  }

  /** Runs a script before those of each document that is loaded from now on. */
  runFirst(source) {
    return this.devtools("Page.addScriptToEvaluateOnNewDocument", { source });
  }

  /** Returns the path of a new picture of the page, if `NOUGHTS_PICTURES` names a folder. */
  async takePicture(name) {
    const folder = process.env.NOUGHTS_PICTURES;
    if (folder)
      writeFileSync(
        join(folder, `${name}.png`),
        Buffer.from(await this.call("GET", "/screenshot"), "base64"),
      );
  }

  /** Everything that the browser reported: console, violations of the policy, requests to other hosts than those of the pages. */
  async problems(...pages) {
    const hosts = pages.map((page) => new URL(page).host);
    const logged = await this.call("POST", "/se/log", { type: "browser" });
    const performance = await this.call("POST", "/se/log", {
      type: "performance",
    });
    const requests = performance
      .map((entry) => JSON.parse(entry.message).message)
      .filter(({ method }) => method === "Network.requestWillBeSent");
    const foreign = requests
      .map(({ params }) => params.request.url)
      .filter(
        (url) =>
          /^https?:|^wss?:/.test(url) && !hosts.includes(new URL(url).host),
      );
    // The browser itself reports a socket, or a new version of the service worker, that a killed server or a lost connection refuses.
    const isExpected = (message) =>
      /ERR_CONNECTION_(REFUSED|RESET|CLOSED)|ERR_SOCKET_NOT_CONNECTED|error occurred when fetching the script|icon from the Manifest: \S+ \(Download error/.test(
        message,
      );
    const errors = logged
      .map((entry) => entry.message)
      .filter((message) => !isExpected(message));
    return [...errors, ...foreign];
  }

  close() {
    return this.call("DELETE", "");
  }
}
