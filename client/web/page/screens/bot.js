// The screen before a game against a bot: its level, the visitor's seat, and
// other people's bots. Without a server, the game is on the screen `local`.
import { LEVELS, levelNumber } from "../core/levels.js";
import { isLost } from "../core/model.js";
import { text } from "../i18n.js";
import { readLocalGame, storeLocalGame } from "../io/local-game-storage.js";
import { button, h, rebuild, setText, show } from "../view/dom.js";
import { gamePicture } from "../view/game-picture.js";
import { clockName, gameName } from "../view/labels.js";
import { createWaitingList, waitingEntries } from "../view/lobby-lists.js";
import { heading } from "../view/screen-parts.js";
import { segments } from "../view/segments.js";

/** @typedef {import("../core/model.js").Model} Model */

/** Level of the first game against a bot. A newcomer sometimes beats it. */
export const FIRST_LEVEL = "casual";

/**
 * Games that the strongest level never loses. A test of the engine plays all
 * variations.
 */
const NEVER_LOST = Object.freeze(["3x3:3", "3x3:3+misere"]);

export const drawSeat = () => (Math.random() < 0.5 ? "X" : "O");

/**
 * Returns a row with the unfinished game without a server.
 * @param {import("../io/local-game-storage.js").StoredGame} game
 * @param {() => void} onclick
 */
function localRow({ rules, level }, onclick) {
  const name = text("bot_name", { n: levelNumber(level) });
  const game = gameName(rules);
  return h(
    "section",
    { class: "continue", "aria-label": text("continue_game") },
    gamePicture(rules),
    h(
      "div",
      { class: "row-text" },
      h("strong", null, text("continue_game")),
      h("span", null, text("continue_against", { game, name })),
    ),
    button(text("continue"), { class: "on-now", onclick }),
  );
}

/** @param {(action: any) => void} act @param {() => number} now */
export function createBot(act, now) {
  const game = h("div", { class: "row" });
  const strongest = h("span", null);
  const chosen = h("strong", null);
  const levels = h("div", null);
  const seats = h("div", null);
  const continued = h("div", null);
  const waiting = createWaitingList("", now);
  const bots = h(
    "section",
    { class: "card" },
    h("h2", null, text("bots_waiting")),
    waiting.root,
  );
  /** @type {Model} */
  let current;
  let level = FIRST_LEVEL;
  let seat = "";
  /** Whether other people's bots have been shown. Their place then stays. */
  let hasBots = false;
  const nameLevel = () =>
    setText(
      chosen,
      text("bot_level", {
        n: levelNumber(level),
        level: text(`level_${level}`),
      }),
    );
  const showLocal = () => act({ type: "show", screen: "local" });
  const start = () => {
    const botSeat = /** @type {import("../core/fold.js").Seat | null} */ (
      seat || null
    );
    if (!isLost(current.connection))
      return act({ type: "play-bot", level, seat: botSeat });
    const { rules } = current.choice;
    act({ type: "choose", choice: { level, botSeat } });
    storeLocalGame({ rules, level, seat: botSeat ?? drawSeat(), moves: [] });
    showLocal();
  };
  const root = h(
    "div",
    { class: "narrow" },
    heading(text("play_bot"), act, { type: "show", screen: "home" }),
    continued,
    h(
      "section",
      { class: "card" },
      game,
      h(
        "div",
        { class: "levels" },
        levels,
        h("span", null, text("level_first")),
        strongest,
      ),
      chosen,
      seats,
      button(text("start"), { class: "primary main", onclick: start }),
      h("p", { class: "detail" }, text("bot_hint")),
    ),
    bots,
  );
  return {
    root,
    /** @param {Model} model */
    update(model) {
      current = model;
      const { choice } = model;
      // A game without a server has no clock.
      const clock = isLost(model.connection) ? null : choice.clock;
      const local = readLocalGame();
      rebuild(continued, JSON.stringify(local), () =>
        local ? [localRow(local, showLocal)] : [],
      );
      rebuild(game, `${choice.rules} ${clock}`, () => [
        gamePicture(choice.rules),
        h(
          "div",
          { class: "row-text" },
          h("strong", null, gameName(choice.rules)),
          h("span", { class: "detail" }, clockName(clock)),
        ),
      ]);
      setText(
        strongest,
        text(
          NEVER_LOST.includes(choice.rules)
            ? "level_never_loses"
            : "level_last",
        ),
      );
      // The visitor's choices stay until the game begins.
      const last = `${choice.level} ${choice.botSeat}`;
      rebuild(levels, last, () => {
        level = choice.level ?? FIRST_LEVEL;
        return [
          segments(
            "level",
            text("level"),
            LEVELS.map((name) => [name, String(levelNumber(name))]),
            level,
            (value) => {
              level = value;
              nameLevel();
            },
          ),
        ];
      });
      nameLevel();
      rebuild(seats, last, () => {
        seat = choice.botSeat ?? "";
        return [
          segments(
            "seat",
            text("your_side"),
            [
              ["X", "X"],
              ["O", "O"],
              ["", text("random")],
            ],
            seat,
            (value) => {
              seat = value;
            },
          ),
        ];
      });
      const isBot = (/** @type {any} */ player) => player?.kind === "bot";
      const seeks = model.lobby.seeks.filter((seek) => isBot(seek.player));
      const rooms = model.lobby.rooms.filter(
        (room) => room.phase === "waiting" && room.players.some(isBot),
      );
      const entries = waitingEntries({ ...model.lobby, seeks, rooms }, act);
      waiting.update(entries);
      hasBots ||= entries.length > 0;
      show(bots, hasBots);
    },
    tick: () => waiting.draw(),
  };
}
