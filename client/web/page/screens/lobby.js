// The lobby: open seeks, rooms and games.
import { createRequest } from "../core/requests.js";
import { text } from "../i18n.js";
import { button, h, icon, rebuild, setText, show } from "../view/dom.js";
import { countsLine, gameName } from "../view/labels.js";
import { lobbyRow, waitingRows } from "../view/parts.js";

/** @typedef {import("../core/model.js").Model} Model @typedef {(action: any) => void} Act */

/** @param {Act} act */
export function createLobby(act) {
  const open = button(text("open_room"), { onclick: () => act({ type: "enter", request: createRequest(current.choice, true) }) }, icon("plus"));
  const waitingList = h("ul", { class: "rows" });
  const gameList = h("ul", { class: "rows" });
  const notice = h("p", { class: "banner-line", role: "status" });
  const counts = h("p", { class: "detail" });
  const nobody = h("p", { class: "detail" }, text("nobody"));
  const noGames = h("p", { class: "detail" }, text("no_games"));
  const code = /** @type {HTMLInputElement} */ (h("input", { class: "input", id: "code", maxlength: 20, autocomplete: "off", autocapitalize: "off", spellcheck: "false", placeholder: "fcem-t8v0-x1sh" }));
  const onsubmit = (/** @type {Event} */ event) => {
    event.preventDefault();
    if (code.value.trim()) act({ type: "enter", request: { type: "join", room: code.value.trim() } });
  };
  const root = h("div", { class: "narrow wide" }, h("div", { class: "heading spread" }, h("h1", { tabindex: "-1" }, text("lobby")), open), counts, notice,
    h("div", { class: "columns" }, h("section", { class: "card" }, h("h2", null, text("waiting_for_opponent")), nobody, waitingList),
      h("section", { class: "card" }, h("h2", null, text("games_in_play")), noGames, gameList),
      h("section", { class: "card" }, h("form", { class: "stack-small", onsubmit }, h("label", { for: "code" }, text("join_code")), h("div", { class: "inline" }, code, h("button", { class: "button" }, text("join")))))));
  /** @type {Model} */
  let current;
  return {
    root,
    /** @param {Model} model */
    update(model) {
      current = model;
      const { rooms, seeks } = model.lobby;
      show(counts, model.lobby.counts !== null);
      setText(counts, countsLine(model.lobby.counts));
      const found = waitingRows(model, act);
      rebuild(waitingList, JSON.stringify([seeks, rooms.filter((room) => room.phase === "waiting")]), () => found);
      show(nobody, found.length === 0);
      const games = rooms.filter((room) => room.phase === "playing" && room.players.every(Boolean));
      rebuild(gameList, JSON.stringify(games), () => games.map((room) => {
        const [x, o] = room.players;
        const title = h("span", { class: "name" }, h("bdi", null, x.name), " – ", h("bdi", null, o.name));
        const detail = `${gameName(room.rules)} · ${text("move_n", { n: room.moves })} · ${room.watching ? text("spectators", { n: room.watching }) : text("no_spectators")}`;
        return lobbyRow(room.rules, title, detail, text("watch"), `${x.name} – ${o.name}`, () => act({ type: "enter", request: { type: "watch", room: room.room } }));
      }));
      show(noGames, games.length === 0);
      setText(notice, model.banner ? text(model.banner.key, model.banner.values) : "");
    },
  };
}
