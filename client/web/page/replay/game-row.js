// The row of a finished game in a list, and its result from the view of a
// player.
import { otherSeat, seatIndex } from "../core/fold.js";
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
 * Returns the row of a game on a server.
 * @param {import("../io/archive.js").Listing} listing
 * @param {string | null} player the row shows the result of this identity
 * @param {() => void} open
 * @param {(opponent: import("../core/fold.js").Player) => Node[]} [actions] further buttons
 */
export function serverGameRow(listing, player, open, actions = () => []) {
  const seat = listing.players[1]?.identity === player ? "O" : "X";
  const opponent = /** @type {import("../core/fold.js").Player} */ (
    listing.players[seatIndex(otherSeat(seat))]
  );
  const word = resultWord(seat, listing.result);
  const game = { opponent, rules: listing.rules, at: listing.ended, word };
  return h(
    "li",
    { class: "my-game" },
    openButton(game, open),
    ...actions(opponent),
  );
}

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
