// The line below a screen that names a problem with the connection or shows a
// banner. The screen of a game shows it beside the board.
import { isLost } from "../core/model.js";
import { connectionButton, connectionText } from "./connection-line.js";
import { text } from "../i18n.js";
import { h, rebuild, setText } from "./dom.js";

/**
 * @param {HTMLElement} root
 * @param {(action: any) => void} act
 * @param {(line: string, isUrgent?: boolean) => void} announce
 */
export function createNotice(root, act, announce) {
  /** @param {import("../core/model.js").Model} model @param {boolean} isGame @param {number} now */
  return ({ connection, banner, screen }, isGame, now) => {
    const { state } = connection;
    const isAway = isLost(connection);
    const isShown = !isGame && (isAway || banner !== null);
    // The button stays during an attempt, because a new button would lose a
    // press that has begun.
    const problemState = state === "offline" ? "connecting" : state;
    const isAlone = isAway && screen === "home";
    const key = isShown ? `${isAway && problemState} ${isAlone}` : "";
    const line = h("span", null);
    const isNew = rebuild(root, key, () =>
      isShown
        ? [
            h(
              "strong",
              null,
              line,
              isAlone && h("span", { class: "detail" }, text("alone")),
            ),
            isAway ? connectionButton(state, act) : "",
          ]
        : [],
    );
    const shown = root.querySelector("strong > span");
    if (!shown) return;
    const problem = connectionText(connection, now);
    setText(shown, banner ? text(banner.key, banner.values) : problem);
    if (isNew && (state === "replaced" || state === "stopped"))
      announce(problem, true);
  };
}
