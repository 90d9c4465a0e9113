// The result of a game, and the visitor's next actions.
import { otherSeat, seatIndex } from "../core/fold.js";
import { LEVELS, levelNumber } from "../core/levels.js";
import { seekRequest } from "../core/seek-and-create.js";
import { parseRules } from "../core/rules.js";
import { text } from "../i18n.js";
import { button, h, icon, mark, setAttribute } from "../view/dom.js";
import { CELL_UNITS, positionPicture } from "../view/position-picture.js";
import {
  nameOf,
  ownSeat,
  resultTexts,
  scoreText,
  sentences,
} from "./game-texts.js";

/**
 * @typedef {import("../core/model.js").Model} Model
 * @typedef {import("../core/model.js").Room} Room
 * @typedef {import("../core/fold.js").RoomState} RoomState
 */

/**
 * Maximum number of columns that the stamp shows around the line of a large
 * board.
 */
const MAX_STAMP_COLUMNS = 5;

/**
 * Returns a stamp with the final board. For a large board, the stamp shows the part around the
 * line, and for a board with layers, the winner's mark.
 * @param {RoomState} state
 */
function stamp(state) {
  const rules = parseRules(state.rules);
  const winner = state.outcome?.winner;
  if (rules.layers > 1 && winner)
    return h("div", { class: "stamp" }, mark(winner));
  const cells = state.outcome?.line?.cells ?? [];
  const picture = positionPicture(rules, state.moves, cells);
  if (
    rules.layers === 1 &&
    rules.width > MAX_STAMP_COLUMNS &&
    cells.length > 0
  ) {
    const spans = /** @type {const} */ ([
      [cells.map((cell) => cell % rules.width), rules.width],
      [cells.map((cell) => Math.floor(cell / rules.width)), rules.height],
    ]).map(([at, side]) => ({
      low: Math.min(...at),
      high: Math.max(...at),
      side,
    }));
    const size = Math.max(...spans.map(({ low, high }) => high - low + 1));
    const starts = spans.map(({ low, high, side }) =>
      Math.min(
        Math.max(0, (low + high + 1 - size) / 2),
        Math.max(0, side - size),
      ),
    );
    const box = [...starts, size, size];
    setAttribute(
      picture,
      "viewBox",
      box.map((at) => at * CELL_UNITS).join(" "),
    );
  }
  return h("div", { class: "stamp" }, picture);
}

/**
 * Returns the first running game in the lobby, except the displayed game.
 * @param {Model} model
 */
const nextGame = ({ lobby, room }) =>
  lobby.rooms.find(
    (other) =>
      other.phase === "playing" &&
      other.players.every(Boolean) &&
      other.room !== room?.id,
  );

/**
 * @param {(action: any) => void} act
 * @param {Model} model
 * @param {Room} room
 * @param {RoomState} state
 */
function nextButtons(act, model, room, state) {
  const enter = (/** @type {any} */ request) => () =>
    act({ type: "enter", request });
  if (!room.seat) {
    const next = nextGame(model);
    return next
      ? [
          button(text("next_game"), {
            class: "primary",
            onclick: enter({ type: "watch", room: next.room }),
          }),
        ]
      : [
          button(text("watch_others"), {
            onclick: () => act({ type: "leave" }),
          }),
        ];
  }
  const { bot } = model;
  if (bot && !bot.isSubstitute) {
    const isLost = state.outcome?.winner === otherSeat(room.seat);
    const isPlayed = state.outcome?.reason !== "aborted";
    const next =
      isPlayed && LEVELS[LEVELS.indexOf(bot.level) + (isLost ? -1 : 1)];
    const choice = { rules: state.rules, clock: state.clock ?? null };
    return [
      next &&
        button(
          text(isLost ? "easier_bot" : "harder_bot", { n: levelNumber(next) }),
          {
            onclick: () => {
              act({ type: "choose", choice });
              act({ type: "play-bot", level: next, seat: room.seat });
            },
          },
        ),
      button(text("other_bot"), {
        onclick: () => {
          act({ type: "choose", choice });
          act({ type: "show", screen: "bot" });
        },
      }),
    ].filter((element) => element instanceof HTMLElement);
  }
  const request = seekRequest({
    rules: state.rules,
    clock: state.clock ?? null,
    seat: null,
  });
  return [button(text("new_opponent"), { onclick: enter(request) })];
}

/** @param {(action: any) => void} act @param {RoomState} state @param {() => void} onReview */
function recordButtons(act, { rules, clock }, onReview) {
  const choice = { rules, clock: clock ?? null };
  return [
    button(text("review"), { class: "primary", onclick: onReview }),
    button(text("play_this_game"), {
      onclick: () => {
        act({ type: "choose", choice });
        act({ type: "show", screen: "home" });
      },
    }),
  ];
}

/**
 * @typedef {{ key: string, sentence: string, buttons: () => HTMLElement[] }} OfferView
 * @param {(action: any) => void} act
 * @param {Model} model
 * @param {Room} room
 * @param {RoomState} state
 * @param {OfferView | null} offer
 * @param {() => void} onReview
 */
export function resultView(act, model, room, state, offer, onReview) {
  const { title, reason, isWin, winner } = resultTexts(state, room.seat);
  const bottom = ownSeat(room);
  const opponent = otherSeat(bottom);
  const hasLeft =
    room.seat && room.presence[seatIndex(opponent)]?.presence === "left";
  const gone = hasLeft
    ? [text("opponent_gone", { name: nameOf(state, opponent) })]
    : [];
  const score = scoreText(state, bottom);
  const tone = room.seat && winner && !isWin ? "loss" : (winner ?? "");
  const rematch = () =>
    act({ type: "command", request: { type: "offer", offer: "rematch" } });
  const next = room.seat ? "" : nextGame(model)?.room;
  return {
    key: `result ${room.id} ${state.game} ${title} ${reason} ${score} ${offer?.key} ${hasLeft} ${next}`,
    tone: "tall ended",
    build: () => [
      h(
        "div",
        { class: `result ${tone.toLowerCase()}` },
        stamp(state),
        h(
          "div",
          { class: "result-text" },
          h("h2", { class: isWin ? "now big" : "big" }, title),
          // An offer replaces the reason, because a small phone has no room for
          // both.
          ...(offer
            ? [h("p", null, offer.sentence)]
            : [
                h("p", { class: "detail" }, sentences([reason, ...gone])),
                score !== "" && h("p", { class: "score" }, score),
              ]),
        ),
      ),
      h(
        "div",
        { class: "result-buttons" },
        ...(offer?.buttons() ?? []),
        room.seat &&
          !offer &&
          !hasLeft &&
          button(
            text("rematch"),
            { class: "primary", onclick: rematch },
            icon("redo"),
          ),
        ...(offer
          ? []
          : model.screen === "record"
            ? recordButtons(act, state, onReview)
            : nextButtons(act, model, room, state)),
      ),
    ],
  };
}
