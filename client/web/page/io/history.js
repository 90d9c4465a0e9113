// Screens, their addresses, and the browser's history. Back leads to the
// previous screen, and never out of a game without a question. The code of a
// private room is after `#`, because browsers do not send that part.

/** Link to a seat: the id of a public room, or a code. */
const CODE = /^#([0-9a-z]{8}|[0-9a-z]{4}-?[0-9a-z]{4}-?[0-9a-z]{4})$/i;
/** Link to a game that can be watched: the id of a public room, or a code. */
const WATCH = /^#w\/([0-9a-z]{8}|[0-9a-z]{4}-?[0-9a-z]{4}-?[0-9a-z]{4})$/i;
/** Link to a finished game. */
const RECORD = /^#r\/(.*)/;
/**
 * Returns where the visitor's input leads. The input is a link, or a code with blanks or hyphens
 * between its parts.
 * @param {string} input
 */
export const routeOfInput = (input) =>
  routeOf(`#${input.slice(input.indexOf("#") + 1).replace(/\s+/g, "")}`);

/** Screens that need only their address. */
const OPEN_SCREENS = [
  "lobby",
  "watch",
  "replay",
  "bot",
  "custom",
  "settings",
  "puzzle",
  "local",
];

/**
 * Returns the address of a screen that needs only its address. Players share
 * the address of the puzzle: it is short.
 * @param {string} screen
 */
const hashOfScreen = (screen) => `#${screen === "puzzle" ? "" : "/"}${screen}`;

/**
 * Returns where an address leads: to a seat, to a game to watch, or to a
 * screen. Other fragments lead nowhere. `link` is the payload of a link to a
 * finished game.
 * @param {string} hash
 * @returns {{ code: string | null, room: string | null, screen: import("../core/model.js").Screen | null, link: string | undefined }}
 */
export function routeOf(hash) {
  const code = CODE.exec(hash)?.[1] ?? null;
  const room = WATCH.exec(hash)?.[1] ?? null;
  const found = OPEN_SCREENS.find((screen) => hash === hashOfScreen(screen));
  const link = RECORD.exec(hash)?.[1];
  const screen =
    link === undefined
      ? (found ?? (hash.length > 1 ? null : "home"))
      : "record";
  return { code, room, screen: /** @type {any} */ (screen), link };
}

/**
 * Returns the address of the screen, or null if the browser's address does not
 * change.
 * @param {import("../core/model.js").Model} model
 */
export function hashOf({ screen, room, linkCode, record }) {
  if (OPEN_SCREENS.includes(screen)) return hashOfScreen(screen);
  if (screen === "record") return record.id ? `#r/${record.id}` : null;
  if (screen === "link") return linkCode && `#${linkCode}`;
  if (screen === "refused" || (screen === "room" && !room?.state)) return null;
  return screen === "room" && room && !room.seat
    ? `#w/${room.code ?? room.id}`
    : "";
}

/**
 * Screens that Back does not return to, because their search, link or game has
 * ended.
 */
const PASSING_SCREENS = ["looking", "link", "refused", "room", "record"];

export class ScreenHistory {
  /**
   * @param {(hash: string, screen: string | null) => void} onNavigate called
   *   when the visitor has gone to this address, with the screen of its entry
   */
  constructor(onNavigate) {
    /**
     * Whether the browser is moving to the entry of the screen, or the visitor has just left this
     * entry.
     */
    this.isMoving = false;
    this.screen = "";
    /** @type {string | null} */
    this.hash = null;
    /** Place of the screen's entry among all entries. */
    this.at = 0;
    window.addEventListener("popstate", () => {
      const { screen, isMoving } = this;
      const { screen: shown = null, at = 0 } = history.state ?? {};
      if (!isMoving) {
        this.isMoving = true;
        onNavigate(location.hash, shown);
      }
      this.isMoving = false;
      // While a question keeps a game on the screen, the history keeps the entry of the game. The
      // browser's Back button would skip a new entry, because no action of the visitor has caused
      // it.
      if (
        !isMoving &&
        shown !== null &&
        shown !== screen &&
        this.screen === screen
      )
        this.go(this.at > at ? 1 : -1);
      else this.follow(this.screen, this.hash);
    });
  }

  /** @param {number} steps */
  go(steps) {
    this.isMoving = true;
    history.go(steps);
  }

  /**
   * Makes the history follow a screen. Each entry knows the previous entry's
   * screen, so that returning to that screen adds no entry.
   * @param {string} screen
   * @param {string | null} hash the address of the screen, or null if the
   *   address does not change
   */
  follow(screen, hash) {
    this.screen = screen;
    this.hash = hash;
    if (this.isMoving) return;
    const {
      screen: shown = null,
      from = null,
      at = this.at + 1,
    } = history.state ?? {};
    const url = location.pathname + (hash ?? location.hash);
    this.at = at;
    if (shown === screen) {
      if (hash !== null && hash !== location.hash)
        history.replaceState(history.state, "", url);
    } else if (shown !== null && from === screen) this.go(-1);
    else if (
      shown === null ||
      (PASSING_SCREENS.includes(shown) && screen !== "settings")
    )
      history.replaceState({ screen, from, at }, "", url);
    else {
      this.at = at + 1;
      history.pushState({ screen, from: shown, at: this.at }, "", url);
    }
  }
}
