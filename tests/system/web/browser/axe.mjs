// Runs axe-core on a page.
import { readFileSync } from "node:fs";

const axe = readFileSync(process.env.NOUGHTS_AXE, "utf8");
const SCRIPT_MILLIS = 60_000;

const RUN = `
  const done = arguments[arguments.length - 1];
  const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
  axe.run(document, { runOnly: { type: "tag", values: tags }, resultTypes: ["violations"] }).then(
    ({ violations }) => done(violations.map(({ id, nodes }) => id + ": " + nodes.map((node) => node.target + " " + node.failureSummary).join("; "))),
    (error) => done([String(error)]));`;

/** Returns the violations of accessibility rules that axe-core finds on a page. */
export async function axeViolations(page) {
  if (!(await page.run("return 'axe' in window"))) await page.run(axe);
  await page.call("POST", "/timeouts", { script: SCRIPT_MILLIS });
  return page.call("POST", "/execute/async", { script: RUN, args: [] });
}
