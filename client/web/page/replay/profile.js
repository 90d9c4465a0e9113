// The dialog with the profile of a player: the numbers of games, and the latest
// games. Loaded when it is opened.
import { currentLanguage, text } from "../i18n.js";
import { Archive, ArchiveError } from "../io/archive.js";
import { loadStyle } from "../styles.js";
import { button, h } from "../view/dom.js";
import { gameName } from "../view/labels.js";
import { identityTag } from "../view/screen-parts.js";
import { serverGameRow } from "./game-row.js";
import { packRecord } from "./record-link.js";
import { readRecord, writeRecord } from "./record.js";
import { recordState } from "./record-state.js";

/**
 * @typedef {import("../io/archive.js").Listing} Listing
 * @typedef {import("../io/archive.js").ProfileMessage} ProfileMessage
 */

/**
 * Reads a game of the server, without the tags that only the server needs.
 * @param {Archive} archive
 * @param {number} game
 * @returns {Promise<string>} its record; rejects with an ArchiveError
 */
export async function readServerGame(archive, game) {
  const record = await archive.record(game);
  try {
    return writeRecord(recordState(readRecord(record)));
  } catch {
    throw new ArchiveError("unknown_game");
  }
}

/** Texts for the codes that a question without a response can have. */
const PROBLEM_TEXTS = Object.freeze({
  no_answer: "no_answer",
  not_kept: "archive_not_kept",
  unknown_player: "archive_unknown_player",
});

/** @param {unknown} problem @returns {string} why a question has no response */
export function problemText(problem) {
  const code = problem instanceof ArchiveError ? problem.code : "other";
  const key = /** @type {Record<string, string>} */ (PROBLEM_TEXTS)[code];
  return text(key ?? "reject_other");
}

/** @param {ProfileMessage["rules"]} rules */
function total(rules) {
  const sum = (/** @type {"wins" | "draws" | "losses"} */ field) =>
    rules.reduce((total, counts) => total + counts[field], 0);
  const [won, drawn] = [sum("wins"), sum("draws")];
  return { n: won + drawn + sum("losses"), won, drawn };
}

/** @param {ProfileMessage["rules"]} rules */
const table = (rules) =>
  h(
    "table",
    { class: "profile-games" },
    h(
      "thead",
      null,
      h(
        "tr",
        null,
        h("td", null),
        ...["won", "drawn", "lost"].map((word) =>
          h("th", { scope: "col" }, text(`result_${word}`)),
        ),
      ),
    ),
    h(
      "tbody",
      null,
      ...rules.map((counts) =>
        h(
          "tr",
          null,
          h("th", { scope: "row" }, gameName(counts.rules)),
          ...[counts.wins, counts.draws, counts.losses].map((count) =>
            h("td", null, String(count)),
          ),
        ),
      ),
    ),
  );

/**
 * @param {string} of an identity
 * @param {string} name until the profile arrives
 * @param {(action: any) => void} act
 * @param {() => boolean} [isWanted] whether the visitor still is where the profile was opened
 */
export async function openProfile(of, name, act, isWanted = () => true) {
  const archive = new Archive();
  const problem = h("p", { class: "detail", role: "alert" });
  const content = h(
    "div",
    { class: "stack" },
    h("p", null, text("connecting")),
  );
  const title = h("h2", { id: "profile-title" }, h("bdi", null, name));
  const close = () => root.close();

  /** @param {number} game */
  async function replay(game) {
    problem.textContent = "";
    try {
      const link = await packRecord(await readServerGame(archive, game));
      if (!link) {
        problem.textContent = text(
          link === null ? "link_unsupported" : "link_too_long",
        );
        return;
      }
      close();
      act({ type: "show", screen: "record", link });
    } catch (error) {
      problem.textContent = problemText(error);
    }
  }

  /** @param {Listing} listing */
  const row = (listing) =>
    serverGameRow(listing, of, () => void replay(listing.game));

  /** @param {ProfileMessage} profile */
  function draw({ player, first_seen: firstSeen, rules, games, ...more }) {
    const since = new Intl.DateTimeFormat(currentLanguage(), {
      dateStyle: "medium",
    }).format(firstSeen);
    const against = more.against_you;
    title.replaceChildren(
      h("bdi", null, player.name),
      ...identityTag(player),
      ...(player.kind === "bot"
        ? [h("span", { class: "tag" }, text("bot"))]
        : []),
    );
    content.replaceChildren(
      h("p", null, text("games_total", total(rules))),
      ...(against
        ? [
            h(
              "p",
              null,
              text("profile_against", {
                won: against.losses,
                drawn: against.draws,
                lost: against.wins,
              }),
            ),
          ]
        : []),
      table(rules),
      h("p", { class: "detail" }, text("profile_since", { date: since })),
      h("h3", null, text("profile_latest")),
      h("ul", { class: "my-games-list" }, ...games.map(row)),
    );
  }

  const root = /** @type {HTMLDialogElement} */ (
    h(
      "dialog",
      { class: "dialog profile", "aria-labelledby": "profile-title" },
      title,
      content,
      problem,
      button(text("close"), { onclick: () => close(), autofocus: true }),
    )
  );
  root.addEventListener("close", () => {
    archive.close();
    root.remove();
  });
  await loadStyle("watch");
  if (!isWanted() || document.querySelector("dialog.profile"))
    return archive.close();
  document.body.append(root);
  root.showModal();
  try {
    draw(await archive.profile(of));
  } catch (error) {
    content.replaceChildren();
    problem.textContent = problemText(error);
  }
}
