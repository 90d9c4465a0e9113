// Runs all suites in browsers, or only the named suites: `node main.mjs play rooms`.
import { describe } from "node:test";
import { declareSuites } from "./fixture.mjs";

/**
 * All suites, the longest first. `budgets` measures times, so it begins when most other tests are
 * over.
 */
const NAMES = [
  "accessibility",
  "failures",
  "boards",
  "layout",
  "budgets",
  "webkit",
  "bot",
  "lobby",
  "watch",
  "controls",
  "rooms",
  "play",
  "install",
  "identity",
  "local",
  "profile",
  "puzzle",
  "replay",
  "checks",
];
/**
 * Number of suites that run at the same time. Most of the time, most of them wait for a server, a
 * clock or a drawing.
 */
const PARALLEL = 2;

const chosen = process.argv.slice(2);
for (const name of chosen.length > 0 ? chosen : NAMES)
  await import(`./${name}.mjs`);
describe("the page in browsers", { concurrency: PARALLEL }, declareSuites);
