// The row of a finished game in a list, and its result from the view of a
// player.
import { currentLanguage, text } from "../i18n.js";
import { h } from "../view/dom.js";
import { gameName } from "../view/labels.js";
import { identityTag } from "../view/screen-parts.js";

/** @typedef {import("../core/fold.js").Seat} Seat */

/**
 * @param {Seat} seat
 * @param {string} result the result in a record
 */
export function resultWord(seat, result) {
  const [first] = result.split(" ");
  if (first === "draw") return "drawn";
  if (first === "X" || first === "O") return first === seat ? "won" : "lost";
  return "unfinished";
}

/**
 * @param {import("../io/archive.js").Listing} listing
 * @param {string | null} player an identity
 * @returns {Seat}
 */
export const seatOf = ({ players }, player) =>
  players[1]?.identity === player ? "O" : "X";

/** @param {number} at */
const dateOf = (at) =>
  new Intl.DateTimeFormat(currentLanguage(), {
    month: "short",
    day: "numeric",
    hour: "numeric",
    minute: "2-digit",
  }).format(at);

/**
 * @param {object} game
 * @param {{ name: string, identity?: string }} game.opponent
 * @param {string} game.rules
 * @param {number} game.at
 * @param {string} game.word
 * @param {() => void} open
 * @param {...Node} before a picture
 */
export function openButton({ opponent, rules, at, word }, open, ...before) {
  return h(
    "button",
    { type: "button", class: "my-game-open", onclick: open },
    ...before,
    h(
      "span",
      { class: "row-text" },
      h(
        "strong",
        null,
        h("bdi", null, opponent.name),
        ...identityTag(opponent),
      ),
      h("span", { class: "detail" }, gameName(rules)),
      h("span", { class: "detail" }, dateOf(at)),
    ),
    h("span", { class: `game-result ${word}` }, text(`result_${word}`)),
  );
}
