// The screen of a game: players, clocks, board, offers, presence, result.
import { Board, enlargedCut } from "./board.js";
import { LOW_MILLIS, clockText, countdownText, timeLeft } from "./clock.js";
import { button, h, icon, mark, rebuild, setAttribute, setText, show } from "./dom.js";
import { SEATS, otherSeat, seatIndex } from "./fold.js";
import { boardSize, gameName, rulesLine, seekRequest } from "./home.js";
import { text } from "./i18n.js";
import { canMove, pendingMove, shownMoves } from "./model.js";
import { boardAfter, cellText, landingCell, parseCell, parseRules } from "./rules.js";

/**
 * @typedef {import("./model.js").Model} Model
 * @typedef {import("./model.js").Room} Room
 * @typedef {import("./fold.js").RoomState} RoomState
 * @typedef {import("./fold.js").Seat} Seat
 */

const SENDING_MILLIS = 300;

/** @param {Room} room the seat at the bottom */
const ownSeat = (room) => room.seat ?? "X";

/** @param {RoomState} state @param {Seat} seat */
const nameOf = (state, seat) => state.players[seatIndex(seat)]?.name ?? "…";

/** @param {RoomState} state @param {Seat | null} seat the two lines of the result, and their tone */
export function resultTexts(state, seat) {
  const { outcome } = state;
  const winner = outcome?.winner ?? null;
  const names = { x: nameOf(state, "X"), o: nameOf(state, "O") };
  const title = !winner ? text("draw") : seat ? text(winner === seat ? "you_win" : "you_lost") : text(winner === "X" ? "x_wins" : "o_wins", names);
  const loser = winner ? otherSeat(winner) : null;
  const isOwnLoss = loser !== null && loser === seat;
  const name = loser ? nameOf(state, loser) : "";
  let reason = "";
  if (outcome?.reason === "line" && outcome.line) {
    const rules = parseRules(state.rules);
    const separator = rules.sides.length > 2 ? "  " : "-";
    reason = text(`line_${outcome.line.name}`, { cells: outcome.line.cells.map((cell) => cellText(rules, cell)).join(separator) });
  } else if (outcome?.reason === "resigned") reason = isOwnLoss ? text("you_resigned") : text("resigned", { name });
  else if (outcome?.reason === "flag") reason = isOwnLoss ? text("your_flag") : text("flag", { name });
  else if (outcome?.reason === "abandoned") reason = !loser ? text("abandoned_draw") : isOwnLoss ? text("your_abandoned") : text("abandoned", { name });
  else if (outcome) reason = text(outcome.reason);
  return { title, reason, isWin: seat !== null && winner === seat, winner };
}

/** @param {(action: any) => void} act @param {() => number} now */
export function createGame(act, now) {
  const title = h("h1", { tabindex: "-1" });
  const subtitle = h("p", { class: "detail" });
  const watchers = h("p", { class: "watchers" }, icon("eye"), h("span", null));
  const head = h("div", { class: "game-head" }, h("div", null, title, subtitle), watchers);
  const stage = h("div", { class: "stage" });
  const bars = [playerBar("far"), playerBar("near")];
  const status = h("div", { class: "status" });
  const moves = h("ol", { class: "moves", "aria-label": text("moves"), tabindex: "0" });
  const steps = h("div", { class: "steps" });
  const box = moveBox();
  const actions = h("div", { class: "actions", role: "group", "aria-label": text("actions") });
  const [far, near] = /** @type {[ReturnType<typeof playerBar>, ReturnType<typeof playerBar>]} */ (bars);
  const root = h("div", { class: "game" }, head, far.root, stage, near.root, status, moves, steps, box, actions);
  /** @type {Board | null} */
  let board = null;
  /** @type {Model} */
  let current;
  let boardKey = "";
  const stepTo = (/** @type {number} */ ply) => act({ type: "review", ply });
  const shownPly = () => shownMoves(current).length;
  for (const [name, label, target] of /** @type {[any, string, () => number][]} */ ([
    ["first", "first_move", () => 0], ["previous", "previous_move", () => shownPly() - 1],
    ["next", "next_move", () => shownPly() + 1], ["last", "last_move", () => Infinity],
  ])) steps.append(h("button", { type: "button", class: "icon-button", "aria-label": text(label), onclick: () => stepTo(target()) }, icon(name)));

  function moveBox() {
    const input = /** @type {HTMLInputElement} */ (h("input", { class: "input", type: "text", "aria-label": text("move_box_label"), placeholder: text("move_box"), autocomplete: "off", autocapitalize: "off", spellcheck: "false", maxlength: 40 }));
    const onsubmit = (/** @type {Event} */ event) => {
      event.preventDefault();
      runCommand(input.value.trim());
      input.value = "";
    };
    return h("form", { class: "move-box", onsubmit }, input);
  }

  /** @param {string} line */
  function runCommand(line) {
    const state = current.room?.state;
    if (!state || line === "") return;
    const rules = parseRules(state.rules);
    const cell = parseCell(rules, line);
    const command = line.toLowerCase();
    if (cell >= 0) act({ type: "play", cell });
    else if (command === text("resign").toLowerCase() || command === "resign") act({ type: "dialog", dialog: { kind: "resign" } });
    else if (command === text("draw").toLowerCase() || command === "draw") act({ type: "command", request: { type: "offer", offer: "draw" } });
    else if (command === text("take_back").toLowerCase() || command === "undo") act({ type: "command", request: { type: "offer", offer: "takeback" } });
    else if (command === text("rematch").toLowerCase() || command === "rematch") act({ type: "command", request: { type: "offer", offer: "rematch" } });
    else act({ type: "say", text: answer(command) ?? text("unknown_command", { text: line }) });
  }

  /** Answers a query about the game, or returns null. @param {string} query */
  function answer(query) {
    const { room } = current;
    const state = room?.state;
    if (!room || !state) return null;
    const rules = parseRules(state.rules);
    const ply = state.moves.length;
    switch (query) {
      case "l": return ply === 0 ? text("no_moves") : text("plays", { mark: SEATS[(ply - 1) % 2], cell: cellText(rules, state.moves[ply - 1] ?? 0) });
      case "c": return SEATS.map((seat) => `${nameOf(state, seat)}: ${state.left ? clockText(leftOf(room, state, seat)) : text("without_clock")}`).join(". ");
      case "o": return nameOf(state, otherSeat(ownSeat(room)));
      case "t": return turnText(room, state);
      case "b": return state.moves.map((cell, index) => text("cell_mark", { cell: cellText(rules, cell), mark: SEATS[index % 2] })).join(". ") || text("no_moves");
      default: return null;
    }
  }

  /** @param {Room} room @param {RoomState} state @param {Seat} seat */
  const leftOf = (room, state, seat) =>
    timeLeft(state.left ?? [], room.leftAt, seatIndex(seat), state.phase === "playing" && state.turn === seat, now());

  /** @param {number} cell @param {boolean} isSmall */
  function onChoose(cell, isSmall) {
    const state = current.room?.state;
    if (!state || !canMove(current)) return;
    const rules = parseRules(state.rules);
    const landing = landingCell(rules, boardAfter(rules, state.moves), cell);
    const { confirm } = current.settings;
    const needsConfirmation = confirm === "always" || (confirm === "small" && isSmall);
    if (landing >= 0 && needsConfirmation && current.selected !== landing) act({ type: "select", cell: landing });
    else act({ type: "play", cell });
  }

  /** @param {string} key */
  function onKey(key) {
    const line = answer(key);
    if (line) act({ type: "say", text: line });
  }

  /** @param {Model} model */
  function update(model) {
    current = model;
    const room = /** @type {Room} */ (model.room);
    const state = room.state;
    if (!state) return;
    const rules = parseRules(state.rules);
    const bottom = ownSeat(room);
    const top = otherSeat(bottom);
    setText(title, gameName(state.rules));
    setText(subtitle, [boardSize(state.rules), rulesLine(state.rules), state.clock].filter(Boolean).join(" · "));
    show(watchers, room.spectators > 0);
    setText(/** @type {Element} */ (watchers.lastChild), text("spectators", { n: room.spectators }));
    far.update(model, room, state, top, false);
    near.update(model, room, state, bottom, true);
    const key = `${room.id} ${state.rules}`;
    if (key !== boardKey) {
      boardKey = key;
      board = new Board(rules, { onChoose, onKey });
      stage.replaceChildren(board.root);
    }
    const isLive = room.review === null;
    const pending = pendingMove(model);
    board?.update({
      moves: shownMoves(model), seat: room.seat, canMove: canMove(model), pending: isLive && pending ? pending.request.cell : -1,
      winning: isLive ? (state.outcome?.line?.cells ?? []) : [], animated: isLive ? room.animated : Infinity,
      selected: model.selected, coordinates: model.settings.coordinates, sameCell: model.settings.sameCell,
    });
    updateMoves(room, state);
    updateStatus(model, room, state);
    updateActions(model, room, state);
    root.classList.toggle("over", state.phase === "over");
  }

  /** @param {Room} room @param {RoomState} state */
  function updateMoves(room, state) {
    const rules = parseRules(state.rules);
    const shown = room.review ?? state.moves.length;
    const isNew = rebuild(moves, `${state.game} ${state.moves.join()} ${shown}`, () => state.moves.length === 0
      ? [h("li", { class: "no-moves" }, text("no_moves"))]
      : Array.from({ length: Math.ceil(state.moves.length / 2) }, (_, turn) => h("li", null, h("span", { class: "number" }, `${turn + 1}.`),
        ...[0, 1].filter((index) => turn * 2 + index < state.moves.length).map((index) => {
          const ply = turn * 2 + index + 1;
          const label = cellText(rules, state.moves[ply - 1] ?? 0);
          return h("button", { type: "button", class: "move", "aria-current": ply === shown ? "step" : null, onclick: () => stepTo(ply) }, label);
        }))));
    const chosen = moves.querySelector("[aria-current]");
    if (isNew && chosen instanceof HTMLElement) {
      moves.scrollTop = chosen.offsetTop - moves.clientHeight / 2;
      moves.scrollLeft = chosen.offsetLeft - moves.clientWidth + chosen.clientWidth + 24;
    }
  }

  /** @param {Room} room @param {RoomState} state */
  const turnText = (room, state) => {
    if (state.phase === "over") return resultTexts(state, room.seat).title;
    if (!room.seat) return text(state.turn === "X" ? "turn_of_x" : "turn_of_o", { x: nameOf(state, "X"), o: nameOf(state, "O") });
    return state.turn === room.seat ? text("your_move") : text("is_thinking", { name: nameOf(state, otherSeat(room.seat)) });
  };

  /** @param {Model} model @param {Room} room @param {RoomState} state */
  function updateStatus(model, room, state) {
    const view = statusView(model, room, state);
    const isNew = rebuild(status, view.key, () => view.build());
    if (isNew) status.className = `status ${view.tone ?? ""}`;
    view.refresh?.();
  }

  /**
   * Returns the one thing to show below the board, the most important first.
   * @param {Model} model @param {Room} room @param {RoomState} state
   * @returns {{ key: string, tone?: string, build: () => (Node | string)[], refresh?: () => void }}
   */
  function statusView(model, room, state) {
    const { connection } = model;
    const rules = parseRules(state.rules);
    const pending = pendingMove(model);
    const pendingCell = pending ? cellText(rules, pending.request.cell) : null;
    if (connection.state !== "online") return connectionView(model, pendingCell);
    if (model.banner) {
      const { key, values } = model.banner;
      return { key: `banner ${key}`, build: () => [banner("", text(key, values), "", [])] };
    }
    if (model.selected !== null && room.seat) {
      const { selected } = model;
      const seat = room.seat;
      return { key: `select ${selected}`, tone: "confirm", build: () => [h("div", { class: "confirm" },
        enlargedCut(rules, boardAfter(rules, state.moves), selected, seat),
        h("div", { class: "confirm-text" },
          button(text("play_cell", { cell: cellText(rules, selected) }), { class: "primary main", onclick: () => act({ type: "play", cell: selected }) }),
          h("div", { class: "confirm-line" }, h("span", { class: "detail" }, text("tap_another")), button(text("cancel"), { class: "plain", onclick: () => act({ type: "select", cell: null }) }))))] };
    }
    if (room.review !== null) {
      const { review } = room;
      const values = { a: review, b: state.moves.length };
      return { key: `review ${review} ${state.moves.length} ${state.phase}`, build: () => [h("div", { class: "status-line" }, h("span", null, text("move_of", values)),
        button(text("back_to_live"), { class: "small", onclick: () => stepTo(Infinity) }))] };
    }
    const offer = offerView(model, room, state);
    if (state.phase === "over") return resultView(model, room, state, offer);
    if (offer) return offer;
    const absent = absenceView(room, state);
    if (absent) return absent;
    if (pending) {
      const key = now() - pending.sentAt > SENDING_MILLIS ? "sending" : "sent";
      return { key: `${key} ${pendingCell}`, build: () => [h("p", { class: "status-text" }, key === "sending" ? text("sending", { cell: pendingCell }) : "\u00a0")] };
    }
    const isOwnTurn = room.seat !== null && state.turn === room.seat;
    const shown = turnText(room, state);
    return { key: `turn ${shown}`, build: () => [h("p", { class: isOwnTurn ? "now" : "status-text" }, shown)] };
  }

  /** @param {string} tone @param {string} sentence @param {string} detail @param {Node[]} buttons */
  function banner(tone, sentence, detail, buttons) {
    return h("div", { class: `banner ${tone}` }, tone === "bad" && icon("offline"),
      h("div", { class: "banner-text" }, h("strong", null, sentence), detail && h("span", { class: "detail" }, detail)),
      buttons.length > 0 && h("div", { class: "banner-buttons" }, ...buttons));
  }

  /** @param {Model} model @param {string | null} cell */
  function connectionView({ connection }, cell) {
    const detail = [cell && text("move_kept", { cell }), text("seat_kept")].filter(Boolean).join(" ");
    if (connection.state === "replaced") {
      return { key: "replaced", build: () => [banner("bad", text("opened_elsewhere"), "", [button(text("play_here"), { onclick: () => act({ type: "reconnect" }) })])] };
    }
    if (connection.state === "stopped") {
      const sentence = connection.code === 4001 ? text("outdated") : text("stopped", { code: connection.code });
      return { key: "stopped", build: () => [banner("bad", sentence, "", [button(text("reload"), { onclick: () => location.reload() })])] };
    }
    const sentence = () => {
      const seconds = Math.ceil((connection.retryAt - now()) / 1000);
      if (connection.restarting && seconds > 0) return text("server_restarting", { n: seconds });
      return seconds > 0 && connection.state === "offline" ? text("connection_lost", { n: seconds }) : text("reconnecting");
    };
    return {
      key: `lost ${cell}`,
      build: () => [banner("bad", sentence(), detail, [button(text("reconnect_now"), { onclick: () => act({ type: "reconnect" }) })])],
      refresh: () => setText(/** @type {Element} */ (status.querySelector("strong")), sentence()),
    };
  }

  /** @param {Model} model @param {Room} room @param {RoomState} state */
  function offerView(model, room, state) {
    const index = state.offers.findIndex(Boolean);
    if (index < 0 || !room.seat) return null;
    const by = /** @type {Seat} */ (state.offers[index]);
    const offer = ["draw", "takeback", "rematch"][index];
    const command = (/** @type {string} */ type) => () => act({ type: "command", request: { type, offer } });
    const key = `offer ${offer} ${by} ${room.seat} ${state.phase}`;
    if (by === room.seat) {
      return { key, build: () => [banner("", text(`offered_${offer}`), "", [button(text("cancel_offer"), { onclick: command("decline") })])] };
    }
    return { key, build: () => [banner("", text(`offer_${offer}`, { name: nameOf(state, by) }), "",
      [button(text("accept"), { onclick: command("accept") }), button(text("decline"), { onclick: command("decline") })])] };
  }

  /** @param {Room} room @param {RoomState} state */
  function absenceView(room, state) {
    if (!room.seat || state.phase !== "playing") return null;
    const opponent = otherSeat(room.seat);
    const presence = room.presence[seatIndex(opponent)];
    if (!presence || presence.presence === "here") return null;
    const { claimAt } = presence;
    const isTheirTurn = state.turn === opponent;
    const name = nameOf(state, opponent);
    const wait = () => Math.max(0, (claimAt ?? 0) - now());
    const isReady = claimAt !== null && wait() === 0;
    const sentence = () => {
      if (isReady) return text("claim_now", { name });
      return text(presence.presence === "left" ? "has_left" : "is_disconnected", { name, time: countdownText(wait()) });
    };
    const claim = button(text("claim_win"), { "aria-disabled": isReady && isTheirTurn ? null : "true",
      onclick: () => isReady && isTheirTurn && act({ type: "command", request: { type: "claim", result: "win" } }) });
    return {
      key: `absent ${presence.presence} ${isReady} ${isTheirTurn} ${claimAt}`,
      build: () => [banner("", sentence(), isTheirTurn ? "" : `${text("your_move")}. ${text("claim_on_their_turn")}`, [claim])],
      refresh: () => setText(/** @type {Element} */ (status.querySelector("strong")), sentence()),
    };
  }

  /** @param {Model} model @param {Room} room @param {RoomState} state @param {any} offer */
  function resultView(model, room, state, offer) {
    const { title: heading, reason, isWin, winner } = resultTexts(state, room.seat);
    const hasLeft = room.seat && room.presence[seatIndex(otherSeat(room.seat))]?.presence === "left";
    const { wins, draws } = state.score;
    const bottom = ownSeat(room);
    const values = { a: wins[seatIndex(bottom)], b: wins[seatIndex(otherSeat(bottom))], name: nameOf(state, otherSeat(bottom)), x: nameOf(state, bottom), o: nameOf(state, otherSeat(bottom)) };
    const score = `${text(room.seat ? "score" : "score_of", values)}, ${text("draws", { n: draws })}`;
    const rematch = () => act({ type: "command", request: { type: "offer", offer: "rematch" } });
    const again = () => act({ type: "enter", request: seekRequest({ rules: state.rules, clock: state.clock ?? null, seat: null }) });
    const key = `result ${state.game} ${heading} ${reason} ${score} ${offer?.key} ${hasLeft}`;
    return { key, tone: "ended", build: () => [
      h("div", { class: `result ${winner?.toLowerCase() ?? ""}` }, h("div", { class: "stamp" }, ...(winner ? [mark(winner)] : [mark("X"), mark("O")])),
        h("div", null, h("h2", { class: isWin ? "now big" : "big" }, heading), h("p", { class: "detail" }, reason))),
      h("p", { class: "score" }, score),
      ...(hasLeft ? [h("p", { class: "detail" }, text("opponent_gone", { name: nameOf(state, otherSeat(bottom)) }))] : []),
      ...(offer ? offer.build() : []),
      h("div", { class: "result-buttons" },
        ...(room.seat && !offer && !hasLeft ? [button(text("rematch"), { class: "primary", onclick: rematch }, icon("redo"))] : []),
        ...(room.seat ? [button(text("new_opponent"), { onclick: again })] : [])),
    ] };
  }

  /** @param {Model} model @param {Room} room @param {RoomState} state */
  function updateActions(model, room, state) {
    const isOver = state.phase === "over";
    const isOffline = model.connection.state !== "online";
    rebuild(actions, `${isOver} ${room.seat !== null} ${isOffline} ${state.moves.length > 0}`, () => {
      const action = (/** @type {string} */ label, /** @type {any} */ name, /** @type {() => void} */ onclick, isDisabled = isOffline) =>
        h("button", { type: "button", class: "action", "aria-disabled": isDisabled ? "true" : null, onclick: () => !isDisabled && onclick() }, icon(name), h("span", null, text(label)));
      const offer = (/** @type {string} */ kind) => () => act({ type: "command", request: { type: "offer", offer: kind } });
      const leave = action("leave", "leave", () => act(isOver || !room.seat ? { type: "leave" } : { type: "dialog", dialog: { kind: "leave" } }), false);
      if (isOver || !room.seat) return [action("copy_game", "copy", () => act({ type: "copy-game" }), false), leave];
      return [action("offer_draw_button", "draw", offer("draw")), action("take_back", "undo", offer("takeback"), isOffline || state.moves.length === 0),
        action("resign", "flag", () => act({ type: "dialog", dialog: { kind: "resign" } })), leave];
    });
    show(box, room.seat !== null && !isOver);
  }

  /** Redraws what depends on the time. */
  function tick() {
    const room = current?.room;
    if (!room?.state) return;
    far.tick();
    near.tick();
    updateStatus(current, room, room.state);
  }

  /** @param {string} side */
  function playerBar(side) {
    const tile = h("span", { class: "tile" });
    const name = h("span", { class: "name" });
    const presence = h("span", { class: "presence" });
    const clock = h("span", { class: "clock", "aria-hidden": "true" });
    const root = h("div", { class: `player ${side}`, role: "group" }, tile, h("div", { class: "player-text" }, name, presence), clock);
    let redraw = () => {};
    return {
      root,
      /** @param {Model} model @param {Room} room @param {RoomState} state @param {Seat} seat @param {boolean} isNear */
      update(model, room, state, seat, isNear) {
        const player = state.players[seatIndex(seat)];
        const isTurn = state.phase === "playing" && state.turn === seat;
        root.className = `player ${side} ${seat.toLowerCase()}${isTurn ? " turn" : ""}`;
        setAttribute(root, "aria-label", `${seat}: ${player?.name ?? ""}`);
        rebuild(tile, seat, () => [mark(seat)]);
        rebuild(name, JSON.stringify(player), () => [h("bdi", null, player?.name ?? "…"), ...(player?.kind === "bot" ? [h("span", { class: "tag" }, text("bot"))] : [])]);
        const isOwn = isNear && room.seat !== null;
        const where = room.presence[seatIndex(seat)]?.presence ?? "here";
        const lag = room.lag[seatIndex(seat)];
        const key = isOwn ? "you" : model.connection.state !== "online" ? "unknown_presence" : where === "here" ? "connected" : where;
        const suffix = typeof lag === "number" && key === "connected" ? ` · ${text("ping", { n: lag })}` : "";
        rebuild(presence, `${key}${suffix}`, () => [...(isOwn || key === "unknown_presence" ? [] : [h("span", { class: `dot ${where}`, "aria-hidden": "true" })]), text(key) + suffix]);
        show(clock, state.left !== undefined);
        redraw = () => {
          const left = leftOf(room, state, seat);
          setText(clock, clockText(left));
          clock.className = `clock${isTurn ? " running" : ""}${isTurn && left < LOW_MILLIS ? " low" : ""}`;
        };
        redraw();
      },
      tick: () => redraw(),
    };
  }

  return { root, update, tick };
}

