// The other screens: own board, waiting, invitation, link, lobby, settings.
import { button, h, icon, rebuild, setText, show } from "./dom.js";
import { boardSize, clockName, createRequest, gameName, gamePicture, lobbyRow, playerName, rulesLine, segments, seekRequest, waitingRows } from "./home.js";
import { LANGUAGES, currentLanguage, text } from "./i18n.js";
import { countdownText } from "./clock.js";
import { CELLS_MAX, NAMED_RULES, RulesError, SIDE_MAX, parseRules } from "./rules.js";

/** @typedef {import("./model.js").Model} Model @typedef {(action: any) => void} Act */

/** @param {string} title @param {Act} act @param {any} action of the button that leads back */
function heading(title, act, action) {
  return h("div", { class: "heading" },
    h("button", { type: "button", class: "icon-button", "aria-label": text("back"), onclick: () => act(action) }, icon("back")),
    h("h1", { tabindex: "-1" }, title));
}

/** @param {Act} act */
export function createCustom(act) {
  const named = h("div", { class: "cards" });
  const fields = h("div", { class: "fields" });
  const note = h("p", { class: "hint", role: "status" });
  const use = button(text("use_board"), { class: "primary main", onclick: () => onUse() });
  const root = h("div", { class: "narrow" }, heading(text("more_games"), act, { type: "show", screen: "home" }), named,
    h("section", { class: "card" }, h("h2", null, text("own_board")), fields, note, use));
  /** sides and line, then flags */
  const numbers = { columns: 8, rows: 8, layers: 1, w_layers: 1, in_a_row: 4 };
  const flags = { gravity: false, misere: false, exact: false };
  const rulesText = () => {
    const sides = [numbers.columns, numbers.rows, numbers.layers, numbers.w_layers];
    while (sides.length > 2 && sides.at(-1) === 1) sides.pop();
    return `${sides.join("x")}:${numbers.in_a_row}${Object.entries(flags).filter(([, isOn]) => isOn).map(([flag]) => `+${flag}`).join("")}`;
  };
  const problem = () => {
    try {
      parseRules(rulesText());
      return null;
    } catch (error) {
      return error instanceof RulesError ? error.reason : "other";
    }
  };
  const onUse = () => {
    if (problem() !== null) return;
    act({ type: "choose", choice: { rules: parseRules(rulesText()).text } });
    act({ type: "show", screen: "home" });
  };
  const check = () => {
    const reason = problem();
    const key = reason === "cells" ? "rules_cells" : reason === "line" ? "rules_line" : reason === "gravity" ? "rules_gravity" : "rules_other";
    const line = reason === null ? `${rulesText()} · ${rulesLine(rulesText())}` : text(key, { n: reason === "cells" ? CELLS_MAX : numbers.in_a_row });
    setText(note, line);
    use.setAttribute("aria-disabled", String(reason !== null));
  };
  for (const name of /** @type {(keyof typeof numbers)[]} */ (Object.keys(numbers))) {
    const value = h("output", null, String(numbers[name]));
    const step = (/** @type {number} */ by) => () => {
      numbers[name] = Math.min(SIDE_MAX, Math.max(1, numbers[name] + by));
      setText(value, String(numbers[name]));
      check();
    };
    fields.append(h("div", { class: "field" }, h("span", null, text(name)), h("div", { class: "stepper", role: "group", "aria-label": text(name) },
      h("button", { type: "button", class: "icon-button", "aria-label": text("fewer", { what: text(name) }), onclick: step(-1) }, icon("minus")), value,
      h("button", { type: "button", class: "icon-button", "aria-label": text("more", { what: text(name) }), onclick: step(1) }, icon("plus")))));
  }
  for (const flag of /** @type {(keyof typeof flags)[]} */ (Object.keys(flags))) {
    fields.append(switchField(text(flag), false, (isOn) => {
      flags[flag] = isOn;
      check();
    }));
  }
  for (const [name, rules] of Object.entries(NAMED_RULES)) {
    const onclick = () => {
      act({ type: "choose", choice: { rules } });
      act({ type: "show", screen: "home" });
    };
    named.append(h("button", { type: "button", class: "game-card", onclick }, gamePicture(rules), h("strong", null, text(`game_${name}`)), h("bdi", null, boardSize(rules))));
  }
  check();
  return { root, update() {} };
}

/** @param {string} label @param {boolean} value @param {(value: boolean) => void} onChange */
function switchField(label, value, onChange) {
  const input = /** @type {HTMLInputElement} */ (h("input", { type: "checkbox", role: "switch", checked: value, class: "switch" }));
  input.addEventListener("change", () => onChange(input.checked));
  return h("label", { class: "field" }, h("span", null, label), input);
}

/** @param {Act} act @param {() => number} now */
export function createLooking(act, now) {
  const detail = h("p", { class: "detail" });
  const time = h("span", { class: "elapsed", "aria-hidden": "true" });
  const picture = h("div", { class: "looking-picture" });
  const rows = h("ul", { class: "rows" });
  const waiting = h("section", { class: "card" }, h("h2", null, text("waiting_others")), rows);
  /** @type {Model} */
  let current;
  const root = h("div", { class: "narrow" }, heading(text("looking"), act, { type: "cancel" }),
    h("section", { class: "card centered" }, picture, detail, h("p", { class: "waiting" }, h("span", { class: "dot reconnecting", "aria-hidden": "true" }), time),
      h("div", { class: "two" }, button(text("invite_instead"), { onclick: () => current.wanted || current.isSeeking ? act({ type: "enter", request: createRequest(current.choice, false) }) : null }, icon("link")),
        button(text("cancel"), { onclick: () => act({ type: "cancel" }) }))), waiting);
  return {
    root,
    /** @param {Model} model */
    update(model) {
      current = model;
      const request = model.wanted?.type === "seek" ? model.wanted : model.choice;
      rebuild(picture, request.rules, () => [gamePicture(request.rules)]);
      setText(detail, `${gameName(request.rules)} · ${clockName(request.clock)}`);
      const others = { ...model, lobby: { ...model.lobby, seeks: model.lobby.seeks.filter((seek) => seek.player.name !== model.name) } };
      const found = waitingRows(others, act);
      show(waiting, found.length > 0);
      rebuild(rows, JSON.stringify([others.lobby.seeks, others.lobby.rooms.filter((room) => room.phase === "waiting")]), () => found);
    },
    tick() {
      if (current) setText(time, countdownText(now() - current.wantedAt));
    },
  };
}

/** The own room while the other seat is free. @param {Act} act */
export function createInvitation(act) {
  const detail = h("p", { class: "detail" });
  const link = /** @type {HTMLInputElement} */ (h("input", { class: "input", readonly: true, id: "link", onfocus: () => link.select() }));
  const code = h("output", { class: "code" });
  const share = button(text("share"), { onclick: () => act({ type: "share", url: link.value }) }, icon("share"));
  const privately = h("div", { class: "stack" },
    h("section", { class: "card" }, h("label", { for: "link" }, text("send_link")), link,
      h("div", { class: "two" }, button(text("copy_link"), { class: "primary", onclick: () => act({ type: "copy-link", input: link }) }, icon("copy")), share),
      h("p", { class: "detail" }, text("link_hint"))),
    h("section", { class: "card" }, h("p", { class: "label" }, text("or_code")), code));
  const publicly = h("section", { class: "card" }, h("p", null, text("public_room_hint")));
  const waiting = h("span", null);
  show(share, "share" in navigator);
  const root = h("div", { class: "narrow" }, heading(text("invite_friend"), act, { type: "leave" }), detail, privately, publicly,
    h("p", { class: "waiting" }, h("span", { class: "dot reconnecting", "aria-hidden": "true" }), waiting),
    button(text("cancel"), { onclick: () => act({ type: "leave" }) }));
  return {
    root,
    /** @param {Model} model */
    update(model) {
      const { room } = model;
      const state = room?.state;
      if (!room || !state) return;
      setText(detail, [gameName(state.rules), clockName(state.clock), room.seat && text("you_play", { mark: room.seat })].filter(Boolean).join(" · "));
      show(privately, room.code !== null);
      show(publicly, room.code === null);
      const url = `${location.origin}/#${room.code ?? ""}`;
      if (link.value !== url) link.value = url;
      setText(code, room.code ?? "");
      setText(waiting, model.connection.state === "online" ? text(room.code ? "waiting_friend" : "waiting_opponent") : text("reconnecting"));
    },
  };
}

/** @param {Act} act */
export function createLink(act) {
  const input = /** @type {HTMLInputElement} */ (h("input", { class: "input", id: "name", maxlength: 24, autocomplete: "nickname" }));
  const field = h("div", { class: "stack-small" }, h("label", { for: "name" }, text("your_name")), input, h("p", { class: "detail" }, text("name_hint")));
  /** @type {Model} */
  let current;
  const onsubmit = (/** @type {Event} */ event) => {
    event.preventDefault();
    const request = { type: "join", room: current.linkCode };
    act({ type: "dialog", dialog: { kind: "name", next: request } });
    act({ type: "set-name", name: input.value });
  };
  const root = h("form", { class: "narrow", onsubmit }, h("h1", { tabindex: "-1" }, text("invited")),
    h("section", { class: "card" }, field, h("button", { class: "button primary main" }, text("join_game")), h("p", { class: "detail" }, text("invitation_hint"))));
  return {
    root,
    /** @param {Model} model */
    update(model) {
      if (current === undefined) input.value = model.name;
      current = model;
    },
  };
}

/** @param {Act} act */
export function createLobby(act) {
  const open = button(text("open_room"), { onclick: () => act({ type: "enter", request: createRequest(current.choice, true) }) }, icon("plus"));
  const waitingList = h("ul", { class: "rows" });
  const gameList = h("ul", { class: "rows" });
  const notice = h("p", { class: "banner-line", role: "status" });
  const nobody = h("p", { class: "detail" }, text("nobody"));
  const noGames = h("p", { class: "detail" }, text("no_games"));
  const code = /** @type {HTMLInputElement} */ (h("input", { class: "input", id: "code", maxlength: 20, autocomplete: "off", autocapitalize: "off", spellcheck: "false", placeholder: "fcem-t8v0-x1sh" }));
  const onsubmit = (/** @type {Event} */ event) => {
    event.preventDefault();
    if (code.value.trim()) act({ type: "enter", request: { type: "join", room: code.value.trim() } });
  };
  const root = h("div", { class: "narrow wide" }, h("div", { class: "heading spread" }, h("h1", { tabindex: "-1" }, text("lobby")), open), notice,
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

/** @param {Act} act */
export function createSettings(act) {
  const body = h("div", { class: "stack" });
  const root = h("div", { class: "narrow" }, heading(text("settings"), act, { type: "show", screen: "home" }), body);
  const change = (/** @type {any} */ settings) => act({ type: "set-settings", settings });
  return {
    root,
    /** @param {Model} model */
    update(model) {
      rebuild(body, JSON.stringify([model.settings.theme, model.name]), () => {
        const { settings } = model;
        const name = /** @type {HTMLInputElement} */ (h("input", { class: "input", id: "own-name", maxlength: 24, value: model.name, autocomplete: "nickname" }));
        name.addEventListener("change", () => act({ type: "set-name", name: name.value }));
        return [
          h("section", { class: "card" }, h("label", { for: "own-name" }, text("your_name")), name, h("p", { class: "detail" }, text("name_hint")),
            segments("language", text("language"), Object.entries(LANGUAGES), currentLanguage(), (language) => change({ language }))),
          h("section", { class: "card" }, h("h2", null, text("look")),
            segments("theme", text("theme"), ["device", "light", "dark"].map((theme) => [theme, text(`theme_${theme}`)]), settings.theme, (theme) => change({ theme })),
            segments("contrast", text("contrast"), ["normal", "high"].map((value) => [value, text(`contrast_${value}`)]), settings.contrast, (contrast) => change({ contrast })),
            switchField(text("coordinates"), settings.coordinates, (coordinates) => change({ coordinates })),
            switchField(text("same_cell"), settings.sameCell, (sameCell) => change({ sameCell }))),
          h("section", { class: "card" }, h("h2", null, text("play")),
            segments("confirm", text("confirm"), ["small", "always", "never"].map((value) => [value, text(`confirm_${value}`)]), settings.confirm, (confirm) => change({ confirm })),
            switchField(text("clock_alerts"), settings.clockAlerts, (clockAlerts) => change({ clockAlerts }))),
        ];
      });
    },
  };
}
