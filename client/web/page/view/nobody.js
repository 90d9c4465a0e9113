// Suggestions in place of an empty list of players or games: what the visitor can do alone.
import { createRequest } from "../core/seek-and-create.js";
import { text } from "../i18n.js";
import { button, h, icon } from "./dom.js";
import { gamePicture } from "./game-picture.js";

/** @typedef {(action: any) => void} Act */

/**
 * @param {Act} act
 * @param {() => import("../core/model.js").Choice} choice returns the
 *   visitor's choice when the button is pressed
 */
export const inviteButton = (act, choice) =>
  button(
    text("invite_friend"),
    {
      class: "small",
      onclick: () =>
        act({ type: "enter", request: createRequest(choice(), false) }),
    },
    icon("link"),
  );

/** @param {Act} act */
export const botButton = (act) =>
  button(
    text("play_bot"),
    { class: "small", onclick: () => act({ type: "show", screen: "bot" }) },
    icon("bot"),
  );

/** @param {Act} act */
export const replayButton = (act) =>
  button(
    text("replay"),
    { class: "plain", onclick: () => act({ type: "show", screen: "replay" }) },
    icon("list"),
  );

/** @param {string} line @param {string} rules of the drawing @param {HTMLElement[]} buttons */
export const nobody = (line, rules, ...buttons) =>
  h(
    "div",
    { class: "nobody" },
    h("div", { class: "squared" }, gamePicture(rules)),
    h("p", { class: "detail" }, line),
    h("div", null, ...buttons),
  );
