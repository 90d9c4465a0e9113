// Style sheets of screens that are loaded when they are needed.

const GAME_STYLE_URL = new URL("./game/game.css", import.meta.url).href;

/** @type {Promise<void> | null} */
let gameStyle = null;

/**
 * Loads the style of games and boards.
 * @returns {Promise<void>} fails if the file cannot be loaded
 */
export function loadGameStyle() {
  gameStyle ??= new Promise((resolve, reject) => {
    const link = document.createElement("link");
    link.rel = "stylesheet";
    link.href = GAME_STYLE_URL;
    link.addEventListener("load", () => resolve());
    link.addEventListener("error", () => {
      gameStyle = null;
      link.remove();
      reject(new Error(`cannot load ${GAME_STYLE_URL}`));
    });
    document.head.append(link);
  });
  return gameStyle;
}
