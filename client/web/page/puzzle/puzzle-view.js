// The screen of the puzzle of the day. It needs no server.
import { otherSeat, seatOfPly } from "../core/fold.js";
import { newRoom } from "../core/model.js";
import { boardAfter, landingCell } from "../core/rules.js";
import { Board, shake } from "../game/board.js";
import { resultTexts, sentences } from "../game/game-texts.js";
import { answerQuery } from "../game/move-box.js";
import { banner, confirmView } from "../game/status.js";
import { text } from "../i18n.js";
import { findLine } from "../replay/line.js";
import { recordState } from "../replay/record-state.js";
import { cellName } from "../view/cell-name.js";
import { button, h, icon, mark, rebuild, setText } from "../view/dom.js";
import { gameName, rulesLine } from "../view/labels.js";
import { linkOrigin } from "../view/link-origin.js";
import { movesToWin, puzzleOfDay, rightCell } from "./puzzle.js";
import { dateText, keepPuzzleDay, readPuzzleDay, today } from "./streak.js";

/** @typedef {import("../core/model.js").Model} Model */

/** Time before a reply, and before each move of a solution that is shown. */
const REPLY_MS = 600;
const LIST_URL = new URL("./puzzles.txt", import.meta.url).href;

async function loadList() {
  const response = await fetch(LIST_URL);
  if (!response.ok) throw new Error(`cannot load ${LIST_URL}`);
  return response.text();
}

/**
 * Creates the screen after loading the list of puzzles.
 * @param {(action: any) => void} act
 * @returns {Promise<import("../view/screens.js").ScreenView>}
 */
export async function createPuzzle(act) {
  const list = await loadList();
  const name = text("puzzle");
  const heading = h("h1", { tabindex: "-1" }, name);
  const subtitle = h("p", { class: "detail" });
  const head = h(
    "div",
    { class: "game-head" },
    h("div", null, heading, subtitle),
  );
  const stage = h("div", { class: "stage" });
  const said = h("p", { class: "visually-hidden", role: "status" });
  const status = h("div", { class: "status" });
  const solve = actionButton("puzzle_show", "eye", () => ask(true));
  const leave = () => act({ type: "show", screen: "home" });
  const leaving = actionButton("back", "leave", leave);
  const actions = h(
    "div",
    { class: "actions", role: "group", "aria-label": text("actions") },
    solve,
    leaving,
  );
  const root = h(
    "div",
    { class: "game puzzle" },
    head,
    stage,
    said,
    status,
    actions,
  );

  /** @type {Model} */
  let current;
  let day = today();
  let puzzle = puzzleOfDay(list, day);
  let board = createBoard();
  /** Number of moves of the solution on the board. */
  let played = 0;
  /** The last move of the visitor, which may differ from the solution. */
  let lastMove = -1;
  let drawnMoves = 0;
  let isWrong = false;
  let isSolutionShown = false;
  /** Whether the page asks if it should show the solution. */
  let isAsking = false;
  let isShown = false;
  /** @type {number | null} */
  let selected = null;
  let timer = 0;

  /**
   * Creates a button of the actions.
   * @param {string} label
   * @param {any} name of the icon
   * @param {() => void} onclick
   */
  function actionButton(label, name, onclick) {
    return h(
      "button",
      { type: "button", class: `action ${name}`, onclick },
      icon(name),
      h("span", null, text(label)),
    );
  }

  function createBoard() {
    const { rules } = puzzle;
    const board = new Board(rules, { onChoose, onLetter });
    stage.replaceChildren(board.root);
    setText(subtitle, gameName(rules.text));
    return board;
  }

  const seat = () => seatOfPly(puzzle.moves.length);
  const isOver = () => played === puzzle.solution.length;
  const canMove = () => !isOver() && !isSolutionShown && played % 2 === 0;
  const task = () =>
    text("puzzle_task", { mark: seat(), n: movesToWin(puzzle, played) });

  function shownMoves() {
    const moves = [...puzzle.moves, ...puzzle.solution.slice(0, played)];
    return lastMove < 0 ? moves : [...moves.slice(0, -1), lastMove];
  }

  /**
   * Returns the position as a room.
   * @returns {import("../core/model.js").Room}
   */
  function room() {
    const { rules } = puzzle;
    const moves = shownMoves();
    const winning = isOver()
      ? findLine(rules, boardAfter(rules, moves), moves.at(-1) ?? -1)
      : [];
    const result = winning.length > 0 ? `${seat()} line` : "*";
    const players = /** @type {[string, string]} */ (["X", "O"]);
    const state = recordState({
      rules,
      players,
      clock: null,
      moves,
      result,
      winning,
    });
    return {
      ...newRoom("", null),
      seat: seat(),
      state: isOver()
        ? state
        : { ...state, phase: "playing", turn: seatOfPly(moves.length) },
    };
  }

  /** Begins the puzzle of the day, or shows its end. */
  function begin() {
    const isNewDay = day !== today();
    day = today();
    if (isNewDay) {
      puzzle = puzzleOfDay(list, day);
      board = createBoard();
      played = 0;
      lastMove = -1;
      isWrong = false;
    }
    isSolutionShown = false;
    if (readPuzzleDay(day).state !== "open") played = puzzle.solution.length;
    drawnMoves = shownMoves().length;
  }

  /** Makes the moves that are due: the reply, or the rest of a solution. */
  function playDueMoves() {
    draw();
    if (isOver() || canMove()) return;
    const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
    timer = window.setTimeout(
      () => {
        played += 1;
        sayMove();
        playDueMoves();
        if (isOver()) finish();
      },
      isStill ? 0 : REPLY_MS,
    );
  }

  /** Announces the last move, and what the visitor has to do. */
  function sayMove() {
    const moves = shownMoves();
    const cell = cellName(puzzle.rules, moves.at(-1) ?? 0);
    const move = text("plays", { mark: seatOfPly(moves.length - 1), cell });
    setText(said, sentences(canMove() ? [move, task()] : [move]));
  }

  /**
   * Plays a cell, or asks to confirm the move.
   * @param {number} cell
   * @param {boolean} isSmall
   */
  function onChoose(cell, isSmall) {
    if (!canMove()) return;
    const { rules } = puzzle;
    const landing = landingCell(rules, boardAfter(rules, shownMoves()), cell);
    const { confirm } = current.settings;
    const isAsked = confirm === "always" || (confirm === "small" && isSmall);
    if (landing < 0 || !isAsked || selected === landing) return play(cell);
    selected = landing;
    draw();
  }

  /**
   * Judges a move, and makes it if it is right.
   * @param {number} cell
   */
  function play(cell) {
    const { rules } = puzzle;
    selected = null;
    if (landingCell(rules, boardAfter(rules, shownMoves()), cell) < 0)
      return board.refuse(cell);
    const right = rightCell(puzzle, played, cell);
    isWrong = right < 0;
    if (isWrong) {
      keepPuzzleDay(day, "open");
      draw();
      board.refuse(cell);
      return shake(status.firstElementChild);
    }
    played += 1;
    if (isOver()) {
      lastMove = right;
      keepPuzzleDay(day, "solved");
    }
    sayMove();
    playDueMoves();
    if (isOver()) finish();
  }

  /** @param {boolean} isAsked */
  function ask(isAsked) {
    isAsking = isAsked && canMove();
    selected = null;
    draw();
    if (isAsking)
      status.querySelector("button")?.focus({ preventScroll: true });
    else if (document.activeElement === document.body)
      solve.focus({ preventScroll: true });
  }

  function giveUp() {
    isAsking = false;
    if (!canMove()) return;
    keepPuzzleDay(day, "given_up");
    isWrong = false;
    isSolutionShown = true;
    status.querySelector("button")?.focus({ preventScroll: true });
    playDueMoves();
  }

  /** Announces the end, and celebrates a solved puzzle. */
  function finish() {
    const { title } = ending();
    setText(said, sentences([said.textContent ?? "", title]));
    if (document.activeElement === document.body)
      status.querySelector("button")?.focus({ preventScroll: true });
    if (readPuzzleDay(day).state === "solved")
      import("../game/moment.js").then(
        ({ dropConfetti }) => dropConfetti(root),
        () => {},
      );
  }

  /**
   * Answers a query about the position.
   * @param {string} letter
   */
  function onLetter(letter) {
    const line = answerQuery(room(), letter, 0);
    if (line) act({ type: "say", text: line });
    return line !== null;
  }

  /**
   * Returns the texts of the end: how the visitor solved the puzzle, and the
   * line that ended the game.
   */
  function ending() {
    const { state, tries, streak } = readPuzzleDay(day);
    const isSolved = state === "solved";
    const triesText =
      tries === 1
        ? text("puzzle_first_try")
        : text("puzzle_tries", { n: tries });
    const streakText = text("puzzle_streak", { n: streak });
    return {
      isSolved,
      title: isSolved ? triesText : text("puzzle_given_up"),
      streak: streak > 1 ? [streakText] : [],
      reason: puzzle.rules.misere
        ? text("puzzle_misere", { mark: otherSeat(seat()) })
        : resultTexts(/** @type {any} */ (room().state), seat()).reason,
    };
  }

  /** Returns the moves of the solution, with the replies. */
  function solutionText() {
    const first = puzzle.moves.length;
    return puzzle.solution
      .map(
        (cell, index) =>
          `${seatOfPly(first + index)} ${cellName(puzzle.rules, cell)}`,
      )
      .join(", ");
  }

  function shareLine() {
    const { title, streak } = ending();
    const result = text("puzzle_result", {
      date: dateText(day),
      game: gameName(puzzle.rules.text),
      n: movesToWin(puzzle, 0),
    });
    return `${sentences([result, title, ...streak])} ${linkOrigin(current.address)}/#puzzle`;
  }

  function share() {
    const line = shareLine();
    const copy = () =>
      act({ type: "copy-text", text: line, key: "puzzle_copied" });
    if (!("share" in navigator)) return copy();
    navigator.share({ text: line }).catch((error) => {
      // The visitor may have closed the browser's share menu.
      if (error?.name !== "AbortError") copy();
    });
  }

  /** Goes to the first screen with the game of the puzzle. */
  function playGame() {
    act({ type: "choose", choice: { rules: puzzle.rules.text } });
    leave();
  }

  /** Returns the question whether to show the solution, which ends the days in a row. */
  function questionView() {
    const { streak } = readPuzzleDay(day);
    return {
      key: `question ${streak}`,
      tone: "",
      build: () => [
        banner(
          "",
          text("puzzle_show_question"),
          streak > 0 ? text("puzzle_streak_ends", { n: streak }) : "",
          [
            button(text("keep_playing"), { onclick: () => ask(false) }),
            button(text("puzzle_show"), { class: "danger", onclick: giveUp }),
          ],
        ),
      ],
    };
  }

  /** Returns the view below the board. */
  function statusView() {
    if (isAsking) return questionView();
    if (selected !== null) {
      const { rules } = puzzle;
      return confirmView(rules, shownMoves(), selected, seat(), {
        onPlay: play,
        onCancel: () => {
          selected = null;
          draw();
        },
      });
    }
    if (isSolutionShown && !isOver()) {
      const step = text("move_of", { a: played, b: puzzle.solution.length });
      return {
        key: step,
        tone: "",
        build: () => [h("p", { class: "now" }, step)],
      };
    }
    if (!isOver())
      return {
        key: `${task()} ${isWrong} ${readPuzzleDay(day).tries}`,
        tone: "",
        build: () => [
          h("p", { class: "now" }, task()),
          isWrong
            ? h(
                "p",
                { class: "hint wrong", role: "alert" },
                text("puzzle_wrong", { n: movesToWin(puzzle, played) }),
              )
            : h("p", { class: "status-text" }, rulesLine(puzzle.rules.text)),
        ],
      };
    const { isSolved, title, reason, streak } = ending();
    const canShare = "share" in navigator;
    return {
      key: `end ${title} ${streak}`,
      tone: "ended",
      build: () => [
        h(
          "div",
          { class: `result ${isSolved ? seat().toLowerCase() : ""}` },
          h("div", { class: "stamp" }, mark(seat())),
          h(
            "div",
            { class: "result-text" },
            h("h2", { class: isSolved ? "now big" : "big" }, title),
            isSolved ? null : h("p", null, solutionText()),
            h(
              "p",
              { class: "detail" },
              sentences([reason, ...streak, text("puzzle_next")]),
            ),
          ),
        ),
        h(
          "div",
          { class: "result-buttons" },
          ...(isSolved
            ? [
                button(
                  text(canShare ? "share" : "puzzle_copy"),
                  { class: "primary", onclick: share },
                  icon(canShare ? "share" : "copy"),
                ),
              ]
            : []),
          button(text("play_this_game"), { onclick: playGame }),
        ),
        ...(isSolved
          ? [h("p", { class: "detail share-line" }, shareLine())]
          : []),
      ],
    };
  }

  function draw() {
    const { coordinates, same_cell } = current.settings;
    const { state } = room();
    const moves = shownMoves();
    board.update({
      moves,
      seat: seat(),
      canMove: canMove(),
      pending: -1,
      winning: state?.outcome?.line?.cells ?? [],
      better: -1,
      animated: drawnMoves,
      selected,
      coordinates,
      sameCell: same_cell,
    });
    drawnMoves = moves.length;
    const view = statusView();
    rebuild(status, view.key, view.build);
    status.className = `status ${view.tone}`;
    solve.hidden = isOver() || isSolutionShown;
  }

  root.addEventListener("keydown", ({ key }) => {
    if (key !== "Escape") return;
    if (isAsking) return ask(false);
    if (selected === null) return;
    selected = null;
    draw();
  });

  return {
    root,
    isGame: true,
    leave,
    update(model) {
      current = model;
      if (isShown) return draw();
      isShown = true;
      begin();
      playDueMoves();
    },
    hide() {
      clearTimeout(timer);
      isShown = false;
      selected = null;
      isAsking = false;
      isWrong = false;
    },
    title: () => ({ name, detail: subtitle.textContent ?? "" }),
  };
}
