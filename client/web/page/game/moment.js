// The moment of winning: paper falls over the board.
import { h } from "../view/dom.js";

const PAPERS = 14;

/**
 * Drops a few squares of paper over the board of a game, unless the visitor wants no motion.
 * @param {Element} game
 */
export function dropPaper(game) {
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  const papers = Array.from({ length: PAPERS }, (_, index) => {
    const paper = h("i", { class: ["", "x", "o"][index % 3] });
    const values = {
      left: `${4 + (92 * (index + Math.random())) / PAPERS}%`,
      "--turn": `${Math.round(180 - 360 * Math.random())}deg`,
      "--drift": `${Math.round(60 * (Math.random() - 0.5))}px`,
      "--wait": `${Math.round(160 * Math.random())}ms`,
    };
    for (const [name, value] of Object.entries(values))
      paper.style.setProperty(name, value);
    return paper;
  });
  const rain = h("div", { class: "paper", "aria-hidden": "true" }, ...papers);
  game.append(rain);
  // A visitor who leaves the game cancels the animations.
  const ends = rain
    .getAnimations({ subtree: true })
    .map((fall) => fall.finished);
  void Promise.allSettled(ends).then(() => rain.remove());
}
