// Parts that several screens share.
import { text } from "../i18n.js";
import { button, h, icon } from "./dom.js";

/**
 * @typedef {(action: any) => void} Act
 */

/** @param {string} title @param {Act} act @param {any} action of the button that leads back */
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

/**
 * The button of a connection that is not online: what the visitor can do about it.
 * @param {import("../core/model.js").Connection["state"]} state
 * @param {Act} act
 */
export const connectionButton = (state, act) =>
  state === "stopped"
    ? button(text("reload"), { onclick: () => location.reload() })
    : button(text(state === "replaced" ? "play_here" : "reconnect_now"), {
        onclick: () => act({ type: "reconnect" }),
      });

/**
 * A strip of radio buttons.
 * @param {string} name
 * @param {string} label
 * @param {[string, string][]} options value and text
 * @param {string} value
 * @param {(value: string) => void} onChange
 */
export function segments(name, label, options, value, onChange) {
  const inputs = options.map(([option, shown]) =>
    h(
      "label",
      { class: "segment" },
      h("input", {
        type: "radio",
        name,
        value: option,
        checked: option === value,
        onchange: () => onChange(option),
      }),
      h("span", null, shown),
    ),
  );
  return h(
    "fieldset",
    { class: "segments" },
    h("legend", null, label),
    h("div", { class: "strip" }, ...inputs),
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
