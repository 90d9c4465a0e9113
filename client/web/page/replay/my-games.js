// The visitor's finished games as a list: the games that the browser keeps, and
// the games of the visitor's identity that only the server has.
import { seatIndex } from "../core/fold.js";
import { text } from "../i18n.js";
import { Archive, ArchiveError } from "../io/archive.js";
import { forgetGames, keepGames, readKeptGames } from "../io/kept-games.js";
import { readStorage } from "../io/storage.js";
import { button, h, icon } from "../view/dom.js";
import { positionPicture } from "../view/position-picture.js";
import { openButton, resultWord, serverGameRow } from "./game-row.js";
import { openProfile, problemText, readServerGame } from "./profile.js";
import { readRecord } from "./record.js";

/** @typedef {import("../io/kept-games.js").KeptGame} KeptGame @typedef {import("../io/archive.js").Listing} Listing */

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
 * @param {(source: string) => void} open opens a record
 * @param {(action: any) => void} act
 */
export function createGameList(open, act) {
  const root = h("section", { class: "my-games" });
  // The last part of the screen, because it comes later and must move nothing.
  const onServer = h("section", { class: "my-games" });
  /** @type {KeptGame[]} */
  let removed = [];
  const archive = new Archive();
  /** @type {Listing[]} */
  let listed = [];
  /** @type {number | null} the server may have older games before this game */
  let before = null;
  let problem = "";

  /**
   * Asks for games of the visitor's identity. A guest has none.
   * @param {number} [from] only older games
   */
  async function load(from) {
    if (!readStorage().identity) return;
    try {
      const page = await archive.games(undefined, from);
      // A second press may have asked for the same games.
      if (from && from !== before) return;
      listed = from ? [...listed, ...page.games] : page.games;
      ({ before } = page);
      problem = "";
    } catch (error) {
      // A server that keeps no games has nothing to add to the list.
      const isEmpty =
        error instanceof ArchiveError && error.code === "not_kept";
      problem = isEmpty ? "" : problemText(error);
    }
    drawServerGames();
  }

  /** @param {Listing} listing */
  async function openListed({ game }) {
    try {
      open(await readServerGame(archive, game));
    } catch (error) {
      problem = problemText(error);
      drawServerGames();
    }
  }

  /** @param {string} name @param {string | undefined} identity */
  const profileButton = (name, identity) =>
    identity
      ? [
          h(
            "button",
            {
              type: "button",
              class: "icon-button",
              "aria-label": text("profile_of", { name }),
              onclick: () =>
                void openProfile(identity, name, act).catch(() =>
                  act({ type: "toast", key: "no_answer" }),
                ),
            },
            icon("person"),
          ),
        ]
      : [];

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
    const opponent = {
      name,
      ...(game.opponent && { identity: game.opponent }),
    };
    const shown = { opponent, rules: rules.text, at: game.at, word };
    return h(
      "li",
      { class: "my-game" },
      openButton(
        shown,
        () => open(game.record),
        positionPicture(rules, moves, winning),
      ),
      ...profileButton(name, game.opponent),
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

  /** @param {Listing} listing */
  const serverRow = (listing) =>
    serverGameRow(
      listing,
      archive.own,
      () => void openListed(listing),
      ({ name, identity }) => profileButton(name, identity),
    );

  /** Draws the games that only the server has. */
  function drawServerGames() {
    const keys = readKeptGames().map(({ key }) => key);
    const others = listed.filter(
      ({ room, number }) => !keys.includes(`${room} ${number}`),
    );
    const older = before;
    onServer.replaceChildren(
      ...(others.length > 0
        ? [
            h("h2", null, text("games_on_server")),
            h("ul", { class: "my-games-list" }, ...others.map(serverRow)),
          ]
        : []),
      ...(older
        ? [
            button(text("older_games"), {
              class: "small",
              onclick: () => void load(older),
            }),
          ]
        : []),
      ...(problem ? [h("p", { class: "hint", role: "alert" }, problem)] : []),
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
    drawServerGames();
  }

  return {
    root,
    onServer,
    show() {
      problem = "";
      draw();
      void load();
    },
    hide() {
      removed = [];
      archive.close();
    },
  };
}
