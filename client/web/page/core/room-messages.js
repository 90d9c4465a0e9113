// Messages of a room: snapshots, events and notices. Pure.
import {
  FoldError,
  OFFERS,
  foldEvent,
  otherSeat,
  seatIndex,
  swapPair,
} from "./fold.js";
import { changeSaved, isWanted, newRoom, pendingMove } from "./model.js";
import {
  COMMANDS,
  andThen,
  closeRoom,
  closeSeat,
  findPending,
  isPending,
  leaveRoom,
  send,
  settle,
} from "./step.js";
import { openLink } from "./visitor.js";
import { PHRASES } from "./wire-table.js";

/**
 * @typedef {import("./model.js").Model} Model
 * @typedef {import("./model.js").Room} Room
 * @typedef {import("./step.js").Effect} Effect
 * @typedef {import("./step.js").Step} Step
 */

/** Time that a phrase stays beside its player. */
const PHRASE_MS = 6000;
/**
 * Interval for saving the seat in a running game again with a new time, so that
 * it does not look old.
 */
const SAVE_INTERVAL_MS = 600_000;
const SEQ_OF_SNAPSHOT = Number.MAX_SAFE_INTEGER;

/** @param {Model} model @param {import("../../../../protocol/asyncapi/noughts").SnapshotMessage} message @param {number} now @returns {Step} */
export function onSnapshot(model, message, now) {
  const entry = findPending(model, message.re);
  const before = model.room?.id === message.room ? model.room : null;
  if (
    !before &&
    !(entry
      ? isWanted(model, entry.request)
      : message.re === undefined && model.wanted?.type === "seek")
  )
    return leaveUnwanted(model, message, now);
  const { linkCode } = model;
  const seat = message.role.seat ?? null;
  const code =
    message.role.code ??
    before?.code ??
    (entry?.request.type === "watch" ? entry.request.room : null);
  /** @type {Room} */
  const room = {
    ...(before ?? newRoom(message.room, null)),
    seat,
    code,
    token: message.role.token ?? null,
    state: message.state,
    leftAt: now,
    animated: message.state.moves.length,
  };
  const bot =
    room.seat && (!model.bot?.seat || model.bot.seat.room === room.id)
      ? model.bot
      : null;
  const [next, saving] = remember(
    {
      ...settle(model, message.re),
      room,
      bot,
      wanted: null,
      seek: null,
      left: model.left === room.id ? null : model.left,
      linkCode: null,
      refused: null,
      banner: null,
      selected: null,
      screen: /** @type {const} */ ("room"),
    },
    now,
  );
  if (message.state.phase === "closed")
    return closeRoom({ ...next, linkCode }, "room_closed", now);
  /** @type {Effect[]} */
  const effects = [
    { type: "store-seat", seat: seatToStore(room, bot) },
    ...saving,
  ];
  effects.push(...resumeBot(next)[1]);
  if (!before?.state && message.state.phase === "playing")
    effects.push({
      type: "announce",
      key: turnKey(room),
      values: namesOf(room),
    });
  // A visitor in a room does not see the lobby.
  const end = (/** @type {Model} */ model) =>
    model.isSubscribed
      ? send(
          { ...model, isSubscribed: false },
          { type: "lobby", end: true },
          now,
        )
      : /** @type {Step} */ ([model, []]);
  const link = (/** @type {Model} */ model) =>
    linkCode && before
      ? openLink(model, { code: linkCode }, now)
      : /** @type {Step} */ ([model, []]);
  return [end, resendCommands, link].reduce(andThen, [next, effects]);
}

/**
 * Leaves a room that the visitor does not want any more: the visitor made another choice while the
 * request was under way.
 * @param {Model} model
 * @param {import("../../../../protocol/asyncapi/noughts").SnapshotMessage} message
 * @param {number} now
 * @returns {Step}
 */
function leaveUnwanted(model, message, now) {
  const next = { ...settle(model, message.re), seek: null, left: message.room };
  if (model.room || isPending(next, ["leave"]))
    return [settle(model, message.re), []];
  return andThen(
    [next, [{ type: "store-left", left: message.room }]],
    (model) => send(model, { type: "leave" }, now),
  );
}

/**
 * Handles a seat for the page's bot, or its failure.
 * @param {Model} model
 * @param {import("./step.js").Message} message
 * @param {number} now
 * @returns {Step}
 */
export function onBot(model, { seat }, now) {
  const { room } = model;
  if (!room || !model.bot) return [model, []];
  // Another bot may have taken the seat first.
  if (!seat && model.bot.isSubstitute) return [{ ...model, bot: null }, []];
  if (!seat)
    return room.state?.phase === "waiting"
      ? leaveRoom(model, "bot_failed", now)
      : [model, [{ type: "toast", key: "bot_failed" }]];
  const bot = { ...model.bot, seat };
  return andThen(
    [{ ...model, bot }, [{ type: "store-seat", seat: seatToStore(room, bot) }]],
    (model) => remember(model, now),
  );
}

/** @param {Room} room @param {import("./model.js").PageBot | null} bot */
function seatToStore(room, bot) {
  return room.token
    ? { room: room.id, token: room.token, rules: room.state?.rules, bot }
    : null;
}

/**
 * Saves the seat until the room closes, because a friend may join it or the
 * opponent may offer a rematch. The effect changes only this seat, because
 * other tabs change the list too. A game that was saved as running and has now
 * ended is kept among the finished games.
 * @param {Model} model
 * @param {number} now
 * @returns {Step}
 */
function remember(model, now) {
  const { room, bot } = model;
  if (!room?.token || !room.seat || !room.state) return [model, []];
  const opponent =
    room.state.players[seatIndex(otherSeat(room.seat))]?.name ?? "";
  const { phase } = room.state;
  const known = model.saved.find((saved) => saved.room === room.id) ?? null;
  const { at = -Infinity } = known ?? {};
  // The page's bot joins immediately or never, and does not wait for a rematch.
  const isKept = phase === "playing" || (phase !== "closed" && !bot);
  const seat = isKept
    ? {
        room: room.id,
        token: room.token,
        rules: room.state.rules,
        opponent,
        code: room.code,
        bot,
        at: now - at < SAVE_INTERVAL_MS ? at : now,
        isOver: phase === "over",
      }
    : null;
  // Most events change nothing that is stored, and storing takes time.
  if (JSON.stringify(known) === JSON.stringify(seat)) return [model, []];
  /** @type {Effect[]} */
  const effects = [{ type: "store-saved", room: room.id, seat }];
  // A reload after the end does not store the game again, because the visitor
  // may have deleted it.
  if (phase === "over" && known?.isOver === false)
    effects.push({ type: "keep-game", room });
  return [
    { ...model, saved: changeSaved(model.saved, room.id, seat) },
    effects,
  ];
}

/**
 * If a bot of the page has a seat in the room, makes the bot play there. Until now, the bot may
 * have run in another tab.
 * @param {Model} model
 * @returns {Step}
 */
const resumeBot = (model) => [
  model,
  model.room && model.bot
    ? [
        {
          type: "start-bot",
          room: model.room.id,
          code: model.room.code,
          bot: model.bot,
        },
      ]
    : [],
];

/**
 * Sends unanswered commands of the room again after a resume.
 * @param {Model} model
 * @returns {Step}
 */
function resendCommands(model) {
  const commands = Object.values(model.pending).filter(
    ({ request, room }) =>
      COMMANDS.includes(request.type) && room === model.room?.id,
  );
  return [model, commands.map(({ request }) => ({ type: "send", request }))];
}

/** @param {Model} model @param {import("../../../../protocol/asyncapi/noughts").EventsMessage} message @param {number} now @returns {Step} */
export function onEvents(model, message, now) {
  const type = findPending(model, message.re)?.request.type;
  let next = settle(model, message.re);
  if (type === "resume") next = { ...next, banner: null };
  /** @type {Effect[]} */
  const effects = [];
  for (const envelope of message.events) {
    const room = next.room;
    if (
      !room?.state ||
      room.id !== message.room ||
      envelope.seq <= room.state.seq
    )
      continue;
    try {
      const [changed, more] = applyEvent(next, room, envelope, now);
      next = changed;
      effects.push(...more);
    } catch (error) {
      if (!(error instanceof FoldError)) throw error;
      const seq = error.kind === "gap" ? room.state.seq : SEQ_OF_SNAPSHOT;
      return andThen([next, effects], (model) =>
        send(model, { type: "sync", seq }, now),
      );
    }
    if (next.room?.state?.phase === "closed")
      return andThen([next, effects], (model) =>
        closeRoom(
          model,
          model.room?.state?.close_reason === "operator"
            ? "room_closed_operator"
            : "room_closed",
          now,
        ),
      );
  }
  const kept = andThen([next, effects], (model) => remember(model, now));
  return type === "resume"
    ? andThen(andThen(kept, resumeBot), resendCommands)
    : kept;
}

/**
 * @param {Model} model
 * @param {Room} room
 * @param {import("./fold.js").EventEnvelope} envelope
 * @param {number} now
 * @returns {Step}
 */
function applyEvent(model, room, envelope, now) {
  const state = foldEvent(/** @type {any} */ (room.state), envelope);
  const { event, by } = envelope;
  const offeredBy =
    "offer" in event
      ? (room.state?.offers[OFFERS.indexOf(event.offer)] ?? null)
      : null;
  const isOwn =
    by !== undefined &&
    by.seat === room.seat &&
    model.pending[by.id] !== undefined;
  let next = isOwn ? settle(model, by?.id) : model;
  /** @type {Room} */
  let changed = { ...room, state };
  if (event.type === "started" && event.game > 1) {
    changed = {
      ...changed,
      seat: room.seat && otherSeat(room.seat),
      presence: swapPair(room.presence),
      lag: swapPair(room.lag),
      said: swapPair(room.said),
    };
  }
  if (event.type === "seated" && room.state?.phase === "playing") {
    changed = {
      ...changed,
      isOpen: false,
      presence: changed.presence.map((old, index) =>
        index === seatIndex(event.seat) ? null : old,
      ),
    };
  }
  if (event.type === "ended") changed.isOpen = false;
  if (("left" in event && event.left) || event.type === "started")
    changed.leftAt = now;
  if (["started", "moved", "taken_back"].includes(event.type))
    next = { ...next, selected: null };
  if (event.type === "started" || event.type === "taken_back")
    changed = { ...changed, review: null, animated: state.moves.length };
  if (
    event.type === "moved" &&
    changed.review !== null &&
    changed.review >= state.moves.length - 1
  )
    changed.review = null;
  if (event.type === "ended") next = { ...next, dialog: null };
  // The visitor may have opened the settings before an opponent joined.
  if (event.type === "started")
    next = { ...next, dialog: null, screen: "room" };
  // The server has decided a later position, so the visitor's own move in an
  // earlier position is stale.
  const move = pendingMove(next);
  if (event.type === "ended" && move) next = settle(next, move.id);
  return [
    { ...next, room: changed },
    eventEffects(changed, event, isOwn, offeredBy),
  ];
}

/** @param {Room} room */
function namesOf(room) {
  const [x, o] = room.state?.players ?? [];
  const opponent = room.seat === "O" ? x : o;
  return { name: opponent?.name ?? "", x: x?.name ?? "", o: o?.name ?? "" };
}

/** @param {Room} room */
function turnKey(room) {
  if (!room.seat) return room.state?.turn === "X" ? "turn_of_x" : "turn_of_o";
  return room.state?.turn === room.seat ? "your_move" : "is_thinking";
}

/**
 * Returns the announcements for an event.
 * @param {Room} room
 * @param {any} event
 * @param {boolean} isOwn
 * @param {import("./fold.js").Seat | null} offeredBy the seat that made the
 *   event's offer
 * @returns {Effect[]}
 */
function eventEffects(room, event, isOwn, offeredBy) {
  const names = namesOf(room);
  switch (event.type) {
    case "started":
      return [{ type: "announce", key: turnKey(room), values: names }];
    case "moved": {
      const values = {
        ...names,
        mark: event.seat,
        cell: event.cell,
        isCell: true,
      };
      return [
        {
          type: "announce",
          key: "plays",
          values,
          then: room.state?.turn === room.seat ? "your_move" : undefined,
        },
      ];
    }
    case "offered":
      return isOwn || event.seat === room.seat
        ? []
        : [{ type: "announce", key: `offer_${event.offer}`, values: names }];
    case "seated": {
      if (room.state?.phase !== "playing") return [];
      const values = { name: event.player.name };
      return [{ type: "toast", key: "seat_taken", values }];
    }
    case "declined": {
      // The withdrawal of the visitor's own offer is not a refusal.
      if (isOwn || event.seat === offeredBy) return [];
      const values = {
        name: room.state?.players[seatIndex(event.seat)]?.name ?? "",
      };
      return [{ type: "toast", key: `declined_${event.offer}`, values }];
    }
    case "taken_back":
      return [{ type: "announce", key: "taken_back" }];
    case "ended":
      return [{ type: "announce-result" }];
    default:
      return [];
  }
}

/**
 * Handles a phrase that a player has said. A newer server may have phrases that
 * the page cannot show.
 * @param {Model} model
 * @param {Room} room
 * @param {{ seat: import("./fold.js").Seat, phrase: string }} notice
 * @param {number} now
 * @returns {Step}
 */
function onPhrase(model, room, { seat, phrase }, now) {
  const isOwn = seat === room.seat;
  if (
    !PHRASES.includes(phrase) ||
    (!isOwn && (room.isMuted || !model.settings.phrases))
  )
    return [model, []];
  const at = seatIndex(seat);
  const said = room.said.map((old, index) =>
    index === at ? { phrase, until: now + PHRASE_MS } : old,
  );
  const name = room.state?.players[at]?.name ?? "";
  return [
    { ...model, room: { ...room, said } },
    isOwn ? [] : [{ type: "announce", key: `phrase_${phrase}`, speaker: name }],
  ];
}

/** @param {Model} model @param {import("../../../../protocol/asyncapi/noughts").NoticeMessage} message @param {number} now @returns {Step} */
export function onNotice(model, message, now) {
  const room = model.room;
  if (!room || room.id !== message.room) return [model, []];
  const { notice } = message;
  switch (notice.type) {
    case "presence": {
      const at = seatIndex(notice.seat);
      const claimAt =
        notice.claim_in_ms === undefined ? null : now + notice.claim_in_ms;
      const wasConnected =
        (room.presence[at]?.presence ?? "connected") === "connected";
      const isConnected = notice.presence === "connected";
      const since = wasConnected ? now : (room.presence[at]?.since ?? now);
      const presence = room.presence.map((old, index) =>
        index === at ? { presence: notice.presence, since, claimAt } : old,
      );
      const isOther = notice.seat !== room.seat;
      const isChanged =
        wasConnected !== isConnected &&
        isOther &&
        room.seat &&
        !model.bot?.seat;
      /** @type {Effect[]} */
      const effects = isChanged
        ? [
            {
              type: isConnected ? "toast" : "announce",
              key: isConnected ? "is_back" : "is_disconnected",
              values: namesOf(room),
            },
          ]
        : [];
      const next = { ...model, room: { ...room, presence } };
      return isConnected && isOther
        ? andThen([next, effects], closeSeat)
        : [next, effects];
    }
    case "lag":
      return [{ ...model, room: { ...room, lag: notice.ms } }, []];
    case "phrase":
      return onPhrase(model, room, notice, now);
    case "spectators":
      return [{ ...model, room: { ...room, spectators: notice.count } }, []];
    default:
      return [model, []];
  }
}
