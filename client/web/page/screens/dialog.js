// Questions to the visitor: whether to leave, and the name.
import { text } from "../i18n.js";
import { button, h, rebuild } from "../view/dom.js";

/**
 * @typedef {import("../core/model.js").Model} Model
 * @typedef {(action: any) => void} Act
 */

/**
 * Creates the dialog that the model requires.
 * @param {Act} act
 */
export function createDialog(act) {
  const root = /** @type {HTMLDialogElement} */ (
    h("dialog", { class: "dialog", "aria-labelledby": "dialog-title" })
  );
  const close = () => act({ type: "dialog", dialog: null });
  root.addEventListener("close", () => !root.open && close());

  /** @param {Model} model */
  function update(model) {
    if (
      !model.dialog ||
      (model.dialog.kind === "name" &&
        model.dialog.next?.type === "join" &&
        model.screen === "link")
    ) {
      if (root.open) root.close();
      // The next dialog of this kind starts afresh.
      rebuild(root, "", () => []);
      return;
    }
    const { kind, next, error } = model.dialog;
    const state = model.room?.state;
    rebuild(root, JSON.stringify([kind, next, error, model.room?.id]), () => {
      const onLeave = () => act({ type: "leave", then: next });
      if (kind === "leave" && state?.phase === "waiting")
        return question(
          "close_room_question",
          text("close_room_hint"),
          "stay",
          close,
          "leave",
          onLeave,
        );
      if (kind === "leave")
        return question(
          "leave_question",
          text("leave_hint"),
          "keep_playing",
          close,
          "leave",
          onLeave,
        );
      const input = /** @type {HTMLInputElement} */ (
        h("input", {
          class: "input",
          id: "dialog-name",
          maxlength: 24,
          value: model.name,
          autocomplete: "nickname",
          onfocus: () => input.select(),
        })
      );
      const onsubmit = (/** @type {Event} */ event) => {
        event.preventDefault();
        if (input.value.trim()) act({ type: "set-name", name: input.value });
        else input.focus();
      };
      return [
        h(
          "form",
          { class: "stack", onsubmit },
          h(
            "h2",
            { id: "dialog-title" },
            h("label", { for: "dialog-name" }, text("your_name")),
          ),
          input,
          h(
            "p",
            { class: "detail", role: error ? "alert" : null },
            text(error ?? "name_hint"),
          ),
          h(
            "div",
            { class: "two" },
            button(text("cancel"), { onclick: close }),
            h(
              "button",
              { class: "button primary" },
              text(next ? "play" : "done"),
            ),
          ),
        ),
      ];
    });
    if (!root.open) root.showModal();
  }

  return { root, update };
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
  return [
    h("h2", { id: "dialog-title" }, text(title)),
    h("p", { class: "detail" }, detail),
    h(
      "div",
      { class: "two" },
      button(text(no), { onclick: onNo, autofocus: true }),
      button(text(yes), { class: "danger", onclick: onYes }),
    ),
  ];
}
