// The panel below the board while the visitor steps through a finished game: a
// slider, and the mistakes that the page's engine finds.
import { otherSeat } from "../core/fold.js";
import { shownMoves } from "../core/model.js";
import { parseRules } from "../core/rules.js";
import { text } from "../i18n.js";
import { cellName, isNamedByDigits } from "../view/cell-name.js";
import { scriptUrl } from "../scripts.js";
import { button, h, icon, setAttribute, setText, show } from "../view/dom.js";
import { nameOf, resultTexts, sentences } from "./game-texts.js";
import { moverOf, orderedMistakes } from "./mistakes.js";

/**
 * @typedef {import("../core/model.js").Model} Model
 * @typedef {import("../core/model.js").Room} Room
 * @typedef {import("../core/fold.js").RoomState} RoomState
 * @typedef {import("../core/fold.js").Seat} Seat
 * @typedef {import("../bot/game-review.js").MoveVerdict} MoveVerdict
 */

/** @param {RoomState} state @returns {import("../bot/game-review.js").ReviewedGame} */
function reviewedGame({ rules, moves, outcome }) {
  const mover = moverOf(moves.length);
  const end =
    outcome?.reason === "line" ? (outcome.winner === mover ? 1 : -1) : 0;
  return { rules, moves, end };
}

/**
 * Returns what the move cost, and which move was better.
 * @param {RoomState} state
 * @param {number} ply
 * @param {MoveVerdict} verdict
 * @returns {string}
 */
function mistakeText({ rules: rulesText, moves }, ply, { best, before }) {
  const rules = parseRules(rulesText);
  const place = rules.gravity && isNamedByDigits(rules) ? "column" : "cell";
  return text(`mistake_${place}_${before > 0 ? "win" : "loss"}`, {
    n: ply,
    cell: cellName(rules, Number(moves[ply - 1])),
    best: cellName(rules, best),
  });
}

/**
 * @param {(action: any) => void} act
 * @param {() => void} redraw draws the game again
 */
export function createReviewPanel(act, redraw) {
  let shownGame = "";
  let isOpen = false;
  /**
   * Numbers of the moves that were mistakes.
   * @type {readonly number[]}
   */
  let plies = [];
  /** @type {readonly MoveVerdict[] | null} */
  let verdicts = null;
  /** Number of judged moves while the engine judges the game; otherwise -1. */
  let judged = -1;
  let hasFailed = false;
  /** Ends the worker that judges the game. */
  let review = new AbortController();

  const step = (/** @type {number} */ ply) => act({ type: "review", ply });
  /** @type {() => number} */
  let shownPly = () => 0;
  const slider = /** @type {HTMLInputElement} */ (
    h("input", {
      type: "range",
      min: 0,
      "aria-label": text("moves"),
      oninput: () => step(slider.valueAsNumber),
    })
  );
  const stepButton = (
    /** @type {"previous" | "next"} */ name,
    /** @type {number} */ by,
  ) =>
    h(
      "button",
      {
        type: "button",
        class: "icon-button",
        "aria-label": text(`${name}_move`),
        onclick: () => step(shownPly() + by),
      },
      icon(name),
    );
  const line = h("strong", null);
  const detail = h("span", { class: "detail" });
  const mistakes = button(text("next_mistake"), { class: "small" });
  const back = button(text("back_to_result"), {
    class: "small",
    onclick: () => {
      isOpen = false;
      step(Infinity);
    },
  });
  const root = h(
    "div",
    { class: "review" },
    h(
      "div",
      { class: "review-steps" },
      stepButton("previous", -1),
      slider,
      stepButton("next", 1),
    ),
    h(
      "div",
      { class: "status-line" },
      h("p", { class: "review-text", role: "status" }, line, detail),
      h("div", { class: "review-buttons" }, mistakes, back),
    ),
  );

  /**
   * Finds the mistakes.
   * @param {Seat | null} reader the player with the mistakes that come first
   * @param {RoomState} state
   */
  async function findMistakes(reader, state) {
    stop();
    judged = 0;
    hasFailed = false;
    review = new AbortController();
    const { signal } = review;
    redraw();
    const found = await import("../bot/page-bot.js")
      .then(({ reviewGame }) =>
        signal.aborted
          ? null
          : reviewGame(
              scriptUrl("bot"),
              reviewedGame(state),
              signal,
              (left) => {
                judged = state.moves.length - left;
                redraw();
              },
            ),
      )
      .catch(() => null);
    if (signal.aborted) return;
    judged = -1;
    verdicts = found;
    hasFailed = found === null;
    plies = orderedMistakes(verdicts ?? [], reader);
    const [first] = plies;
    // If the visitor has begun to step through the game, the position stays. A
    // closed review stays closed.
    if (first && isOpen && shownPly() === state.moves.length) step(first);
    redraw();
  }

  /** Stops the search for mistakes. */
  function stop() {
    review.abort();
    judged = -1;
  }

  /**
   * Returns a heading, and what is known about the last move.
   * @param {Room} room
   * @param {RoomState} state
   * @param {number} ply
   * @returns {[string, string]}
   */
  function reviewTexts(room, state, ply) {
    const isEnd = room.review === null;
    const mover = moverOf(ply);
    const verdict = verdicts?.[ply - 1];
    const mistake =
      verdict?.kind === "mistake" ? mistakeText(state, ply, verdict) : "";
    if (mistake && !isEnd) {
      const own = plies.filter((other) => moverOf(other) === mover);
      const values = {
        name: nameOf(state, mover),
        a: own.indexOf(ply) + 1,
        b: own.length,
      };
      const key = mover === room.seat ? "own_mistake" : "mistake_of";
      return [text(key, values), mistake];
    }
    const cell = state.moves[ply - 1];
    const { title, reason } = resultTexts(state, room.seat);
    const played =
      cell === undefined
        ? ""
        : `${nameOf(state, mover)}: ${cellName(parseRules(state.rules), cell)}`;
    const found =
      judged >= 0
        ? text("finding_mistake", { a: judged, b: state.moves.length })
        : hasFailed
          ? text("review_failed")
          : isEnd
            ? verdicts && plies.length === 0
              ? text("no_mistake")
              : ""
            : verdict && verdict.kind !== "mistake"
              ? text(`verdict_${verdict.kind}`)
              : "";
    return isEnd
      ? [title, sentences([reason, mistake, found].filter(Boolean))]
      : [
          text("move_of", { a: ply, b: state.moves.length }),
          [played, found].filter(Boolean).join(" · "),
        ];
  }

  /** @param {Model} model @param {Room} room @param {RoomState} state */
  function refresh(model, room, state) {
    const count = state.moves.length;
    const ply = shownMoves({ ...model, room }).length;
    shownPly = () => ply;
    slider.max = String(count);
    if (slider.valueAsNumber !== ply) slider.value = String(ply);
    const moveOf = text("move_of", { a: ply, b: count });
    setAttribute(slider, "aria-valuetext", moveOf);
    const [heading, found] = reviewTexts(room, state, ply);
    setText(line, heading);
    setText(detail, found);
    const winner = state.outcome?.winner;
    const reader = room.seat ?? (winner ? otherSeat(winner) : null);
    const find = () => void findMistakes(reader, state);
    if (count > 0 && !verdicts && judged < 0 && !hasFailed) find();
    setText(
      /** @type {Element} */ (mistakes.lastElementChild),
      text(hasFailed ? "try_again" : "next_mistake"),
    );
    mistakes.onclick = () => {
      if (hasFailed) return find();
      const next = plies[(plies.indexOf(ply) + 1) % plies.length];
      if (next) step(next);
    };
    const isElsewhere = plies.some((other) => other !== ply);
    show(mistakes, judged < 0 && (hasFailed || isElsewhere));
  }

  return {
    /**
     * Begins with another game.
     * @param {Room} room @param {RoomState} state
     */
    follow(room, state) {
      const game = `${room.id} ${state.game} ${state.phase} ${state.moves.join()}`;
      if (game === shownGame) return;
      shownGame = game;
      isOpen = false;
      stop();
      verdicts = null;
      plies = [];
      hasFailed = false;
    },
    /** Shows the review instead of the result. */
    open() {
      isOpen = true;
      const [first] = plies;
      if (first) step(first);
      else redraw();
    },
    isOpen: () => isOpen,
    /** @param {Model} model @param {Room} room @param {RoomState} state */
    view: (model, room, state) => ({
      key: `review ${shownGame}`,
      tone: "tall reviewed",
      build: () => [root],
      refresh: () => refresh(model, room, state),
    }),
    /**
     * Returns the engine's verdict on the last displayed move.
     * @param {number} ply number of displayed moves
     * @returns {MoveVerdict | null}
     */
    verdict: (ply) => verdicts?.[ply - 1] ?? null,
    stop,
  };
}
