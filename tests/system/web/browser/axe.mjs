// Runs axe-core on a page.
import { readFileSync } from "node:fs";

const axe = readFileSync(process.env.NOUGHTS_AXE, "utf8");

const RUN = `
  const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
  return axe.run(document, { runOnly: { type: "tag", values: tags }, resultTypes: ["violations"] }).then(({ violations }) =>
    violations.map(({ id, nodes }) => id + ": " + nodes.map((node) => node.target + " " + node.failureSummary).join("; ")));`;

/** Returns the violations of accessibility rules that axe-core finds on a page. */
export async function axeViolations(page) {
  if (!(await page.run("return 'axe' in window"))) await page.run(axe);
  return page.run(RUN);
}
