// Style sheets that are loaded only when a screen needs them.

export const STYLE_URLS = Object.freeze({
  screens: new URL("./screens/screens.css", import.meta.url).href,
  game: new URL("./game/game.css", import.meta.url).href,
  watch: new URL("./watch/watch.css", import.meta.url).href,
});

/** @type {Map<string, Promise<void>>} */
const styleLoads = new Map();

/**
 * Loads a style sheet.
 * @param {keyof typeof STYLE_URLS} name
 * @returns {Promise<void>} rejects if the file cannot be loaded
 */
export function loadStyle(name) {
  const known = styleLoads.get(name);
  if (known) return known;
  const load = new Promise(
    (/** @type {(value: void) => void} */ resolve, reject) => {
      const link = document.createElement("link");
      link.rel = "stylesheet";
      link.href = STYLE_URLS[name];
      link.addEventListener("load", () => resolve());
      link.addEventListener("error", () => {
        styleLoads.delete(name);
        link.remove();
        reject(new Error(`cannot load ${link.href}`));
      });
      document.head.append(link);
    },
  );
  styleLoads.set(name, load);
  return load;
}
