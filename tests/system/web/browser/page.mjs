// What a test can do with a page in every browser. The class of each browser adds `go`, `reload`,
// `run`, `tryClick`, `capture` and `close`.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { waitUntil } from "./wait.mjs";

export class Page {
  constructor(limit) {
    this.limit = limit;
  }

  /** Waits until an expression counts as true in the page, and returns its value. */
  until(expression, what = expression, limit = this.limit) {
    // A page that is being loaded cannot answer, so the wait asks again.
    return waitUntil(
      () => this.find(expression).catch(() => null),
      () => this.describe(what),
      limit,
    );
  }

  /** Waits until an element is in the page. */
  shows(selector) {
    return this.until(`document.querySelector(${JSON.stringify(selector)})`);
  }

  /** Activates an element of the page, even if it is not visible. */
  activate(selector) {
    return this.run("document.querySelector(arguments[0]).click()", selector);
  }

  /** Returns the number of elements. */
  count(selector) {
    return this.run(
      "return document.querySelectorAll(arguments[0]).length",
      selector,
    );
  }

  textOf(selector) {
    return this.run(
      "return document.querySelector(arguments[0]).textContent",
      selector,
    );
  }

  /** Clicks a button by its text, as a visitor does: it must be visible. */
  click(label) {
    return this.clickFound(
      "return [...document.querySelectorAll('button')].find((button) => button.checkVisibility() && button.textContent.trim() === arguments[0])",
      label,
      `the button ${label}`,
    );
  }

  /** Presses the button that leaves a game. On a phone, this button is in the header. */
  leaveGame() {
    return this.clickFound(
      "return [...document.querySelectorAll('.bar > .back, .action.leave')].find((button) => button.checkVisibility())",
      null,
      "a button to leave",
    );
  }

  /** Clicks the last button of the open question. */
  confirm() {
    return this.clickFound(
      "return [...document.querySelectorAll('dialog[open] button, .banner .danger')].at(-1)",
      null,
      "the answer to a question",
    );
  }

  /** Clicks a cell of the board. */
  press(cell) {
    return this.clickFound(
      'return document.querySelector(`[data-cell="${arguments[0]}"]`)',
      cell,
      `the cell ${cell}`,
    );
  }

  /** Sets the clock of the page forward until the page loads another document. Timers still run in real time. */
  skipTime(millis) {
    return this.run(
      "const now = performance.now.bind(performance), millis = arguments[0]; performance.now = () => now() + millis;",
      millis,
    );
  }

  clickFound(script, argument, what) {
    return waitUntil(
      () => this.tryClick(script, argument).catch(() => false),
      () => this.describe(what),
      this.limit,
    );
  }

  /** Returns what a failed wait waited for, with the text of the page. */
  async describe(what) {
    const text = await this.run(
      "return `${location.href}\\n${document.body.innerText}`",
    ).catch(String);
    return `${what}\nThe page shows: ${text}`;
  }

  /** Writes a picture of the page, if `NOUGHTS_PICTURES` names a folder. */
  async takePicture(name) {
    const folder = process.env.NOUGHTS_PICTURES;
    if (folder)
      writeFileSync(
        join(folder, `${name}.png`),
        Buffer.from(await this.capture(), "base64"),
      );
  }
}
