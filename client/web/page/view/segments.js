// A choice among a few values.
import { h } from "./dom.js";

/**
 * Creates a strip of radio buttons.
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
