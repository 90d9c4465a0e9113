// Drives one Chromium by its DevTools protocol over a pipe.
//
// Replaces chromedriver, which starts a browser for each visitor of each suite. Gain: all suites in 144 and 151 s on
// two idle cores instead of 235 s beside builds; the program without windows takes 165 s of the processors instead of
// 290 s (2026-11-24). Invariant: each visitor has a context of its own, with storage, cache and connections, and the
// context ends with its suite. Tests: `checks.mjs` finds planted faults.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Page } from "./page.mjs";
import { waitUntil } from "./wait.mjs";

const OPTIONS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-dev-shm-usage",
  "--no-first-run",
  "--lang=en",
  "--accept-lang=en",
  // The browser runs the pages of all visitors as if each window were in front.
  "--disable-background-timer-throttling",
  "--disable-backgrounding-occluded-windows",
  "--disable-renderer-backgrounding",
];

/**
 * What the browser reports for a socket, a request, or a new version of the service worker, that a killed server or a lost connection refuses;
 * and for a socket that the page closes while it is being opened, because the visitor has left the game.
 */
const EXPECTED =
  /ERR_CONNECTION_(REFUSED|RESET|CLOSED)|ERR_EMPTY_RESPONSE|ERR_SOCKET_NOT_CONNECTED|closed before (the connection is established|receiving a handshake response)|error occurred when fetching the script|icon from the Manifest: \S+ \(Download error/;

/** Keys that are not letters: code, number, and the text that they type. */
const KEYS = {
  ArrowDown: [40],
  ArrowLeft: [37],
  ArrowRight: [39],
  ArrowUp: [38],
  Control: [17],
  End: [35],
  Enter: [13, "\r"],
  Escape: [27],
  Home: [36],
  PageUp: [33],
  Shift: [16],
};
const MODIFIERS = { Control: 2, Shift: 8 };

/** The process of the browser. */
class Chromium {
  constructor() {
    this.folder = mkdtempSync(join(tmpdir(), "noughts-chromium-"));
    this.process = spawn(
      "chromium-headless-shell",
      [
        ...OPTIONS,
        `--user-data-dir=${this.folder}`,
        "--remote-debugging-pipe",
        "about:blank",
      ],
      { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] },
    );
    this.hasEnded = false;
    this.id = 0;
    this.calls = new Map();
    /** Pages by the sessions of the protocol. */
    this.pages = new Map();
    const [, , , requests, messages] = this.process.stdio;
    this.requests = requests;
    // If the browser has ended, the calls fail.
    requests.on("error", () => {});
    let rest = "";
    messages.setEncoding("utf8");
    messages.on("data", (data) => {
      const lines = (rest + data).split("\0");
      rest = lines.pop();
      for (const line of lines) this.receive(JSON.parse(line));
    });
    this.process.once("exit", (code) => {
      this.hasEnded = true;
      for (const { reject } of this.calls.values())
        reject(new Error(`Chromium has ended: ${code}`));
    });
  }

  receive({ id, sessionId, method, params, result, error }) {
    if (id === undefined)
      return this.pages.get(sessionId)?.receive(method, params);
    const call = this.calls.get(id);
    this.calls.delete(id);
    if (error) call.reject(new Error(`${call.method}: ${error.message}`));
    else call.resolve(result);
  }

  call(method, params = {}, sessionId) {
    const id = (this.id += 1);
    return new Promise((resolve, reject) => {
      if (this.hasEnded) reject(new Error("Chromium has ended"));
      this.calls.set(id, { method, resolve, reject });
      this.requests.write(
        `${JSON.stringify({ id, method, params, sessionId })}\0`,
      );
    });
  }

  /** Opens a page, in a context of its own if none is given. */
  async open(page, [width, height], browserContextId) {
    page.browser = this;
    page.context =
      browserContextId ??
      (await this.call("Target.createBrowserContext")).browserContextId;
    const { targetId } = await this.call("Target.createTarget", {
      url: "about:blank",
      browserContextId: page.context,
    });
    page.target = targetId;
    const { sessionId } = await this.call("Target.attachToTarget", {
      targetId,
      flatten: true,
    });
    page.session = sessionId;
    this.pages.set(sessionId, page);
    await Promise.all([
      ...["Page", "Runtime", "Log", "Network"].map((domain) =>
        page.devtools(`${domain}.enable`),
      ),
      page.devtools("Emulation.setFocusEmulationEnabled", { enabled: true }),
      page.resize(width, height),
    ]);
  }

  /** Closes the contexts of these pages, with all their pages and service workers. */
  async closeContexts(pages) {
    for (const { session } of pages) this.pages.delete(session);
    const contexts = new Set(pages.map(({ context }) => context));
    contexts.delete(undefined);
    await Promise.all(
      [...contexts].map((browserContextId) =>
        this.call("Target.disposeBrowserContext", { browserContextId }),
      ),
    );
  }

  async stop() {
    const ended = once(this.process, "exit");
    // The browser may end before its response arrives.
    await Promise.allSettled([this.call("Browser.close"), ended]);
    // The folder stays, because other processes of the browser may still write into it. The test
    // program removes it with TMPDIR.
  }
}

let chromium;

/** The browser that all tests share. */
export const theChromium = () => (chromium ??= new Chromium());
export const stopChromium = () => chromium?.stop();

/** A page in Chromium. */
export class ChromiumPage extends Page {
  /** What the browser reported: console, log, and requests. */
  reports = [];
  /** Addresses of all requests. */
  requests = [];
  /** The document in the page, and whether it is loaded. */
  document = { loader: null, isLoaded: false };

  receive(method, params) {
    if (method === "Page.frameNavigated" && !params.frame.parentId) {
      const isLoaded = params.type === "BackForwardCacheRestore";
      this.document = { loader: params.frame.loaderId, isLoaded };
    }
    if (method === "Page.loadEventFired") this.document.isLoaded = true;
    if (method === "Log.entryAdded")
      this.reports.push(`${params.entry.url ?? ""} ${params.entry.text}`);
    if (method === "Runtime.consoleAPICalled")
      this.reports.push(
        params.args
          .map(({ value, description }) => value ?? description)
          .join(" "),
      );
    if (method === "Runtime.exceptionThrown") {
      const { text, exception } = params.exceptionDetails;
      this.reports.push(`${text} ${exception?.description ?? ""}`);
    }
    if (method === "Network.requestWillBeSent")
      this.requests.push(params.request.url);
  }

  devtools(method, params) {
    return this.browser.call(method, params, this.session);
  }

  /** Waits until a document other than this one is loaded. */
  untilLoaded(before) {
    return waitUntil(
      () => this.document !== before && this.document.isLoaded,
      () => this.describe("the document"),
      this.limit,
    );
  }

  async go(url) {
    const before = this.document;
    const { loaderId, errorText } = await this.devtools("Page.navigate", {
      url,
    });
    if (errorText) throw new Error(`${url}: ${errorText}`);
    // A navigation within the same document has no loader.
    if (loaderId) await this.untilLoaded(before);
  }

  async reload() {
    const before = this.document;
    await this.devtools("Page.reload");
    await this.untilLoaded(before);
  }

  /** Goes back to the previous document. */
  async back() {
    const before = this.document;
    const { currentIndex, entries } = await this.devtools(
      "Page.getNavigationHistory",
    );
    await this.devtools("Page.navigateToHistoryEntry", {
      entryId: entries[currentIndex - 1].id,
    });
    await this.untilLoaded(before);
  }

  /**
   * Presses the back button of a mouse. This press does not count as an action of the visitor on
   * the page.
   */
  pressBack() {
    return this.devtools("Input.dispatchMouseEvent", {
      type: "mouseReleased",
      button: "back",
      x: 1,
      y: 1,
    });
  }

  /** Runs the body of a function in the page, and returns its value, or the value of its promise. */
  async run(script, ...args) {
    const { result, exceptionDetails } = await this.devtools(
      "Runtime.evaluate",
      {
        expression: `(function () { ${script}\n }).apply(null, ${JSON.stringify(args)})`,
        awaitPromise: true,
        returnByValue: true,
      },
    );
    if (exceptionDetails)
      throw new Error(
        exceptionDetails.exception?.description ?? exceptionDetails.text,
      );
    return result.value ?? null;
  }

  /**
   * Waits until an expression is true in the page. The page repeats the check itself, because an
   * answer over the pipe costs more than a check.
   */
  find(expression) {
    return this.run(`return new Promise((resolve) => {
      const look = () => {
        let value = null;
        try { value = ${expression}; } catch { /* The page is not there yet. */ }
        if (value) resolve(value); else setTimeout(look, 20);
      };
      look();
    })`);
  }

  /** Scrolls to the element that a script finds, and returns its middle, if a pointer there meets it. */
  middle(script, argument) {
    return this.run(
      `const element = (function () { ${script} })(arguments[0]);
      if (!element) return null;
      element.scrollIntoView({ block: "nearest", inline: "nearest", behavior: "instant" });
      const { x, y, width, height } = element.getBoundingClientRect();
      const middle = { x: x + width / 2, y: y + height / 2 };
      return element.contains(document.elementFromPoint(middle.x, middle.y)) ? middle : null;`,
      argument,
    );
  }

  async tryClick(script, argument) {
    const middle = await this.middle(script, argument);
    if (!middle) return false;
    for (const [type, buttons] of [
      ["mouseMoved", 0],
      ["mousePressed", 1],
      ["mouseReleased", 0],
    ])
      await this.devtools("Input.dispatchMouseEvent", {
        type,
        ...middle,
        buttons,
        button: type === "mouseMoved" ? "none" : "left",
        clickCount: 1,
      });
    return true;
  }

  /**
   * Sets the latency and the speed of the network. Without values, the network has no limits again.
   */
  setNetwork({ latency = 0, download = -1, upload = -1 } = {}) {
    return this.devtools("Network.emulateNetworkConditions", {
      offline: false,
      latency,
      downloadThroughput: download,
      uploadThroughput: upload,
    });
  }

  /** Touches the middle of an element. */
  async tap(selector) {
    const { x, y } = await waitUntil(
      () =>
        this.middle("return document.querySelector(arguments[0])", selector),
      () => this.describe(selector),
      this.limit,
    );
    for (const [type, touchPoints] of [
      ["touchStart", [{ x, y }]],
      ["touchEnd", []],
    ])
      await this.devtools("Input.dispatchTouchEvent", { type, touchPoints });
  }

  /** Types a text into a field. */
  async type(selector, text) {
    await this.until(
      `document.querySelector(${JSON.stringify(selector)})?.focus() === undefined && document.activeElement?.matches(${JSON.stringify(selector)})`,
    );
    for (const letter of text)
      await this.keys(letter === "\n" ? "Enter" : letter);
  }

  /** Presses keys together, as with Shift, and releases them. */
  async keys(...keys) {
    let modifiers = 0;
    for (const type of ["keyDown", "keyUp"]) {
      for (const key of keys) {
        const [
          windowsVirtualKeyCode,
          text = key.length === 1 ? key : undefined,
        ] = KEYS[key] ?? [];
        if (type === "keyDown") modifiers |= MODIFIERS[key] ?? 0;
        else modifiers &= ~(MODIFIERS[key] ?? 0);
        await this.devtools("Input.dispatchKeyEvent", {
          type: type === "keyDown" && !text ? "rawKeyDown" : type,
          key,
          code: key.length === 1 ? undefined : key,
          windowsVirtualKeyCode,
          modifiers,
          ...(type === "keyDown" && text ? { text } : {}),
        });
      }
    }
  }

  /** Sets the size of the window in CSS pixels. */
  resize(width, height) {
    this.size = [width, height];
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

  /** Runs a script in each document that is loaded from now on, before the scripts of the document. The returned function ends this. */
  async runFirst(source) {
    const script = await this.devtools(
      "Page.addScriptToEvaluateOnNewDocument",
      {
        source,
      },
    );
    return () =>
      this.devtools("Page.removeScriptToEvaluateOnNewDocument", script);
  }

  async capture() {
    return (await this.devtools("Page.captureScreenshot")).data;
  }

  /** Everything that the browser reported since the last call: console, violations of the policy, requests to hosts other than the hosts of the pages. */
  problems(...pages) {
    const hosts = pages.map((page) => new URL(page).host);
    const foreign = this.requests
      .splice(0)
      .filter(
        (url) =>
          /^(http|ws)s?:/.test(url) && !hosts.includes(new URL(url).host),
      );
    const errors = this.reports
      .splice(0)
      .filter((message) => !EXPECTED.test(message));
    return [...errors, ...foreign];
  }

  async close() {
    this.browser.pages.delete(this.session);
    await this.browser.call("Target.closeTarget", { targetId: this.target });
  }
}
