// Runs the suites in browsers, or those that are named: `node main.mjs play rooms`.
import { describe } from "node:test";
import { declareSuites } from "./fixture.mjs";

/** All suites, the longest first. `budgets` measures times: it begins when most other tests are over. */
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
  "puzzle",
  "replay",
  "checks",
];
/** Suites that run at the same time: most of them wait for a server, a clock or a drawing most of the time. */
const PARALLEL = 2;

const chosen = process.argv.slice(2);
for (const name of chosen.length > 0 ? chosen : NAMES)
  await import(`./${name}.mjs`);
describe("the page in browsers", { concurrency: PARALLEL }, declareSuites);
