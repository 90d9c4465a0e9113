// Copying in a browser that denies the clipboard to the page, for example at an address without https. Few visitors need it: it is loaded
// on demand.
import { h } from "../view/dom.js";

/**
 * Copies a text from the field that has the focus, if the text stands there, or from a field that is there for the copy only.
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
  // Outside an open dialog, nothing can have the focus.
  (focused?.closest("dialog") ?? document.body).append(area);
  area.focus({ preventScroll: true });
  area.select();
  const isCopied = document.execCommand("copy");
  area.remove();
  if (focused instanceof HTMLElement) focused.focus({ preventScroll: true });
  return isCopied;
}
