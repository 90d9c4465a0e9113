// What stands below the board while the visitor steps through a game that has ended: a slider, and the mistakes, which the engine of the
// page finds when the visitor asks for them.
import { shownMoves } from "../core/model.js";
import { parseRules } from "../core/rules.js";
import { text } from "../i18n.js";
import { cellName } from "../view/cell-name.js";
import { scriptUrl } from "../scripts.js";
import { button, h, icon, setAttribute, setText, show } from "../view/dom.js";
import { nameOf, resultTexts } from "./game-texts.js";

/**
 * @typedef {import("../core/model.js").Model} Model
 * @typedef {import("../core/model.js").Room} Room
 * @typedef {import("../core/fold.js").RoomState} RoomState
 * @typedef {import("../bot/game-review.js").MoveVerdict} MoveVerdict
 */

/** @param {RoomState} state @returns {import("../bot/game-review.js").ReviewedGame} */
function reviewedGame({ rules, moves, outcome }) {
  const mover = moves.length % 2 === 1 ? "X" : "O";
  const end =
    outcome?.reason === "line" ? (outcome.winner === mover ? 1 : -1) : 0;
  return { rules, moves, end };
}

/**
 * @param {(action: any) => void} act
 * @param {() => void} redraw draws the game again
 */
export function createReviewPanel(act, redraw) {
  let shownGame = "";
  /** @type {readonly MoveVerdict[] | null} */
  let verdicts = null;
  /** Number of judged moves while the engine judges the game. */
  let judged = -1;
  let hasFailed = false;
  /** Ends the worker that judges the game. */
  let stopWorker = () => {};

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
  const mistakes = button(text("find_mistake"), { class: "small" });
  const back = button(text("back_to_result"), {
    class: "small",
    onclick: () => step(Infinity),
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

  /** @param {RoomState} state */
  async function findMistakes(state) {
    stop();
    judged = 0;
    hasFailed = false;
    let isStopped = false;
    stopWorker = () => (isStopped = true);
    redraw();
    const found = await import("../bot/page-bot.js")
      .then(({ reviewGame }) => {
        if (isStopped) return null;
        const review = reviewGame(
          scriptUrl("bot"),
          reviewedGame(state),
          (left) => {
            judged = state.moves.length - left;
            redraw();
          },
        );
        stopWorker = () => {
          isStopped = true;
          review.stop();
        };
        return review.verdicts;
      })
      .catch(() => null);
    if (isStopped) return;
    judged = -1;
    verdicts = found;
    hasFailed = found === null;
    showMistake(0);
    redraw();
  }

  /** Stops the search for mistakes. */
  function stop() {
    stopWorker();
    stopWorker = () => {};
    judged = -1;
  }

  /**
   * Shows the first mistake after a number of moves, or the decisive one.
   * @param {number} after
   */
  function showMistake(after) {
    const plies = (verdicts ?? []).flatMap(({ kind }, index) =>
      kind === "mistake" ? [index + 1] : [],
    );
    const decisive =
      1 + (verdicts?.findIndex(({ isDecisive }) => isDecisive) ?? -1);
    const next = after && plies.find((ply) => ply > after);
    const wanted = next || decisive || plies[0];
    if (wanted) step(wanted);
  }

  /** @param {RoomState} state @param {number} ply @returns {string} what is known about the last move on the screen */
  function verdictText(state, ply) {
    if (judged >= 0)
      return text("finding_mistake", { a: judged, b: state.moves.length });
    if (hasFailed) return text("review_failed");
    const verdict = verdicts?.[ply - 1];
    if (!verdict) return "";
    const cell = cellName(parseRules(state.rules), verdict.best);
    return text(`verdict_${verdict.kind}`, { cell });
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
    const last = state.moves[ply - 1];
    const mover = ply % 2 === 1 ? "X" : "O";
    const played =
      last === undefined
        ? ""
        : `${nameOf(state, mover)}: ${cellName(parseRules(state.rules), last)}`;
    const isEnd = room.review === null;
    const { title, reason } = resultTexts(state, room.seat);
    setText(line, isEnd ? title : moveOf);
    const found = verdictText(state, ply);
    setText(
      detail,
      [isEnd ? reason : played, found].filter(Boolean).join(" · "),
    );
    const hasMistakes = verdicts?.some(({ kind }) => kind === "mistake");
    const label = verdicts
      ? hasMistakes
        ? "next_mistake"
        : "no_mistake"
      : "find_mistake";
    setText(/** @type {Element} */ (mistakes.lastElementChild), text(label));
    setAttribute(
      mistakes,
      "aria-disabled",
      judged >= 0 || label === "no_mistake" ? "true" : null,
    );
    mistakes.onclick = () => {
      if (mistakes.ariaDisabled) return;
      if (verdicts) showMistake(ply);
      else void findMistakes(state);
    };
    show(mistakes, count > 0);
    show(back, model.screen !== "record" && !isEnd);
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
      stop();
      verdicts = null;
      hasFailed = false;
    },
    /** @param {Model} model @param {Room} room @param {RoomState} state */
    view: (model, room, state) => ({
      key: `review ${shownGame}`,
      tone: "tall reviewed",
      build: () => [root],
      refresh: () => refresh(model, room, state),
    }),
    /** @param {number} ply number of moves on the screen @returns {MoveVerdict | null} what the engine says about the last of them */
    verdict: (ply) => verdicts?.[ply - 1] ?? null,
    stop,
  };
}
