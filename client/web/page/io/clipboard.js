// Copies to the clipboard. A browser lets a page do this only in a secure context.

/**
 * Copies a text.
 * @param {string} line
 * @returns {Promise<boolean>} whether the text is in the clipboard
 */
export async function copyText(line) {
  try {
    await navigator.clipboard.writeText(line);
    return true;
  } catch {
    return import("./copy-command.js").then(
      ({ copyByCommand }) => copyByCommand(line),
      () => false,
    );
  }
}
