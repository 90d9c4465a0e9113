// The screen with all games and with a board of any size.
import { FLAGS, NAMED_RULES } from "../core/rule-table.js";
import { RulesError, parseRules } from "../core/rules.js";
import { MAX_CELLS, MAX_SIDE } from "../core/wire-table.js";
import { text } from "../i18n.js";
import { button, h, icon, setText } from "../view/dom.js";
import { boardSize, rulesLine } from "../view/labels.js";
import { namedPicture } from "../view/named-picture.js";
import { heading, switchField } from "../view/screen-parts.js";

/** @typedef {(action: any) => void} Act */

/** @param {Act} act */
export function createCustom(act) {
  const named = h("div", { class: "cards" });
  const fields = h("div", { class: "fields" });
  const note = h("p", { class: "hint", role: "status" });
  const use = button(text("use_board"), {
    class: "primary main",
    onclick: () => onUse(),
  });
  const root = h(
    "div",
    { class: "narrow all-games" },
    heading(text("more_games"), act, { type: "show", screen: "home" }),
    named,
    h(
      "section",
      { class: "card" },
      h("h2", null, text("own_board")),
      fields,
      note,
      use,
    ),
  );
  /** First sides and line, then flags. */
  const numbers = { columns: 8, rows: 8, layers: 1, w_layers: 1, in_a_row: 4 };
  /** @type {Set<string>} */
  const flags = new Set();
  const rulesText = () => {
    const sides = [
      numbers.columns,
      numbers.rows,
      numbers.layers,
      numbers.w_layers,
    ];
    while (sides.length > 2 && sides.at(-1) === 1) sides.pop();
    return [`${sides.join("x")}:${numbers.in_a_row}`, ...flags].join("+");
  };
  const problem = () => {
    try {
      parseRules(rulesText());
      return null;
    } catch (error) {
      return error instanceof RulesError ? error.reason : "other";
    }
  };
  const onUse = () => {
    if (problem() !== null) return;
    act({ type: "choose", choice: { rules: parseRules(rulesText()).text } });
    act({ type: "show", screen: "home" });
  };
  const check = () => {
    const reason = problem();
    const key =
      reason === "cells"
        ? "rules_cells"
        : reason === "line"
          ? "rules_line"
          : reason === "gravity"
            ? "rules_gravity"
            : "rules_other";
    const line =
      reason === null
        ? `${boardSize(rulesText())} · ${rulesLine(rulesText())}`
        : text(key, { n: reason === "cells" ? MAX_CELLS : numbers.in_a_row });
    setText(note, line);
    use.setAttribute("aria-disabled", String(reason !== null));
  };
  for (const name of /** @type {(keyof typeof numbers)[]} */ (
    Object.keys(numbers)
  )) {
    const value = h("output", null, String(numbers[name]));
    const step = (/** @type {number} */ by) => () => {
      // One in a row is not a game, because the first move would win.
      const min = name === "in_a_row" ? 2 : 1;
      numbers[name] = Math.min(MAX_SIDE, Math.max(min, numbers[name] + by));
      setText(value, String(numbers[name]));
      check();
    };
    fields.append(
      h(
        "div",
        { class: "field" },
        h("span", null, text(name)),
        h(
          "div",
          { class: "stepper", role: "group", "aria-label": text(name) },
          h(
            "button",
            {
              type: "button",
              class: "icon-button",
              "aria-label": text("fewer", { what: text(name) }),
              onclick: step(-1),
            },
            icon("minus"),
          ),
          value,
          h(
            "button",
            {
              type: "button",
              class: "icon-button",
              "aria-label": text("more", { what: text(name) }),
              onclick: step(1),
            },
            icon("plus"),
          ),
        ),
      ),
    );
  }
  for (const flag of FLAGS) {
    const name = text(flag);
    fields.append(
      switchField(
        name.charAt(0).toUpperCase() + name.slice(1),
        false,
        (isOn) => {
          if (isOn) flags.add(flag);
          else flags.delete(flag);
          check();
        },
      ),
    );
  }
  for (const [name, rules] of Object.entries(NAMED_RULES)) {
    const onclick = () => {
      act({ type: "choose", choice: { rules } });
      act({ type: "show", screen: "home" });
    };
    named.append(
      h(
        "button",
        { type: "button", class: "game-card", onclick },
        namedPicture(name, rules),
        h("strong", null, text(`game_${name}`)),
        h("bdi", null, boardSize(rules)),
        h("span", { class: "detail" }, rulesLine(rules)),
      ),
    );
  }
  check();
  return { root, update() {} };
}
