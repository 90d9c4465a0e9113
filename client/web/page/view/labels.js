// Names of games, boards and clocks for the visitor.
import { FLAGS, NAMED_RULES } from "../core/rule-table.js";
import { parseRules } from "../core/rules.js";
import { text } from "../i18n.js";

/**
 * Returns the name of a game.
 * @param {string} rules
 */
export function gameName(rules) {
  const named = Object.entries(NAMED_RULES).find(
    ([, known]) => known === rules,
  );
  if (named) return text(`game_${named[0]}`);
  return text("own_game_name", {
    size: boardSize(rules),
    n: parseRules(rules).line,
  });
}

/**
 * Returns the size of a game's board.
 * @param {string} rules
 */
export function boardSize(rules) {
  return parseRules(rules).sides.join(" × ");
}

/**
 * Returns a line that says how the game is won.
 * @param {string} rulesText
 */
export function rulesLine(rulesText) {
  const rules = parseRules(rulesText);
  const parts = [
    text(rules.misere ? "line_loses" : "line_wins", { n: rules.line }),
  ];
  for (const flag of FLAGS)
    if (rules[flag] && flag !== "misere") parts.push(text(flag));
  return parts.join(" · ");
}

/** @param {string | null | undefined} clock */
export const clockName = (clock) => clock ?? text("without_clock");
