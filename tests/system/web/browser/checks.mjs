// These tests plant faults, and the checks of the other files must find them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { axeViolations } from "./axe.mjs";
import { PHONE, suite } from "./fixture.mjs";
import { waitUntil } from "./wait.mjs";

suite(
  "the checks of the page find planted faults",
  { sizes: [PHONE] },
  (fixture) => {
    const { server } = fixture;
    const [page] = fixture.pages;
    const problems = () => fixture.takeProblems();

    test("a page without a fault has no problem", async () => {
      await fixture.visit(page);
      assert.deepEqual(problems(), []);
      assert.deepEqual(await axeViolations(page), []);
    });

    for (const [what, fault, expected] of [
      ["an error in the console", "console.error('a fault')", /a fault/],
      [
        "an uncaught error",
        "setTimeout(() => { throw new Error('a fault'); })",
        /Uncaught Error: a fault/,
      ],
      [
        "a rejected promise",
        "void Promise.reject(new Error('a fault'))",
        /Uncaught \(in promise\) Error: a fault/,
      ],
      ["a missing file", "void fetch('/a/missing.js')", /404/],
      [
        "an inline style",
        "document.body.setAttribute('style', 'color: red')",
        /Content Security Policy directive 'style-src/,
      ],
      [
        "an image that the policy forbids",
        "document.body.append(Object.assign(new Image(), { src: 'data:image/gif;base64,R0lGODlhAQABAAAAACw=', alt: '' }))",
        /Content Security Policy directive: "img-src/,
      ],
      [
        "a request that the policy forbids",
        "void fetch('https://example.org/').catch(() => {})",
        /Content Security Policy directive: "connect-src/,
      ],
    ]) {
      test(`${what} is found`, async () => {
        await page.run(fault);
        const found = [];
        // The browser reports the fault with a short delay.
        await waitUntil(
          () => found.push(...problems()),
          () => `the report of ${what}`,
        );
        assert.match(found.join("\n"), expected);
      });
    }

    test("a request to another host is found", async () => {
      const other = server.page.replace("127.0.0.1", "localhost");
      await page.go(other);
      const found = problems();
      assert.ok(
        found.some((problem) => problem.startsWith(other)),
        found.join("\n"),
      );
    });

    test("a violation of accessibility rules is found", async () => {
      for (const [fault, rule] of [
        [
          "document.querySelector('main').append(document.createElement('button'))",
          "button-name",
        ],
        ["document.querySelector('main h1').remove()", "page-has-heading-one"],
        [
          "document.querySelector('.home .hint').style.setProperty('color', '#ddd')",
          "color-contrast",
        ],
      ]) {
        await fixture.visit(page);
        await page.run(fault);
        const violations = await axeViolations(page);
        assert.ok(
          violations.some((violation) => violation.startsWith(`${rule}:`)),
          `${rule}: ${violations}`,
        );
      }
      fixture.takeProblems();
    });
  },
);
