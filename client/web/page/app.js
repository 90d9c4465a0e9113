// Entry point: connects the parts, runs the effects of updates, and follows the
// window and the clock.
import { SUBSTITUTE_LEVEL, levelNumber } from "./core/levels.js";
import { canLeave, initialModel, playedRoom } from "./core/model.js";
import {
  chooseLanguage,
  currentLanguage,
  hasText,
  loadLanguage,
  text,
} from "./i18n.js";
import { copyText } from "./io/clipboard.js";
import { ScreenHistory, hashOf, routeOf } from "./io/history.js";
import { startServiceWorker } from "./io/install.js";
import { ModelConnection, localMillis } from "./io/model-connection.js";
import {
  VISITOR,
  canReload,
  drawParty,
  readStorage,
  storeLeft,
  storeSaved,
  storeSearch,
  storeSeat,
  storeVisitor,
} from "./io/storage.js";
import { serverUrl } from "./io/server-url.js";
import { Tabs } from "./io/tabs.js";
import { scriptUrl } from "./scripts.js";
import { keepFocus, setAttribute } from "./view/dom.js";
import { Screens, loadingView } from "./view/screens.js";
import { createShell } from "./view/shell.js";

const TICK_MS = 100;
const LIST_MS = 4000;
const LOAD_RETRY_MS = 1000;
/** Delay of the service worker after the screens that are loaded ahead. */
const SERVICE_WORKER_MS = 1500;
/**
 * Delay before screens are loaded ahead, so that they do not delay the first
 * screen.
 */
const LOAD_AHEAD_MS = 500;
const now = localMillis;

const stored = readStorage();
const isReloaded = performance
  .getEntriesByType("navigation")
  .some(
    (entry) =>
      /** @type {PerformanceNavigationTiming} */ (entry).type === "reload",
  );
const route = routeOf(location.hash);
let model = initialModel({
  ...stored,
  search: isReloaded ? stored.search : null,
  now: Math.floor(now()),
  linkCode: route.code,
  linkRoom: route.room,
  screen: route.screen ?? "home",
  link: route.link,
  followsLobby: true,
});
if (stored.choice) model = { ...model, choice: stored.choice };

const client = new ModelConnection(serverUrl(), model, (next, effects) => {
  const isChanged = next !== model;
  if (document.hidden && next.room)
    news = screens?.find("game")?.news?.(model, next.room) ?? news;
  model = next;
  tabs.play(playedRoom(model));
  for (const effect of effects) run(effect);
  if (isChanged) render();
  followScreen();
});
const screenHistory = new ScreenHistory((hash, shown) => {
  const { code, room, screen, link } = routeOf(hash);
  if (model.screen === "settings" && shown === model.back)
    act({ type: "back" });
  else if (code || room) act({ type: "open-link", code, room });
  else if (screen) act({ type: "show", screen, link });
});
const followScreen = () => screenHistory.follow(model.screen, hashOf(model));
const tabs = new Tabs((rooms) => dispatch({ type: "elsewhere", rooms }));
const dispatch = (/** @type {any} */ message) => client.dispatch(message);

/** What has happened since the page was hidden. The title shows it. */
let news = "";

/**
 * The last eight effects that wait for their texts, each with its room.
 * @type {[string | undefined, any][]}
 */
const delayed = [];

/** @param {any} effect */
function run(effect) {
  const isLoaded = !effect.values?.isCell || screens?.find("game");
  if (effect.key && (!hasText(effect.key) || !isLoaded))
    return void (delayed.push([model.room?.id, effect]) > 8 && delayed.shift());
  switch (effect.type) {
    case "store-seat":
      storeSeat(effect.seat);
      break;
    case "store-left":
      storeLeft(effect.left);
      break;
    case "store-saved":
      storeSaved(effect.room, effect.seat);
      break;
    case "store-name":
      storeVisitor({ name: effect.name });
      break;
    case "store-choice":
      storeVisitor({ choice: effect.choice });
      break;
    case "store-settings":
      storeVisitor({ settings: effect.settings });
      applySettings();
      break;
    case "start-bot":
      startBot(effect);
      break;
    case "call-substitute":
      act({ type: "substitute-bot" });
      break;
    case "stop-bot":
      bot?.then(
        (bot) => bot.stop(),
        () => {},
      );
      break;
    case "announce":
      announce(announcement(effect), effect.urgent);
      break;
    case "announce-result": {
      const line = model.room && screens?.find("game")?.result?.(model.room);
      if (line) announce(line, true);
      break;
    }
    case "keep-game":
      import("./game/game.js").then(
        ({ keepGame }) => keepGame(effect.room),
        () => setTimeout(run, LOAD_RETRY_MS, effect),
      );
      break;
    case "toast":
      shell?.toast(text(effect.key, effect.values), effect.urgent);
  }
}

/** @type {Promise<import("./bot/page-bot.js").BotWorker> | null} */
let bot = null;

/** @param {any} effect */
function startBot({ room, code, bot: wanted }) {
  const onFailed = () => dispatch({ type: "bot", seat: null, now: now() });
  const onSeat = (/** @type {any} */ seat) =>
    dispatch({ type: "bot", seat, now: now() });
  bot ??= import("./bot/page-bot.js").then(
    ({ BotWorker }) =>
      new BotWorker(scriptUrl("bot"), serverUrl(), { onSeat, onFailed }),
  );
  bot
    .then((bot) => bot.start(room, code, wanted))
    .catch(() => {
      bot = null;
      onFailed();
    });
}

/** @param {any} effect @returns {string} */
function announcement({ key, values = {}, then, speaker }) {
  const cell =
    values.isCell && model.room
      ? screens?.find("game")?.cell?.(model.room, values.cell)
      : values.cell;
  const shown = { ...values, cell };
  return [speaker && `${speaker}:`, text(key, shown), then && text(then, shown)]
    .filter(Boolean)
    .join(" ");
}

// --- Page

/** @type {ReturnType<typeof createShell> | null} */
let shell = null;
/** @type {Screens | null} */
let screens = null;
let shownScreen = "";
/** @type {import("./view/screens.js").ScreenView | null} */
let shownView = null;
/** @type {import("./view/screens.js").ScreenView | null} */
let dialog = null;
/** Focuses the control that had the focus before the language changed. */
let restoreFocus = () => {};

/** @param {string} line @param {boolean} [isUrgent] */
const announce = (line, isUrgent) => shell?.announce(line, isUrgent);

/** @param {any} action what the visitor has done */
function act(action) {
  switch (action.type) {
    case "say":
      return shell?.toast(action.text);
    case "copy-link":
      return void copyLink(action.input);
    case "copy-text":
      return void copyLine(action.text, action.key);
    case "play-bot":
    case "substitute-bot": {
      const n = levelNumber(action.level ?? SUBSTITUTE_LEVEL);
      const name = text("bot_name", { n });
      return dispatch({
        type: "action",
        action: { ...action, name, party: drawParty() },
        now: now(),
      });
    }
    default:
      return dispatch({ type: "action", action, now: now() });
  }
}

/** @param {HTMLInputElement} input */
async function copyLink(input) {
  input.focus();
  input.select();
  const isCopied = await copyText(input.value);
  shell?.toast(text(isCopied ? "link_copied" : "link_selected"));
}

/** @param {string} line @param {string} key text of the confirmation */
async function copyLine(line, key) {
  shell?.toast((await copyText(line)) ? text(key) : line);
}

/** Builds the page in the loaded language. */
function buildPage() {
  restoreFocus = keepFocus(
    /** @type {Element} */ (document.getElementById("app")),
  );
  shell = createShell(act, now, {
    onLeave: leaveGame,
    onSettings: toggleSettings,
  });
  screens = new Screens(act, now, {
    onLoaded,
    onFailed: (name) =>
      (name === screenName() || name === "dialog") && onLoadFailed(render),
  });
  shownScreen = "";
  dialog = null;
}

function onLoaded() {
  render();
  for (const [room, effect] of delayed.splice(0))
    if (room === model.room?.id) run(effect);
}

function toggleSettings() {
  act(
    model.screen === "settings"
      ? { type: "back" }
      : { type: "show", screen: "settings" },
  );
}

/**
 * Handles a missing file: either the connection is lost, or the server has
 * another version of the page.
 * @param {() => void} retry
 */
async function onLoadFailed(retry) {
  // If a reload gets no response, the browser replaces the page with an error
  // page.
  const answer =
    model.connection.state === "online" &&
    (await fetch("./", { method: "HEAD", cache: "no-store" }).catch(
      () => null,
    ));
  if (answer && answer.ok && canReload(now())) location.reload();
  else setTimeout(retry, LOAD_RETRY_MS);
}

function leaveGame() {
  if (shownView?.leave) return shownView.leave();
  act(
    canLeave(model)
      ? { type: "leave" }
      : { type: "dialog", dialog: { kind: "leave" } },
  );
}

/** Returns the name of the screen that the model requires. */
function screenName() {
  if (model.screen !== "room") return model.screen;
  const state = model.room?.state;
  if (!state) return "loading";
  if (state.phase !== "waiting" || !model.room?.seat) return "game";
  return model.bot ? "loading" : "invitation";
}

function render() {
  if (!shell || !screens) return;
  const name = screenName();
  const view = screens.find(name);
  if (view) mountView(name, view);
  // The previous screen stays until the requested screen is loaded.
  else if (shownScreen === "") shell.main.replaceChildren(loadingView());
  shell.update(model, name, view?.title?.() ?? null);
  drawDialog();
  if (view) nameTab(name, view);
}

/**
 * Names the screen in the title, or in a hidden tab the news that the visitor has missed. The icon
 * shows the news as well.
 * @param {string} name
 * @param {import("./view/screens.js").ScreenView} view
 */
function nameTab(name, view) {
  const state = model.room?.state;
  const isTurn =
    name === "game" &&
    state?.phase === "playing" &&
    state.turn === model.room?.seat;
  const call = (isTurn && text("your_move")) || (document.hidden && news);
  const heading =
    name !== "home" &&
    (view.title?.().name ?? view.root.querySelector("h1")?.textContent);
  const title = [call ? `● ${call}` : heading, "Noughts"]
    .filter(Boolean)
    .join(" – ");
  if (document.title !== title) document.title = title;
  const icon = document.querySelector("link[rel=icon]");
  const href = call && document.hidden ? "/icon-call.svg" : "/icon.svg";
  if (icon) setAttribute(icon, "href", href);
}

function drawDialog() {
  if (!dialog && model.dialog) {
    dialog = screens?.find("dialog") ?? null;
    if (dialog) shell?.main.after(dialog.root);
  }
  dialog?.update(model);
}

/** @param {string} name @param {import("./view/screens.js").ScreenView} view */
function mountView(name, view) {
  if (name === shownScreen) return view.update(model);
  const isFirst = shownScreen === "";
  shownView?.hide?.();
  [shownScreen, shownView] = [name, view];
  document.documentElement.dataset["screen"] = view.isGame ? "game" : name;
  if (shell) {
    shell.main.replaceChildren(view.root);
    shell.main.dataset["view"] = name;
    shell.main.scrollTop = 0;
  }
  view.update(model);
  view.tick?.();
  if (view.focus) return view.focus();
  if (isFirst) return restoreFocus();
  // On a phone, the header contains the title of the game.
  const headings = [...document.querySelectorAll("h1")];
  headings.find((heading) => heading.getClientRects().length > 0)?.focus();
}

// --- Settings

/** @type {string} */
let shownLanguage = "";
const moreContrast = window.matchMedia("(prefers-contrast: more)");
moreContrast.addEventListener("change", () => void applySettings());

async function applySettings() {
  const { theme, contrast, language } = model.settings;
  const { dataset } = document.documentElement;
  if (theme === "device") delete dataset["theme"];
  else dataset["theme"] = theme;
  if (contrast === "high" || (contrast === "device" && moreContrast.matches))
    dataset["contrast"] = "more";
  else delete dataset["contrast"];
  const wanted = chooseLanguage([language, ...navigator.languages]);
  if (wanted === shownLanguage) return;
  shownLanguage = wanted;
  try {
    await loadLanguage(/** @type {any} */ (wanted));
  } catch {
    shownLanguage = "";
    onLoadFailed(applySettings);
    return;
  }
  document.documentElement.lang = currentLanguage();
  buildPage();
  render();
}

// --- Time

function tick() {
  if (document.hidden) return;
  if (model.banner) dispatch({ type: "tick", now: now() });
  if (shownScreen !== "") screens?.find(shownScreen)?.tick?.();
  shell?.tick();
  const alert = model.room && screens?.find("game")?.clockAlert?.(model);
  if (alert) announce(alert.line, alert.isUrgent);
}

function refreshLobby() {
  const isShown = ["home", "lobby", "looking", "bot", "watch"].includes(
    model.screen,
  );
  if (isShown && !document.hidden && model.connection.state === "online")
    dispatch({ type: "action", action: { type: "list" }, now: now() });
}

// Another tab has changed the saved seats.
window.addEventListener("storage", ({ key }) => {
  if (key === VISITOR || key === null)
    dispatch({ type: "saved", saved: readStorage().saved });
});
// A browser may keep a page that the visitor has left, including its
// connection. Then the opponent could never claim the game.
window.addEventListener("pagehide", () => {
  client.connection.disconnect();
  tabs.play(null);
  storeSearch(model.wanted?.type === "seek" ? model.wanted : null);
});
window.addEventListener("pageshow", (event) => {
  followNetwork();
  if (event.persisted) act({ type: "reconnect" });
});
document.addEventListener("visibilitychange", () => {
  news = "";
  render();
  if (document.hidden) return;
  tick();
  checkConnection();
});
for (const name of ["online", "offline"])
  window.addEventListener(name, () => {
    followNetwork();
    checkConnection();
  });

function followNetwork() {
  dispatch({ type: "network", hasNetwork: navigator.onLine });
}

/** Connects, or tests the connection, because the network may have changed. */
function checkConnection() {
  if (model.connection.state === "offline") act({ type: "reconnect" });
  else client.check(true);
}

/** Loads the screens of a game while the visitor chooses a game. */
function loadAhead() {
  screens?.loadAll();
  setTimeout(startServiceWorker, SERVICE_WORKER_MS);
}

/** Gives a random name to a visitor without a name. */
function chooseRandomName() {
  const [adjective, animal] = ["name_adjectives", "name_animals"].map((key) => {
    const words = text(key).split(" ");
    return words[Math.floor(Math.random() * words.length)];
  });
  act({
    type: "random-name",
    name: text("random_name", { adjective, animal }),
  });
}

async function start() {
  followScreen();
  // The server reads the name when the connection begins.
  if (model.name) client.connect();
  await applySettings();
  if (!model.name) {
    if (hasText("random_name")) chooseRandomName();
    client.connect();
  }
  setInterval(tick, TICK_MS);
  setInterval(refreshLobby, LIST_MS);
  setTimeout(loadAhead, LOAD_AHEAD_MS);
}

void start();
