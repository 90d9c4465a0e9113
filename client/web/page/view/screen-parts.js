// Parts of the screens that are loaded on demand.
import { text } from "../i18n.js";
import { h, icon } from "./dom.js";

/**
 * @typedef {(action: any) => void} Act
 */

/**
 * @param {string} title
 * @param {Act} act
 * @param {any} action action of the button that leads back
 */
export function heading(title, act, action) {
  return h(
    "div",
    { class: "heading" },
    h(
      "button",
      {
        type: "button",
        class: "icon-button",
        "aria-label": text("back"),
        onclick: () => act(action),
      },
      icon("back"),
    ),
    h("h1", { tabindex: "-1" }, title),
  );
}

/** @param {string} label @param {boolean} value @param {(value: boolean) => void} onChange */
export function switchField(label, value, onChange) {
  const input = /** @type {HTMLInputElement} */ (
    h("input", {
      type: "checkbox",
      role: "switch",
      checked: value,
      class: "switch",
    })
  );
  input.addEventListener("change", () => onChange(input.checked));
  return h("label", { class: "field" }, h("span", null, label), input);
}

/** Digits of an identity behind the name of its player. */
const TAG_DIGITS = 6;

/** @param {{ identity?: string } | null | undefined} player @returns {HTMLElement[]} nothing for a guest */
export const identityTag = (player) =>
  player?.identity
    ? [
        h(
          "small",
          { class: "identity" },
          `·${player.identity.slice(0, TAG_DIGITS)}`,
        ),
      ]
    : [];
