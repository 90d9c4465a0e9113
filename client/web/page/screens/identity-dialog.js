// The dialog with the identity of the visitor: as text and QR code, from another device, or forgotten. Loaded when it is opened.
import { text } from "../i18n.js";
import {
  forgetIdentity,
  importIdentity,
  ownIdentity,
  isStored,
  readIdentity,
} from "../io/own-identity.js";
import { copyText } from "../io/clipboard.js";
import { button, h, setAttribute, setText } from "../view/dom.js";
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
      oninput: () => showImport(),
    })
  );
  const problem = h("p", { class: "detail", role: "alert" });
  const actions = h("div", { class: "two" });
  const forget = h("div", { class: "stack" });
  const importing = h(
    "button",
    { class: "button primary" },
    text("identity_import"),
  );
  const showImport = () =>
    setAttribute(
      importing,
      "aria-disabled",
      other.value.trim() ? null : "true",
    );
  const close = () => root.close();
  /**
   * Closes the dialog, and reports the change. It applies after a reload, because a connection
   * keeps the identity of its hello.
   */
  const finish = () => {
    close();
    act({ type: "toast", key: "identity_changed" });
  };

  /** @param {HTMLElement} place of the question @param {string} key text of the button @param {() => void} change needs no question if it loses no identity */
  function ask(place, key, change) {
    if (!isStored()) return change();
    reset();
    const cancel = button(text("cancel"), { type: "button", onclick: reset });
    const yes = button(text(key), {
      class: "danger",
      type: "button",
      onclick: change,
    });
    place.replaceChildren(
      h("p", { class: "detail", role: "alert" }, text("identity_ask")),
      h("div", { class: "two" }, cancel, yes),
    );
    cancel.focus();
  }

  /** Shows the buttons instead of a question. */
  function reset() {
    setText(problem, "");
    showImport();
    actions.replaceChildren(importing);
    forget.replaceChildren(
      button(text("identity_forget"), {
        class: "danger",
        onclick: () =>
          ask(forget, "identity_forget", () => {
            forgetIdentity();
            finish();
          }),
      }),
    );
  }

  const onsubmit = (/** @type {Event} */ event) => {
    event.preventDefault();
    if (!other.value.trim()) return other.focus();
    const { master, isOwn } = readIdentity(other.value);
    if (master && isOwn) return close();
    if (master)
      return ask(actions, "identity_import", () => {
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
      h("h2", { id: "identity-title" }, text("identity_title")),
      h(
        "section",
        { class: "stack" },
        h("h3", null, text("identity_here")),
        ...(own === null
          ? [h("p", null, text("identity_none"))]
          : ownParts(own)),
        forget,
      ),
      h(
        "form",
        { class: "stack", onsubmit },
        h("h3", null, text("identity_there")),
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
  const copy = button(text("identity_copy"), {
    class: "small",
    onclick: async () => {
      const isCopied = await copyText(own);
      if (!isCopied) shown.focus();
      setText(
        /** @type {Element} */ (copy.lastElementChild),
        text(isCopied ? "identity_copied" : "link_selected"),
      );
    },
  });
  return [
    h("label", { for: "identity" }, text("identity_own")),
    h("div", { class: "inline" }, shown, copy),
    h("div", { class: "scan" }, qrPicture(own)),
  ];
}
