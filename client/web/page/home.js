// The first screen: games, clock, and ways to find an opponent. Also the drawings of the games.
import { button, h, icon, mark, rebuild, setAttribute, setText, show, svg } from "./dom.js";
import { text } from "./i18n.js";
import { CLOCKS } from "./model.js";
import { NAMED_RULES, boardStyle, parseRules } from "./rules.js";

/**
 * @typedef {import("./model.js").Model} Model
 * @typedef {(action: any) => void} Act
 */

const HOME_GAMES = Object.freeze(["tictactoe", "connect4", "gomoku", "qubic", "tesseract"]);

/** @param {string} rules the name of a game, as a player reads it */
export function gameName(rules) {
  const named = Object.entries(NAMED_RULES).find(([, known]) => known === rules);
  return named ? text(`game_${named[0]}`) : rules;
}

/** @param {string} rules the size of its board */
export function boardSize(rules) {
  return parseRules(rules).sides.join(" × ");
}

/** @param {string} rulesText one line on how the game is won */
export function rulesLine(rulesText) {
  const rules = parseRules(rulesText);
  const parts = [text(rules.misere ? "line_loses" : "line_wins", { n: rules.line })];
  if (rules.exact) parts.push(text("exact"));
  if (rules.gravity) parts.push(text("marks_fall"));
  return parts.join(" · ");
}

/** @param {string | null | undefined} clock */
export const clockName = (clock) => clock ?? text("without_clock");

/** Marks on the drawings, as `[x, y]` of X and of O. */
const SAMPLES = Object.freeze({
  open: [[[2, 0], [1, 1]], [[0, 0], [1, 2]]],
  rack: [[[3, 3], [4, 4], [3, 5], [4, 5]], [[2, 4], [3, 4], [2, 5], [5, 5]]],
  dense: [[[3, 3], [5, 4], [6, 5], [4, 5], [3, 6]], [[4, 3], [5, 3], [6, 3], [6, 4], [7, 6]]],
});

/**
 * Draws a game in a square of 72.
 * @param {string} rulesText
 */
export function gamePicture(rulesText) {
  const rules = parseRules(rulesText);
  const picture = svg("svg", { class: "picture", viewBox: "0 0 72 72", "aria-hidden": "true" });
  const put = (/** @type {"x" | "o"} */ seat, /** @type {number} */ cx, /** @type {number} */ cy, /** @type {number} */ r, scaleY = 1) => {
    const shape = seat === "x"
      ? svg("path", { d: `M${cx - r} ${cy - r * scaleY}L${cx + r} ${cy + r * scaleY}M${cx + r} ${cy - r * scaleY}L${cx - r} ${cy + r * scaleY}` })
      : svg("ellipse", { cx, cy, rx: r, ry: r * scaleY });
    shape.setAttribute("class", seat);
    shape.setAttribute("stroke-width", String(Math.max(1.4, r / 2.6)));
    picture.append(shape);
  };
  const path = (/** @type {string} */ d, /** @type {string} */ name) => picture.append(svg("path", { d, class: name }));
  if (rules.layers > 1) {
    drawLayers(rules.sides.length === 4, path, put);
    return picture;
  }
  const style = boardStyle(rules);
  const [xs = [], os = []] = SAMPLES[style];
  if (style === "open") {
    path("M26 6V66M46 6V66M6 26H66M6 46H66", "ink");
    for (const [x = 0, y = 0] of xs) put("x", 16 + x * 20, 16 + y * 20, 7);
    for (const [x = 0, y = 0] of os) put("o", 16 + x * 20, 16 + y * 20, 7.5);
  } else if (style === "rack") {
    picture.append(svg("rect", { x: 3, y: 8, width: 66, height: 57, rx: 6, class: "case" }));
    for (let y = 0; y < 6; y += 1) {
      for (let x = 0; x < 7; x += 1) {
        const has = (/** @type {number[][]} */ list) => list.some(([a, b]) => a === x && b === y);
        const name = has(xs) ? "disc x" : has(os) ? "disc o" : "hole";
        picture.append(svg("circle", { cx: 9 + x * 9, cy: 14 + y * 9, r: name === "disc o" ? 3 : 3.6, class: name }));
      }
    }
  } else {
    const lines = Array.from({ length: 10 }, (_, at) => `M${4 + at * 7.1} 4V68M4 ${4 + at * 7.1}H68`).join("");
    path(lines, "grid");
    for (const [x = 0, y = 0] of xs) put("x", 7.5 + x * 7.1, 7.5 + y * 7.1, 2.4);
    for (const [x = 0, y = 0] of os) put("o", 7.5 + x * 7.1, 7.5 + y * 7.1, 2.5);
  }
  return picture;
}

/** @param {boolean} isFour @param {(d: string, name: string) => void} path @param {any} put */
function drawLayers(isFour, path, put) {
  if (isFour) {
    for (let at = 0; at < 9; at += 1) {
      const [x, y] = [4 + (at % 3) * 23, 4 + Math.floor(at / 3) * 23];
      path(`M${x} ${y}h18v18h-18zM${x + 6} ${y}v18M${x + 12} ${y}v18M${x} ${y + 6}h18M${x} ${y + 12}h18`, "grid");
    }
    for (const [x, y] of [[7, 7], [36, 36], [65, 65]]) put("x", x, y, 2);
    for (const [x, y] of [[19, 13], [57, 7], [30, 42], [13, 59]]) put("o", x, y, 2.1);
    return;
  }
  for (let layer = 0; layer < 4; layer += 1) {
    const y = 16 + layer * 14;
    const lines = Array.from({ length: 5 }, (_, at) => {
      const [dx, dy] = [at * 7.5, at * 3];
      return `M${36 - dx} ${y - 12 + dy}l30 12M${36 + dx} ${y - 12 + dy}l-30 12`;
    });
    path(lines.join(""), "grid");
  }
  for (const [x, y] of [[36, 7], [36, 49], [36, 67]]) put("x", x, y, 2.6, 0.7);
  for (const [x, y] of [[58, 16], [14, 30], [52, 44], [20, 58]]) put("o", x, y, 3.2, 0.6);
}

/** The drawing of the card that opens all games. */
function morePicture() {
  return svg("svg", { class: "picture", viewBox: "0 0 72 72", "aria-hidden": "true" },
    svg("path", { d: "M6 6h60v60H6zM26 6v60M46 6v60M6 26h60M6 46h60", class: "grid dashed" }),
    svg("circle", { cx: 36, cy: 36, r: 15, class: "hole" }), svg("path", { d: "M36 27v18M27 36h18", class: "ink thin" }));
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

/** @param {import("./fold.js").Player} player */
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

/** Rows of everybody who waits: open seeks and rooms with a free seat. @param {Model} model @param {Act} act */
export function waitingRows(model, act) {
  const seeks = model.lobby.seeks.map((seek) => {
    const seat = seek.seat === "X" ? "O" : seek.seat === "O" ? "X" : null;
    const request = seekRequest({ rules: seek.rules, clock: seek.clock ?? null, seat });
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

/** @param {import("./model.js").Choice} choice */
export function seekRequest({ rules, clock, seat }) {
  return { type: "seek", rules, ...(clock ? { clock } : {}), ...(seat ? { seat } : {}) };
}

/** @param {import("./model.js").Choice} choice @param {boolean} isPublic */
export function createRequest({ rules, clock, seat }, isPublic) {
  return { type: "create", rules, ...(clock ? { clock } : {}), ...(seat ? { seat } : {}), public: isPublic };
}

/** @param {Act} act */
export function createHome(act) {
  const continued = h("section", { class: "continue", "aria-label": text("continue_game") });
  const cards = h("div", { class: "cards", role: "radiogroup", "aria-label": text("choose_game") });
  const line = h("p", { class: "hint" });
  const clocks = h("div", null);
  const actions = h("div", { class: "actions-home" });
  const notice = h("p", { class: "banner-line", role: "status" });
  const rows = h("ul", { class: "rows" });
  const side = h("div", { class: "home-side" });
  const waiting = h("section", { class: "card" }, h("h2", null, text("players_waiting")), rows);
  side.append(waiting);
  const root = h("div", { class: "home" }, h("div", { class: "home-main" }, continued,
    h("h1", { tabindex: "-1" }, text("choose_game")), cards, line, clocks, notice, actions), side);
  /** @type {Model} */
  let current;
  const playBot = () => {
    const { choice, lobby } = current;
    const bot = lobby.seeks.find((seek) => seek.player.kind === "bot" && seek.rules === choice.rules);
    const seat = bot?.seat === "X" ? "O" : bot?.seat === "O" ? "X" : null;
    if (bot) act({ type: "enter", request: seekRequest({ rules: bot.rules, clock: bot.clock ?? null, seat }) });
    else setText(notice, text("no_bot"));
  };
  actions.append(
    button(text("find_opponent"), { class: "primary main", onclick: () => act({ type: "enter", request: seekRequest(current.choice) }) }, mark("X", "inherit"), mark("O", "inherit")),
    button(text("invite_friend"), { class: "large", onclick: () => act({ type: "enter", request: createRequest(current.choice, false) }) }, icon("link")),
    button(text("play_bot"), { class: "large", onclick: playBot }, icon("bot")),
  );
  return {
    root,
    /** @param {Model} model */
    update(model) {
      current = model;
      const { choice } = model;
      const seat = model.saved[0];
      show(continued, Boolean(seat));
      rebuild(continued, JSON.stringify(seat ?? null), () => seat ? [
        gamePicture(seat.rules ?? "3x3:3"),
        h("div", { class: "row-text" }, h("strong", null, text("continue_game")), h("span", null, text("continue_against", { game: gameName(seat.rules ?? ""), name: seat.opponent ?? "" }))),
        button(text("continue"), { class: "on-now", onclick: () => act({ type: "continue", seat }) }),
      ] : []);
      const named = HOME_GAMES.map((name) => /** @type {string} */ (/** @type {any} */ (NAMED_RULES)[name]));
      const isOwn = !named.includes(choice.rules);
      rebuild(cards, choice.rules, () => [...named, ""].map((rules) => gameCard(rules, rules === "" ? isOwn : rules === choice.rules, choice.rules, act)));
      setText(line, `${isOwn ? `${gameName(choice.rules)}: ${boardSize(choice.rules)} · ` : ""}${rulesLine(choice.rules)}.`);
      rebuild(clocks, choice.clock ?? "", () => [segments("clock", text("clock"),
        CLOCKS.map((clock) => [clock ?? "", clock ?? text("no_clock")]), choice.clock ?? "",
        (value) => act({ type: "choose", choice: { clock: value || null } }))]);
      const found = waitingRows(model, act).slice(0, 6);
      show(waiting, found.length > 0);
      rebuild(rows, JSON.stringify([model.lobby.seeks, model.lobby.rooms.filter((room) => room.phase === "waiting")]), () => found);
      if (model.banner) setText(notice, text(model.banner.key, model.banner.values));
      else if (notice.textContent !== text("no_bot")) setText(notice, "");
      setAttribute(actions, "data-offline", model.connection.state !== "online" ? "true" : null);
    },
  };
}

/** @param {string} rules @param {boolean} isChosen @param {string} chosen @param {Act} act */
function gameCard(rules, isChosen, chosen, act) {
  if (rules === "") {
    const onclick = () => act({ type: "show", screen: "custom" });
    return h("button", { type: "button", class: `game-card${isChosen ? " chosen" : ""}`, onclick }, h("span", { class: "tick" }, icon("check")),
      isChosen ? gamePicture(chosen) : morePicture(), h("strong", null, text("more_games")), h("span", null, text("or_your_own")));
  }
  const size = rules === NAMED_RULES.tesseract ? text("four_dimensions") : boardSize(rules);
  const onchange = () => act({ type: "choose", choice: { rules } });
  return h("label", { class: `game-card${isChosen ? " chosen" : ""}` },
    h("input", { type: "radio", name: "game", value: rules, checked: isChosen, class: "visually-hidden", onchange }),
    h("span", { class: "tick" }, icon("check")), gamePicture(rules), h("strong", null, gameName(rules)), h("bdi", null, size));
}
