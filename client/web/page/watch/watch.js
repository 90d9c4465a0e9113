// The Watch screen: all games in a grid, or one after another.
import { resultTexts } from "../game/game-texts.js";
import { text } from "../i18n.js";
import { serverUrl } from "../io/server-url.js";
import { h, mark, rebuild, setText, show } from "../view/dom.js";
import { gameName } from "../view/labels.js";
import {
  botButton,
  inviteButton,
  nobody,
  replayButton,
} from "../view/nobody.js";
import { segments } from "../view/segments.js";
import { watchedGame } from "./card.js";
import { MAX_RESULTS, RESULT_MS, MAX_SHOWN_GAMES } from "./program.js";
import { WatchedGames } from "./watched-games.js";

/**
 * @typedef {import("../core/model.js").Model} Model
 * @typedef {import("../core/fold.js").RoomState} RoomState
 * @typedef {import("./program.js").ShownGame} ShownGame
 */

/**
 * @param {(action: any) => void} act
 * @param {() => number} now
 */
export function createWatch(act, now) {
  let mode = "grid";
  /** @type {ShownGame[]} */
  let shown = [];
  /** @type {WatchedGames | null} */
  let games = null;
  /** @type {Model | null} */
  let current = null;
  /** @type {{ key: string, state: RoomState }[]} */
  let results = [];
  const grid = h("ul", { class: "watch-grid" });
  const none = h(
    "section",
    { class: "card" },
    nobody(
      text("no_games"),
      "7x6:4+gravity",
      botButton(act),
      inviteButton(act, () => /** @type {Model} */ (current).choice),
    ),
  );
  const next = h("p", { class: "detail watch-next" });
  const resultRows = h("ol", { class: "watch-results" });
  const resultCard = h(
    "section",
    { class: "card" },
    h("h2", null, text("results")),
    resultRows,
  );
  const modes = segments(
    "watch-mode",
    text("watch"),
    [
      ["grid", text("all_games")],
      ["tv", text("tv")],
    ],
    mode,
    (value) => {
      mode = value;
      shown = mode === "tv" ? shown.slice(0, 1) : shown;
      redraw();
    },
  );
  const replay = replayButton(act);
  const root = h(
    "div",
    { class: "narrow wide watch" },
    h(
      "div",
      { class: "heading spread" },
      h("h1", { tabindex: "-1" }, text("watch")),
      modes,
      replay,
    ),
    none,
    grid,
    next,
    resultCard,
  );

  /** @param {string} room */
  const stateOf = (room) => games?.stateOf(room) ?? null;

  function redraw() {
    if (!current || !games) return;
    shown = games.follow(
      shown,
      current.lobby.rooms,
      now(),
      mode === "tv" ? 1 : MAX_SHOWN_GAMES,
    );
    keepResults();
    drawCards();
    show(none, shown.length === 0);
    show(resultCard, mode === "tv" && results.length > 0);
    drawTime();
  }

  /** Stores the results of games that have ended while they were shown. */
  function keepResults() {
    for (const { room } of shown) {
      const state = stateOf(room);
      const key = `${room} ${state?.game}`;
      if (state?.outcome && !results.some((result) => result.key === key))
        results = [{ key, state }, ...results].slice(0, MAX_RESULTS);
    }
    rebuild(resultRows, results.map(({ key }) => key).join(), () =>
      results.map(({ state }) => {
        const { title, reason } = resultTexts(state, null);
        return h(
          "li",
          null,
          h("strong", null, title),
          h(
            "span",
            { class: "detail" },
            `${gameName(state.rules)} · ${reason}`,
          ),
        );
      }),
    );
  }

  function drawCards() {
    grid.classList.toggle("tv", mode === "tv");
    rebuild(grid, `${mode} ${shown.map(({ room }) => room).join()}`, () =>
      shown.map(({ room }) => card(room)),
    );
    for (const [index, { room }] of shown.entries()) {
      const state = stateOf(room);
      const element = grid.children[index]?.firstElementChild;
      if (!state || !(element instanceof HTMLElement)) continue;
      const isOver = state.phase !== "playing";
      rebuild(element, `${state.game} ${state.seq} ${state.phase}`, () =>
        watchedGame(state, isOver ? resultTexts(state, null).title : ""),
      );
    }
  }

  /** @param {string} room */
  function card(room) {
    const known = current?.lobby.rooms.find((other) => other.room === room);
    // The card is drawn in its full size before its game has arrived.
    const line = (/** @type {"X" | "O"} */ seat) =>
      h(
        "span",
        { class: "watch-player" },
        mark(seat),
        h("bdi", null, known?.players[seat === "X" ? 0 : 1]?.name ?? "…"),
      );
    return h(
      "li",
      null,
      h(
        "button",
        {
          type: "button",
          class: "watch-card",
          onclick: () =>
            act({ type: "enter", request: { type: "watch", room } }),
        },
        h(
          "span",
          { class: "watch-head" },
          h("span", null, known ? gameName(known.rules) : text("connecting")),
        ),
        h("span", { class: "watch-board" }),
        line("X"),
        line("O"),
      ),
    );
  }

  function drawTime() {
    const ended = mode === "tv" ? (shown[0]?.endedAt ?? null) : null;
    const wait =
      ended === null ? 0 : Math.ceil((ended + RESULT_MS - now()) / 1000);
    show(next, ended !== null);
    if (ended !== null)
      setText(
        next,
        wait > 0 ? text("next_game_in", { n: wait }) : text("no_other_games"),
      );
  }

  function close() {
    games?.close();
    games = null;
  }

  return {
    root,
    /** @param {Model} model */
    update(model) {
      current = model;
      // A hidden page is drawn again when it is shown.
      if (document.hidden) return close();
      games ??= new WatchedGames(serverUrl(), model.name, redraw);
      redraw();
    },
    tick() {
      const isDue = shown.some(
        ({ endedAt }) => endedAt !== null && now() - endedAt >= RESULT_MS,
      );
      if (isDue) redraw();
      else drawTime();
    },
    hide() {
      close();
      shown = [];
    },
  };
}
