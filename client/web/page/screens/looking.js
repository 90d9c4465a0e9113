// The screen shown during the search for an opponent. The search is for people,
// until the visitor lets bots join too.
import { countdownText } from "../core/clock.js";
import { isUnanswered } from "../core/model.js";
import { createRequest } from "../core/seek-and-create.js";
import { text } from "../i18n.js";
import { button, h, icon, rebuild, setText, show } from "../view/dom.js";
import { gamePicture } from "../view/game-picture.js";
import { clockName, gameName } from "../view/labels.js";
import {
  countsLine,
  createWaitingList,
  waitingEntries,
} from "../view/lobby-lists.js";
import { heading, switchField } from "../view/screen-parts.js";

/** @typedef {import("../core/model.js").Model} Model @typedef {(action: any) => void} Act */

/** Time of a search until the screen asks whether to play a bot. */
const ASK_AFTER_MS = 10_000;

/** @param {Act} act @param {() => number} now */
export function createLooking(act, now) {
  const detail = h("p", { class: "detail" });
  const time = h("span", { class: "elapsed", "aria-hidden": "true" });
  const picture = h("div", { class: "looking-picture" });
  const counts = h("p", { class: "detail reserved" });
  const question = h("p", { class: "detail reserved", role: "status" });
  const bots = h("div", null);
  const waiting = createWaitingList("", now);
  /** Whether other players have been shown. Their place then stays. */
  let hasOthers = false;
  const others = h(
    "section",
    { class: "card" },
    h("h2", null, text("waiting_others")),
    waiting.root,
  );
  /** @type {Model} */
  let current;
  const root = h(
    "div",
    { class: "narrow" },
    heading(text("looking"), act, { type: "cancel" }),
    h(
      "section",
      { class: "card centered" },
      picture,
      detail,
      counts,
      h(
        "p",
        { class: "waiting" },
        h("span", { class: "dot reconnecting", "aria-hidden": "true" }),
        time,
      ),
      question,
      h(
        "div",
        { class: "two" },
        button(
          text("invite_instead"),
          {
            onclick: () =>
              current.wanted
                ? act({
                    type: "enter",
                    request: createRequest(current.choice, false),
                  })
                : null,
          },
          icon("link"),
        ),
        button(
          text("play_bot"),
          { onclick: () => act({ type: "show", screen: "bot" }) },
          icon("bot"),
        ),
      ),
      bots,
      button(text("cancel"), {
        class: "plain",
        onclick: () => act({ type: "cancel" }),
      }),
    ),
    others,
  );
  return {
    root,
    /** @param {Model} model */
    update(model) {
      current = model;
      const request =
        model.wanted?.type === "seek" ? model.wanted : model.choice;
      rebuild(picture, request.rules, () => [gamePicture(request.rules)]);
      setText(
        detail,
        `${gameName(request.rules)} · ${clockName(request.clock)}`,
      );
      setText(counts, countsLine(model));
      const { opponents, ...wanted } = request;
      show(bots, request === model.wanted);
      rebuild(bots, JSON.stringify(request), () => [
        switchField(text("bots_too"), opponents !== "person", (isOn) =>
          act({
            type: "enter",
            request: isOn ? wanted : { ...wanted, opponents: "person" },
          }),
        ),
      ]);
      const seeks = model.lobby.seeks.filter(
        (seek) => seek.player.name !== model.name,
      );
      const entries = waitingEntries({ ...model.lobby, seeks }, act);
      waiting.update(entries);
      hasOthers ||= entries.length > 0;
      show(others, hasOthers);
    },
    tick() {
      // The time of a search starts when the server has responded to the request.
      const isSeeking = current && !isUnanswered(current);
      setText(
        time,
        isSeeking
          ? countdownText(now() - current.wantedAt)
          : text("connecting"),
      );
      const isLong = isSeeking && now() - current.wantedAt >= ASK_AFTER_MS;
      setText(question, isLong ? text("bot_meanwhile") : "");
      waiting.draw();
    },
  };
}
