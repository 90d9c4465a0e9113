// Names of games, boards and clocks, as a visitor reads them.
import { FLAGS, NAMED_RULES } from "../core/rule-table.js";
import { parseRules } from "../core/rules.js";
import { OUTDATED_CODE, SERVER_CLOSED_CODE } from "../core/wire-table.js";
import { text } from "../i18n.js";

/** @param {string} rules the name of a game, as a player reads it */
export function gameName(rules) {
  const named = Object.entries(NAMED_RULES).find(
    ([, known]) => known === rules,
  );
  return named ? text(`game_${named[0]}`) : rules;
}

/** @param {string} rules the size of its board */
export function boardSize(rules) {
  return parseRules(rules).sides.join(" × ");
}

/** @param {string} rulesText one line on how the game is won */
export function rulesLine(rulesText) {
  const rules = parseRules(rulesText);
  const parts = [
    text(rules.misere ? "line_loses" : "line_wins", { n: rules.line }),
  ];
  for (const flag of FLAGS)
    if (rules[flag] && flag !== "misere")
      parts.push(text(flag === "gravity" ? "marks_fall" : flag));
  return parts.join(" · ");
}

/** Texts of a connection that the server has ended for good, by close code. */
const FINAL_TEXTS = new Map([
  [OUTDATED_CODE, "outdated"],
  [SERVER_CLOSED_CODE, "server_closed"],
]);

/**
 * Returns what is wrong with a connection that is not online.
 * @param {import("../core/model.js").Connection} connection
 * @param {number} now
 */
export function connectionText(
  { state, code, retryAt, restarting, hasNetwork },
  now,
) {
  if (state === "replaced") return text("opened_elsewhere");
  if (state === "stopped")
    return text(FINAL_TEXTS.get(code) ?? "stopped", { code });
  if (!hasNetwork) return text("no_network");
  const n = Math.ceil((retryAt - now) / 1000);
  if (state !== "offline" || n <= 0) return text("reconnecting");
  return text(restarting ? "server_restarting" : "connection_lost", { n });
}

/** @param {string | null | undefined} clock */
export const clockName = (clock) => clock ?? text("without_clock");

/** @param {import("../core/model.js").Model} model the people and bots of the server, as a line; nothing while they are not known */
export const countsLine = ({ lobby: { counts }, connection }) =>
  counts && connection.state === "online"
    ? `${text("people_online", { n: counts.people })} · ${text("bots_online", { n: counts.bots })}`
    : "";
