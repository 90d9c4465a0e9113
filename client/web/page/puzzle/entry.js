// The way from the first screen to the puzzle of the day. Loaded after the first screen, which it would make larger.
import { text } from "../i18n.js";
import { button, h, icon, loadIcons, rebuild } from "../view/dom.js";
import { readPuzzleDay, today } from "./streak.js";

/**
 * Draws the button of the puzzle, with the days in a row.
 * @param {HTMLElement} place on the first screen
 * @param {(action: any) => void} act
 */
export async function drawPuzzleEntry(place, act) {
  await loadIcons();
  const { state, streak } = readPuzzleDay(today());
  const onclick = () => act({ type: "show", screen: "puzzle" });
  rebuild(place, `${state} ${streak}`, () => {
    const entry = button(
      text("puzzle"),
      { class: "large", onclick },
      icon(state === "solved" ? "check" : "puzzle"),
    );
    if (streak > 0)
      entry.append(
        h("span", { class: "detail" }, text("puzzle_streak", { n: streak })),
      );
    return [entry];
  });
}
