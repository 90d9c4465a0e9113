// The button on the first screen that opens the puzzle of the day. If the page has no server, also
// buttons for a game against the bot and for the visitor's games. Loaded later, to keep the download of the first screen small.
import { text } from "../i18n.js";
import { button, h, icon, loadIcons, rebuild } from "../view/dom.js";
import { loadStyle } from "../styles.js";
import { readPuzzleDay, today } from "./streak.js";

/**
 * Draws the button of the puzzle with the number of days in a row.
 * @param {HTMLElement} place on the first screen
 * @param {(action: any) => void} act
 * @param {boolean} isAlone whether the page has no server, so that actions without a server come
 * first
 */
export async function drawPuzzleEntry(place, act, isAlone) {
  await Promise.all([loadIcons(), isAlone && loadStyle("screens")]);
  const { state, streak } = readPuzzleDay(today());
  const show = (/** @type {string} */ screen) => () =>
    act({ type: "show", screen });
  rebuild(place, `${state} ${streak} ${isAlone}`, () => {
    const entry = button(
      text("puzzle"),
      {
        class: isAlone ? "primary main" : "large",
        onclick: show("puzzle"),
      },
      icon(state === "solved" ? "check" : "puzzle"),
    );
    if (streak > 0)
      entry.append(
        h("span", { class: "detail" }, text("puzzle_streak", { n: streak })),
      );
    return isAlone
      ? [
          entry,
          button(
            text("play_bot"),
            { class: "large", onclick: show("bot") },
            icon("bot"),
          ),
          button(
            text("my_games"),
            { class: "large", onclick: show("replay") },
            icon("list"),
          ),
          h("p", { class: "hint" }, text("alone_hint")),
        ]
      : [entry];
  });
}
