// The tag behind the name of a player with an identity.
import { h } from "./dom.js";

const TAG_DIGITS = 6;

/** @param {{ identity?: string } | null | undefined} player @returns {HTMLElement[]} nothing for a guest */
export const identityTag = (player) =>
  player?.identity
    ? [
        h(
          "small",
          { class: "identity" },
          `·${player.identity.slice(0, TAG_DIGITS)}`,
        ),
      ]
    : [];
