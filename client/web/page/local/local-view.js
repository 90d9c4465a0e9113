// The screen of a game against the engine without a server.
import { LocalBot } from "../bot/page-bot.js";
import { levelNumber } from "../core/levels.js";
import { parseRules } from "../core/rules.js";
import { createGame, keepGame } from "../game/game.js";
import { sentences } from "../game/game-texts.js";
import { text } from "../i18n.js";
import { readLocalGame, storeLocalGame } from "../io/local-game-storage.js";
import { readStorage } from "../io/storage.js";
import { FIRST_LEVEL, drawSeat } from "../screens/bot.js";
import { scriptUrl } from "../scripts.js";
import { cellName } from "../view/cell-name.js";
import { h } from "../view/dom.js";
import { LocalGame } from "./local-game.js";

/**
 * @typedef {import("../core/model.js").Model} Model
 * @typedef {import("../core/step.js").Effect} Effect
 * @typedef {import("../io/local-game-storage.js").StoredGame} StoredGame
 */

/** Actions that change the game, and nothing else of the page. */
const GAME_ACTIONS = ["play", "select", "review", "command"];

/** Files of a game that no screen loads ahead. */
const GAME_FILES = Object.freeze([
  "bot/worker.js",
  "bot/engine.wasm",
  "game/moment.js",
  "game/picture.js",
]);
const SOUNDS_FILE = "game/sounds.js";

/** Loads the files of a game while there is a server. The browser keeps them. */
function loadFiles() {
  const { saveData } = /** @type {any} */ (navigator).connection ?? {};
  if (saveData) return;
  const { sounds } = readStorage().settings;
  for (const file of sounds ? [...GAME_FILES, SOUNDS_FILE] : GAME_FILES) {
    const url = new URL(`../${file}`, import.meta.url);
    fetch(url, /** @type {any} */ ({ priority: "low" })).catch(() => {});
  }
}

/**
 * @param {(action: any) => void} act
 * @param {() => number} now
 * @returns {import("../view/screens.js").ScreenView}
 */
export function createLocal(act, now) {
  loadFiles();
  const view = createGame(onAction, now);
  const said = h("p", { class: "visually-hidden", role: "log" });
  view.root.append(said);
  /** @type {Model} */
  let current;
  /** @type {LocalGame | null} */
  let game = null;
  let isShown = false;
  const showScreen = (/** @type {string} */ screen) =>
    act({ type: "show", screen });
  const bot = new LocalBot(scriptUrl("bot"), {
    onMove: (found) => game?.playBot(found),
    onFailed: () => {
      game = null;
      act({ type: "toast", key: "bot_failed" });
      showScreen("bot");
    },
  });

  /** @param {any} action */
  function onAction(action) {
    const { type, level, seat } = action;
    if (GAME_ACTIONS.includes(type)) game?.act(action);
    else if (type === "leave" || type === "dialog") showScreen("home");
    else if (type === "play-bot") {
      act({ type: "choose", choice: { level, botSeat: seat } });
      begin({ rules: current.choice.rules, level, seat, moves: [] });
    } else if (type === "choose") {
      // A game without a server has no clock. The visitor's choice of a clock stays.
      const { clock, ...choice } = action.choice;
      act({ type, choice });
    } else act(action);
  }

  /** @param {StoredGame} stored the game to begin or to continue */
  function begin(stored) {
    bot.stop();
    const options = {
      ...stored,
      id: `local ${Date.now()}`,
      name: current.name,
      botName: text("bot_name", { n: levelNumber(stored.level) }),
    };
    game = new LocalGame(options, { now, think: bot.think, onChange });
    follow();
    draw();
    game.start();
  }

  /** Returns the game as it is stored, or null after its end. */
  function toStore() {
    const { room, bot } = /** @type {LocalGame} */ (game).model;
    const { seat, state } = room ?? {};
    if (!seat || !bot || state?.phase !== "playing") return null;
    const { rules, moves } = state;
    return { rules, level: bot.level, seat, moves };
  }

  /**
   * Continues the stored game, keeps the result of a finished game on the screen, or begins a game.
   */
  function open() {
    const { rules, level, botSeat } = current.choice;
    const stored = readLocalGame();
    if (
      game &&
      (!stored || JSON.stringify(stored) === JSON.stringify(toStore()))
    )
      return game.start();
    begin(
      stored ?? {
        rules,
        level: level ?? FIRST_LEVEL,
        seat: botSeat ?? drawSeat(),
        moves: [],
      },
    );
  }

  /** Copies settings and address from the page's model into the game. */
  function follow() {
    const { settings, address } = current;
    game?.change({ settings, address });
  }

  /** @param {Model} model @param {Effect[]} effects */
  function onChange({ room }, effects) {
    if (!room) return;
    storeLocalGame(toStore());
    if (effects.some(({ type }) => type === "announce-result")) keepGame(room);
    for (const effect of effects) announce(effect, room);
    draw();
  }

  /** @param {Effect} effect @param {import("../core/model.js").Room} room */
  function announce({ type, key, values, then }, room) {
    const cell = values?.isCell
      ? cellName(parseRules(String(room.state?.rules)), values.cell)
      : undefined;
    const shown = { ...values, cell };
    if (type === "toast") act({ type: "say", text: text(key, shown) });
    const line =
      type === "announce-result"
        ? view.result?.(room)
        : type === "announce" &&
          sentences([text(key, shown), then ? text(then, shown) : ""]);
    if (line) said.replaceChildren(h("span", null, line));
  }

  function draw() {
    if (game && isShown) view.update(game.model);
  }

  return {
    ...view,
    isGame: true,
    leave: () => showScreen("home"),
    update(model) {
      current = model;
      follow();
      if (isShown) return draw();
      isShown = true;
      open();
      draw();
    },
    tick() {
      if (game?.model.banner) game.dispatch({ type: "tick", now: now() });
      view.tick?.();
    },
    hide() {
      isShown = false;
      bot.stop();
      view.hide?.();
    },
  };
}
