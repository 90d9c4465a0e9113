// The lobby: open seeks, rooms and games.
import { routeOfInput } from "../io/history.js";
import { createRequest } from "../core/seek-and-create.js";
import { text } from "../i18n.js";
import { button, h, icon, setText } from "../view/dom.js";
import {
  countsLine,
  createGamesList,
  createWaitingList,
  gameEntries,
  waitingEntries,
} from "../view/lobby-lists.js";
import {
  botButton,
  inviteButton,
  nobody,
  replayButton,
} from "../view/nobody.js";

/** @typedef {import("../core/model.js").Model} Model @typedef {(action: any) => void} Act */

const EXAMPLE_CODE = "fcem-t8v0-x1sh";

/** @param {Act} act @param {() => number} now */
export function createLobby(act, now) {
  const open = button(
    text("open_room"),
    {
      onclick: () =>
        act({ type: "enter", request: createRequest(current.choice, true) }),
    },
    icon("plus"),
  );
  const waiting = createWaitingList(
    nobody(
      text("nobody"),
      "3x3:3",
      inviteButton(act, () => current.choice),
      botButton(act),
    ),
    now,
  );
  const games = createGamesList(
    nobody(text("no_games"), "7x6:4+gravity", replayButton(act)),
    now,
  );
  const counts = h("p", { class: "detail reserved" });
  const code = /** @type {HTMLInputElement} */ (
    h("input", {
      class: "input mono",
      id: "code",
      autocomplete: "off",
      autocapitalize: "off",
      spellcheck: "false",
      placeholder: EXAMPLE_CODE,
    })
  );
  const onsubmit = (/** @type {Event} */ event) => {
    event.preventDefault();
    if (!code.value.trim()) return code.focus();
    const { code: seat, room: watched } = routeOfInput(code.value);
    const room = seat ?? watched;
    setText(note, room ? "" : text("not_code", { code: EXAMPLE_CODE }));
    const type = seat ? "join" : "watch";
    if (room) act({ type: "enter", request: { type, room } });
    else code.focus();
  };
  const note = h("p", { class: "detail", role: "alert" });
  const byCode = h(
    "form",
    { class: "stack-small", onsubmit },
    h("label", { for: "code" }, text("code")),
    h(
      "div",
      { class: "inline" },
      code,
      h("button", { class: "button" }, text("join_code")),
    ),
    note,
  );
  const root = h(
    "div",
    { class: "narrow wide" },
    h(
      "div",
      { class: "heading spread" },
      h("h1", { tabindex: "-1" }, text("lobby")),
      open,
    ),
    counts,
    h(
      "div",
      { class: "columns" },
      h(
        "section",
        { class: "card first-list" },
        h("h2", null, text("waiting_for_opponent")),
        waiting.root,
      ),
      h(
        "section",
        { class: "card" },
        h("h2", null, text("games_in_play")),
        games.root,
      ),
    ),
    h("section", { class: "card" }, byCode),
  );
  /** @type {Model} */
  let current;
  return {
    root,
    /** @param {Model} model */
    update(model) {
      current = model;
      waiting.update(waitingEntries(model.lobby, act));
      games.update(gameEntries(model.lobby, act));
      setText(counts, countsLine(model));
      // Without a connection, the page does not know who is waiting or playing.
      const isOnline = model.connection.state === "online";
      for (const [list, none] of /** @type {const} */ ([
        [waiting, "nobody"],
        [games, "no_games"],
      ]))
        setText(
          /** @type {Element} */ (list.none.querySelector("p")),
          text(isOnline ? none : "lists_offline"),
        );
    },
    tick() {
      waiting.draw();
      games.draw();
    },
  };
}
