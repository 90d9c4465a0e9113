// The screens of an invitation: the visitor's own room while the other seat is
// free, and a friend's link.
import { text } from "../i18n.js";
import { serverUrl } from "../io/server-url.js";
import { button, h, icon, rebuild, setText, show } from "../view/dom.js";
import { gamePicture } from "../view/game-picture.js";
import { clockName, gameName, rulesLine } from "../view/labels.js";
import { linkOrigin } from "../view/link-origin.js";
import { qrPicture } from "../view/qr-picture.js";
import { heading } from "../view/screen-parts.js";

/** @typedef {import("../core/model.js").Model} Model @typedef {(action: any) => void} Act */

/**
 * Returns the QR code of a URL with a hint, or nothing if the URL is too long.
 * @param {string} url
 * @returns {Node[]}
 */
function scanPicture(url) {
  const picture = qrPicture(url);
  return picture ? [picture, h("p", { class: "detail" }, text("or_scan"))] : [];
}

/**
 * Creates the screen of the visitor's own room while the other seat is free.
 * @param {Act} act
 */
export function createInvitation(act) {
  const detail = h("p", { class: "detail" });
  const link = /** @type {HTMLInputElement} */ (
    h("input", {
      class: "input mono",
      readonly: true,
      id: "link",
      onfocus: () => link.select(),
    })
  );
  const code = h("output", { class: "code" });
  const scan = h("div", { class: "scan" });
  const shareLink = () =>
    navigator.share({ url: link.value }).catch(({ name }) => {
      // The visitor has closed the browser's list.
      if (name !== "AbortError") act({ type: "copy-link", input: link });
    });
  const share = button(text("share"), { onclick: shareLink }, icon("share"));
  const privately = h(
    "div",
    { class: "stack" },
    h(
      "section",
      { class: "card" },
      h("label", { for: "link" }, text("send_link")),
      link,
      h(
        "div",
        { class: "two" },
        button(
          text("copy_link"),
          {
            class: "primary",
            onclick: () => act({ type: "copy-link", input: link }),
          },
          icon("copy"),
        ),
        share,
      ),
      h("p", { class: "detail" }, text("link_hint")),
    ),
    h(
      "section",
      { class: "card invitation-code" },
      h(
        "div",
        { class: "stack-small" },
        h("p", { class: "label" }, text("or_code")),
        code,
      ),
      scan,
    ),
  );
  const publicly = h(
    "section",
    { class: "card" },
    h("p", null, text("public_room_hint")),
    button(
      text("copy_link"),
      {
        onclick: () =>
          act({ type: "copy-text", text: link.value, key: "link_copied" }),
      },
      icon("copy"),
    ),
  );
  const waiting = h("span", null);
  const head = heading("", act, { type: "show", screen: "home" });
  show(share, "share" in navigator);
  const root = h(
    "div",
    { class: "narrow" },
    head,
    detail,
    privately,
    publicly,
    h(
      "p",
      { class: "waiting" },
      h("span", { class: "dot reconnecting", "aria-hidden": "true" }),
      waiting,
    ),
    h(
      "div",
      { class: "two" },
      button(
        text("play_bot"),
        { onclick: () => act({ type: "show", screen: "bot" }) },
        icon("bot"),
      ),
      button(text("cancel"), { onclick: () => act({ type: "leave" }) }),
    ),
  );
  return {
    root,
    /** @param {Model} model */
    update(model) {
      const { room } = model;
      const state = room?.state;
      if (!room || !state) return;
      setText(
        detail,
        [
          gameName(state.rules),
          clockName(state.clock),
          room.seat && text("you_play", { mark: room.seat }),
        ]
          .filter(Boolean)
          .join(" · "),
      );
      setText(
        /** @type {Element} */ (head.lastElementChild),
        text(room.code === null ? "your_room" : "invite_friend"),
      );
      show(privately, room.code !== null);
      show(publicly, room.code === null);
      const url = `${linkOrigin(model.address)}/#${room.code ?? room.id}`;
      if (link.value !== url) link.value = url;
      rebuild(scan, room.code === null ? "" : url, () =>
        room.code === null ? [] : scanPicture(url),
      );
      setText(code, room.code ?? "");
      setText(
        waiting,
        model.connection.state === "online"
          ? text(
              room.code === null
                ? "waiting_opponent"
                : room.spectators > 0
                  ? "link_opened"
                  : "waiting_friend",
            )
          : text("reconnecting"),
      );
    },
  };
}

/**
 * Creates the screen of an invitation: the host, the game, and the visitor's
 * name.
 * @param {Act} act
 */
export function createLink(act) {
  const input = /** @type {HTMLInputElement} */ (
    h("input", {
      class: "input",
      id: "name",
      "aria-describedby": "invited invited-game",
      maxlength: 24,
      autocomplete: "nickname",
      onfocus: () => input.select(),
    })
  );
  const title = h("h1", { id: "invited", tabindex: "-1" }, text("invited"));
  const detail = h("p", { id: "invited-game", class: "detail reserved" });
  const picture = h("div", { class: "squared invited-picture" });
  /** @type {Model} */
  let current;
  let name = "";
  let isShown = false;
  /**
   * The invited room, watched without taking a seat; null until it is loaded.
   * @type {import("../watch/watched-games.js").WatchedGames | null}
   */
  let preview = null;

  const onsubmit = (/** @type {Event} */ event) => {
    event.preventDefault();
    if (!input.value.trim()) return input.focus();
    const request = { type: "join", room: current.linkCode };
    act({ type: "dialog", dialog: { kind: "name", next: request } });
    act({ type: "set-name", name: input.value });
  };

  /**
   * Loads the preview. The page works without it, because the response to
   * `join` decides.
   */
  async function loadPreview() {
    const module = await import("../watch/watched-games.js").catch(() => null);
    if (!module || !isShown || preview) return;
    preview = new module.WatchedGames(serverUrl(), current.name, drawPreview);
    drawPreview();
  }

  function drawPreview() {
    const { linkCode } = current;
    if (!preview || linkCode === null) return;
    preview.watch([linkCode]);
    const watched = preview.find(linkCode);
    const state = watched?.room?.state;
    // Other rejects do not count: a room that has no place for a spectator may still have a free
    // seat.
    if (watched?.reject === "unknown_room")
      return act({ type: "refuse-link", code: watched.reject });
    if (!state) return;
    const [x, o] = state.players;
    if (x && o) return act({ type: "refuse-link", code: "room_full" });
    const host = x ?? o;
    const game = gameName(state.rules);
    if (host) setText(title, text("invited_by", { name: host.name, game }));
    setText(
      detail,
      [
        rulesLine(state.rules),
        clockName(state.clock),
        text("you_play", { mark: x ? "O" : "X" }),
      ].join(" · "),
    );
    rebuild(picture, state.rules, () => [gamePicture(state.rules)]);
  }

  const root = h(
    "form",
    { class: "narrow", onsubmit },
    title,
    h(
      "section",
      { class: "card" },
      picture,
      detail,
      h("label", { for: "name" }, text("your_name")),
      input,
      h("button", { class: "button primary main" }, text("join_game")),
      h("p", { class: "detail" }, text("invitation_hint")),
    ),
  );
  return {
    root,
    /** @param {Model} model */
    update(model) {
      current = model;
      // The visitor may have chosen the name in the settings.
      if (model.name !== name) input.value = model.name;
      name = model.name;
      if (!isShown && !model.wanted) void loadPreview();
      isShown = true;
      if (model.linkCode !== null) preview?.watch([model.linkCode]);
    },
    hide() {
      isShown = false;
      preview?.close();
      preview = null;
    },
    focus: () => input.focus(),
  };
}

/**
 * Creates the screen of a link that leads to no room, or to a game without a free seat.
 * @param {Act} act
 */
export function createRefused(act) {
  const root = h("div", { class: "narrow" });
  const go =
    (
      /** @type {string} */ label,
      /** @type {string} */ screen,
      className = "",
    ) =>
    () =>
      button(text(label), {
        class: className,
        onclick: () => act({ type: "show", screen }),
      });
  return {
    root,
    /** @param {Model} model */
    update({ refused }) {
      if (!refused) return;
      const { code, room, isWatched } = refused;
      const watch = () =>
        button(
          text("watch"),
          {
            class: "primary",
            onclick: () =>
              act({ type: "enter", request: { type: "watch", room } }),
          },
          icon("eye"),
        );
      const again = () =>
        button(text("try_again"), {
          class: "primary",
          onclick: () =>
            act({ type: "open-link", [isWatched ? "room" : "code"]: room }),
        });
      const [title, hint, ...buttons] =
        code === "room_full"
          ? ["seats_taken", "seats_taken_hint", watch, go("own_game", "home")]
          : code !== "unknown_room"
            ? [
                "link_failed",
                code === "no_answer" ? code : `reject_${code}`,
                again,
                go("start_game", "home"),
              ]
            : isWatched
              ? [
                  "link_gone",
                  "game_gone_hint",
                  go("start_game", "home", "primary"),
                  go("watch_others", "watch"),
                ]
              : [
                  "link_gone",
                  "link_gone_hint",
                  go("start_game", "home", "primary"),
                  go("enter_code", "lobby"),
                ];
      const isNew = rebuild(root, `${code} ${room}`, () => [
        h("h1", { tabindex: "-1" }, text(title)),
        h(
          "section",
          { class: "card" },
          h("p", null, text(hint)),
          h("div", { class: "two" }, ...buttons.map((build) => build())),
        ),
      ]);
      // The button that the visitor pressed is gone.
      if (isNew) root.querySelector("h1")?.focus();
    },
  };
}
