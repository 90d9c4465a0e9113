import { LOW_MS, clockText, isFreeMove, timeLeftOf } from "../core/clock.js";
import { seatIndex } from "../core/fold.js";
import { text } from "../i18n.js";
import { h, mark, rebuild, setAttribute, setText, show } from "../view/dom.js";
import { identityTag } from "../view/screen-parts.js";
import { SLOW_MS } from "../view/shell.js";
import { scoreText } from "./game-texts.js";

/**
 * @typedef {import("../core/model.js").Model} Model
 * @typedef {import("../core/model.js").Room} Room
 * @typedef {import("../core/fold.js").RoomState} RoomState
 * @typedef {import("../core/fold.js").Seat} Seat
 */

/**
 * Creates the bar of a player: mark, name, presence and clock. After the game,
 * the name of another player opens the profile.
 * @param {string} side
 * @param {(action: any) => void} act
 * @param {() => number} now
 */
export function createPlayerBar(side, act, now) {
  const tile = h("span", { class: "tile" });
  const name = h("span", { class: "name" });
  const presence = h("span", { class: "presence" });
  const clock = h("span", { class: "clock", "aria-hidden": "true" });
  const bubble = h("p", { class: "bubble", "aria-hidden": "true" });
  const root = h(
    "div",
    { class: `player ${side}`, role: "group" },
    tile,
    h("div", { class: "player-text" }, name, presence),
    bubble,
    clock,
  );
  let redraw = () => {};
  /** @param {string} identity @param {Element} opener */
  const showProfile = (identity, opener) =>
    import("../replay/profile.js")
      .then(({ openProfile }) =>
        openProfile(
          identity,
          name.textContent ?? "",
          act,
          () => opener.isConnected,
        ),
      )
      .catch(() => act({ type: "toast", key: "no_answer" }));
  return {
    root,
    /** @param {Model} model @param {Room} room @param {RoomState} state @param {Seat} seat @param {boolean} isNear */
    update(model, room, state, seat, isNear) {
      const player = state.players[seatIndex(seat)];
      // The profile must not cover a game that has begun.
      if (state.phase === "playing")
        /** @type {HTMLDialogElement | null} */ (
          document.querySelector("dialog.profile")
        )?.close();
      const isTurn = state.phase === "playing" && state.turn === seat;
      root.className = `player ${side} ${seat.toLowerCase()}${isTurn ? " turn" : ""}`;
      setAttribute(root, "aria-label", `${seat}: ${player?.name ?? ""}`);
      rebuild(tile, seat, () => [mark(seat)]);
      // The name of the page's bot already shows that it is a bot.
      const isOwnBot = model.bot?.seat && seat !== room.seat;
      // Players with the same name differ only in their tags.
      const [x, o] = state.players;
      const tag = x?.name === o?.name ? identityTag(player) : [];
      const isOwn = isNear && room.seat !== null;
      const identity =
        state.phase === "over" && model.screen !== "record" && !isOwn
          ? player?.identity
          : undefined;
      const shown = [player, isOwnBot, tag.length, identity];
      rebuild(name, JSON.stringify(shown), () => [
        ...(identity
          ? [
              h(
                "button",
                {
                  type: "button",
                  class: "profile-link",
                  onclick: (/** @type {Event} */ { currentTarget }) =>
                    showProfile(
                      identity,
                      /** @type {Element} */ (currentTarget),
                    ),
                },
                h("bdi", null, player?.name ?? "…"),
              ),
            ]
          : [h("bdi", null, player?.name ?? "…")]),
        ...tag,
        ...(player?.kind === "bot" && !isOwnBot
          ? [h("span", { class: "tag" }, text("bot"))]
          : []),
      ]);
      const where = room.presence[seatIndex(seat)]?.presence ?? "connected";
      const lag = room.lag[seatIndex(seat)];
      const isOnline = model.connection.state === "online";
      const isSlow = typeof lag === "number" && lag > SLOW_MS;
      // A good connection needs no words.
      const problem =
        model.screen === "record" || isOwn
          ? ""
          : !isOnline
            ? text("unknown_presence")
            : where !== "connected"
              ? text(where)
              : isSlow
                ? text("ping", { n: lag })
                : "";
      const score =
        isNear && model.screen !== "record" ? scoreText(state, seat) : "";
      rebuild(presence, `${isOwn} ${problem} ${score}`, () => [
        ...(problem && isOnline
          ? [h("span", { class: `dot ${where}`, "aria-hidden": "true" })]
          : []),
        ...(problem ? [problem] : []),
        ...(isOwn ? [text("you")] : []),
        ...(score ? [h("strong", { class: "score" }, score)] : []),
      ]);
      show(clock, state.left !== undefined);
      redraw = () => {
        const said = room.said[seatIndex(seat)] ?? null;
        const isSaid = said !== null && said.until > now();
        show(bubble, isSaid);
        if (isSaid) setText(bubble, text(`phrase_${said.phrase}`));
        const left = timeLeftOf(room, state, seat, now());
        setText(clock, clockText(left));
        const isRunning = isTurn && !isFreeMove(state);
        clock.className = `clock${isRunning ? " running" : ""}${isRunning && left < LOW_MS ? " low" : ""}`;
      };
      redraw();
    },
    tick: () => redraw(),
  };
}
