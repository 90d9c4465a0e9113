// The first screen: games, clock, and ways to find an opponent.
import { CLOCKS, seatToContinue } from "../core/model.js";
import { createRequest, seekRequest } from "../core/requests.js";
import { NAMED_RULES } from "../core/rule-table.js";
import { text } from "../i18n.js";
import { loadStyle } from "../styles.js";
import { button, h, icon, mark, rebuild, setText, show } from "../view/dom.js";
import { gamePicture, morePicture } from "../view/game-picture.js";
import { boardSize, gameName, rulesLine } from "../view/labels.js";
import { segments } from "../view/parts.js";

/**
 * @typedef {import("../core/model.js").Model} Model
 * @typedef {(action: any) => void} Act
 */

/** Maximum numbers of players who wait and of games on this screen; the lobby shows all. */
const ROWS_MAX = 6;
const GAMES_MAX = 4;
const HOME_GAMES = Object.freeze([
  "tictactoe",
  "connect4",
  "gomoku",
  "qubic",
  "tesseract",
]);

/** @param {Act} act @param {() => number} now */
export function createHome(act, now) {
  const continued = h("section", {
    class: "continue",
    "aria-label": text("continue_game"),
  });
  const cards = h("div", {
    class: "cards",
    role: "radiogroup",
    "aria-label": text("choose_game"),
  });
  const line = h("p", { class: "hint" });
  const clocks = h("div", null);
  const actions = h("div", { class: "actions-home" });
  const waitingPlace = h("div", { class: "placed-list" });
  const gamesPlace = h("div", { class: "placed-list" });
  const live = h(
    "section",
    { class: "card" },
    h("h2", null, text("live_now")),
    gamesPlace,
  );
  // The list of players has the height of a few rows, so that the games below it keep their places.
  const side = h(
    "div",
    { class: "home-side" },
    h(
      "section",
      { class: "card first-list" },
      h("h2", null, text("players_waiting")),
      waitingPlace,
    ),
    live,
  );
  const root = h(
    "div",
    { class: "home" },
    h(
      "div",
      { class: "home-main" },
      continued,
      h("h1", { tabindex: "-1" }, text("choose_game")),
      cards,
      line,
      clocks,
      actions,
    ),
    side,
  );
  /** @type {Model} */
  let current;
  /** @type {{ update: (lobby: Model["lobby"]) => void, draw: () => void } | null} */
  let lists = null;
  let isLoading = false;

  /** Loads the lists when the server has sent the lobby. The page is usable before the lists are loaded, also if its texts arrive after the lobby. */
  async function loadLists() {
    isLoading = true;
    await new Promise((resolve) => setTimeout(resolve));
    const [module] = await Promise.all([
      import("../view/lobby-lists.js"),
      loadStyle("screens"),
    ]).catch(() => [null]);
    // The next change of the lobby tries again.
    isLoading = false;
    if (!module) return;
    const waiting = module.createWaitingList(text("nobody"), now, ROWS_MAX);
    const games = module.createGamesList(now, GAMES_MAX);
    waitingPlace.replaceWith(waiting.root);
    gamesPlace.replaceWith(games.root);
    lists = {
      update(lobby) {
        waiting.update(module.waitingEntries(lobby, act));
        games.update(module.gameEntries(lobby, act));
      },
      draw() {
        waiting.draw();
        games.draw();
      },
    };
    lists.update(current.lobby);
  }

  actions.append(
    button(
      text("find_opponent"),
      {
        class: "primary main",
        onclick: () =>
          act({ type: "enter", request: seekRequest(current.choice) }),
      },
      mark("X", "inherit"),
      mark("O", "inherit"),
    ),
    button(
      text("invite_friend"),
      {
        class: "large",
        onclick: () =>
          act({ type: "enter", request: createRequest(current.choice, false) }),
      },
      icon("link"),
    ),
    button(
      text("play_bot"),
      { class: "large", onclick: () => act({ type: "show", screen: "bot" }) },
      icon("bot"),
    ),
  );
  return {
    root,
    /** @param {Model} model */
    update(model) {
      current = model;
      const { choice } = model;
      const seat = seatToContinue(model, now());
      show(continued, Boolean(seat));
      rebuild(continued, JSON.stringify(seat ?? null), () => {
        if (!seat) return [];
        const { rules = "3x3:3", opponent: name, isOver } = seat;
        const game = gameName(rules);
        return [
          gamePicture(rules),
          h(
            "div",
            { class: "row-text" },
            h(
              "strong",
              null,
              text(
                isOver
                  ? "continue_over"
                  : name
                    ? "continue_game"
                    : "continue_room",
              ),
            ),
            h(
              "span",
              null,
              name ? text("continue_against", { game, name }) : game,
            ),
          ),
          button(text("continue"), {
            class: "on-now",
            onclick: () => act({ type: "continue", seat }),
          }),
        ];
      });
      const named = HOME_GAMES.map(
        (name) =>
          /** @type {string} */ (/** @type {any} */ (NAMED_RULES)[name]),
      );
      const isOwn = !named.includes(choice.rules);
      rebuild(cards, choice.rules, () =>
        [...named, ""].map((rules) =>
          gameCard(
            rules,
            rules === "" ? isOwn : rules === choice.rules,
            choice.rules,
            act,
          ),
        ),
      );
      setText(
        line,
        `${isOwn ? `${gameName(choice.rules)}: ${boardSize(choice.rules)} · ` : ""}${rulesLine(choice.rules)}`,
      );
      rebuild(clocks, choice.clock ?? "", () => [
        segments(
          "clock",
          text("clock"),
          CLOCKS.map((clock) => [clock ?? "", clock ?? text("no_clock")]),
          choice.clock ?? "",
          (value) => act({ type: "choose", choice: { clock: value || null } }),
        ),
      ]);
      if (model.lobby.loaded && !lists && !isLoading) void loadLists();
      lists?.update(model.lobby);
    },
    tick: () => lists?.draw(),
  };
}

/** @param {string} rules @param {boolean} isChosen @param {string} chosen @param {Act} act */
function gameCard(rules, isChosen, chosen, act) {
  if (rules === "") {
    const onclick = () => act({ type: "show", screen: "custom" });
    return h(
      "button",
      {
        type: "button",
        class: `game-card${isChosen ? " chosen" : ""}`,
        onclick,
      },
      h("span", { class: "tick" }, icon("check")),
      isChosen ? gamePicture(chosen) : morePicture(),
      h("strong", null, text("more_games")),
      h("span", null, text("or_your_own")),
    );
  }
  const size =
    rules === NAMED_RULES.tesseract
      ? text("four_dimensions")
      : boardSize(rules);
  const onchange = () => act({ type: "choose", choice: { rules } });
  return h(
    "label",
    { class: `game-card${isChosen ? " chosen" : ""}` },
    h("input", {
      type: "radio",
      name: "game",
      value: rules,
      checked: isChosen,
      class: "visually-hidden",
      onchange,
    }),
    h("span", { class: "tick" }, icon("check")),
    gamePicture(rules),
    h("strong", null, gameName(rules)),
    h("bdi", null, size),
  );
}
