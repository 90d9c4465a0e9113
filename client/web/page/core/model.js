// The page's model: everything that the screens show. Pure data.
import { isText } from "./message.js";

/**
 * @typedef {import("./fold.js").RoomState} RoomState
 * @typedef {import("./fold.js").Seat} Seat
 * @typedef {{ presence: "connected" | "disconnected" | "left", since: number, claimAt: number | null }} Presence `since`: local time of the
 *   notice that the player is absent
 *
 * @typedef {object} SavedSeat a seat that survives a reload
 * @property {string} room
 * @property {string} [token] none if the seat was taken on another device: the identity grants it
 * @property {string} [rules]
 * @property {string} [opponent] empty until an opponent joins
 * @property {string | null} [code] of a private room
 * @property {PageBot | null} [bot] the bot of the page that plays the other seat
 * @property {number} [at] local time when the seat was saved; events of the
 *   room renew it at most every ten minutes
 * @property {boolean} [isOver] whether its game is over, and a rematch is possible
 *
 * @typedef {object} PageBot a bot that runs in this page
 * @property {string} level
 * @property {string} [name] in the language of the visitor
 * @property {string} party
 * @property {{ room: string, token: string } | null} seat its seat, once it has joined
 * @property {boolean} [isSubstitute] whether it may take the seat of an absent opponent
 *
 * @typedef {object} Room
 * @property {string} id
 * @property {Seat | null} seat null for a spectator
 * @property {string | null} token
 * @property {string | null} code
 * @property {RoomState | null} state null until the snapshot arrives
 * @property {number} leftAt local time when `state.left` arrived
 * @property {(Presence | null)[]} presence of X and of O
 * @property {(number | null)[]} lag round-trip time of X and of O
 * @property {number} spectators
 * @property {number | null} review number of moves of the position on screen; null for the latest
 * @property {(SaidPhrase | null)[]} said the last phrase of X and of O, for a short time
 * @property {boolean} isMuted whether the phrases of the opponent are not shown
 * @property {boolean} isOpen whether the visitor lets a bot take the seat of the opponent
 * @property {number} animated last ply with an animation of its mark
 *
 * @typedef {{ request: any, seat: Seat | null, room: string | null, sentAt: number, firstSentAt: number }} PendingRequest `sentAt`
 *   is later than `firstSentAt` if the server was not ready for the request, and the page has sent it again
 * @typedef {{ id: number, entry: PendingRequest, isPaired: boolean }} OpenSeek `isPaired`: a snapshot follows, unless no room can be opened
 * @typedef {{ state: "connecting" | "online" | "offline" | "replaced" | "stopped", retryAt: number, attempt: number,
 *   restarting: boolean, code: number, lostAt: number, onlineAt: number, hasNetwork: boolean }} Connection `hasNetwork`: what the browser reports
 * @typedef {{ persons: number, bots: number, waiting: number, games: number }} LobbyCounts
 * @typedef {{ rooms: any[], seeks: any[], counts: LobbyCounts | null, loaded: boolean }} Lobby
 * @typedef {{ phrase: string, until: number }} SaidPhrase
 * @typedef {typeof SETTINGS} SettingsTable
 * @typedef {SettingsTable["look"] & SettingsTable["play"]} SettingValues
 * @typedef {{ -readonly [Name in keyof SettingValues]: SettingValues[Name][number] } & { language: string }} Settings `language`: a
 *   tag, or empty
 * @typedef {{ rules: string, clock: string | null, seat: Seat | null, level: string | null, botSeat: Seat | null }} Choice `level`, `botSeat`: of the
 *   last game with a bot of the page
 * @typedef {"home" | "custom" | "bot" | "looking" | "link" | "refused" | "room" | "lobby" | "watch" | "replay" | "record" | "puzzle" | "local" | "settings"} Screen
 *
 * @typedef {object} Model
 * @property {Screen} screen
 * @property {Connection} connection
 * @property {boolean} followsLobby whether the connection shows the lobby
 * @property {string | null} address of the server for other machines
 * @property {boolean} isSubscribed whether the server sends changes of the lobby
 * @property {any} limits the limits of the welcome message
 * @property {string} name
 * @property {string} party
 * @property {string} [identity] the secret that shows the server who the visitor is
 * @property {"person" | "bot"} kind
 * @property {PageBot | null} bot the bot that plays with the visitor, or that the wanted room is for
 * @property {Settings} settings
 * @property {Choice} choice
 * @property {Room | null} room
 * @property {Room} record the game of a record that the visitor replays, without a state until its link is read. The id is the payload of the link,
 *   or empty without one
 * @property {any | null} wanted the request of the lobby that the visitor waits for
 * @property {number} wantedAt
 * @property {OpenSeek | null} seek the open seek of the connection, which may differ from the wanted seek
 * @property {string | null} left a room that the visitor has left, until the server knows it
 * @property {Screen} back screen that the settings lead back to
 * @property {Lobby} lobby
 * @property {SavedSeat[]} saved
 * @property {readonly string[]} ownRooms rooms with a seat of the visitor's identity, also of another browser
 * @property {readonly string[]} elsewhere rooms of games in other tabs
 * @property {string | null} linkCode code of the link that opened the page
 * @property {{ code: string, room: string, isWatched: boolean } | null} refused why a link or a room did not admit the visitor: the code of the reject,
 *   or `no_answer`
 * @property {Record<string, PendingRequest>} pending requests without an answer, by id
 * @property {number} nextId
 * @property {{ key: string, values?: any, until: number } | null} banner
 * @property {{ kind: "leave" | "name", next?: any, bot?: PageBot | null, error?: string } | null} dialog `error`: text on the answer before
 * @property {number | null} selected cell that waits for a confirmation
 */

/**
 * The settings, grouped by the cards of their screen: the values of each
 * setting, the default first. The names are keys of texts.
 */
export const SETTINGS = /** @type {const} */ ({
  look: {
    theme: ["device", "light", "dark"],
    contrast: ["device", "normal", "high"],
    coordinates: [true, false],
    same_cell: [true, false],
  },
  play: {
    confirm: ["small", "always", "never"],
    clock_alerts: [false, true],
    phrases: [true, false],
    sounds: [false, true],
  },
});

/**
 * Returns settings. Each value that the page does not know becomes the default.
 * @param {any} stored
 * @returns {any}
 */
export function settingsOf(stored) {
  const known = Object.values(SETTINGS)
    .flatMap((card) => Object.entries(card))
    .map(([name, values]) => [
      name,
      values.find((/** @type {any} */ value) => value === stored?.[name]) ??
        values[0],
    ]);
  return {
    ...Object.fromEntries(known),
    language: isText(stored?.language) ? stored.language : "",
  };
}

export const CLOCKS = Object.freeze([null, "1+0", "5+3", "10+5"]);
export const MAX_SAVED_SEATS = 8;
/** Time that a server keeps a game without moves, or a room without a game. */
const GAME_KEPT_MS = 24 * 3_600_000;
const ROOM_KEPT_MS = 3_600_000;
export const DEFAULT_NAME = "Guest";

/**
 * Returns the model of a page that has just opened.
 * @param {{ now: number, party: string, identity?: string, name: string, settings: Partial<Settings>, saved: SavedSeat[], seat: SavedSeat |
 *   null, linkCode: string | null, linkRoom?: string | null, screen?: Screen, link?: string, left?: string | null, search?: any, followsLobby?: boolean }} stored `linkRoom`: the
 *   room of a link to watch; `screen`: of the address; `link`: to a finished game; `search`: the request of a search that a reload interrupted
 * @returns {Model}
 */
export function initialModel({
  now,
  party,
  identity,
  name,
  settings,
  saved,
  seat,
  linkCode,
  linkRoom = null,
  screen = "home",
  link,
  left = null,
  search = null,
  followsLobby = false,
}) {
  const own = seat ?? savedSeat(saved, linkCode);
  const wanted = own
    ? null
    : linkRoom
      ? { type: "watch", room: linkRoom }
      : linkCode
        ? null
        : search;
  return {
    screen:
      own || linkRoom
        ? "room"
        : linkCode
          ? "link"
          : wanted
            ? "looking"
            : screen,
    back: "home",
    connection: {
      state: "connecting",
      retryAt: 0,
      attempt: 0,
      restarting: false,
      code: 0,
      lostAt: 0,
      onlineAt: 0,
      hasNetwork: true,
    },
    followsLobby,
    address: null,
    isSubscribed: false,
    limits: null,
    name,
    party,
    identity,
    kind: "person",
    bot: own?.bot ?? null,
    settings: settingsOf(settings),
    choice: {
      rules: "3x3:3",
      clock: null,
      seat: null,
      level: null,
      botSeat: null,
    },
    room: own ? newRoom(own.room, /** @type {string} */ (own.token)) : null,
    record: newRoom(link, null),
    wanted,
    wantedAt: now,
    seek: null,
    left,
    lobby: { rooms: [], seeks: [], counts: null, loaded: false },
    saved,
    ownRooms: [],
    elsewhere: [],
    linkCode,
    refused: null,
    pending: {},
    nextId: now,
    banner: null,
    dialog: null,
    selected: null,
  };
}

/**
 * Returns whether the seat's game is in progress, so that the opponent waits.
 * @param {SavedSeat} seat
 */
const isRunning = ({ opponent, isOver }) => Boolean(opponent) && !isOver;

/**
 * Returns the list of saved seats, newest first, with the seat in a room
 * replaced, or removed if `seat` is null. When the list is full, rooms without
 * a running game are dropped first.
 * @param {readonly SavedSeat[]} saved
 * @param {string | undefined} room
 * @param {SavedSeat | null} seat
 */
export function changeSaved(saved, room, seat) {
  const others = saved.filter((saved) => saved.room !== room);
  if (seat) others.unshift(seat);
  if (others.length <= MAX_SAVED_SEATS) return others;
  const [last] = others.filter((other) => !isRunning(other)).slice(-1);
  return others.filter((other) => other !== (last ?? others.at(-1)));
}

/**
 * Returns the code without hyphens. Digits replace the letters that visitors
 * may have typed instead.
 * @param {string} code
 */
const plainCode = (code) =>
  code
    .replaceAll("-", "")
    .toLowerCase()
    .replace(/[il]/g, "1")
    .replaceAll("o", "0");

/**
 * Returns whether a link leads to a room.
 * @param {{ id: string, code?: string | null }} room
 * @param {string} link the code or the id in the link
 */
export const isLinkOf = ({ id, code }, link) =>
  [id, code ?? id].some((own) => plainCode(own) === plainCode(link));

/**
 * Returns the saved seat that a link leads to.
 * @param {readonly SavedSeat[]} saved
 * @param {string | null} link
 */
export const savedSeat = (saved, link) =>
  (link !== null &&
    saved.find(({ room, code = null }) =>
      isLinkOf({ id: room, code }, link),
    )) ||
  null;

/**
 * @param {string | undefined} id
 * @param {string | null} token
 * @returns {Room}
 */
export function newRoom(id = "", token) {
  return {
    id,
    seat: null,
    token,
    code: null,
    state: null,
    leftAt: 0,
    presence: [null, null],
    lag: [null, null],
    spectators: 0,
    said: [null, null],
    isMuted: false,
    isOpen: false,
    review: null,
    animated: 0,
  };
}

/**
 * Returns whether the visitor still wants what a sent request asked for.
 * @param {Model} model
 * @param {{ [field: string]: any }} request
 */
export function isWanted({ wanted }, { id: _id, ...fields }) {
  return wanted !== null && JSON.stringify(wanted) === JSON.stringify(fields);
}

/**
 * Returns whether the wanted request has no response yet.
 * @param {Model} model
 */
export const isUnanswered = (model) =>
  model.wanted !== null &&
  !(model.seek && isWanted(model, model.seek.entry.request));

/**
 * Returns the pending move of this page, or null.
 * @param {Model} model
 */
export function pendingMove(model) {
  const entries = Object.entries(model.pending);
  const found = entries.find(([, { request }]) => request.type === "move");
  return found ? { id: Number(found[0]), ...found[1] } : null;
}

/**
 * Returns whether the visitor can make a move. Without a connection, the move
 * is sent when the seat is resumed.
 * @param {Model} model
 */
export function canMove(model) {
  const { room } = model;
  const state = room?.state;
  if (!room || !state || !room.seat || room.review !== null) return false;
  const isTurn = state.phase === "playing" && state.turn === room.seat;
  return isTurn && !pendingMove(model);
}

/**
 * Returns whether other players see the visitor's name after this request, so
 * that the visitor has to choose a name.
 * @param {any} request
 */
export const needsName = ({ type }) => type !== "watch" && type !== "resume";

/**
 * Returns whether the visitor may leave without a question, because no game is
 * in progress and no invitation is open.
 * @param {Model} model
 */
export function canLeave(model) {
  const { room, bot } = model;
  if (!room || !playedRoom(model) || (room.state && !room.seat)) return true;
  const phase = room.state?.phase ?? "playing";
  return phase !== "playing" && (phase !== "waiting" || bot !== null);
}

/**
 * Returns the seats that the visitor can continue: all games, then the newest
 * room without a game, then the rooms of other browsers. Leaves out the seats of
 * other tabs.
 * @param {Model} model
 * @param {number} now
 */
export function seatsToContinue({ saved, ownRooms, elsewhere }, now) {
  const seats = saved.filter(({ room }) => !elsewhere.includes(room));
  const kept = seats.filter(
    (seat) =>
      now - (seat.at ?? 0) < (isRunning(seat) ? GAME_KEPT_MS : ROOM_KEPT_MS),
  );
  const games = kept.filter(isRunning);
  const others = kept.filter((seat) => !isRunning(seat)).slice(0, 1);
  const own = ownRooms
    .filter((own) => !elsewhere.includes(own))
    .filter((own) => !saved.some(({ room }) => room === own))
    .map((room) => ({ room }));
  // A server may keep games longer.
  return kept.length > 0
    ? [...games, ...others, ...own]
    : [...seats.filter(isRunning).slice(0, 1), ...own];
}

/**
 * Returns the room of the game in this tab, or null.
 * @param {Model} model
 */
export const playedRoom = ({ room, connection }) =>
  room?.token && connection.state !== "replaced" ? room.id : null;

/**
 * Returns whether the page has lost its server, or has found none.
 * @param {Connection} connection
 */
export const isLost = ({ state, lostAt }) =>
  state !== "online" && (state !== "connecting" || lostAt > 0);

/**
 * Returns whether a game of this page is in progress.
 * @param {Model} model
 */
export function isPlaying(model) {
  return Boolean(model.room?.seat && model.room.state?.phase === "playing");
}

/**
 * Returns the moves of the displayed position.
 * @param {Model} model
 * @returns {number[]}
 */
export function shownMoves(model) {
  const room = model.room;
  if (!room?.state) return [];
  return room.review === null
    ? room.state.moves
    : room.state.moves.slice(0, room.review);
}
