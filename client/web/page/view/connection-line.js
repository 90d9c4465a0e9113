// Describes a connection that is not online: the cause, and what the visitor
// can do.
import { OUTDATED_CODE } from "../core/wire-table.js";
import { text } from "../i18n.js";
import { button } from "./dom.js";

/** @typedef {(action: any) => void} Act */

/**
 * Texts for a connection that the server has ended for good, by close code. The
 * other codes are here, because the first screen does not need them.
 */
const FINAL_TEXTS = new Map([
  [OUTDATED_CODE, "outdated"],
  [4005, "server_closed"],
  [4006, "kicked"],
  [4007, "banned"],
]);

/**
 * Returns the text with the cause of a connection that is not online.
 * @param {import("../core/model.js").Connection} connection
 * @param {number} now
 */
export function connectionText(
  { state, code, retryAt, restarting, hasNetwork },
  now,
) {
  if (state === "replaced") return text("opened_elsewhere");
  if (state === "stopped")
    return text(FINAL_TEXTS.get(code) ?? "stopped", { code });
  if (!hasNetwork) return text("no_network");
  const n = Math.ceil((retryAt - now) / 1000);
  if (state !== "offline" || n <= 0) return text("reconnecting");
  return text(restarting ? "server_restarting" : "connection_lost", { n });
}

/**
 * Returns the button for a connection that is not online: what the visitor can
 * do.
 * @param {import("../core/model.js").Connection["state"]} state
 * @param {Act} act
 */
export const connectionButton = (state, act) =>
  state === "stopped"
    ? button(text("reload"), { onclick: () => location.reload() })
    : button(text(state === "replaced" ? "play_here" : "reconnect_now"), {
        onclick: () => act({ type: "reconnect" }),
      });
