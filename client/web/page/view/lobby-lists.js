// The lists in the lobby: waiting players, and games in progress.
import { seekRequest } from "../core/seek-and-create.js";
import { text } from "../i18n.js";
import { h } from "./dom.js";
import { clockName, gameName } from "./labels.js";
import { PlacedList } from "./placed-list.js";
import { identityTag } from "./screen-parts.js";

/**
 * @typedef {import("../core/model.js").Model} Model
 * @typedef {(action: any) => void} Act
 */

/**
 * Returns a line with the numbers of people and bots on the server. The line is empty until they
 * are known.
 * @param {Model} model
 */
export const countsLine = ({ lobby: { counts }, connection }) =>
  !counts || connection.state !== "online"
    ? ""
    : counts.persons === 1 && counts.bots === 0
      ? text("only_you")
      : [
          text("people_online", { n: counts.persons }),
          counts.bots > 0 && text("bots_online", { n: counts.bots }),
        ]
          .filter(Boolean)
          .join(" · ");

/** @param {import("../core/fold.js").Player} player */
export function playerName(player) {
  return h(
    "span",
    { class: "name" },
    h("bdi", null, player.name),
    ...identityTag(player),
    player.kind === "bot" && h("span", { class: "tag" }, text("bot")),
  );
}

/**
 * Creates the list of waiting players.
 * @param {string | HTMLElement} none what an empty list shows
 * @param {() => number} now
 * @param {number} [max] maximum number of rows
 */
export const createWaitingList = (none, now, max) =>
  new PlacedList(
    { label: text("join"), none, gone: text("not_waiting") },
    now,
    max,
  );

/**
 * Creates the list of games in progress.
 * @param {HTMLElement} none what an empty list shows
 * @param {() => number} now
 */
export const createGamesList = (none, now) =>
  new PlacedList(
    { label: text("watch"), none, gone: text("reject_game_over") },
    now,
  );

/**
 * Returns the games in progress.
 * @param {Model["lobby"]} lobby
 * @param {Act} act
 * @returns {import("./placed-list.js").Entry[]}
 */
export function gameEntries(lobby, act) {
  return lobby.rooms
    .filter(
      ({ phase, players }) => phase === "playing" && players.every(Boolean),
    )
    .map(({ room, rules, players, moves, spectators }) => {
      const [x, o] = players;
      const detail = [
        gameName(rules),
        text("move_n", { n: moves }),
        spectators > 0 && text("spectators", { n: spectators }),
      ]
        .filter(Boolean)
        .join(" · ");
      return {
        id: room,
        rules,
        key: JSON.stringify([x, o]),
        title: () =>
          h(
            "span",
            { class: "name" },
            h("bdi", null, x.name),
            " – ",
            h("bdi", null, o.name),
          ),
        detail,
        spoken: `${x.name} – ${o.name}`,
        onPress: () => act({ type: "enter", request: { type: "watch", room } }),
      };
    });
}

/**
 * Returns all waiting players: open seeks, and rooms with a free seat.
 * @param {Model["lobby"]} lobby
 * @param {Act} act
 * @returns {import("./placed-list.js").Entry[]}
 */
export function waitingEntries(lobby, act) {
  const seeks = lobby.seeks.map((seek) => {
    const seat = seek.seat === "X" ? "O" : seek.seat === "O" ? "X" : null;
    const request =
      seek.seek === undefined
        ? seekRequest(
            { rules: seek.rules, clock: seek.clock ?? null, seat },
            seek.player.kind,
          )
        : { type: "accept_seek", seek: seek.seek };
    return {
      id: `seek ${seek.seek ?? JSON.stringify(seek)}`,
      player: seek.player,
      rules: seek.rules,
      clock: seek.clock,
      request,
    };
  });
  const rooms = lobby.rooms
    .filter((room) => room.phase === "waiting")
    .map((room) => ({
      id: `room ${room.room}`,
      player: room.players.find(Boolean) ?? { name: room.room, kind: "person" },
      rules: room.rules,
      clock: room.clock,
      request: { type: "join", room: room.room },
    }));
  return [...seeks, ...rooms].map(({ id, player, rules, clock, request }) => {
    const detail = `${gameName(rules)} · ${clockName(clock)}`;
    return {
      id,
      rules,
      key: JSON.stringify(player),
      title: () => playerName(player),
      detail,
      spoken: `${player.name}, ${detail}`,
      onPress: () => act({ type: "enter", request }),
    };
  });
}
