// The settings.
import { LANGUAGES, currentLanguage, text } from "../i18n.js";
import { h, rebuild } from "../view/dom.js";
import { heading, switchField } from "../view/screen-parts.js";
import { segments } from "../view/segments.js";

/** @typedef {import("../core/model.js").Model} Model @typedef {(action: any) => void} Act */

/** @param {Act} act */
export function createSettings(act) {
  const body = h("div", { class: "stack" });
  const root = h(
    "div",
    { class: "narrow" },
    heading(text("settings"), act, { type: "back" }),
    body,
  );
  const change = (/** @type {any} */ settings) =>
    act({ type: "set-settings", settings });
  return {
    root,
    /** @param {Model} model */
    update(model) {
      rebuild(body, JSON.stringify([model.settings.theme, model.name]), () => {
        const { settings } = model;
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
            segments(
              "language",
              text("language"),
              Object.entries(LANGUAGES),
              currentLanguage(),
              (language) => change({ language }),
            ),
          ),
          h(
            "section",
            { class: "card" },
            h("h2", null, text("look")),
            segments(
              "theme",
              text("theme"),
              ["device", "light", "dark"].map((theme) => [
                theme,
                text(`theme_${theme}`),
              ]),
              settings.theme,
              (theme) => change({ theme }),
            ),
            segments(
              "contrast",
              text("contrast"),
              [
                ["device", text("theme_device")],
                ["normal", text("contrast_normal")],
                ["high", text("contrast_high")],
              ],
              settings.contrast,
              (contrast) => change({ contrast }),
            ),
            switchField(
              text("coordinates"),
              settings.coordinates,
              (coordinates) => change({ coordinates }),
            ),
            switchField(text("same_cell"), settings.sameCell, (sameCell) =>
              change({ sameCell }),
            ),
          ),
          h(
            "section",
            { class: "card" },
            h("h2", null, text("play")),
            segments(
              "confirm",
              text("confirm"),
              ["small", "always", "never"].map((value) => [
                value,
                text(`confirm_${value}`),
              ]),
              settings.confirm,
              (confirm) => change({ confirm }),
            ),
            switchField(
              text("clock_alerts"),
              settings.clockAlerts,
              (clockAlerts) => change({ clockAlerts }),
            ),
            switchField(text("show_phrases"), settings.phrases, (phrases) =>
              change({ phrases }),
            ),
            switchField(text("sounds"), settings.sounds, (sounds) =>
              change({ sounds }),
            ),
          ),
        ];
      });
    },
  };
}
