// The dialog with the identity of the visitor: as text and QR code, from another device, or forgotten. Loaded when it is opened.
import { text } from "../i18n.js";
import {
  forgetIdentity,
  importIdentity,
  ownIdentity,
  isStored,
  readIdentity,
} from "../io/own-identity.js";
import { button, h, setText } from "../view/dom.js";
import { qrPicture } from "../view/qr-picture.js";

/** @param {(action: any) => void} act */
export function openIdentityDialog(act) {
  const own = ownIdentity();
  const other = /** @type {HTMLInputElement} */ (
    h("input", {
      class: "input mono",
      id: "other-identity",
      maxlength: 64,
      autocomplete: "off",
      spellcheck: "false",
    })
  );
  const problem = h("p", { class: "detail", role: "alert" });
  const actions = h("div", { class: "two" });
  const close = () => root.close();
  /** A connection keeps the identity of its hello. */
  const finish = () => {
    close();
    act({ type: "toast", key: "identity_changed" });
  };

  /** @param {string} key text of the button @param {() => void} change needs no question if it loses no identity */
  function ask(key, change) {
    if (!isStored()) return change();
    setText(problem, text("identity_ask"));
    const cancel = button(text("cancel"), { type: "button", onclick: reset });
    const yes = button(text(key), {
      class: "danger",
      type: "button",
      onclick: change,
    });
    actions.replaceChildren(cancel, yes);
    cancel.focus();
  }

  function reset() {
    setText(problem, "");
    actions.replaceChildren(
      button(text("identity_forget"), {
        class: "danger",
        type: "button",
        onclick: () =>
          ask("identity_forget", () => {
            forgetIdentity();
            finish();
          }),
      }),
      h("button", { class: "button primary" }, text("identity_import")),
    );
  }

  const onsubmit = (/** @type {Event} */ event) => {
    event.preventDefault();
    const { master, isOwn } = readIdentity(other.value);
    if (master && isOwn) return close();
    if (master)
      return ask("identity_import", () => {
        if (importIdentity(master)) return finish();
        reset();
        setText(problem, text("identity_not_kept"));
      });
    reset();
    setText(problem, text("identity_wrong"));
    other.focus();
  };
  const root = /** @type {HTMLDialogElement} */ (
    h(
      "dialog",
      { class: "dialog", "aria-labelledby": "identity-title" },
      h("h2", { id: "identity-title" }, text("identity")),
      ...(own === null ? [h("p", null, text("identity_none"))] : ownParts(own)),
      h(
        "form",
        { class: "stack", onsubmit },
        h("label", { for: "other-identity" }, text("identity_other")),
        other,
        problem,
        actions,
      ),
      button(text("done"), { onclick: close, autofocus: true }),
    )
  );
  reset();
  root.addEventListener("close", () => root.remove());
  document.body.append(root);
  root.showModal();
}

/** @param {string} own the text of the identity */
function ownParts(own) {
  const shown = /** @type {HTMLInputElement} */ (
    h("input", {
      class: "input mono",
      id: "identity",
      readonly: true,
      value: own,
      onfocus: () => shown.select(),
    })
  );
  return [
    h("label", { for: "identity" }, text("identity_own")),
    shown,
    h("div", { class: "scan" }, qrPicture(own)),
  ];
}
