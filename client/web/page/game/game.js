// The screen of a game: players, board, status, moves and actions.
import { LOW_MS, isAlertDue, runningSeconds } from "../core/clock.js";
import { otherSeat, seatIndex } from "../core/fold.js";
import { canMove, pendingMove, shownMoves } from "../core/model.js";
import { boardAfter, landingCell, parseRules } from "../core/rules.js";
import { text } from "../i18n.js";
import { cellName } from "../view/cell-name.js";
import { keepGames } from "../io/kept-games.js";
import { ownIdentity } from "../io/own-identity.js";
import { RECORD_LINK, packRecord } from "../replay/record-link.js";
import { writeRecord } from "../replay/record.js";
import { h, icon, rebuild, setText, show } from "../view/dom.js";
import { boardSize, gameName, rulesLine } from "../view/labels.js";
import { linkOrigin } from "../view/link-origin.js";
import { Board, shake } from "./board.js";
import { ownSeat, resultTexts, sentences, turnText } from "./game-texts.js";
import { answerQuery, createMoveBox } from "./move-box.js";
import { createMoveList } from "./move-list.js";
import { createPlayerBar } from "./player-bar.js";
import { createReviewPanel } from "./review-panel.js";
import { createStatus } from "./status.js";

/**
 * @typedef {import("../core/model.js").Model} Model
 * @typedef {import("../core/model.js").Room} Room
 * @typedef {import("../core/fold.js").RoomState} RoomState
 */

/**
 * The sounds of the whole page. They are kept even when the language changes.
 * @type {Promise<import("./sounds.js").Sounds> | null}
 */
let sounds = null;

/**
 * Loads the sounds if the setting is on.
 * @param {Model} model
 * @param {(sounds: import("./sounds.js").Sounds) => void} use
 */
function useSounds({ settings }, use) {
  if (!settings.sounds) return;
  sounds ??= import("./sounds.js").then(({ Sounds }) => new Sounds());
  sounds.then(use, () => (sounds = null));
}

/** Minimum distance of a swipe that steps through the moves. */
const MIN_SWIPE_PIXELS = 40;
/**
 * Keys that step through the moves.
 * @type {Readonly<Record<string, number>>}
 */
const STEP_KEYS = Object.freeze({ ",": -1, ".": 1 });
/**
 * Keys that step through the moves outside the board. On the board, they lead
 * from cell to cell.
 * @type {Readonly<Record<string, number>>}
 */
const STEP_ARROWS = Object.freeze({ ArrowLeft: -1, ArrowRight: 1 });

/**
 * Whether the visitor uses fingers. The share dialog of such a browser can also
 * copy.
 */
const isTouch = matchMedia("(pointer: coarse)").matches;

/**
 * Returns whether the page has its seat, or will get it back when it is online.
 * @param {Model} model
 */
const isHeld = ({ connection }) =>
  !["replaced", "stopped"].includes(connection.state);

/**
 * Stores a finished game of the visitor, if it has a move.
 * @param {Room} room
 */
export function keepGame({ id, seat, state }) {
  if (!seat || !state?.moves.length) return;
  const key = `${id} ${state.game}`;
  const record = writeRecord(state);
  const opponent = state.players[seatIndex(otherSeat(seat))]?.identity;
  keepGames([{ key, at: Date.now(), seat, record, opponent }]);
}

/** Loads the modules for the moment of winning. */
const loadMoment = () => import("./moment.js");

/** @param {(action: any) => void} act @param {() => number} now */
export function createGame(act, now) {
  // Draws the identity at the first visit. This file is loaded before each game, so the next
  // connection can use the secret for the server.
  ownIdentity();
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
  const far = createPlayerBar("far", act, now);
  const near = createPlayerBar("near", act, now);
  const review = createReviewPanel(act, () => update(current));
  const status = createStatus(act, now, () => openPanel(null), review);
  const stepTo = (/** @type {number} */ ply) => act({ type: "review", ply });
  const moves = createMoveList(stepTo);
  const steps = h("div", { class: "steps" });
  const box = createMoveBox(act, now, { onPlay: play, onResign });
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
  /** Remaining seconds on the visitor's clock when it last ran. */
  let lastSeconds = Infinity;
  /**
   * The game that was drawn last.
   * @type
   *   {{ room: string, game: number, seat: string | null, phase: string } | null}
   */
  let shown = null;
  /**
   * Finds the element that opened the panel below the board.
   * @type {() => Element | null | undefined}
   */
  let findOpener = () => null;
  const shownPly = () => shownMoves(current).length;
  /**
   * Where a finger has touched the board of a finished game.
   * @type {number | null}
   */
  let swipeX = null;
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

  /**
   * Scrolls to the last move, once for all moves that arrive before the next
   * frame, because each frame computes the layout anyway.
   */
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
    const { room, settings } = current;
    const state = room?.state;
    if (!room || !state) return;
    if (room.review !== null && state.phase === "playing")
      return act({ type: "review", ply: Infinity });
    // If another tab has the seat, or the page is outdated, the status below the board explains
    // what to do.
    if (!isHeld(current)) return;
    if (!canMove(current)) return refuse(cell, "reject_not_your_turn");
    const rules = parseRules(state.rules);
    const landing = landingCell(rules, boardAfter(rules, state.moves), cell);
    const { confirm } = settings;
    const needsConfirmation =
      confirm === "always" || (confirm === "small" && isSmall);
    if (landing >= 0 && needsConfirmation && current.selected !== landing)
      act({ type: "select", cell: landing });
    else play(cell);
  }

  /** @param {number} cell */
  function play(cell) {
    const state = current.room?.state;
    if (!state) return;
    const rules = parseRules(state.rules);
    const board = boardAfter(rules, state.moves);
    if (canMove(current) && landingCell(rules, board, cell) < 0)
      refuse(cell, rules.gravity ? "reject_column_full" : "reject_cell_taken");
    else act({ type: "play", cell });
  }

  /**
   * Says why a cell cannot be played, if the visitor plays in a running game.
   * @param {number} cell
   * @param {string} reason
   */
  function refuse(cell, reason) {
    const { room, connection } = current;
    if (!room?.seat || room.state?.phase !== "playing") return;
    if (connection.state !== "online" || pendingMove(current)) return;
    status.refuse(text(reason), current, room, room.state);
    board?.refuse(cell);
    shake(status.root.firstElementChild);
  }

  /**
   * Opens a panel below the board, or closes the open panel. The focus moves to
   * the panel, and later back.
   * @param {"say" | "resign" | null} kind
   */
  function openPanel(kind) {
    if (!current.room?.state) return;
    const wanted = kind === status.panel() ? null : kind;
    const { activeElement } = document;
    // The opener is found when it is needed, because drawing may replace the actions.
    if (wanted)
      findOpener = () =>
        box.root.contains(activeElement)
          ? activeElement
          : actions.querySelector(wanted === "say" ? ".say" : ".flag");
    status.open(wanted);
    update(current);
    const target = wanted
      ? status.root.querySelector(".phrase, .banner-buttons button")
      : findOpener();
    if (target instanceof HTMLElement) target.focus({ preventScroll: true });
  }

  function onResign() {
    openPanel("resign");
  }

  // When a phone is turned, other parts of the moves and of a large board are visible.
  addEventListener("resize", () => root.isConnected && scrollLater());

  stage.addEventListener("touchstart", ({ touches }) => {
    const canSwipe =
      touches.length === 1 &&
      stage.scrollWidth <= stage.clientWidth &&
      current.room?.state?.phase === "over";
    swipeX = canSwipe ? (touches[0]?.clientX ?? null) : null;
  });
  stage.addEventListener("touchend", ({ changedTouches }) => {
    const [touch] = changedTouches;
    if (swipeX === null || !touch) return;
    const by = touch.clientX - swipeX;
    swipeX = null;
    if (Math.abs(by) >= MIN_SWIPE_PIXELS) stepTo(shownPly() - Math.sign(by));
  });

  root.addEventListener("keydown", (event) => {
    const { key, target } = event;
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const isText = target instanceof HTMLInputElement;
    const isOnBoard = target instanceof Node && stage.contains(target);
    const by = STEP_KEYS[key] ?? (isOnBoard ? 0 : (STEP_ARROWS[key] ?? 0));
    if (by !== 0 && !isText) stepTo(shownPly() + by);
    else if (key === "Escape" && current.selected !== null)
      act({ type: "select", cell: null });
    else if (key === "Escape" && status.panel()) openPanel(null);
    else if (status.panel() === "say" && !isText)
      status.root
        .querySelector(`[data-digit="${CSS.escape(key)}"]`)
        ?.dispatchEvent(new MouseEvent("click"));
  });

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
    review.follow(room, state);
    const isLive = room.review === null;
    const verdict = review.verdict(shownMoves(model).length);
    const pending = pendingMove(model);
    board?.update({
      moves: shownMoves(model),
      seat: room.seat,
      canMove: isHeld(model) && canMove(model),
      pending: isLive && pending ? pending.request.cell : -1,
      winning: isLive ? (state.outcome?.line?.cells ?? []) : [],
      better: verdict?.kind === "mistake" ? verdict.best : -1,
      animated: isLive ? room.animated : Infinity,
      selected: model.selected,
      coordinates: model.settings.coordinates,
      sameCell: model.settings.same_cell,
    });
    const { isStarted, isEnded } = follow(model, room, state);
    const focused = document.activeElement;
    const isMoved = moves.update(
      rules,
      `${room.id} ${state.game} ${state.rules}`,
      state.moves,
      room.review ?? state.moves.length,
    );
    if (isMoved) scrollLater();
    if (state.phase === "over")
      moves.markMistakes((ply) => review.verdict(ply)?.kind === "mistake");
    box.update(model);
    status.update(model, room, state);
    updateActions(model, room, state);
    root.classList.toggle("record", model.screen === "record");
    if (isStarted) void loadMoment().catch(() => {});
    if (isEnded) showEnd(room, state, focused);
  }

  /**
   * Reacts to changes since the last drawing: the visitor's seat in a rematch,
   * or the end of the game.
   * @param {Model} model
   * @param {Room} room
   * @param {RoomState} state
   */
  function follow(model, room, state) {
    const { id, seat } = room;
    const { game, phase } = state;
    const before = shown?.room === id ? shown : null;
    const isOver =
      phase === "over" && (before?.phase !== phase || before.game !== game);
    shown = { room: id, game, seat, phase };
    if (seat && before?.seat && before.seat !== seat) {
      const turn = turnText(room, state);
      status.hint(
        sentences([text("now_you_play", { mark: seat }), turn]),
        state.turn === seat,
      );
    }
    if (model.screen === "room")
      useSounds(model, (sounds) => sounds.follow(model));
    if (isOver) payload = packRecord(writeRecord(state));
    return {
      isStarted: phase === "playing" && before?.game !== game,
      isEnded: phase === "over" && before?.phase === "playing",
    };
  }

  /**
   * The payload of the link to the game, after the game has ended.
   * @type {ReturnType<typeof packRecord>}
   */
  let payload = Promise.resolve(null);

  /**
   * Reacts to the end of a game that the visitor has seen.
   * @param {Room} room
   * @param {RoomState} state
   * @param {Element | null} focused the element that had the focus before
   */
  function showEnd(room, state, focused) {
    const isLost = focused !== null && focused.getClientRects().length === 0;
    // The control that had the focus is gone, so the first action gets the
    // focus.
    if (isLost || document.activeElement === document.body)
      status.root.querySelector("button")?.focus({ preventScroll: true });
    if (!room.seat) act({ type: "list" });
    if (room.seat && state.outcome?.winner === room.seat)
      loadMoment().then(
        ({ dropConfetti }) => dropConfetti(root),
        () => {},
      );
  }

  /** @param {Model} model @param {Room} room @param {RoomState} state */
  function updateActions(model, room, state) {
    const isOver = state.phase === "over";
    const isOffline = model.connection.state !== "online";
    rebuild(
      actions,
      `${model.screen} ${room.id} ${isOver} ${room.seat !== null} ${isOffline} ${state.moves.length > 0}`,
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
              class: `action ${name}`,
              "aria-disabled": isDisabled ? "true" : null,
              onclick: () => !isDisabled && onclick(),
            },
            icon(name),
            h("span", null, text(label)),
          );
        const offer = (/** @type {string} */ kind) => () =>
          act({ type: "command", request: { type: "offer", offer: kind } });
        const isRecord = model.screen === "record";
        const say = () =>
          room.seat && room.token
            ? [action("say", "say", () => openPanel("say"))]
            : [];
        const leave = action(
          "leave",
          "leave",
          () =>
            act(
              isRecord
                ? { type: "show", screen: "replay" }
                : isOver || !room.seat
                  ? { type: "leave" }
                  : { type: "dialog", dialog: { kind: "leave" } },
            ),
          false,
        );
        if (!isOver && room.seat)
          return [
            action("offer_draw_button", "draw", offer("draw")),
            action(
              "take_back",
              "undo",
              offer("takeback"),
              isOffline || state.moves.length === 0,
            ),
            action("resign", "flag", onResign),
            ...say(),
            leave,
          ];
        const copyLine = (
          /** @type {string} */ line,
          /** @type {string} */ key,
        ) => act({ type: "copy-text", text: line, key });
        const origin = `${linkOrigin(current.address)}/`;
        const copyGame = action(
          "copy_game",
          "copy",
          () => copyLine(writeRecord(state), "game_copied"),
          false,
        );
        if (!isOver) {
          const link = `${origin}#w/${room.code ?? room.id}`;
          return [
            action(
              "copy_link",
              "link",
              () => copyLine(link, "link_copied"),
              false,
            ),
            copyGame,
            leave,
          ];
        }
        const withLink = async (/** @type {(link: string) => void} */ use) => {
          const found = await payload;
          if (found) return use(origin + RECORD_LINK + found);
          const key = found === null ? "link_unsupported" : "link_too_long";
          act({ type: "toast", key });
        };
        const share = (/** @type {string} */ url) =>
          navigator
            .share({ title: resultTexts(state, null).title, url })
            .catch((error) => {
              // The visitor may have closed the browser's list.
              if (error?.name !== "AbortError") copyLine(url, "link_copied");
            });
        const shareLink = action(
          "share",
          "share",
          () => void withLink(share),
          false,
        );
        const copyLink = action(
          "game_link",
          "link",
          () => void withLink((link) => copyLine(link, "link_copied")),
          false,
        );
        // During the game, the number of buttons stays the same, so that the remaining buttons keep
        // their places.
        const canShare = "share" in navigator;
        return [
          ...(isRecord
            ? [copyLink, ...(canShare ? [shareLink] : []), copyGame]
            : [
                action(
                  "review",
                  "replay",
                  () => {
                    status.open(null);
                    review.open();
                  },
                  false,
                ),
                canShare && isTouch ? shareLink : copyLink,
              ]),
          action("save_picture", "image", () => savePicture(state), false),
          ...say(),
          leave,
        ];
      },
    );
    show(box.root, room.seat !== null && !isOver);
  }

  /** Redraws the parts that depend on the time. */
  function tick() {
    const room = current?.room;
    if (!room?.state) return;
    far.tick();
    near.tick();
    status.update(current, room, room.state);
  }

  /** @param {RoomState} state */
  function savePicture(state) {
    const title = resultTexts(state, null).title;
    import("./picture.js")
      .then(({ savePicture }) => savePicture(state, title))
      .catch(() => act({ type: "say", text: text("picture_failed") }));
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
    state ? cellName(parseRules(state.rules), cell) : "";

  /** @param {Model} before @param {Room} room */
  function news(before, { seat, state }) {
    const was = before.room?.state?.phase;
    if (!seat || !state || state.phase === was) return null;
    const opponent = state.players[seat === "X" ? 1 : 0];
    if (was === "playing") return text("reject_game_over");
    return state.phase === "playing" &&
      was !== "over" &&
      opponent &&
      !state.moves.length
      ? text("joined", opponent)
      : null;
  }

  /** @param {Model} model */
  function clockAlert(model) {
    const { room, settings } = model;
    const seconds = runningSeconds(room, now());
    if (seconds === null) return null;
    const isDue = isAlertDue(seconds, lastSeconds, settings.clock_alerts);
    lastSeconds = seconds;
    if (!isDue) return null;
    const isUrgent = seconds * 1000 <= LOW_MS;
    if (isUrgent) useSounds(model, (sounds) => sounds.play("low"));
    return { line: text("seconds_left", { n: seconds }), isUrgent };
  }

  return {
    root,
    update,
    tick,
    title,
    result,
    cell,
    news,
    clockAlert,
    hide: review.stop,
  };
}
