// Entry point: connects the parts. The only module that touches the window, timers and the clock.
import { CLOCKS, initialModel, isPlaying } from "./core/model.js";
import { cellText, parseRules } from "./core/rules.js";
import { update } from "./core/update.js";
import { createGame } from "./game/game.js";
import { resultTexts } from "./game/game-texts.js";
import { chooseLanguage, hasText, htmlLanguage, loadLanguage, text } from "./i18n.js";
import { Connection } from "./io/connection.js";
import { readStorage, storeSeat, storeVisitor } from "./io/storage.js";
import { createCustom } from "./screens/custom.js";
import { createHome } from "./screens/home.js";
import { createInvitation, createLink } from "./screens/invitation.js";
import { createLobby } from "./screens/lobby.js";
import { createLooking } from "./screens/looking.js";
import { createSettings } from "./screens/settings.js";
import { button, h, icon, rebuild, setAttribute, setText, svg } from "./view/dom.js";

const TICK_MILLIS = 100;
const LIST_MILLIS = 4000;
const TOAST_MILLIS = 4000;
const CODE = /^#([0-9a-z]{4}-?[0-9a-z]{4}-?[0-9a-z]{4})$/i;
/** Times left at which the clock of the visitor is announced, in seconds. */
const CLOCK_ALERTS = Object.freeze([60, 30, 10]);

const now = () => performance.now() + performance.timeOrigin;
const linkCode = () => CODE.exec(location.hash)?.[1] ?? null;

const stored = readStorage();
let model = initialModel({ ...stored, now: Math.floor(now()), linkCode: linkCode() });
if (stored.choice) {
  try {
    const clock = CLOCKS.includes(stored.choice.clock) ? stored.choice.clock : null;
    model = { ...model, choice: { rules: parseRules(String(stored.choice.rules)).text, clock, seat: null } };
  } catch {
    // A choice of a later version.
  }
}

const scheme = location.protocol === "https:" ? "wss:" : "ws:";
const connection = new Connection(`${scheme}//${location.host}/ws`, {
  onOpened: () => dispatch({ type: "opened" }),
  onClosed: (code) => dispatch({ type: "closed", code, now: now(), random: Math.random() }),
  onMessage: (message) => dispatch({ type: "received", message, now: now() }),
});

/** @param {any} message */
function dispatch(message) {
  const [next, effects] = update(model, message);
  const isChanged = next !== model;
  model = next;
  for (const effect of effects) run(effect);
  if (isChanged) render();
}

/** @param {any} effect */
function run(effect) {
  switch (effect.type) {
    case "send": connection.send(effect.request); break;
    case "connect": connection.connect(); break;
    case "connect-later": setTimeout(reconnectIfDue, effect.at - now()); break;
    case "reconnect": connection.connect(); break;
    case "resend-later": setTimeout(() => dispatch({ type: "resend", id: effect.id, now: now() }), effect.after); break;
    case "store-seat": storeSeat(effect.seat); break;
    case "store-saved": storeVisitor({ saved: effect.saved }); break;
    case "store-name": storeVisitor({ name: effect.name }); break;
    case "store-choice": storeVisitor({ choice: effect.choice }); break;
    case "store-settings": storeVisitor({ settings: effect.settings }); applySettings(); break;
    case "clear-link": history.replaceState(null, "", location.pathname); break;
    case "announce": announce(announcement(effect), effect.urgent); break;
    case "announce-result": announceResult(); break;
    case "toast": toast(text(effect.key, effect.values)); break;
    default: break;
  }
}

function reconnectIfDue() {
  const { state, retryAt } = model.connection;
  // A frozen tab fires its timers late, or early after a change of the clock.
  if (state !== "offline") return;
  const wait = retryAt - now();
  if (wait > 1) setTimeout(reconnectIfDue, wait);
  else connection.connect();
}

/** @param {any} effect @returns {string} */
function announcement({ key, values = {}, then }) {
  const rules = model.room?.state ? parseRules(model.room.state.rules) : null;
  const shown = values.isCell && rules ? { ...values, cell: cellText(rules, values.cell) } : values;
  return [text(key, shown), then && text(then, shown)].filter(Boolean).join(" ");
}

function announceResult() {
  const room = model.room;
  if (!room?.state) return;
  const { title, reason } = resultTexts(room.state, room.seat);
  announce(`${title}. ${reason}`, true);
}

// --- Page

const log = h("div", { class: "visually-hidden", role: "log", "aria-live": "polite" });
const alerts = h("div", { class: "visually-hidden", role: "alert" });
const toasts = h("div", { class: "toasts", role: "status" });

/** @param {string} line @param {boolean} [isUrgent] */
function announce(line, isUrgent = false) {
  const region = isUrgent ? alerts : log;
  // Screen readers do not read a text that equals the one before it.
  region.textContent = region.textContent === line ? `${line}\u00a0` : line;
}

/** @param {string} line */
function toast(line) {
  const element = h("p", { class: "toast" }, line);
  toasts.replaceChildren(element);
  setTimeout(() => element.remove(), TOAST_MILLIS);
}

/** @param {any} action what a visitor did */
function act(action) {
  switch (action.type) {
    case "say": return toastAndAnnounce(action.text);
    case "copy-link": return copyLink(action.input);
    case "copy-game": return copyText(gameText(), "game_copied");
    case "share": return void navigator.share({ url: action.url }).catch(() => {});
    default: return dispatch({ type: "action", action, now: now() });
  }
}

/** @param {string} line */
function toastAndAnnounce(line) {
  announce(line);
  toast(line);
}

/** @param {HTMLInputElement} input */
function copyLink(input) {
  input.focus();
  input.select();
  copyText(input.value, "link_copied");
}

/**
 * Copies a text. Without a secure context the browser does not copy by itself.
 * @param {string} line
 * @param {string} key
 */
async function copyText(line, key) {
  try {
    await navigator.clipboard.writeText(line);
    toast(text(key));
  } catch {
    const isCopied = document.activeElement instanceof HTMLInputElement && document.execCommand("copy");
    toast(isCopied ? text(key) : key === "link_copied" ? text("link_selected") : line);
  }
}

/** The moves of the game on screen, as text. */
function gameText() {
  const state = model.room?.state;
  if (!state) return "";
  const rules = parseRules(state.rules);
  return `${state.rules} ${state.moves.map((cell) => cellText(rules, cell)).join(" ")}`;
}

/** @type {Record<string, { root: HTMLElement, update: (model: any) => void, tick?: () => void }>} */
let screens = {};
/** @type {any} */
let shell = null;
let shownScreen = "";

function buildPage() {
  const links = [["play", "home", "grid"], ["lobby", "lobby", "list"]].map(([label, screen, name]) =>
    h("button", { type: "button", class: "tab", "data-screen": screen, onclick: () => act({ type: "show", screen }) }, icon(/** @type {any} */ (name)), h("span", null, text(label ?? ""))));
  const dot = h("span", { class: "dot", "aria-hidden": "true" });
  const stateText = h("span", null);
  const main = h("main", { id: "main" });
  const home = h("button", { type: "button", class: "brand", onclick: () => act({ type: "show", screen: "home" }) }, logo(), h("span", null, "Noughts"));
  const back = h("button", { type: "button", class: "icon-button back", "aria-label": text("leave_game"), onclick: leaveGame }, icon("back"));
  const gameTitle = h("div", { class: "bar-title" }, h("strong", null), h("span", { class: "detail" }));
  const settings = h("button", { type: "button", class: "icon-button", "aria-label": text("settings"), onclick: () => act({ type: "show", screen: shownScreen === "settings" && model.room ? "room" : "settings" }) }, icon("gear"));
  const nav = h("nav", { class: "tabs", "aria-label": text("navigation") }, ...links);
  const header = h("header", { class: "bar" }, back, home, gameTitle, nav, h("p", { class: "connection" }, dot, stateText), settings);
  const dialog = /** @type {HTMLDialogElement} */ (h("dialog", { class: "dialog" }));
  dialog.addEventListener("close", () => model.dialog && act({ type: "dialog", dialog: null }));
  const root = /** @type {HTMLElement} */ (document.getElementById("app"));
  root.replaceChildren(header, main, toasts, log, alerts, dialog);
  shell = { header, main, dot, stateText, links, dialog, gameTitle, root };
  screens = {
    home: createHome(act), custom: createCustom(act), looking: createLooking(act, now), link: createLink(act),
    invitation: createInvitation(act), game: createGame(act, now), lobby: createLobby(act), settings: createSettings(act),
    loading: { root: h("div", { class: "loading" }, h("h1", { class: "visually-hidden" }, "Noughts"), h("p", null, text("connecting"))), update() {} },
  };
  const skip = document.querySelector(".skip");
  if (skip) setText(skip, text("skip"));
  shownScreen = "";
}

function logo() {
  return svg("svg", { class: "logo", viewBox: "2 2 28 28", "aria-hidden": "true" }, svg("circle", { class: "o", cx: 12.5, cy: 12.5, r: 7.8 }),
    svg("path", { class: "gap", d: "M18.2 18.2l8 8M26.2 18.2l-8 8" }), svg("path", { class: "x", d: "M18.2 18.2l8 8M26.2 18.2l-8 8" }));
}

function leaveGame() {
  act(isPlaying(model) ? { type: "dialog", dialog: { kind: "leave" } } : { type: "leave" });
}

/** Returns the screen that the model asks for. */
function screenName() {
  if (model.screen !== "room") return model.screen;
  const state = model.room?.state;
  if (!state) return "loading";
  return state.phase === "waiting" && model.room?.seat ? "invitation" : "game";
}

function render() {
  if (!shell) return;
  const name = screenName();
  const screen = /** @type {NonNullable<typeof screens[string]>} */ (screens[name]);
  if (name !== shownScreen) {
    const isFirst = shownScreen === "";
    shownScreen = name;
    document.documentElement.dataset["screen"] = name;
    shell.main.replaceChildren(screen.root);
    shell.main.scrollTop = 0;
    screen.update(model);
    screen.tick?.();
    if (!isFirst) /** @type {HTMLElement | null} */ (screen.root.querySelector("h1"))?.focus();
  } else {
    screen.update(model);
  }
  renderBar();
  renderDialog();
  const state = model.room?.state;
  const isTurn = name === "game" && state?.phase === "playing" && state.turn === model.room?.seat;
  document.title = text(isTurn ? "page_title_turn" : "page_title");
}

function renderBar() {
  const { state } = model.connection;
  const isOnline = state === "online";
  shell.dot.className = `dot ${isOnline ? "here" : state === "connecting" || state === "offline" ? "reconnecting" : "away"}`;
  const seat = model.room?.seat;
  const lag = seat ? model.room?.lag[seat === "X" ? 0 : 1] : null;
  setText(shell.stateText, isOnline ? (typeof lag === "number" && shownScreen === "game" ? text("ping", { n: lag }) : text("online")) : text(state === "connecting" ? "connecting" : "offline"));
  for (const link of shell.links) {
    const isCurrent = link.dataset.screen === (["custom", "looking", "invitation", "game", "link"].includes(shownScreen) ? "home" : shownScreen);
    setAttribute(link, "aria-current", isCurrent ? "page" : null);
  }
  const head = screens["game"]?.root.querySelector(".game-head");
  setText(shell.gameTitle.firstChild, shownScreen === "game" ? (head?.querySelector("h1")?.textContent ?? "") : "");
  setText(shell.gameTitle.lastChild, shownScreen === "game" ? (head?.querySelector(".detail")?.textContent ?? "") : "");
}

function renderDialog() {
  const { dialog } = shell;
  if (!model.dialog || (model.dialog.kind === "name" && model.dialog.next?.type === "join" && model.screen === "link")) {
    if (dialog.open) dialog.close();
    return;
  }
  const { kind, next } = model.dialog;
  const close = () => act({ type: "dialog", dialog: null });
  const state = model.room?.state;
  const opponent = state?.players[model.room?.seat === "X" ? 1 : 0]?.name ?? "";
  rebuild(dialog, `${kind} ${JSON.stringify(next ?? null)}`, () => {
    if (kind === "resign") return question("resign_question", text("resign_hint", { name: opponent }), "keep_playing", close, "resign", () => act({ type: "command", request: { type: "resign" } }));
    if (kind === "leave") return question("leave_question", text("leave_hint"), "stay", close, "leave", () => act({ type: "leave", then: next }));
    const input = /** @type {HTMLInputElement} */ (h("input", { class: "input", id: "dialog-name", maxlength: 24, autocomplete: "nickname" }));
    const onsubmit = (/** @type {Event} */ event) => {
      event.preventDefault();
      if (input.value.trim()) act({ type: "set-name", name: input.value });
      else input.focus();
    };
    return [h("form", { class: "stack", onsubmit }, h("h2", { id: "dialog-title" }, h("label", { for: "dialog-name" }, text("your_name"))), input,
      h("p", { class: "detail" }, text("name_hint")),
      h("div", { class: "two" }, button(text("cancel"), { onclick: close }), h("button", { class: "button primary" }, text("play"))))];
  });
  setAttribute(dialog, "aria-labelledby", "dialog-title");
  if (!dialog.open) dialog.showModal();
}

/** @param {string} title @param {string} detail @param {string} no @param {() => void} onNo @param {string} yes @param {() => void} onYes */
function question(title, detail, no, onNo, yes, onYes) {
  return [h("h2", { id: "dialog-title" }, text(title)), h("p", { class: "detail" }, detail),
    h("div", { class: "two" }, button(text(no), { onclick: onNo, autofocus: true }), button(text(yes), { class: "danger", onclick: onYes }))];
}

// --- Settings

/** @type {string} */
let shownLanguage = "";

async function applySettings() {
  const { theme, contrast, language } = model.settings;
  const { dataset } = document.documentElement;
  if (theme === "device") delete dataset["theme"];
  else dataset["theme"] = theme;
  if (contrast === "high") dataset["contrast"] = "more";
  else delete dataset["contrast"];
  const wanted = language || chooseLanguage(navigator.languages);
  if (wanted === shownLanguage) return;
  shownLanguage = wanted;
  await loadLanguage(/** @type {any} */ (wanted));
  document.documentElement.lang = htmlLanguage();
  buildPage();
  render();
}

// --- Time

let alertedSeconds = Infinity;

function tick() {
  if (document.hidden) return;
  if (model.banner && model.banner.until <= now()) dispatch({ type: "tick", now: now() });
  screens[shownScreen]?.tick?.();
  announceClock();
}

function announceClock() {
  const room = model.room;
  const state = room?.state;
  if (!room?.seat || !state?.left || state.phase !== "playing" || state.turn !== room.seat) {
    alertedSeconds = Infinity;
    return;
  }
  const seconds = Math.ceil(((state.left[room.seat === "X" ? 0 : 1] ?? 0) - (now() - room.leftAt)) / 1000);
  const due = CLOCK_ALERTS.find((limit) => limit >= seconds && alertedSeconds > limit && (limit === 10 || model.settings.clockAlerts));
  if (due !== undefined && seconds > 0) announce(text("seconds_left", { n: seconds }), due === 10);
  alertedSeconds = Math.min(alertedSeconds, seconds);
}

function refreshLobby() {
  const isShown = ["home", "lobby", "looking"].includes(model.screen);
  if (isShown && !document.hidden && model.connection.state === "online") dispatch({ type: "action", action: { type: "list" }, now: now() });
}

window.addEventListener("hashchange", () => {
  const code = linkCode();
  if (!code) return;
  if (model.name) act({ type: "enter", request: { type: "join", room: code } });
  else location.reload();
});
document.addEventListener("visibilitychange", () => {
  if (document.hidden) return;
  tick();
  if (model.connection.state === "offline") dispatch({ type: "action", action: { type: "reconnect" }, now: now() });
});
setInterval(tick, TICK_MILLIS);
setInterval(refreshLobby, LIST_MILLIS);

await applySettings();
if (!hasText("play")) throw new Error("no texts are loaded");
connection.connect();
