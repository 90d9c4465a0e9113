// The visitor's finished games as a list.
import { seatIndex } from "../core/fold.js";
import { currentLanguage, text } from "../i18n.js";
import { forgetGames, keepGames, readKeptGames } from "../io/kept-games.js";
import { button, h, icon } from "../view/dom.js";
import { gameName } from "../view/labels.js";
import { positionPicture } from "../view/position-picture.js";
import { readRecord } from "./record.js";

/** @typedef {import("../io/kept-games.js").KeptGame} KeptGame */

/**
 * Reads the record of a game. Returns an empty list if this version cannot read
 * it.
 * @param {KeptGame} game
 * @returns {{ game: KeptGame, record: import("./record.js").GameRecord }[]}
 */
function readGame(game) {
  try {
    return [{ game, record: readRecord(game.record) }];
  } catch {
    return [];
  }
}

/**
 * @param {import("../core/fold.js").Seat} seat
 * @param {string} result the result in a record
 */
function resultWord(seat, result) {
  const [first] = result.split(" ");
  if (first === "draw") return "drawn";
  if (first === "X" || first === "O") return first === seat ? "won" : "lost";
  return "unfinished";
}

/**
 * @param {(source: string) => void} open opens a record
 * @param {(action: any) => void} act
 */
export function createGameList(open, act) {
  const root = h("section", { class: "my-games" });
  /** @type {KeptGame[]} */
  let removed = [];
  const date = new Intl.DateTimeFormat(currentLanguage(), {
    month: "short",
    day: "numeric",
    hour: "numeric",
    minute: "2-digit",
  });

  /** @param {KeptGame[]} games */
  function remove(games) {
    removed = games;
    forgetGames(games.map(({ key }) => key));
    draw();
    root.querySelector("button")?.focus();
  }

  function restore() {
    keepGames(removed);
    removed = [];
    draw();
    root.querySelector("button")?.focus();
  }

  /** @param {ReturnType<typeof readGame>[number]} kept */
  function row({ game, record }) {
    const { rules, moves, players, result, winning } = record;
    const word = resultWord(game.seat, result);
    const name = players[1 - seatIndex(game.seat)] ?? "?";
    return h(
      "li",
      { class: "my-game" },
      h(
        "button",
        {
          type: "button",
          class: "my-game-open",
          onclick: () => open(game.record),
        },
        positionPicture(rules, moves, winning),
        h(
          "span",
          { class: "row-text" },
          h("strong", null, h("bdi", null, name)),
          h("span", { class: "detail" }, gameName(rules.text)),
          h("span", { class: "detail" }, date.format(game.at)),
        ),
        h("span", { class: `game-result ${word}` }, text(`result_${word}`)),
      ),
      h(
        "button",
        {
          type: "button",
          class: "icon-button",
          "aria-label": text("delete_game", { name }),
          onclick: () => remove([game]),
        },
        icon("trash"),
      ),
    );
  }

  /**
   * Draws the games, including a game that has ended since the last drawing.
   */
  function draw() {
    const kept = readKeptGames();
    const games = kept.flatMap(readGame);
    const undo =
      removed.length > 0 &&
      h(
        "div",
        { class: "banner-line deleted", role: "status" },
        h("span", null, text("games_deleted", { n: removed.length })),
        button(text("undo"), { class: "small", onclick: restore }),
      );
    const empty = h(
      "div",
      { class: "card nobody" },
      h("p", { class: "hint" }, text("no_kept_games")),
      button(
        text("play"),
        {
          class: "primary",
          onclick: () => act({ type: "show", screen: "home" }),
        },
        icon("grid"),
      ),
    );
    const all = h(
      "div",
      { class: "my-games-foot" },
      h("p", { class: "detail" }, text("games_kept_here")),
      button(text("delete_all"), {
        class: "small",
        onclick: () => remove(kept),
      }),
    );
    const count = (/** @type {string} */ wanted) =>
      games.filter(
        ({ game, record }) => resultWord(game.seat, record.result) === wanted,
      ).length;
    const totals = h(
      "p",
      { class: "hint" },
      text("games_total", {
        n: games.length,
        won: count("won"),
        drawn: count("drawn"),
      }),
    );
    root.replaceChildren(
      ...(undo ? [undo] : []),
      ...(games.length > 0
        ? [totals, h("ul", { class: "my-games-list" }, ...games.map(row)), all]
        : [empty]),
    );
  }

  return {
    root,
    draw,
    hide() {
      removed = [];
    },
  };
}
