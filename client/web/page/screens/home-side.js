// The parts of the first screen beside its games: seats to continue, the
// visitor's name, a game in progress, and waiting players.
import { seatsToContinue } from "../core/model.js";
import { text } from "../i18n.js";
import { serverUrl } from "../io/server-url.js";
import { button, h, icon, rebuild, setText } from "../view/dom.js";
import { gamePicture } from "../view/game-picture.js";
import { gameName } from "../view/labels.js";
import {
  countsLine,
  createWaitingList,
  waitingEntries,
} from "../view/lobby-lists.js";
import { watchedGame } from "../watch/card.js";
import { RESULT_MS } from "../watch/program.js";
import { WatchedGames } from "../watch/watched-games.js";

/**
 * @typedef {import("../core/model.js").Model} Model
 * @typedef {(action: any) => void} Act
 * @typedef {import("../watch/program.js").ShownGame} ShownGame
 */

/**
 * Maximum number of waiting players on this screen. The lobby shows all of
 * them.
 */
const MAX_ROWS = 4;
/** Minimum width that shows the side beside the games. */
const BESIDE = "(min-width: 900px)";

/**
 * Adds the rules from the list of rooms to a seat of another browser.
 * @param {import("../core/model.js").SavedSeat} seat
 * @param {Model} model
 */
function withListed(seat, { lobby }) {
  const listed = lobby.rooms.find(({ room }) => room === seat.room);
  return listed && !seat.rules ? { ...seat, rules: listed.rules } : seat;
}

/** @param {import("../core/model.js").SavedSeat} seat @param {Act} act */
function continueRow(seat, act) {
  const { token, rules, isOver, opponent: name } = seat;
  const game = rules ? gameName(rules) : "";
  // A seat without a token was taken in another browser. This browser knows only the room, and the
  // rules of a public room.
  const isElsewhere = !token;
  const label = isOver
    ? "continue_over"
    : name || isElsewhere
      ? "continue_game"
      : "continue_room";
  return h(
    "section",
    { class: "continue", "aria-label": text(label) },
    rules ? gamePicture(rules) : h("span", { class: "picture" }, icon("grid")),
    h(
      "div",
      { class: "row-text" },
      h("strong", null, text(label)),
      h(
        "span",
        null,
        isElsewhere
          ? [game, seat.room].filter(Boolean).join(" · ")
          : name
            ? text("continue_against", { game, name })
            : game,
      ),
    ),
    button(text("continue"), {
      class: "on-now",
      onclick: () => act({ type: "continue", seat }),
    }),
  );
}

/**
 * @param {Act} act
 * @param {() => number} now
 * @param {{ place: HTMLElement, continued: HTMLElement }} places of the first screen
 */
export function createHomeSide(act, now, { place, continued }) {
  const you = h("strong", { class: "name" });
  const counts = h("p", { class: "detail reserved" });
  const waiting = createWaitingList(text("nobody"), now, MAX_ROWS);
  const players = h(
    "section",
    { class: "card first-list" },
    h("h2", null, text("players_waiting")),
    waiting.root,
  );
  const stage = h("div", { class: "live-stage" });
  /** @type {Model} */
  let current;
  /** @type {ShownGame[]} */
  let shown = [];
  /** @type {WatchedGames | null} */
  let games = null;

  const isWide = window.matchMedia(BESIDE).matches;
  place.replaceChildren(
    h(
      "section",
      { class: "card you" },
      h(
        "div",
        { class: "row-text" },
        h("span", { class: "detail" }, text("you_play_as")),
        you,
      ),
      button(text("change_name"), {
        class: "small",
        onclick: () => act({ type: "dialog", dialog: { kind: "name" } }),
      }),
      counts,
    ),
  );
  if (isWide) place.append(stage);
  /**
   * Adds a part below the parts that are already shown, so that those keep
   * their places.
   * @param {HTMLElement} part
   */
  const append = (part) => part.isConnected || place.append(part);

  const isOnline = () => current.connection.state === "online";

  /** Watches one game, and the next game after its end. */
  function drawStage() {
    if (!games) return;
    shown = games.follow(shown, current.lobby.rooms, now(), 1);
    const room = shown[0]?.room;
    const state = room === undefined ? null : games.stateOf(room);
    if (state) append(stage);
    // The picture stays until the next game arrives.
    else if (room !== undefined && stage.firstChild) return;
    rebuild(
      stage,
      `${room} ${state?.game} ${state?.seq} ${state?.phase} ${isOnline()}`,
      () =>
        room !== undefined && state
          ? [liveGame(room, state, act)]
          : emptyStage(text(isOnline() ? "no_games" : "lists_offline")),
    );
  }

  function close() {
    games?.close();
    games = null;
  }

  return {
    /** @param {Model} model */
    update(model) {
      // A hidden page is drawn again when it is shown.
      if (document.hidden) close();
      const isSameLobby =
        current?.lobby === model.lobby &&
        current.connection.state === model.connection.state &&
        games !== null;
      current = model;
      const seats = seatsToContinue(model, now()).map((seat) =>
        withListed(seat, model),
      );
      rebuild(continued, JSON.stringify(seats), () =>
        seats.map((seat) => continueRow(seat, act)),
      );
      setText(you, model.name);
      setText(counts, countsLine(model));
      const entries = waitingEntries(model.lobby, act);
      waiting.update(entries);
      setText(waiting.none, text(isOnline() ? "nobody" : "lists_offline"));
      if (entries.length > 0) append(players);
      if (isSameLobby || document.hidden) return;
      games ??= new WatchedGames(serverUrl(), model.name, drawStage);
      drawStage();
    },
    draw() {
      waiting.draw();
      if (
        shown.some(
          ({ endedAt }) => endedAt !== null && now() - endedAt >= RESULT_MS,
        )
      )
        drawStage();
    },
    hide() {
      close();
      shown = [];
    },
  };
}

/**
 * Returns the stage without a game.
 * @param {string} line
 */
const emptyStage = (line) => [
  h(
    "div",
    { class: "card stage-empty" },
    h("div", { class: "squared" }, gamePicture("3x3:3")),
    h("p", { class: "hint" }, line),
  ),
];

/** @param {string} room @param {import("../core/fold.js").RoomState} state @param {Act} act */
function liveGame(room, state, act) {
  const [x, o] = state.players.map((player) => player?.name ?? "…");
  const winner = state.outcome?.winner;
  const result = winner
    ? text(winner === "X" ? "x_wins" : "o_wins", { x, o })
    : text("draw");
  return h(
    "button",
    {
      type: "button",
      class: "watch-card live-card",
      onclick: () => act({ type: "enter", request: { type: "watch", room } }),
    },
    ...watchedGame(state, state.phase === "playing" ? "" : result),
  );
}
