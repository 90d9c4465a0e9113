// Parts that several screens share.
import { seekRequest } from "../core/requests.js";
import { text } from "../i18n.js";
import { button, h, icon } from "./dom.js";
import { gamePicture } from "./game-picture.js";
import { clockName, gameName } from "./labels.js";

/**
 * @typedef {import("../core/model.js").Model} Model
 * @typedef {(action: any) => void} Act
 */

/** @param {string} title @param {Act} act @param {any} action of the button that leads back */
export function heading(title, act, action) {
  return h("div", { class: "heading" },
    h("button", { type: "button", class: "icon-button", "aria-label": text("back"), onclick: () => act(action) }, icon("back")),
    h("h1", { tabindex: "-1" }, title));
}

/**
 * A strip of radio buttons.
 * @param {string} name
 * @param {string} label
 * @param {[string, string][]} options value and text
 * @param {string} value
 * @param {(value: string) => void} onChange
 */
export function segments(name, label, options, value, onChange) {
  const inputs = options.map(([option, shown]) => h("label", { class: "segment" },
    h("input", { type: "radio", name, value: option, checked: option === value, onchange: () => onChange(option) }),
    h("span", null, shown)));
  return h("fieldset", { class: "segments" }, h("legend", null, label), h("div", { class: "strip" }, ...inputs));
}

/** @param {string} label @param {boolean} value @param {(value: boolean) => void} onChange */
export function switchField(label, value, onChange) {
  const input = /** @type {HTMLInputElement} */ (h("input", { type: "checkbox", role: "switch", checked: value, class: "switch" }));
  input.addEventListener("change", () => onChange(input.checked));
  return h("label", { class: "field" }, h("span", null, label), input);
}

/** @param {import("../core/fold.js").Player} player */
export function playerName(player) {
  return h("span", { class: "name" }, h("bdi", null, player.name), player.kind === "bot" && h("span", { class: "tag" }, text("bot")));
}

/**
 * A row of the lobby.
 * @param {string} rules
 * @param {Node} title
 * @param {string} detail
 * @param {string} label
 * @param {string} spoken
 * @param {() => void} onPress
 */
export function lobbyRow(rules, title, detail, label, spoken, onPress) {
  return h("li", { class: "row" }, gamePicture(rules), h("div", { class: "row-text" }, title, h("span", { class: "detail" }, detail)),
    button(label, { class: "small", onclick: onPress, "aria-label": `${label}: ${spoken}` }));
}

/**
 * Rows of everybody who waits: open seeks and rooms with a free seat.
 * @param {Model} model
 * @param {Act} act
 */
export function waitingRows(model, act) {
  const seeks = model.lobby.seeks.map((seek) => {
    const seat = seek.seat === "X" ? "O" : seek.seat === "O" ? "X" : null;
    const request = seek.seek === undefined ? seekRequest({ rules: seek.rules, clock: seek.clock ?? null, seat }) : { type: "answer", seek: seek.seek };
    return { player: seek.player, rules: seek.rules, clock: seek.clock, request };
  });
  const rooms = model.lobby.rooms.filter((room) => room.phase === "waiting").map((room) => ({
    player: room.players.find(Boolean) ?? { name: room.room, kind: "human" }, rules: room.rules, clock: room.clock,
    request: { type: "join", room: room.room },
  }));
  return [...seeks, ...rooms].map(({ player, rules, clock, request }) => {
    const detail = `${gameName(rules)} · ${clockName(clock)}`;
    return lobbyRow(rules, playerName(player), detail, text("join"), `${player.name}, ${detail}`, () => act({ type: "enter", request }));
  });
}
