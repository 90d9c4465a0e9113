// The moment of winning: confetti falls over the board.
import { h } from "../view/dom.js";

const PIECES = 14;

/**
 * Drops confetti over the board of a game, unless the visitor wants no motion.
 * @param {Element} game
 */
export function dropConfetti(game) {
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  const pieces = Array.from({ length: PIECES }, (_, index) => {
    const piece = h("i", { class: ["", "x", "o"][index % 3] });
    const values = {
      left: `${4 + (92 * (index + Math.random())) / PIECES}%`,
      "--turn": `${Math.round(180 - 360 * Math.random())}deg`,
      "--drift": `${Math.round(60 * (Math.random() - 0.5))}px`,
      "--wait": `${Math.round(160 * Math.random())}ms`,
    };
    for (const [name, value] of Object.entries(values))
      piece.style.setProperty(name, value);
    return piece;
  });
  const rain = h(
    "div",
    { class: "confetti", "aria-hidden": "true" },
    ...pieces,
  );
  game.append(rain);
  // When the visitor leaves the game, the animations are cancelled.
  const ends = rain
    .getAnimations({ subtree: true })
    .map((fall) => fall.finished);
  void Promise.allSettled(ends).then(() => rain.remove());
}
