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
 * Creates a screen after its module, its texts, its icons and its styles have arrived.
 * @template T
 * @param {Promise<T>} module
 * @param {(module: T) => ScreenView | Promise<ScreenView>} create
 * @param {(keyof typeof import("../styles.js").STYLE_URLS)[]} styles the screen needs them in addition to the common styles
 */
async function loadScreen(module, create, ...styles) {
  const [loaded] = await Promise.all([
    module,
    loadScreenTexts(),
    loadIcons(),
    loadStyle("screens"),
    ...styles.map(loadStyle),
  ]);
  return create(loaded);
}

/**
 * Functions that create a screen, by its name. The page loads the screens ahead in this order. The
 * file of a screen contains only the modules that no earlier screen needs, so the game comes first.
 * @type {Readonly<Record<string, (act: Act, now: () => number) => ScreenView | Promise<ScreenView>>>}
 */
const CREATORS = Object.freeze({
  home: createHome,
  game: (act, now) =>
    loadScreen(
      import("../game/game.js"),
      (module) => module.createGame(act, now),
      "game",
    ),
  dialog: (act) =>
    loadScreen(import("../screens/dialog.js"), (module) =>
      module.createDialog(act),
    ),
  invitation: (act) =>
    loadScreen(import("../screens/invitation.js"), (module) =>
      module.createInvitation(act),
    ),
  link: (act) =>
    loadScreen(import("../screens/invitation.js"), (module) =>
      module.createLink(act),
    ),
  refused: (act) =>
    loadScreen(import("../screens/invitation.js"), (module) =>
      module.createRefused(act),
    ),
  loading: () => createLoading(),
  watch: (act, now) =>
    loadScreen(
      import("../watch/watch.js"),
      (module) => module.createWatch(act, now),
      "watch",
    ),
  replay: (act) =>
    loadScreen(
      import("../replay/replay.js"),
      (module) => module.createReplay(act),
      "watch",
    ),
  record: (act, now) =>
    loadScreen(
      import("../replay/record-view.js"),
      (module) => module.createRecordView(act, now),
      "game",
    ),
  puzzle: (act) =>
    loadScreen(
      import("../puzzle/puzzle-view.js"),
      (module) => module.createPuzzle(act),
      "game",
    ),
  bot: (act, now) =>
    loadScreen(import("../screens/bot.js"), (module) =>
      module.createBot(act, now),
    ),
  looking: (act, now) =>
    loadScreen(import("../screens/looking.js"), (module) =>
      module.createLooking(act, now),
    ),
  lobby: (act, now) =>
    loadScreen(import("../screens/lobby.js"), (module) =>
      module.createLobby(act, now),
    ),
  custom: (act) =>
    loadScreen(import("../screens/custom.js"), (module) =>
      module.createCustom(act),
    ),
  settings: (act) =>
    loadScreen(import("../screens/settings.js"), (module) =>
      module.createSettings(act),
    ),
  local: (act, now) =>
    loadScreen(
      import("../local/local-view.js"),
      (module) => module.createLocal(act, now),
      "game",
    ),
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

  /** Loads all screens ahead, because the page cannot load them without a server. */
  loadAll() {
    for (const name in CREATORS) this.find(name);
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
