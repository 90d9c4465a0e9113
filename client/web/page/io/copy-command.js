// Copies in a browser that denies the page access to the clipboard, for example
// at an address without https. It is loaded on demand, because few visitors
// need it.
import { h } from "../view/dom.js";

/**
 * Copies a text from the focused field if the field contains it, or else from a
 * temporary field.
 * @param {string} line
 * @returns {boolean} whether the text is in the clipboard
 */
export function copyByCommand(line) {
  const focused = document.activeElement;
  if (focused instanceof HTMLInputElement && focused.value === line)
    return document.execCommand("copy");
  const area = /** @type {HTMLTextAreaElement} */ (
    h("textarea", { class: "visually-hidden" })
  );
  area.value = line;
  // While a dialog is open, only elements in it can have the focus.
  (focused?.closest("dialog") ?? document.body).append(area);
  area.focus({ preventScroll: true });
  area.select();
  const isCopied = document.execCommand("copy");
  area.remove();
  if (focused instanceof HTMLElement) focused.focus({ preventScroll: true });
  return isCopied;
}
