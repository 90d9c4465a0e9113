// The screen before a game with a bot: its level, the seat of the visitor, bots of others.
import { LEVELS } from "../core/levels.js";
import { text } from "../i18n.js";
import { button, h, rebuild } from "../view/dom.js";
import { gamePicture } from "../view/game-picture.js";
import { clockName, gameName } from "../view/labels.js";
import { createWaitingList, waitingEntries } from "../view/lobby-lists.js";
import { heading, segments } from "../view/parts.js";

/** @typedef {import("../core/model.js").Model} Model */

/** @param {(action: any) => void} act @param {() => number} now */
export function createBot(act, now) {
  const game = h("div", { class: "row" });
  const waiting = createWaitingList(text("no_bots"), now);
  let level = "medium";
  let seat = "";
  const start = () => act({ type: "play-bot", level, seat: seat || null });
  const levels = segments(
    "level",
    text("level"),
    LEVELS.map((name) => [name, text(`level_${name}`)]),
    level,
    (value) => {
      level = value;
    },
  );
  const seats = segments(
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
  );
  const root = h(
    "div",
    { class: "narrow" },
    heading(text("play_bot"), act, { type: "show", screen: "home" }),
    h(
      "section",
      { class: "card" },
      game,
      levels,
      seats,
      button(text("start"), { class: "primary main", onclick: start }),
      h("p", { class: "detail" }, text("bot_hint")),
    ),
    h(
      "section",
      { class: "card" },
      h("h2", null, text("bots_waiting")),
      waiting.root,
    ),
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
      const isBot = (/** @type {any} */ player) => player?.kind === "bot";
      const seeks = model.lobby.seeks.filter((seek) => isBot(seek.player));
      const rooms = model.lobby.rooms.filter(
        (room) => room.phase === "waiting" && room.players.some(isBot),
      );
      waiting.update(waitingEntries({ ...model.lobby, seeks, rooms }, act));
    },
    tick: () => waiting.draw(),
  };
}
