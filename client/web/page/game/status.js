// The status below the board: connection, offers, absence, turn and result.
import { countdownText } from "../core/clock.js";
import { otherSeat, seatIndex } from "../core/fold.js";
import { pendingMove } from "../core/model.js";
import { boardAfter, parseRules } from "../core/rules.js";
import { text } from "../i18n.js";
import { cellName } from "../view/cell-name.js";
import { button, h, icon, rebuild, setText } from "../view/dom.js";
import { connectionButton, connectionText } from "../view/connection-line.js";
import { enlargedCut } from "./board.js";
import { nameOf, sentences, turnText } from "./game-texts.js";
import { phraseStrip } from "./phrases.js";
import { resultView } from "./result.js";

/**
 * @typedef {import("../core/model.js").Model} Model
 * @typedef {import("../core/model.js").Room} Room
 * @typedef {import("../core/fold.js").RoomState} RoomState
 * @typedef {import("../core/fold.js").Seat} Seat
 */

const SENDING_MS = 300;
/** Time that a hint replaces the turn. */
const HINT_MS = 2500;

/** @param {string} tone @param {string} sentence @param {string} detail @param {Node[]} buttons */
export function banner(tone, sentence, detail, buttons) {
  return h(
    "div",
    { class: `banner ${tone}` },
    tone !== "" && icon("offline"),
    h(
      "div",
      { class: "banner-text" },
      h("strong", null, sentence),
      detail && h("span", { class: "detail" }, detail),
    ),
    buttons.length > 0 && h("div", { class: "banner-buttons" }, ...buttons),
  );
}

/**
 * Asks to confirm a move on a small cell.
 * @param {import("../core/rules.js").Rules} rules
 * @param {number[]} moves
 * @param {number} cell
 * @param {Seat} seat
 * @param {{ onPlay: (cell: number) => void, onCancel: () => void }} handlers
 */
export function confirmView(rules, moves, cell, seat, { onPlay, onCancel }) {
  return {
    key: `select ${cell}`,
    tone: "tall confirm",
    build: () => [
      h(
        "div",
        { class: "confirm" },
        enlargedCut(rules, boardAfter(rules, moves), cell, seat),
        h(
          "div",
          { class: "confirm-text" },
          h("p", { class: "detail" }, text("tap_another")),
          h(
            "div",
            { class: "confirm-buttons" },
            button(text("play_cell", { cell: cellName(rules, cell) }), {
              class: "primary main",
              onclick: () => onPlay(cell),
            }),
            button(text("cancel"), { class: "main", onclick: onCancel }),
          ),
        ),
      ),
    ],
  };
}

/**
 * @param {(action: any) => void} act
 * @param {() => number} now
 * @param {() => void} onClose closes the panel that the visitor opened
 * @param {ReturnType<typeof import("./review-panel.js").createReviewPanel>} review
 */
export function createStatus(act, now, onClose, review) {
  const root = h("div", { class: "status" });
  /**
   * The panel that the visitor has opened.
   * @type {"say" | "resign" | null}
   */
  let panel = null;
  let shownGame = "";
  let hint = { line: "", isNow: false, until: 0 };

  /** @param {Model} model @param {Room} room @param {RoomState} state */
  function update(model, room, state) {
    const game = `${room.id} ${state.game}`;
    if (game !== shownGame || (panel === "resign" && state.phase === "over"))
      panel = null;
    shownGame = game;
    const view = statusView(model, room, state);
    const isFocused = root.contains(document.activeElement);
    const isNew = rebuild(root, view.key, () => view.build());
    // The control that had the focus is gone, so the first button gets the
    // focus.
    if (isFocused && !root.contains(document.activeElement))
      root.querySelector("button")?.focus({ preventScroll: true });
    if (isNew)
      root.className = `status ${view.tone ?? ""}${state.left ? " timed" : ""}`;
    view.refresh?.();
  }

  /**
   * Returns the most important view below the board. A view that is taller than
   * a line covers its neighbours.
   * @param {Model} model @param {Room} room @param {RoomState} state
   * @returns {{ key: string, tone?: string, build: () => (Node | string)[], refresh?: () => void }}
   */
  function statusView(model, room, state) {
    const { connection } = model;
    const rules = parseRules(state.rules);
    const pending = pendingMove(model);
    const pendingCell = pending ? cellName(rules, pending.request.cell) : null;
    if (connection.state !== "online")
      return connectionView(model, room, pendingCell);
    if (model.banner) {
      const { key, values } = model.banner;
      return {
        key: `banner ${key}`,
        tone: "tall",
        build: () => [banner("", text(key, values), "", [])],
      };
    }
    if (model.selected !== null && room.seat) {
      return confirmView(rules, state.moves, model.selected, room.seat, {
        onPlay: (cell) => act({ type: "play", cell }),
        onCancel: () => act({ type: "select", cell: null }),
      });
    }
    if (panel && room.seat) return panelView(panel, room, state, room.seat);
    const isOwnTurn =
      state.phase === "playing" &&
      room.seat !== null &&
      state.turn === room.seat;
    const offer = offerView(room, state);
    if (state.phase === "over") {
      const isAsked =
        room.seat !== null && state.offers.includes(otherSeat(room.seat));
      return !isAsked && (room.review !== null || review.isOpen())
        ? review.view(model, room, state)
        : resultView(act, model, room, state, offer, review.open);
    }
    if (room.review !== null) {
      const ply = room.review;
      const values = { a: ply, b: state.moves.length };
      return {
        key: `review ${ply} ${state.moves.length} ${isOwnTurn}`,
        build: () => [
          h(
            "div",
            { class: "status-line" },
            h(
              "div",
              null,
              isOwnTurn && h("p", { class: "now" }, text("your_move")),
              h("p", { class: "status-text" }, text("move_of", values)),
            ),
            button(text("back_to_game"), {
              class: "small",
              onclick: () => act({ type: "review", ply: Infinity }),
            }),
          ),
        ],
      };
    }
    if (offer)
      return {
        key: offer.key,
        tone: "tall",
        build: () => [banner("", offer.sentence, "", offer.buttons())],
      };
    const absent = absenceView(room, state);
    if (absent) return absent;
    if (pending) {
      const key = now() - pending.sentAt > SENDING_MS ? "sending" : "sent";
      return {
        key: `${key} ${pendingCell}`,
        build: () => [
          h(
            "p",
            { class: "status-text" },
            key === "sending"
              ? text("sending", { cell: pendingCell })
              : "\u00a0",
          ),
        ],
      };
    }
    if (hint.until > now()) {
      const { line, isNow } = hint;
      return {
        key: `hint ${line}`,
        build: () => [
          h("p", { class: isNow ? "now" : "hint", role: "alert" }, line),
        ],
      };
    }
    const shown = turnText(room, state);
    return {
      key: `turn ${shown}`,
      build: () => [
        h("p", { class: isOwnTurn ? "now" : "status-text" }, shown),
      ],
    };
  }

  /** @param {Model} model @param {Room} room @param {string | null} cell */
  function connectionView({ connection }, room, cell) {
    const detail = cell
      ? text("move_kept", { cell })
      : room.seat
        ? text("seat_kept")
        : "";
    const { state } = connection;
    const isLost = state === "offline" || state === "connecting";
    return {
      // The button stays during an attempt, because a new button would lose a
      // press that has begun.
      key: `connection ${isLost || state} ${cell}`,
      tone: "tall",
      build: () => [
        banner("bad", connectionText(connection, now()), isLost ? detail : "", [
          connectionButton(state, act),
        ]),
      ],
      refresh: () =>
        setText(
          /** @type {Element} */ (root.querySelector("strong")),
          connectionText(connection, now()),
        ),
    };
  }

  /** @param {Room} room @param {RoomState} state */
  function offerView(room, state) {
    const index = state.offers.findIndex(Boolean);
    if (index < 0 || !room.seat) return null;
    const by = /** @type {Seat} */ (state.offers[index]);
    const offer = ["draw", "takeback", "rematch"][index];
    const command = (/** @type {string} */ type) => () =>
      act({ type: "command", request: { type, offer } });
    const key = `offer ${offer} ${by} ${room.seat} ${state.phase}`;
    return by === room.seat
      ? {
          key,
          sentence: text(`offered_${offer}`),
          buttons: () => [
            button(text("cancel_offer"), { onclick: command("decline") }),
          ],
        }
      : {
          key,
          sentence: text(`offer_${offer}`, { name: nameOf(state, by) }),
          buttons: () => [
            button(text("accept"), {
              class: "primary",
              onclick: command("accept"),
            }),
            button(text("decline"), { onclick: command("decline") }),
          ],
        };
  }

  /** @param {Room} room @param {RoomState} state */
  function absenceView(room, state) {
    if (!room.seat || state.phase !== "playing") return null;
    const opponent = otherSeat(room.seat);
    const presence = room.presence[seatIndex(opponent)];
    if (!presence || presence.presence === "connected") return null;
    const { claimAt, since } = presence;
    const isTheirTurn = state.turn === opponent;
    const name = nameOf(state, opponent);
    const wait = () => Math.max(0, (claimAt ?? 0) - now());
    const isReady = claimAt !== null && wait() === 0;
    const substitute = (/** @type {boolean} */ end) =>
      act({
        type: "command",
        request: { type: "substitute", ...(end ? { end } : {}) },
      });
    const buttons = () => [
      button(text("claim_win"), {
        "aria-disabled": isReady && isTheirTurn ? null : "true",
        onclick: () =>
          isReady &&
          isTheirTurn &&
          act({ type: "command", request: { type: "claim", result: "win" } }),
      }),
      button(text("substitute"), {
        "aria-disabled": isReady ? null : "true",
        onclick: () => isReady && substitute(false),
      }),
    ];
    const detail = () => {
      if (room.isOpen) return text("substitute_waiting");
      if (!isTheirTurn) return text("claim_on_their_turn");
      return isReady
        ? text("claim_now")
        : text("claim_in", { time: countdownText(wait()) });
    };
    const isCounting =
      claimAt !== null && isTheirTurn && !isReady && !room.isOpen;
    return {
      key: `absent ${presence.presence} ${isReady} ${isTheirTurn} ${claimAt} ${room.isOpen}`,
      tone: "tall",
      build: () => {
        const sentence = text(
          presence.presence === "left" ? "opponent_gone" : "is_disconnected",
          { name },
        );
        const element = banner(
          "warn",
          sentence,
          detail(),
          room.isOpen
            ? [button(text("cancel"), { onclick: () => substitute(true) })]
            : buttons(),
        );
        if (isCounting)
          element.append(
            h("span", { class: "progress", "aria-hidden": "true" }),
          );
        return [element];
      },
      refresh: () => {
        setText(
          /** @type {Element} */ (root.querySelector(".detail")),
          detail(),
        );
        const shown = root.querySelector(".progress");
        if (shown instanceof HTMLElement && claimAt !== null)
          shown.style.setProperty(
            "--part",
            String(Math.min(1, (now() - since) / Math.max(1, claimAt - since))),
          );
      },
    };
  }

  /** @param {"say" | "resign"} kind @param {Room} room @param {RoomState} state @param {Seat} seat */
  function panelView(kind, room, state, seat) {
    const opponent = nameOf(state, otherSeat(seat));
    const { isMuted } = room;
    const isOver = state.phase === "over";
    if (kind === "say")
      return {
        key: `say ${isOver} ${isMuted} ${opponent}`,
        tone: "tall",
        build: () => [phraseStrip(act, { isOver, isMuted, opponent, onClose })],
      };
    const sentence = sentences([
      text("resign_question"),
      text("resign_hint", { name: opponent }),
    ]);
    return {
      key: `resign ${opponent}`,
      tone: "tall",
      build: () => [
        banner("", sentence, "", [
          button(text("keep_playing"), { onclick: onClose }),
          button(text("resign"), {
            class: "danger",
            onclick: () => {
              onClose();
              act({ type: "command", request: { type: "resign" } });
            },
          }),
        ]),
      ],
    };
  }

  return {
    root,
    update,
    /**
     * Opens or closes a panel.
     * @param {"say" | "resign" | null} kind the panel to open; null closes
     *   the open panel
     */
    open(kind) {
      panel = kind;
    },
    panel: () => panel,
    /**
     * Shows a text instead of the turn for a while.
     * @param {string} line
     * @param {boolean} [isNow] whether the text says that the visitor is to
     *   move
     */
    hint(line, isNow = false) {
      hint = { line, isNow, until: now() + HINT_MS };
    },
    /**
     * Says why a press makes no move. The text replaces the turn, or appears as a message if the
     * status shows something else.
     * @param {string} line
     * @param {Model} model @param {Room} room @param {RoomState} state
     */
    refuse(line, model, room, state) {
      this.hint(line);
      update(model, room, state);
      if (root.dataset["key"] === `hint ${line}`) return;
      hint.until = 0;
      act({ type: "say", text: line });
    },
  };
}
