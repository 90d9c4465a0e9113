// The visitor's games, and a record or a link that is pasted, chosen or
// dropped.
import { text } from "../i18n.js";
import { h, setAttribute, setText } from "../view/dom.js";
import { readKeptGames } from "../io/kept-games.js";
import { createGameList } from "./my-games.js";
import { MAX_RECORD_BYTES, RecordError, readRecord } from "./record.js";
import { LinkError, packRecord, unpackRecord } from "./record-link.js";
import { recordState } from "./record-state.js";

const EXAMPLE =
  '[Rules "3x3:3"]\n[X "Ann"]\n[O "Bob"]\n[Result "X line"]\n\n1. b2 a1 2. c1 b1 3. a3';
/** Texts of errors with a key that differs from the reason. */
const ERROR_TEXTS = Object.freeze({
  cells: "rules_cells",
  line: "rules_line",
  gravity: "rules_gravity",
  record_cell: "reject_off_board",
  game_over: "reject_game_over",
  cell_taken: "reject_cell_taken",
  column_full: "reject_column_full",
});

/** @param {(action: any) => void} act */
export function createReplay(act) {
  const area = /** @type {HTMLTextAreaElement} */ (
    h("textarea", {
      class: "input record-text",
      id: "record",
      rows: 9,
      spellcheck: "false",
      autocomplete: "off",
      placeholder: EXAMPLE,
      "aria-describedby": "record-error",
    })
  );
  const file = /** @type {HTMLInputElement} */ (
    h("input", {
      type: "file",
      class: "visually-hidden",
      id: "record-file",
      accept: "text/plain,.txt,.pgn",
    })
  );
  const error = h("p", {
    class: "banner-line",
    id: "record-error",
    role: "alert",
  });
  const onsubmit = (/** @type {Event} */ event) => {
    event.preventDefault();
    if (hasText()) void open(area.value);
  };
  const choose = h(
    "label",
    { class: "button", for: "record-file" },
    h("span", null, text("choose_file")),
  );
  const replay = h("button", { class: "button primary" }, text("replay"));
  const saved = /** @type {HTMLDetailsElement} */ (
    h(
      "details",
      { class: "card record-drop" },
      h("summary", null, text("open_record")),
      h(
        "form",
        { class: "stack", onsubmit },
        h("label", { for: "record" }, text("record_hint")),
        area,
        error,
        h("div", { class: "two" }, file, choose, replay),
      ),
    )
  );
  const list = createGameList((record) => void open(record), act);
  const root = h(
    "div",
    { class: "narrow wide games" },
    h("h1", { tabindex: "-1" }, text("my_games")),
    list.root,
    saved,
    list.onServer,
  );
  const hasText = () => area.value.trim() !== "";
  const enable = () =>
    setAttribute(replay, "aria-disabled", hasText() ? null : "true");
  area.addEventListener("input", enable);
  enable();

  /** @param {string} source */
  function fill(source) {
    area.value = source;
    enable();
    void open(source);
  }

  /**
   * Shows an error below the field, which may be collapsed.
   * @param {string} line
   */
  function showError(line) {
    saved.open = true;
    setText(error, line);
  }

  /** @param {string} source the text of a record, or a link */
  async function open(source) {
    try {
      const payload = /^\S*#r\/(\S*)$/.exec(source.trim())?.[1];
      const record =
        payload !== undefined ? await unpackRecord(payload) : source;
      const state = recordState(readRecord(record));
      setText(error, "");
      const link = payload ?? (await packRecord(record)) ?? "";
      act({ type: "open-record", state, link });
    } catch (problem) {
      if (problem instanceof LinkError) return showError(text(problem.reason));
      if (!(problem instanceof RecordError)) throw problem;
      const key =
        /** @type {Record<string, string>} */ (ERROR_TEXTS)[problem.reason] ??
        (problem.reason.startsWith("record_")
          ? problem.reason
          : "record_rules");
      showError(text("record_error", { n: problem.line, text: text(key) }));
    }
  }

  /** @param {File | undefined} chosen */
  async function read(chosen) {
    if (!chosen) return;
    if (chosen.size > MAX_RECORD_BYTES)
      return showError(
        text("record_error", { n: 1, text: text("record_too_long") }),
      );
    const source = await chosen.text().catch(() => null);
    if (source === null) showError(text("record_unreadable"));
    else fill(source);
  }

  file.addEventListener("change", () => {
    read(file.files?.[0]).finally(() => {
      file.value = "";
    });
  });
  root.addEventListener("dragover", (event) => {
    event.preventDefault();
    root.classList.add("dropping");
  });
  root.addEventListener("dragleave", () => root.classList.remove("dropping"));
  root.addEventListener("drop", (event) => {
    event.preventDefault();
    root.classList.remove("dropping");
    const dropped = event.dataTransfer?.getData("text/plain");
    if (dropped) fill(dropped);
    else void read(event.dataTransfer?.files[0]);
  });
  let isShown = false;
  return {
    root,
    update() {
      if (!isShown) {
        list.show();
        saved.open ||= readKeptGames().length === 0;
      }
      isShown = true;
    },
    hide() {
      isShown = false;
      list.hide();
    },
  };
}
