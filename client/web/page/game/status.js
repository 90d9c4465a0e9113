// What stands below the board: connection, offers, absence, turn, result.
import { countdownText } from "../core/clock.js";
import { otherSeat, seatIndex } from "../core/fold.js";
import { pendingMove } from "../core/model.js";
import { seekRequest } from "../core/requests.js";
import { cellText } from "../core/cells.js";
import { boardAfter, parseRules } from "../core/rules.js";
import { text } from "../i18n.js";
import { button, h, icon, mark, rebuild, setText } from "../view/dom.js";
import { connectionText } from "../view/labels.js";
import { connectionButton } from "../view/parts.js";
import { enlargedCut } from "./board.js";
import {
  nameOf,
  ownSeat,
  resultTexts,
  sentences,
  turnText,
} from "./game-texts.js";

/**
 * @typedef {import("../core/model.js").Model} Model
 * @typedef {import("../core/model.js").Room} Room
 * @typedef {import("../core/fold.js").RoomState} RoomState
 * @typedef {import("../core/fold.js").Seat} Seat
 */

const SENDING_MILLIS = 300;

/** @param {string} tone @param {string} sentence @param {string} detail @param {Node[]} buttons */
function banner(tone, sentence, detail, buttons) {
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

/** @param {(action: any) => void} act @param {() => number} now */
export function createStatus(act, now) {
  const root = h("div", { class: "status" });

  /** @param {Model} model @param {Room} room @param {RoomState} state */
  function update(model, room, state) {
    const view = statusView(model, room, state);
    const isNew = rebuild(root, view.key, () => view.build());
    if (isNew)
      root.className = `status ${view.tone ?? ""}${state.left ? " timed" : ""}`;
    view.refresh?.();
  }

  /**
   * Returns the most important view to show below the board. A view that is taller than a line covers its
   * neighbours.
   * @param {Model} model @param {Room} room @param {RoomState} state
   * @returns {{ key: string, tone?: string, build: () => (Node | string)[], refresh?: () => void }}
   */
  function statusView(model, room, state) {
    const { connection } = model;
    const rules = parseRules(state.rules);
    const pending = pendingMove(model);
    const pendingCell = pending ? cellText(rules, pending.request.cell) : null;
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
      const { selected } = model;
      const seat = room.seat;
      return {
        key: `select ${selected}`,
        tone: "tall confirm",
        build: () => [
          h(
            "div",
            { class: "confirm" },
            enlargedCut(rules, boardAfter(rules, state.moves), selected, seat),
            h(
              "div",
              { class: "confirm-text" },
              button(text("play_cell", { cell: cellText(rules, selected) }), {
                class: "primary main",
                onclick: () => act({ type: "play", cell: selected }),
              }),
              h(
                "div",
                { class: "confirm-line" },
                h("span", { class: "detail" }, text("tap_another")),
                button(text("cancel"), {
                  class: "plain",
                  onclick: () => act({ type: "select", cell: null }),
                }),
              ),
            ),
          ),
        ],
      };
    }
    if (room.review !== null) {
      const { review } = room;
      const values = { a: review, b: state.moves.length };
      return {
        key: `review ${review} ${state.moves.length} ${state.phase}`,
        build: () => [
          h(
            "div",
            { class: "status-line" },
            h("span", null, text("move_of", values)),
            button(
              text(model.screen === "record" ? "last_move" : "back_to_live"),
              {
                class: "small",
                onclick: () => act({ type: "review", ply: Infinity }),
              },
            ),
          ),
        ],
      };
    }
    const offer = offerView(room, state);
    if (state.phase === "over") return resultView(model, room, state, offer);
    if (offer)
      return {
        key: offer.key,
        tone: "tall",
        build: () => [banner("", offer.sentence, "", offer.buttons())],
      };
    const absent = absenceView(room, state);
    if (absent) return absent;
    if (pending) {
      const key = now() - pending.sentAt > SENDING_MILLIS ? "sending" : "sent";
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
    const isOwnTurn = room.seat !== null && state.turn === room.seat;
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
      // The button stays during an attempt: a new button would lose a press that has begun.
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
            button(text("accept"), { onclick: command("accept") }),
            button(text("decline"), { onclick: command("decline") }),
          ],
        };
  }

  /** @param {Room} room @param {RoomState} state */
  function absenceView(room, state) {
    if (!room.seat || state.phase !== "playing") return null;
    const opponent = otherSeat(room.seat);
    const presence = room.presence[seatIndex(opponent)];
    if (!presence || presence.presence === "here") return null;
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
      if (!isTheirTurn)
        return sentences([text("your_move"), text("claim_on_their_turn")]);
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

  /** @param {Model} model @param {Room} room @param {RoomState} state @param {ReturnType<typeof offerView>} offer */
  function resultView(model, room, state, offer) {
    const {
      title: heading,
      reason,
      isWin,
      winner,
    } = resultTexts(state, room.seat);
    const hasLeft =
      room.seat &&
      room.presence[seatIndex(otherSeat(room.seat))]?.presence === "left";
    const { wins, draws } = state.score;
    const bottom = ownSeat(room);
    const gone = hasLeft
      ? [text("opponent_gone", { name: nameOf(state, otherSeat(bottom)) })]
      : [];
    const values = {
      a: wins[seatIndex(bottom)],
      b: wins[seatIndex(otherSeat(bottom))],
      name: nameOf(state, otherSeat(bottom)),
      x: nameOf(state, bottom),
      o: nameOf(state, otherSeat(bottom)),
    };
    const score = `${text(room.seat ? "score" : "score_of", values)}, ${text("draws", { n: draws })}`;
    const rematch = () =>
      act({ type: "command", request: { type: "offer", offer: "rematch" } });
    const again = () =>
      act({
        type: "enter",
        request: seekRequest({
          rules: state.rules,
          clock: state.clock ?? null,
          seat: null,
        }),
      });
    const key = `result ${state.game} ${heading} ${reason} ${score} ${offer?.key} ${hasLeft}`;
    return {
      key,
      tone: "tall ended",
      build: () => [
        h(
          "div",
          { class: `result ${winner?.toLowerCase() ?? ""}` },
          h(
            "div",
            { class: "stamp" },
            ...(winner ? [mark(winner)] : [mark("X"), mark("O")]),
          ),
          h(
            "div",
            { class: "result-text" },
            h("h2", { class: isWin ? "now big" : "big" }, heading),
            // An offer replaces the reason: a small phone has no room for both.
            ...(offer
              ? [h("p", null, offer.sentence)]
              : [
                  h("p", { class: "detail" }, sentences([reason, ...gone])),
                  model.screen !== "record" &&
                    h("p", { class: "score" }, score),
                ]),
          ),
        ),
        h(
          "div",
          { class: "result-buttons" },
          ...(offer?.buttons() ?? []),
          ...(room.seat && !offer && !hasLeft
            ? [
                button(
                  text("rematch"),
                  { class: "primary", onclick: rematch },
                  icon("redo"),
                ),
              ]
            : []),
          ...(room.seat && !offer
            ? [button(text("new_opponent"), { onclick: again })]
            : []),
        ),
      ],
    };
  }

  return { root, update };
}
