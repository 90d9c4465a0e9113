// The frame around the screens: header, navigation, live regions and toasts.
import { isUnanswered } from "../core/model.js";
import { hasText, text } from "../i18n.js";
import { h, icon, setAttribute, setText, svg } from "./dom.js";

/**
 * @typedef {import("../core/model.js").Model} Model
 * @typedef {(action: any) => void} Act
 */

const NOTICE_RETRY_MS = 1000;
/** If the server has not responded for this time, the button shows that it waits. */
const PENDING_MS = 300;
/**
 * Maximum number of announcements in a live region. Several announcements may arrive together, and
 * a screen reader reads each announcement that is added.
 */
const MAX_ANNOUNCED = 8;
/**
 * Minimum round trip that is shown, because a good connection needs no number.
 */
export const SLOW_MS = 400;
/** Tabs of the navigation: text, screen, icon. */
const TABS = /** @type {const} */ ([
  ["play", "home", "grid"],
  ["lobby", "lobby", "list"],
  ["watch", "watch", "eye"],
  ["my_games", "replay", "games"],
]);
/** Screens that do not belong to the first tab. */
const OTHER_SCREENS = Object.freeze([
  "lobby",
  "watch",
  "replay",
  "settings",
  "loading",
]);

/** The sign of Noughts: a ring and a cross. */
function logo() {
  return svg(
    "svg",
    { class: "logo", viewBox: "2 2 28 28", "aria-hidden": "true" },
    svg("circle", { class: "o", cx: 12.5, cy: 12.5, r: 7.8 }),
    svg("path", { class: "gap", d: "M18.2 18.2l8 8M26.2 18.2l-8 8" }),
    svg("path", { class: "x", d: "M18.2 18.2l8 8M26.2 18.2l-8 8" }),
  );
}

/**
 * Creates the frame in the loaded language.
 * @param {Act} act
 * @param {() => number} now
 * @param {{ onLeave: () => void, onSettings: () => void }} handlers
 */
export function createShell(act, now, { onLeave, onSettings }) {
  /** @type {Model} */
  let current;
  let isGame = false;
  let isLoading = false;
  /** @type {ReturnType<typeof import("./notice.js").createNotice> | null} */
  let drawNotice = null;
  /**
   * The button that was pressed last.
   * @type {Element | null}
   */
  let pressed = null;
  const log = h("div", {
    class: "visually-hidden",
    role: "log",
    "aria-live": "polite",
  });
  const alerts = h("div", {
    class: "visually-hidden",
    role: "alert",
    "aria-atomic": "false",
  });
  const toasts = h("div", { class: "toasts", "aria-hidden": "true" });
  const links = TABS.map(([label, screen, name]) =>
    h(
      "button",
      {
        type: "button",
        class: "tab",
        "data-screen": screen,
        onclick: () => act({ type: "show", screen }),
      },
      icon(name),
      h("span", null, text(label)),
    ),
  );
  const dot = h("span", { class: "dot", "aria-hidden": "true" });
  const stateText = h("span", null);
  const main = h("main", { id: "main", tabindex: "-1" });
  const press = (/** @type {Event} */ { target }) => {
    pressed?.removeAttribute("aria-busy");
    pressed = target instanceof Element ? target.closest("button") : null;
  };
  main.addEventListener("click", press, true);
  // The text of the notice changes each second, so the region is silent, and a
  // problem is announced only once.
  const notice = h("div", {
    class: "notice",
    role: "status",
    "aria-live": "off",
  });
  const home = h(
    "button",
    {
      type: "button",
      class: "brand",
      onclick: () => act({ type: "show", screen: "home" }),
    },
    logo(),
    h("span", null, "Noughts"),
  );
  const back = h(
    "button",
    {
      type: "button",
      class: "icon-button back",
      "aria-label": text("leave_game"),
      onclick: onLeave,
    },
    icon("back"),
  );
  const gameTitle = h("h1", { tabindex: "-1" });
  const gameDetail = h("span", { class: "detail" });
  const settings = h(
    "button",
    {
      type: "button",
      class: "icon-button",
      "aria-label": text("settings"),
      onclick: onSettings,
    },
    icon("gear"),
  );
  const nav = h(
    "nav",
    { class: "tabs", "aria-label": text("navigation") },
    ...links,
  );
  const header = h(
    "header",
    { class: "bar" },
    back,
    home,
    h("div", { class: "bar-title" }, gameTitle, gameDetail),
    nav,
    h("p", { class: "connection" }, dot, stateText),
    settings,
  );
  /** @type {HTMLElement} */ (document.getElementById("app")).replaceChildren(
    header,
    main,
    notice,
    toasts,
    log,
    alerts,
  );
  const skip = /** @type {HTMLAnchorElement} */ (
    document.querySelector(".skip")
  );
  setText(skip, text("skip"));
  // The default action of the link would change the address, which names the screen.
  skip.onclick = (event) => {
    event.preventDefault();
    main.focus();
  };

  /** Loads the line that names a problem, after its texts. */
  async function loadNotice() {
    if (isLoading || !hasText("reload")) return;
    isLoading = true;
    const module = await import("./notice.js").catch(() => null);
    if (module) drawNotice = module.createNotice(notice, act, announce);
    else setTimeout(() => (isLoading = false), NOTICE_RETRY_MS);
  }

  function showNotice() {
    if (drawNotice) drawNotice(current, isGame, now());
    else void loadNotice();
  }

  /**
   * Shows on the last pressed button that the server has not responded to its
   * request yet.
   */
  function showPending() {
    const isPending =
      isUnanswered(current) && now() - current.wantedAt > PENDING_MS;
    if (pressed) setAttribute(pressed, "aria-busy", isPending ? "true" : null);
  }

  /**
   * Announces a line to screen readers.
   * @param {string} line
   * @param {boolean} [isUrgent]
   */
  function announce(line, isUrgent = false) {
    const region = isUrgent ? alerts : log;
    region.append(h("p", null, line));
    if (region.childElementCount > MAX_ANNOUNCED)
      region.firstElementChild?.remove();
  }

  return {
    main,
    announce,
    /**
     * Shows a line for a while, and announces it. A click removes it.
     * @param {string} line
     * @param {boolean} [isUrgent] whether it stays for a minute
     */
    toast(line, isUrgent) {
      announce(line, isUrgent);
      const element = h(
        "p",
        { class: isUrgent ? "toast urgent" : "toast" },
        line,
      );
      const remove = () => element.remove();
      element.onclick = remove;
      toasts.replaceChildren(element);
      // A longer message takes longer to read.
      setTimeout(remove, isUrgent ? 60000 : 2000 + 40 * line.length);
    },
    /**
     * Draws the header.
     * @param {Model} model
     * @param {string} screen
     * @param {{ name: string, detail: string } | null} game the game on the screen
     */
    update(model, screen, game) {
      const { state } = model.connection;
      const isOnline = state === "online";
      dot.className = `dot ${isOnline ? "connected" : state === "connecting" || state === "offline" ? "reconnecting" : "disconnected"}`;
      const seat = model.room?.seat;
      const lag = seat && game ? model.room?.lag[seat === "X" ? 0 : 1] : null;
      setText(
        stateText,
        text(
          isOnline
            ? Number(lag) > SLOW_MS
              ? "ping"
              : "online"
            : state === "connecting"
              ? state
              : state === "replaced" && hasText("elsewhere")
                ? "elsewhere"
                : "offline",
          { n: lag },
        ),
      );
      const tab =
        screen === "record"
          ? "replay"
          : screen === "game" && !seat
            ? "watch"
            : OTHER_SCREENS.includes(screen)
              ? screen
              : "home";
      for (const link of links)
        setAttribute(
          link,
          "aria-current",
          link.dataset["screen"] === tab ? "page" : null,
        );
      isGame = game !== null;
      current = model;
      showNotice();
      showPending();
      setText(gameTitle, game?.name ?? "");
      setText(gameDetail, game?.detail ?? "");
    },
    tick() {
      showNotice();
      showPending();
    },
  };
}
