// The game in a record, on the screen of a game. This module also reads a link
// to a game.
import { createGame } from "../game/game.js";
import { text } from "../i18n.js";
import { button, h, setText, show } from "../view/dom.js";
import { RecordError, readRecord } from "./record.js";
import { LinkError, unpackRecord } from "./record-link.js";
import { recordState } from "./record-state.js";

/**
 * @param {(action: any) => void} act
 * @param {() => number} now
 * @returns {import("../view/screens.js").ScreenView}
 */
export function createRecordView(act, now) {
  const game = createGame(act, now);
  const line = h("p", { role: "status" });
  const start = button(text("start_page"), {
    class: "primary",
    onclick: () => act({ type: "show", screen: "home" }),
  });
  const problem = h(
    "section",
    { class: "card narrow" },
    h("h1", { tabindex: "-1" }, text("replay")),
    line,
    start,
  );
  const root = h("div", { class: "record-screen" }, problem, game.root);
  /**
   * The link that is being read.
   * @type {string | null}
   */
  let opening = null;

  /** @param {string} link */
  async function openLink(link) {
    if (link === opening) return;
    opening = link;
    setText(line, text("opening_game"));
    show(start, false);
    try {
      const state = recordState(readRecord(await unpackRecord(link)));
      if (link === opening) act({ type: "open-record", state, link });
    } catch (error) {
      if (!(error instanceof LinkError || error instanceof RecordError))
        throw error;
      if (link !== opening) return;
      setText(
        line,
        text(error instanceof LinkError ? error.reason : "link_bad"),
      );
      show(start, true);
    }
  }

  return {
    ...game,
    root,
    isGame: true,
    leave: () => act({ type: "show", screen: "replay" }),
    update(model) {
      const { record } = model;
      const isRead = record.state !== null;
      show(problem, !isRead);
      show(game.root, isRead);
      if (!isRead) return void openLink(record.id);
      opening = null;
      // A record needs no connection, and no request of the visitor belongs to
      // it.
      game.update({
        ...model,
        room: record,
        banner: null,
        selected: null,
        pending: {},
        connection: { ...model.connection, state: "online" },
      });
    },
    hide() {
      opening = null;
      game.hide();
    },
    title: () =>
      problem.hidden
        ? /** @type {() => { name: string, detail: string }} */ (game.title)()
        : { name: text("replay"), detail: "" },
  };
}
