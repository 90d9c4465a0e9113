// The screen of a game: players, board, status, moves, actions.
import { LOW_MILLIS, isAlertDue, runningSeconds } from "../core/clock.js";
import { otherSeat } from "../core/fold.js";
import { canMove, pendingMove, shownMoves } from "../core/model.js";
import { cellText } from "../core/cells.js";
import { boardAfter, landingCell, parseRules } from "../core/rules.js";
import { text } from "../i18n.js";
import { writeRecord } from "../replay/record.js";
import { h, icon, rebuild, setText, show } from "../view/dom.js";
import { boardSize, gameName, rulesLine } from "../view/labels.js";
import { linkOrigin } from "../view/link-origin.js";
import { Board } from "./board.js";
import { ownSeat, resultTexts, sentences } from "./game-texts.js";
import { answerQuery, createMoveBox } from "./move-box.js";
import { createMoveList } from "./move-list.js";
import { createPlayerBar } from "./player-bar.js";
import { createStatus } from "./status.js";

/**
 * @typedef {import("../core/model.js").Model} Model
 * @typedef {import("../core/model.js").Room} Room
 * @typedef {import("../core/fold.js").RoomState} RoomState
 */

/** @param {(action: any) => void} act @param {() => number} now */
export function createGame(act, now) {
  const heading = h("h1", { tabindex: "-1" });
  const subtitle = h("p", { class: "detail" });
  const watchers = h("p", { class: "watchers" }, icon("eye"), h("span", null));
  const head = h(
    "div",
    { class: "game-head" },
    h("div", null, heading, subtitle),
    watchers,
  );
  const stage = h("div", { class: "stage" });
  const far = createPlayerBar("far", now);
  const near = createPlayerBar("near", now);
  const status = createStatus(act, now);
  const stepTo = (/** @type {number} */ ply) => act({ type: "review", ply });
  const moves = createMoveList(stepTo);
  const steps = h("div", { class: "steps" });
  const box = createMoveBox(act, now);
  const actions = h("div", {
    class: "actions",
    role: "group",
    "aria-label": text("actions"),
  });
  const root = h(
    "div",
    { class: "game" },
    head,
    far.root,
    stage,
    near.root,
    status.root,
    moves.root,
    steps,
    box.root,
    actions,
  );
  /** @type {Board | null} */
  let board = null;
  /** @type {Model} */
  let current;
  let boardKey = "";
  let isScrollDue = false;
  /** Time that the clock of the visitor showed when it ran before, in seconds. */
  let lastSeconds = Infinity;
  const shownPly = () => shownMoves(current).length;
  for (const [
    name,
    label,
    target,
  ] of /** @type {[any, string, () => number][]} */ ([
    ["first", "first_move", () => 0],
    ["previous", "previous_move", () => shownPly() - 1],
    ["next", "next_move", () => shownPly() + 1],
    ["last", "last_move", () => Infinity],
  ]))
    steps.append(
      h(
        "button",
        {
          type: "button",
          class: "icon-button",
          "aria-label": text(label),
          onclick: () => stepTo(target()),
        },
        icon(name),
      ),
    );

  /** Scrolls to the last move, once for all that arrive before the frame: the frame computes the layout anyway. */
  function scrollLater() {
    if (isScrollDue) return;
    isScrollDue = true;
    requestAnimationFrame(() => {
      isScrollDue = false;
      moves.scroll();
      board?.scroll();
    });
  }

  /** @param {number} cell @param {boolean} isSmall */
  function onChoose(cell, isSmall) {
    const state = current.room?.state;
    if (!state || !canMove(current)) return;
    const rules = parseRules(state.rules);
    const landing = landingCell(rules, boardAfter(rules, state.moves), cell);
    const { confirm } = current.settings;
    const needsConfirmation =
      confirm === "always" || (confirm === "small" && isSmall);
    if (landing >= 0 && needsConfirmation && current.selected !== landing)
      act({ type: "select", cell: landing });
    else act({ type: "play", cell });
  }

  /** @param {string} letter */
  function onLetter(letter) {
    const line = answerQuery(current.room, letter, now());
    if (line) act({ type: "say", text: line });
    return line !== null;
  }

  /** @param {Model} model */
  function update(model) {
    current = model;
    const room = /** @type {Room} */ (model.room);
    const state = room.state;
    if (!state) return;
    const rules = parseRules(state.rules);
    const bottom = ownSeat(room);
    const top = otherSeat(bottom);
    setText(heading, gameName(state.rules));
    setText(
      subtitle,
      [boardSize(state.rules), rulesLine(state.rules), state.clock]
        .filter(Boolean)
        .join(" · "),
    );
    show(watchers, room.spectators > 0);
    setText(
      /** @type {Element} */ (watchers.lastChild),
      text("spectators", { n: room.spectators }),
    );
    far.update(model, room, state, top, false);
    near.update(model, room, state, bottom, true);
    const key = `${room.id} ${state.rules}`;
    if (key !== boardKey) {
      boardKey = key;
      board = new Board(rules, { onChoose, onLetter });
      stage.replaceChildren(board.root);
    }
    const isLive = room.review === null;
    const pending = pendingMove(model);
    board?.update({
      moves: shownMoves(model),
      seat: room.seat,
      canMove: canMove(model),
      pending: isLive && pending ? pending.request.cell : -1,
      winning: isLive ? (state.outcome?.line?.cells ?? []) : [],
      animated: isLive ? room.animated : Infinity,
      selected: model.selected,
      coordinates: model.settings.coordinates,
      sameCell: model.settings.sameCell,
    });
    const isMoved = moves.update(
      rules,
      `${room.id} ${state.game} ${state.rules}`,
      state.moves,
      room.review ?? state.moves.length,
    );
    if (isMoved) scrollLater();
    box.update(model);
    status.update(model, room, state);
    updateActions(model, room, state);
    root.classList.toggle("record", model.screen === "record");
  }

  /** @param {Model} model @param {Room} room @param {RoomState} state */
  function updateActions(model, room, state) {
    const isOver = state.phase === "over";
    const isOffline = model.connection.state !== "online";
    rebuild(
      actions,
      `${isOver} ${room.seat !== null} ${isOffline} ${state.moves.length > 0}`,
      () => {
        const action = (
          /** @type {string} */ label,
          /** @type {any} */ name,
          /** @type {() => void} */ onclick,
          isDisabled = isOffline,
        ) =>
          h(
            "button",
            {
              type: "button",
              class: `action ${name === "copy" && room.seat ? "wide" : ""}`,
              "aria-disabled": isDisabled ? "true" : null,
              onclick: () => !isDisabled && onclick(),
            },
            icon(name),
            h("span", null, text(label)),
          );
        const offer = (/** @type {string} */ kind) => () =>
          act({ type: "command", request: { type: "offer", offer: kind } });
        const say =
          model.screen !== "record"
            ? [
                action("say", "say", () =>
                  act({ type: "dialog", dialog: { kind: "phrases" } }),
                ),
              ]
            : [];
        const leave = action(
          "leave",
          "leave",
          () =>
            act(
              model.screen === "record"
                ? { type: "show", screen: "replay" }
                : isOver || !room.seat
                  ? { type: "leave" }
                  : { type: "dialog", dialog: { kind: "leave" } },
            ),
          false,
        );
        // Leave and Say keep their places when the game ends.
        if (isOver || !room.seat)
          return [
            ...(room.seat || model.screen === "record"
              ? []
              : [
                  action(
                    "copy_link",
                    "link",
                    () =>
                      act({
                        type: "copy-text",
                        text: `${linkOrigin(current.address)}/#w/${room.code ?? room.id}`,
                        key: "link_copied",
                      }),
                    false,
                  ),
                ]),
            action(
              "copy_game",
              "copy",
              () =>
                act({
                  type: "copy-text",
                  text: writeRecord(state),
                  key: "game_copied",
                }),
              false,
            ),
            ...(room.seat ? say : []),
            leave,
          ];
        return [
          action("offer_draw_button", "draw", offer("draw")),
          action(
            "take_back",
            "undo",
            offer("takeback"),
            isOffline || state.moves.length === 0,
          ),
          action("resign", "flag", () =>
            act({ type: "dialog", dialog: { kind: "resign" } }),
          ),
          ...say,
          leave,
        ];
      },
    );
    show(box.root, room.seat !== null && !isOver);
  }

  /** Redraws what depends on the time. */
  function tick() {
    const room = current?.room;
    if (!room?.state) return;
    far.tick();
    near.tick();
    status.update(current, room, room.state);
  }

  const title = () => ({
    name: heading.textContent ?? "",
    detail: subtitle.textContent ?? "",
  });

  /** @param {Room} room */
  function result(room) {
    if (!room.state) return "";
    const { title, reason } = resultTexts(room.state, room.seat);
    return sentences([title, reason]);
  }

  /** @param {Room} room @param {number} cell */
  const cell = ({ state }, cell) =>
    state ? cellText(parseRules(state.rules), cell) : "";

  /** @param {Model} model */
  function clockAlert({ room, settings }) {
    const seconds = runningSeconds(room, now());
    if (seconds === null) return null;
    const isDue = isAlertDue(seconds, lastSeconds, settings.clockAlerts);
    lastSeconds = seconds;
    const line = text("seconds_left", { n: seconds });
    return isDue ? { line, isUrgent: seconds * 1000 <= LOW_MILLIS } : null;
  }

  return { root, update, tick, title, result, cell, clockAlert };
}
