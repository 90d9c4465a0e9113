// The strip of phrases that a player can say: six during the game, and six
// after it.
import { text } from "../i18n.js";
import { button, h, icon } from "../view/dom.js";

/** Phrases of the strip during the game. The key of a phrase is its number in the strip. */
const PLAYING = Object.freeze([
  "hello",
  "good_luck",
  "nice_move",
  "thinking",
  "oops",
  "sorry",
]);
const OVER = Object.freeze([
  "good_game",
  "well_played",
  "thanks",
  "one_more",
  "have_fun",
  "bye",
]);

/**
 * @param {(action: any) => void} act
 * @param {{ isOver: boolean, isMuted: boolean, opponent: string, onClose: () => void }} options
 */
export function phraseStrip(act, { isOver, isMuted, opponent, onClose }) {
  const phrases = (isOver ? OVER : PLAYING).map((phrase, index) =>
    button(text(`phrase_${phrase}`), {
      class: "phrase",
      "data-digit": index + 1,
      "aria-keyshortcuts": index + 1,
      onclick: () => {
        onClose();
        act({ type: "phrase", phrase });
      },
    }),
  );
  const mute = h(
    "button",
    {
      type: "button",
      class: "icon-button mute",
      "aria-label": text("mute", { name: opponent }),
      title: text("mute", { name: opponent }),
      "aria-pressed": String(isMuted),
      onclick: () => act({ type: "mute", isMuted: !isMuted }),
    },
    icon("mute"),
  );
  const close = h(
    "button",
    {
      type: "button",
      class: "icon-button",
      "aria-label": text("close"),
      onclick: onClose,
    },
    icon("close"),
  );
  return h(
    "div",
    { class: "phrases", role: "group", "aria-label": text("say") },
    ...phrases,
    h("div", { class: "phrase-tools" }, mute, close),
  );
}
