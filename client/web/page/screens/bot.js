// The screen before a game against a bot: its level, the visitor's seat, and
// other people's bots.
import { LEVELS, levelNumber } from "../core/levels.js";
import { text } from "../i18n.js";
import { button, h, rebuild, setText, show } from "../view/dom.js";
import { gamePicture } from "../view/game-picture.js";
import { clockName, gameName } from "../view/labels.js";
import { createWaitingList, waitingEntries } from "../view/lobby-lists.js";
import { heading } from "../view/screen-parts.js";
import { segments } from "../view/segments.js";

/** @typedef {import("../core/model.js").Model} Model */

/** Level of the first game against a bot. A newcomer sometimes beats it. */
const FIRST_LEVEL = "casual";

/**
 * Games that the strongest level never loses. A test of the engine plays all
 * variations.
 */
const NEVER_LOST = Object.freeze(["3x3:3", "3x3:3+misere"]);

/** @param {(action: any) => void} act @param {() => number} now */
export function createBot(act, now) {
  const game = h("div", { class: "row" });
  const strongest = h("span", null);
  const chosen = h("strong", null);
  const levels = h("div", null);
  const seats = h("div", null);
  const waiting = createWaitingList("", now);
  const bots = h(
    "section",
    { class: "card" },
    h("h2", null, text("bots_waiting")),
    waiting.root,
  );
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
  const start = () => act({ type: "play-bot", level, seat: seat || null });
  const root = h(
    "div",
    { class: "narrow" },
    heading(text("play_bot"), act, { type: "show", screen: "home" }),
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
      const { choice } = model;
      rebuild(game, `${choice.rules} ${choice.clock}`, () => [
        gamePicture(choice.rules),
        h(
          "div",
          { class: "row-text" },
          h("strong", null, gameName(choice.rules)),
          h("span", { class: "detail" }, clockName(choice.clock)),
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
