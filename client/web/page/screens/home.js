// The first screen: games, clock, and ways to find an opponent. Parts that
// arrive later have reserved places, see `home-side.js`.
import { levelNumber } from "../core/levels.js";
import { CLOCKS, isLost, seatsToContinue } from "../core/model.js";
import { createRequest, seekRequest } from "../core/seek-and-create.js";
import { NAMED_RULES } from "../core/rule-table.js";
import { hasText, loadScreenTexts, text } from "../i18n.js";
import { loadStyle } from "../styles.js";
import { button, h, icon, mark, rebuild, setText, show } from "../view/dom.js";
import { gamePicture, morePicture } from "../view/game-picture.js";
import { boardSize, gameName, rulesLine } from "../view/labels.js";
import { segments } from "../view/segments.js";

/**
 * @typedef {import("../core/model.js").Model} Model
 * @typedef {(action: any) => void} Act
 */

const HOME_GAMES = Object.freeze([
  "tictactoe",
  "connect4",
  "gomoku",
  "qubic",
  "tesseract",
]);

/** @param {Act} act @param {() => number} now */
export function createHome(act, now) {
  const continued = h("div", { class: "continued" });
  const cards = h("div", {
    class: "cards",
    role: "radiogroup",
    "aria-label": text("choose_game"),
  });
  const line = h("p", { class: "hint" });
  const clocks = h("div", null);
  const actions = h("div", { class: "actions-home" });
  const puzzle = h("div", { class: "puzzle-entry" });
  const place = h("div", { class: "home-side" });
  const heading = h("h1", { tabindex: "-1" }, text("tagline"));
  const root = h(
    "div",
    { class: "home" },
    h(
      "div",
      { class: "home-main" },
      continued,
      heading,
      cards,
      line,
      clocks,
      actions,
      puzzle,
    ),
    place,
  );
  /** @type {Model} */
  let current;
  /** @type {ReturnType<typeof import("./home-side.js").createHomeSide> | null} */
  let side = null;
  /** Whether the puzzle, which needs no server, comes first. */
  let isAlone = false;
  let isLoading = false;
  let isHidden = true;

  /**
   * Loads the side when the server has sent the lobby. The page can be used
   * before that, even if the side's texts arrive after the lobby.
   */
  async function loadSide() {
    isLoading = true;
    await new Promise((resolve) => setTimeout(resolve));
    const [module] = await Promise.all([
      import("./home-side.js"),
      loadScreenTexts(),
      loadStyle("screens"),
      loadStyle("watch"),
    ]).catch(() => [null]);
    // The next change of the lobby tries again.
    isLoading = false;
    if (!module) return;
    side = module.createHomeSide(act, now, { place, continued });
    if (!isHidden) side.update(current);
  }

  /** @param {string} label @param {any} action @param {string} className @param {(Node | false)[]} before */
  const go = (label, action, className, ...before) =>
    button(
      text(label),
      { class: className, onclick: () => act(action(current.choice)) },
      ...before,
    );
  const showBots = () => act({ type: "show", screen: "bot" });
  /**
   * Starts the last game against a bot again, if there was one. The game without a server has a
   * screen of its own. The screen of the bots opens it.
   */
  const playBot = () => {
    const { level, botSeat: seat } = current.choice;
    if (level && !isLost(current.connection))
      act({ type: "play-bot", level, seat });
    else showBots();
  };
  const bot = button(
    text("play_bot"),
    { class: "large", onclick: playBot },
    icon("bot"),
  );
  const botOptions = h(
    "button",
    {
      type: "button",
      class: "icon-button",
      "aria-label": text("play_bot"),
      onclick: showBots,
    },
    icon("list"),
  );
  /** @param {any} request */
  const enter = (request) => ({ type: "enter", request });
  actions.append(
    go(
      "find_opponent",
      (/** @type {any} */ choice) => enter(seekRequest(choice)),
      "primary main",
      mark("X", "inherit"),
      mark("O", "inherit"),
    ),
    go(
      "invite_friend",
      (/** @type {any} */ choice) => enter(createRequest(choice, false)),
      "large",
      icon("link"),
    ),
    bot,
    botOptions,
  );
  return {
    root,
    /** @param {Model} model */
    update(model) {
      current = model;
      const { choice, connection } = model;
      // The order changes only while the screen is hidden or before the first connection, so that
      // no button moves under the hand of a visitor.
      if (isHidden || !connection.onlineAt) {
        isAlone = isLost(connection);
        (isAlone ? heading : actions).after(puzzle);
      }
      isHidden = false;
      // The games keep their place when the seats to continue are drawn.
      const rows = seatsToContinue(model, now()).length;
      continued.style.setProperty("--rows", String(rows));
      show(continued, rows > 0);
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
        `${isOwn ? `${gameName(choice.rules)} · ` : ""}${rulesLine(choice.rules)}`,
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
      const { level } = choice;
      setText(
        /** @type {Element} */ (bot.lastElementChild),
        level ? text("bot_name", { n: levelNumber(level) }) : text("play_bot"),
      );
      show(botOptions, level !== null);
      actions.classList.toggle("again", level !== null);
      // The puzzle needs no server.
      if (hasText("puzzle"))
        import("../puzzle/entry.js")
          .then(({ drawPuzzleEntry }) => drawPuzzleEntry(puzzle, act, isAlone))
          .catch(() => {});
      if (model.lobby.loaded && !side && !isLoading) void loadSide();
      side?.update(model);
    },
    tick: () => side?.draw(),
    hide() {
      isHidden = true;
      side?.hide();
    },
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
