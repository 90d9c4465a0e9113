// The lobby: a whole lobby, and the changes that the server sends. Pure.
import { knownRooms } from "./message.js";

/**
 * @typedef {import("./model.js").Lobby} Lobby
 */

/**
 * Returns the lobby in a `lobby` message.
 * @param {any} message
 * @returns {Lobby}
 */
export const wholeLobby = (message) => ({
  ...knownRooms(message),
  counts: message.counts,
  loaded: true,
});

/**
 * Applies a change. Rooms are listed newest first, and seeks oldest first.
 * @param {Lobby} lobby
 * @param {any} message a `lobby_changed` message
 * @returns {Lobby}
 */
export function changeLobby(lobby, message) {
  const { rooms, seeks } = knownRooms({
    rooms: message.rooms ?? [],
    seeks: message.seeks ?? [],
  });
  const gone = message.rooms_gone ?? [];
  const kept = lobby.rooms
    .filter((room) => !gone.includes(room.room))
    .map((room) => rooms.find((changed) => changed.room === room.room) ?? room);
  const added = rooms.filter(
    (room) => !kept.some((known) => known.room === room.room),
  );
  const ended = [
    ...(message.seeks_gone ?? []),
    ...seeks.map((seek) => seek.seek),
  ];
  return {
    rooms: [...added, ...kept],
    seeks: [
      ...lobby.seeks.filter((seek) => !ended.includes(seek.seek)),
      ...seeks,
    ],
    counts: message.counts ?? lobby.counts,
    loaded: true,
  };
}
