// Questions to the visitor: resign, leave, name.
import { text } from "../i18n.js";
import { button, h, rebuild, setAttribute } from "./dom.js";

/**
 * @typedef {import("../core/model.js").Model} Model
 * @typedef {(action: any) => void} Act
 */

/** @type {typeof import("../game/phrases.js").phraseButtons | null} */
let phraseButtonsLoaded = null;

/** @param {Model} model @param {Act} act loads the phrases, and draws the dialog again */
function loadPhrases(model, act) {
  import("../game/phrases.js").then((module) => {
    phraseButtonsLoaded = module.phraseButtons;
    act({ type: "dialog", dialog: model.dialog });
  }, () => act({ type: "dialog", dialog: null }));
}

/**
 * Shows or closes the dialog that the model asks for.
 * @param {HTMLDialogElement} dialog
 * @param {Model} model
 * @param {Act} act
 */
export function updateDialog(dialog, model, act) {
  if (!model.dialog || (model.dialog.kind === "name" && model.dialog.next?.type === "join" && model.screen === "link")) {
    if (dialog.open) dialog.close();
    return;
  }
  const { kind, next } = model.dialog;
  if (kind === "phrases" && !phraseButtonsLoaded) return loadPhrases(model, act);
  const close = () => act({ type: "dialog", dialog: null });
  const state = model.room?.state;
  const opponent = state?.players[model.room?.seat === "X" ? 1 : 0]?.name ?? "";
  rebuild(dialog, `${kind} ${JSON.stringify(next ?? null)}`, () => {
    if (kind === "resign") return question("resign_question", text("resign_hint", { name: opponent }), "keep_playing", close, "resign", () => act({ type: "command", request: { type: "resign" } }));
    if (kind === "phrases" && phraseButtonsLoaded) return phraseButtonsLoaded(act, opponent, model.room?.isMuted ?? false);
    if (kind === "leave") return question("leave_question", text("leave_hint"), "stay", close, "leave", () => act({ type: "leave", then: next }));
    const input = /** @type {HTMLInputElement} */ (h("input", { class: "input", id: "dialog-name", maxlength: 24, autocomplete: "nickname" }));
    const onsubmit = (/** @type {Event} */ event) => {
      event.preventDefault();
      if (input.value.trim()) act({ type: "set-name", name: input.value });
      else input.focus();
    };
    return [h("form", { class: "stack", onsubmit }, h("h2", { id: "dialog-title" }, h("label", { for: "dialog-name" }, text("your_name"))), input,
      h("p", { class: "detail" }, text("name_hint")),
      h("div", { class: "two" }, button(text("cancel"), { onclick: close }), h("button", { class: "button primary" }, text("play"))))];
  });
  setAttribute(dialog, "aria-labelledby", "dialog-title");
  if (!dialog.open) dialog.showModal();
}

/**
 * @param {string} title
 * @param {string} detail
 * @param {string} no
 * @param {() => void} onNo
 * @param {string} yes
 * @param {() => void} onYes
 */
function question(title, detail, no, onNo, yes, onYes) {
  return [h("h2", { id: "dialog-title" }, text(title)), h("p", { class: "detail" }, detail),
    h("div", { class: "two" }, button(text(no), { onclick: onNo, autofocus: true }), button(text(yes), { class: "danger", onclick: onYes }))];
}
