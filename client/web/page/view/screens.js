// The page's screens. The first screen is part of the page. The others are
// loaded when a visitor needs them.
import { hasText, loadScreenTexts, text } from "../i18n.js";
import { createHome } from "../screens/home.js";
import { loadStyle } from "../styles.js";
import { h, loadIcons, setText } from "./dom.js";

/**
 * @typedef {import("../core/model.js").Model} Model
 * @typedef {(action: any) => void} Act
 *
 * @typedef {object} ScreenView
 * @property {HTMLElement} root
 * @property {(model: Model) => void} update draws the model
 * @property {boolean} [isGame] whether the screen has the layout of a game
 * @property {() => void} [leave] action of the Back button
 * @property {() => void} [focus] focuses the field that the visitor fills in
 * @property {() => void} [hide] releases resources that are needed only while
 *   the screen is shown
 * @property {() => void} [tick] draws the parts that depend on the time
 * @property {() => { name: string, detail: string }} [title] title of the
 *   displayed game
 * @property {(room: import("../core/model.js").Room) => string} [result] the result of a game, as a sentence
 * @property {(room: import("../core/model.js").Room, cell: number) => string} [cell] the text of a cell of a game
 * @property {(before: Model, room: import("../core/model.js").Room) => string | null}
 *   [news] what has happened in a game, for the title of a hidden tab
 * @property {(model: Model) => { line: string, isUrgent: boolean } | null}
 *   [clockAlert] the announcement about the visitor's clock that is due now
 */

/**
 * Waits for the module of a screen, its texts, its icons and its styles.
 * @template T
 * @param {Promise<T>} module
 * @param {(keyof typeof import("../styles.js").STYLE_URLS)[]} styles
 */
async function loadScreen(module, ...styles) {
  const [loaded] = await Promise.all([
    module,
    loadScreenTexts(),
    loadIcons(),
    ...styles.map(loadStyle),
  ]);
  return loaded;
}

/**
 * Functions that create a screen, by its name. The file of a screen contains only the modules that
 * no earlier screen needs, so the game comes first.
 * @type {Readonly<Record<string, (act: Act, now: () => number) => ScreenView | Promise<ScreenView>>>}
 */
const CREATORS = Object.freeze({
  home: (act, now) => createHome(act, now),
  game: async (act, now) =>
    (await loadScreen(import("../game/game.js"), "screens", "game")).createGame(
      act,
      now,
    ),
  invitation: async (act) =>
    (
      await loadScreen(import("../screens/invitation.js"), "screens")
    ).createInvitation(act),
  link: async (act) =>
    (
      await loadScreen(import("../screens/invitation.js"), "screens")
    ).createLink(act),
  refused: async (act) =>
    (
      await loadScreen(import("../screens/invitation.js"), "screens")
    ).createRefused(act),
  loading: () => createLoading(),
  watch: async (act, now) =>
    (
      await loadScreen(import("../watch/watch.js"), "screens", "watch")
    ).createWatch(act, now),
  replay: async (act) =>
    (
      await loadScreen(import("../replay/replay.js"), "screens", "watch")
    ).createReplay(act),
  record: async (act, now) =>
    (
      await loadScreen(import("../replay/record-view.js"), "screens", "game")
    ).createRecordView(act, now),
  puzzle: async (act) =>
    (
      await loadScreen(import("../puzzle/puzzle-view.js"), "screens", "game")
    ).createPuzzle(act),
  bot: async (act, now) =>
    (await loadScreen(import("../screens/bot.js"), "screens")).createBot(
      act,
      now,
    ),
  looking: async (act, now) =>
    (
      await loadScreen(import("../screens/looking.js"), "screens")
    ).createLooking(act, now),
  lobby: async (act, now) =>
    (await loadScreen(import("../screens/lobby.js"), "screens")).createLobby(
      act,
      now,
    ),
  custom: async (act) =>
    (await loadScreen(import("../screens/custom.js"), "screens")).createCustom(
      act,
    ),
  dialog: async (act) =>
    (await loadScreen(import("../screens/dialog.js"), "screens")).createDialog(
      act,
    ),
  settings: async (act) =>
    (
      await loadScreen(import("../screens/settings.js"), "screens")
    ).createSettings(act),
});

/** Returns the placeholder of the first screen until it is loaded. */
export function loadingView() {
  return h(
    "div",
    { class: "loading" },
    h("h1", { class: "visually-hidden" }, "Noughts"),
    h("p", null, text("connecting")),
  );
}

/**
 * Creates the screen that is shown until the room arrives, or until the page's
 * bot has joined it.
 */
function createLoading() {
  const root = loadingView();
  const line = /** @type {Element} */ (root.lastElementChild);
  return {
    root,
    update: (/** @type {Model} */ model) =>
      setText(
        line,
        text(
          model.bot && hasText("bot_starting") ? "bot_starting" : "connecting",
        ),
      ),
  };
}

/**
 * Screens that the page loads ahead, because it cannot load them without a
 * server. The screens of a game come first.
 */
export const SCREENS_AHEAD = Object.freeze([
  "dialog",
  "game",
  "invitation",
  "looking",
  "lobby",
  "bot",
  "custom",
  "settings",
  "watch",
  "replay",
  "record",
  "puzzle",
]);

/** Creates screens, and keeps them. */
export class Screens {
  /**
   * @param {Act} act
   * @param {() => number} now
   * @param {{ onLoaded: () => void, onFailed: (name: string) => void }} handlers
   */
  constructor(act, now, handlers) {
    this.act = act;
    this.now = now;
    this.handlers = handlers;
    /** @type {Map<string, ScreenView>} */
    this.views = new Map();
    /** @type {Set<string>} */
    this.loading = new Set();
  }

  /**
   * Returns a screen, or null while it is being loaded. Then `onLoaded` is
   * called.
   * @param {string} name
   * @returns {ScreenView | null}
   */
  find(name) {
    const view = this.views.get(name);
    if (view) return view;
    const creator = CREATORS[name];
    if (!creator) throw new Error(`no screen ${name}`);
    if (this.loading.has(name)) return null;
    const created = creator(this.act, this.now);
    if (created instanceof Promise) {
      this.loading.add(name);
      created.then(
        (view) => this.onCreated(name, view),
        () => this.onFailed(name),
      );
      return null;
    }
    this.views.set(name, created);
    return created;
  }

  /** @param {string} name @param {ScreenView} view */
  onCreated(name, view) {
    this.loading.delete(name);
    this.views.set(name, view);
    this.handlers.onLoaded();
  }

  /** @param {string} name */
  onFailed(name) {
    this.loading.delete(name);
    this.handlers.onFailed(name);
  }
}
