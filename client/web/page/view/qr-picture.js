// The picture of a QR code.
import { qrCode } from "../core/qr-code.js";
import { svg } from "./dom.js";

/** Light modules around a QR code. */
const QUIET_MODULES = 4;

/** @param {string} text @returns {SVGElement | null} its QR code; null if the text is too long */
export function qrPicture(text) {
  const modules = qrCode(text);
  if (!modules) return null;
  const side = modules.length + 2 * QUIET_MODULES;
  const dark = modules
    .flatMap((row, y) =>
      row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : "")),
    )
    .join("");
  return svg(
    "svg",
    {
      class: "qr",
      viewBox: `${-QUIET_MODULES} ${-QUIET_MODULES} ${side} ${side}`,
      "aria-hidden": "true",
    },
    svg("path", { d: dark }),
  );
}
