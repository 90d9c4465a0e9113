// The visitor's actions. Pure.
import {
  canLeave,
  canMove,
  isLinkOf,
  needsName,
  newRoom,
  savedSeat,
} from "./model.js";
import { SUBSTITUTE_LEVEL } from "./levels.js";
import { createRequest } from "./seek-and-create.js";
import { boardAfter, landingCell, parseRules } from "./rules.js";
import {
  andThen,
  leaveRoom,
  pursueWanted,
  reconnect,
  requestLobby,
  send,
  showRefusal,
} from "./step.js";
import { MAX_NAME_CHARACTERS } from "./wire-table.js";

/**
 * @typedef {import("./model.js").Model} Model
 * @typedef {import("./step.js").Effect} Effect
 * @typedef {import("./step.js").Step} Step
 */

/** @param {Model} model @param {any} action @param {number} now @returns {Step} */
export function onAction(model, action, now) {
  switch (action.type) {
    case "show":
      return showScreen({ ...model, dialog: null }, action, now);
    case "back":
      return listGames({ ...model, dialog: null, screen: model.back }, now);
    case "choose":
      return choose(model, action.choice);
    case "enter":
      return enter(model, action.request, now);
    case "play-bot": {
      const { level, name, party, seat } = action;
      return andThen(choose(model, { level, botSeat: seat }), (model) =>
        enter(model, createRequest({ ...model.choice, seat }, false), now, {
          level,
          name,
          party,
          seat: null,
        }),
      );
    }
    case "cancel":
      return cancel(model, now);
    case "open-link":
      return openLink({ ...model, dialog: null }, action, now);
    case "refuse-link":
      // The link may lead to a seat that the visitor has just taken. The response to `join`
      // decides.
      return [
        model.screen === "link" && !model.wanted
          ? showRefusal(model, { type: "join" }, action.code)
          : model,
        [],
      ];
    case "continue":
      return resumeSeat(model, action.seat, now);
    case "set-name":
      return setName(model, action.name, now);
    case "random-name":
      return [
        { ...model, name: action.name },
        [{ type: "store-name", name: action.name }],
      ];
    case "set-settings": {
      const settings = { ...model.settings, ...action.settings };
      return [{ ...model, settings }, [{ type: "store-settings", settings }]];
    }
    case "list":
      return requestLobby(model, now);
    case "phrase":
      return command(model, { type: "say", phrase: action.phrase }, now);
    case "mute":
      return [
        model.room
          ? { ...model, room: { ...model.room, isMuted: action.isMuted } }
          : model,
        [],
      ];
    case "substitute-bot": {
      if (!model.room?.isOpen) return [model, []];
      const bot = {
        level: SUBSTITUTE_LEVEL,
        name: action.name,
        party: action.party,
        seat: null,
        isSubstitute: true,
      };
      return [
        { ...model, bot },
        [
          {
            type: "start-bot",
            room: model.room.id,
            code: model.room.code,
            bot,
          },
        ],
      ];
    }
    case "reconnect":
      return reconnect(model, now);
    case "dialog":
      return [{ ...model, dialog: action.dialog }, []];
    case "review":
      return review(model, action.ply);
    case "select":
      return [{ ...model, selected: action.cell }, []];
    case "play":
      return play(model, action.cell, now);
    case "command":
      return command(model, action.request, now);
    case "leave":
      return leave(model, action.then ?? null, now);
    case "open-record": {
      const record = {
        ...newRoom(action.link, null),
        state: action.state,
        animated: Infinity,
      };
      return [{ ...model, record, screen: "record" }, []];
    }
    case "toast":
      return [model, [{ type: "toast", key: action.key }]];
    default:
      return [model, []];
  }
}

/** @param {Model} model @param {Partial<import("./model.js").Choice>} changes @returns {Step} */
function choose(model, changes) {
  const choice = { ...model.choice, ...changes };
  return [{ ...model, choice }, [{ type: "store-choice", choice }]];
}

/**
 * @param {Model} model
 * @param {{ screen: import("./model.js").Screen, link?: string }} action
 * @param {number} now
 * @returns {Step}
 */
function showScreen(model, { screen, link }, now) {
  if (screen === "settings")
    return [
      {
        ...model,
        screen,
        back: model.screen === screen ? model.back : model.screen,
      },
      [],
    ];
  if (model.room) return leaveIfAgreed(model, { screen, link }, now);
  const [next, effects] =
    screen === "looking" ? [model, []] : cancel(model, now);
  return andThen(
    [{ ...next, screen, linkCode: null, record: newRoom(link, null) }, effects],
    (model) => listGames(model, now),
  );
}

/** @param {Model} model @param {number} now @returns {Step} */
const listGames = (model, now) =>
  ["lobby", "home", "watch"].includes(model.screen)
    ? requestLobby(model, now)
    : [model, []];

/**
 * Leaves the room. Asks first if others wait for the visitor.
 * @param {Model} model
 * @param {any} next the screen or the request that follows
 * @param {number} now
 * @returns {Step}
 */
function leaveIfAgreed(model, next, now) {
  return canLeave(model)
    ? leave(model, next, now)
    : [{ ...model, dialog: { kind: "leave", next } }, []];
}

/** @param {Model} model @param {import("./model.js").SavedSeat} seat @param {number} now @returns {Step} */
const resumeSeat = (model, { room, token, bot = null }, now) =>
  enter(model, { type: "resume", room, token }, now, bot);

/**
 * Follows a link that was opened in this tab: to a room by its code, or to a
 * game to watch. A link to a saved seat continues its game.
 * @param {Model} model
 * @param {{ code?: string | null, room?: string | null }} link
 * @param {number} now
 * @returns {Step}
 */
export function openLink(model, { code, room }, now) {
  const own = model.room;
  if (
    own &&
    (own.seat || room) &&
    isLinkOf(own, /** @type {string} */ (code ?? room))
  )
    return [model, []];
  const seat = savedSeat(model.saved, code ?? null);
  if (code && !own) {
    const next = {
      ...model,
      linkCode: code,
      screen: /** @type {const} */ ("link"),
    };
    if (seat) return resumeSeat(next, seat, now);
    return model.name
      ? enter(next, { type: "join", room: code }, now)
      : [next, []];
  }
  const request = code ? { type: "join", room: code } : { type: "watch", room };
  /** @type {Model} */
  const next = {
    ...model,
    linkCode: null,
    screen: own ? model.screen : "room",
  };
  return seat ? resumeSeat(next, seat, now) : enter(next, request, now);
}

/**
 * Requests a seek or a room. Asks for a name first if the visitor has none.
 * @param {Model} model
 * @param {any} request
 * @param {number} now
 * @param {import("./model.js").PageBot | null} [bot] the bot for the other seat
 * @returns {Step}
 */
function enter(model, request, now, bot = null) {
  if (!model.name && needsName(request))
    return [{ ...model, dialog: { kind: "name", next: request, bot } }, []];
  if (model.room)
    return leaveIfAgreed({ ...model, dialog: null }, { request, bot }, now);
  return pursueWanted(
    {
      ...model,
      bot,
      wanted: request,
      wantedAt: now,
      screen: screenOf(request) ?? model.screen,
      dialog: null,
      banner: null,
    },
    now,
  );
}

/**
 * Returns the screen until the response arrives; null keeps the current screen.
 * @param {any} request
 * @returns {import("./model.js").Screen | null}
 */
const screenOf = ({ type }) =>
  type === "seek" ? "looking" : type === "resume" ? "room" : null;

/** @param {Model} model @param {number} now @returns {Step} */
function cancel(model, now) {
  return pursueWanted(
    {
      ...model,
      wanted: null,
      bot: null,
      linkCode: null,
      refused: null,
      screen: "home",
    },
    now,
  );
}

/** @param {Model} model @param {string} text @param {number} now @returns {Step} */
function setName(model, text, now) {
  const name = text.trim().replace(/\s+/g, " ").slice(0, MAX_NAME_CHARACTERS);
  const request = model.dialog?.kind === "name" ? model.dialog.next : null;
  const bot = model.dialog?.bot ?? null;
  if (!name || name === model.name) {
    const next = { ...model, dialog: null };
    return name && request ? enter(next, request, now, bot) : [next, []];
  }
  const next = { ...model, name, dialog: null };
  /** @type {Effect[]} */
  const effects = [{ type: "store-name", name }];
  // The server reads the name only when a connection starts. A game in progress
  // keeps the old name.
  if (model.room) return [next, effects];
  const wanting = request
    ? {
        ...next,
        bot,
        wanted: request,
        wantedAt: now,
        screen: screenOf(request) ?? model.screen,
      }
    : next;
  return andThen([wanting, effects], (model) => reconnect(model, now));
}

/** @param {Model} model @param {number} ply @returns {Step} */
function review(model, ply) {
  const place = model.screen === "record" ? "record" : "room";
  const room = model[place];
  if (!room?.state) return [model, []];
  const latest = room.state.moves.length;
  const shown = ply >= latest ? null : Math.max(0, ply);
  return [
    {
      ...model,
      selected: null,
      [place]: { ...room, review: shown, animated: latest },
    },
    [],
  ];
}

/** @param {Model} model @param {number} cell @param {number} now @returns {Step} */
function play(model, cell, now) {
  const state = model.room?.state;
  if (!state || !canMove(model)) return [model, []];
  const rules = parseRules(state.rules);
  const landing = landingCell(rules, boardAfter(rules, state.moves), cell);
  if (landing < 0) return [{ ...model, selected: null }, []];
  return send(
    { ...model, selected: null },
    { type: "move", cell: landing, seq: state.seq },
    now,
  );
}

/** @param {Model} model @param {any} request @param {number} now @returns {Step} */
function command(model, request, now) {
  const isRepeated = Object.values(model.pending).some(
    (entry) =>
      entry.request.type === request.type &&
      entry.request.offer === request.offer,
  );
  if (!model.room?.seat || model.connection.state !== "online" || isRepeated)
    return [{ ...model, dialog: null }, []];
  return send({ ...model, dialog: null }, request, now);
}

/**
 * Leaves the room.
 * @param {Model} model
 * @param {any} then the next screen or request
 * @param {number} now
 * @returns {Step}
 */
function leave(model, then, now) {
  const wanted = then?.request ?? null;
  // Only a link leads from a room to another room.
  const linkCode = wanted?.type === "join" ? wanted.room : null;
  const screen =
    then?.screen ??
    (wanted && screenOf(wanted)) ??
    (linkCode ? "link" : model.room?.seat ? "home" : "watch");
  const [left, effects] = leaveRoom({ ...model, linkCode: null }, null, now);
  return [
    {
      ...left,
      bot: then?.bot ?? null,
      wanted,
      wantedAt: now,
      linkCode,
      screen,
      record: newRoom(then?.link, null),
    },
    effects,
  ];
}
