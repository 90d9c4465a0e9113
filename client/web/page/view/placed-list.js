// A list that the server changes while a visitor points at it: the lobby,
// waiting players, or games in progress.
import { keepPlaces } from "../core/places.js";
import { button, h, rebuild, setAttribute, setText, show } from "./dom.js";
import { gamePicture } from "./game-picture.js";

/**
 * @typedef {object} Entry a row of the list
 * @property {string} id
 * @property {string} rules
 * @property {string} key changes with the title
 * @property {() => Node} title
 * @property {string} detail
 * @property {string} spoken the row in words, for the label of its button
 * @property {() => void} onPress
 */

/**
 * Keeps rows in their places, and the button of a row in the document, so that
 * a press ends on the button where it began.
 */
export class PlacedList {
  /**
   * @param {{ label: string, none: string | HTMLElement, gone: string }} texts of the buttons, of an empty list and of a row that is gone
   * @param {() => number} now
   * @param {number} [max] maximum number of rows
   */
  constructor({ label, none, gone }, now, max = Infinity) {
    this.label = label;
    this.gone = gone;
    this.now = now;
    this.max = max;
    /** @type {import("../core/places.js").Place[]} */
    this.places = [];
    /** @type {Map<string, Entry>} */
    this.entries = new Map();
    this.rows = h("ul", { class: "rows" });
    this.none =
      typeof none === "string" ? h("p", { class: "detail" }, none) : none;
    this.root = h("div", { class: "placed-list" }, this.none, this.rows);
  }

  /** @param {readonly Entry[]} entries */
  update(entries) {
    this.entries = new Map(entries.map((entry) => [entry.id, entry]));
    this.draw();
  }

  /** Draws the rows. Also called after some time, when gaps vanish. */
  draw() {
    // Only gaps depend on the time and on the pointer, so they are checked only if there is a gap.
    const isInUse =
      this.places.some(({ goneAt }) => goneAt !== null) &&
      (this.root.matches(":hover") ||
        this.root.contains(document.activeElement));
    this.places = keepPlaces(
      this.places,
      [...this.entries.keys()],
      this.now(),
      isInUse,
      this.max,
    );
    for (const [index, { id, goneAt }] of this.places.entries())
      this.drawRow(
        this.rowAt(index, id),
        this.entries.get(id),
        goneAt !== null,
      );
    while (this.rows.children.length > this.places.length)
      this.rows.lastElementChild?.remove();
    show(this.none, this.places.length === 0);
    show(this.rows, this.places.length > 0);
  }

  /** @param {number} index @param {string} id */
  rowAt(index, id) {
    const found = this.rows.children[index];
    if (found instanceof HTMLElement && found.dataset["id"] === id)
      return found;
    const row = h(
      "li",
      { class: "row", "data-id": id },
      h("div", { class: "row-picture" }),
      h(
        "div",
        { class: "row-text" },
        h("div", null),
        h("span", { class: "detail" }),
      ),
      button(this.label, {
        class: "small",
        onclick: () => this.entries.get(id)?.onPress(),
      }),
    );
    if (found) found.replaceWith(row);
    else this.rows.append(row);
    return row;
  }

  /** @param {HTMLElement} row @param {Entry | undefined} entry @param {boolean} isGone */
  drawRow(row, entry, isGone) {
    const [picture, lines, press] = /** @type {HTMLElement[]} */ ([
      ...row.children,
    ]);
    const [title, detail] = /** @type {HTMLElement[]} */ ([
      ...(lines?.children ?? []),
    ]);
    if (!picture || !title || !detail || !press) return;
    if (isGone && !row.classList.contains("gone"))
      row.style.setProperty(
        "height",
        `${row.getBoundingClientRect().height}px`,
      );
    row.classList.toggle("gone", isGone);
    setAttribute(press, "aria-disabled", isGone ? "true" : null);
    if (!entry) return setText(detail, this.gone);
    row.style.removeProperty("height");
    rebuild(picture, entry.rules, () => [gamePicture(entry.rules)]);
    rebuild(title, entry.key, () => [entry.title()]);
    setText(detail, entry.detail);
    setAttribute(press, "aria-label", `${this.label}: ${entry.spoken}`);
  }
}
