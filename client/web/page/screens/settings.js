import { SETTINGS } from "../core/model.js";
import { LANGUAGES, currentLanguage, text } from "../i18n.js";
import { button, h, rebuild } from "../view/dom.js";
import { heading, switchField } from "../view/screen-parts.js";
import { segments } from "../view/segments.js";

/** @typedef {import("../core/model.js").Model} Model @typedef {(action: any) => void} Act */

/**
 * Texts of the help. A visitor of a server reads them without the project's
 * pages.
 */
const HELP = ["start", "board", "keys", "box", "games", "tabs"];

/** @param {Act} act */
export function createSettings(act) {
  const body = h("div", { class: "stack" });
  const root = h(
    "div",
    { class: "narrow" },
    heading(text("settings"), act, { type: "back" }),
    body,
  );
  const open = () =>
    import("./identity-dialog.js").then(
      ({ openIdentityDialog }) => openIdentityDialog(act),
      () => act({ type: "toast", key: "connection_lost_short" }),
    );
  const change = (/** @type {any} */ settings) =>
    act({ type: "set-settings", settings });
  /** @param {Model} model @param {"look" | "play"} card */
  const cardOf = ({ settings }, card) =>
    h(
      "section",
      { class: "card" },
      h("h2", null, text(card)),
      ...Object.entries(SETTINGS[card]).map(([name, values]) => {
        const value = settings[/** @type {keyof typeof settings} */ (name)];
        const onChange = (/** @type {any} */ chosen) =>
          change({ [name]: chosen });
        return typeof value === "boolean"
          ? switchField(text(name), value, onChange)
          : segments(
              name,
              text(name),
              values.map((/** @type {any} */ word) => [
                word,
                text(`${name}_${word}`),
              ]),
              value,
              onChange,
            );
      }),
    );
  return {
    root,
    /** @param {Model} model */
    update(model) {
      rebuild(body, JSON.stringify([model.settings.theme, model.name]), () => {
        const name = /** @type {HTMLInputElement} */ (
          h("input", {
            class: "input",
            id: "own-name",
            maxlength: 24,
            value: model.name,
            autocomplete: "nickname",
            onfocus: () => name.select(),
          })
        );
        name.addEventListener("change", () =>
          act({ type: "set-name", name: name.value }),
        );
        return [
          h(
            "section",
            { class: "card" },
            h("label", { for: "own-name" }, text("your_name")),
            name,
            h("p", { class: "detail" }, text("name_hint")),
            button(text("identity"), { id: "open-identity", onclick: open }),
            segments(
              "language",
              text("language"),
              Object.entries(LANGUAGES),
              currentLanguage(),
              (language) => change({ language }),
            ),
          ),
          cardOf(model, "look"),
          cardOf(model, "play"),
          h(
            "section",
            { class: "card", id: "help" },
            h("h2", null, text("help")),
            ...HELP.map((part) => h("p", null, text(`help_${part}`))),
          ),
        ];
      });
    },
  };
}
