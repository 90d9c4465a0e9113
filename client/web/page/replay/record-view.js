// The game of a record, on the screen of a game.
import { createGame } from "../game/game.js";

/**
 * @param {(action: any) => void} act
 * @param {() => number} now
 * @returns {import("../view/screens.js").ScreenView}
 */
export function createRecordView(act, now) {
  const game = createGame(act, now);
  return {
    ...game,
    isGame: true,
    leave: () => act({ type: "show", screen: "replay" }),
    // A record is there without a connection, and no request of the visitor belongs to it.
    update: (model) =>
      game.update({
        ...model,
        room: model.record,
        banner: null,
        selected: null,
        pending: {},
        connection: { ...model.connection, state: "online" },
      }),
  };
}
