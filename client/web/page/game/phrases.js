// The dialog with the phrases that a player can say.
import { PHRASES } from "../core/wire-table.js";
import { text } from "../i18n.js";
import { button, h, icon } from "../view/dom.js";
import { switchField } from "../view/parts.js";

/**
 * @param {(action: any) => void} act
 * @param {string} opponent
 * @param {boolean} isMuted
 */
export function phraseButtons(act, opponent, isMuted) {
  const close = () => act({ type: "dialog", dialog: null });
  const phrases = PHRASES.map((phrase) =>
    button(text(`phrase_${phrase}`), {
      onclick: () => act({ type: "phrase", phrase }),
    }),
  );
  return [
    h(
      "div",
      { class: "heading spread" },
      h("h2", { id: "dialog-title" }, text("say")),
      h(
        "button",
        {
          type: "button",
          class: "icon-button",
          "aria-label": text("close"),
          onclick: close,
          autofocus: true,
        },
        icon("close"),
      ),
    ),
    h("div", { class: "two phrases" }, ...phrases),
    switchField(text("mute", { name: opponent }), isMuted, (isOn) =>
      act({ type: "mute", isMuted: isOn }),
    ),
  ];
}
