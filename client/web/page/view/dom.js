// Elements of the document, built from text without markup.

const SVG = "http://www.w3.org/2000/svg";

/**
 * Creates an element. `on…` properties are listeners, `class`, `data-…`, `aria-…` and others are attributes; `false`,
 * `null` and `undefined` leave an attribute out.
 * @param {string} tag
 * @param {Record<string, any> | null} [properties]
 * @param {...(Node | string | null | undefined | false)} children
 * @returns {HTMLElement}
 */
export function h(tag, properties, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties ?? {})) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else setAttribute(element, name, value);
  }
  for (const child of children) {
    if (child !== null && child !== undefined && child !== false) element.append(child);
  }
  return element;
}

/** @param {Element} element @param {string} name @param {any} value */
export function setAttribute(element, name, value) {
  if (value === false || value === null || value === undefined) element.removeAttribute(name);
  else if (element.getAttribute(name) !== String(value)) element.setAttribute(name, value === true ? "" : String(value));
}

/**
 * Creates an element of a drawing.
 * @param {string} tag
 * @param {Record<string, any>} attributes
 * @param {...Node} children
 * @returns {SVGElement}
 */
export function svg(tag, attributes, ...children) {
  const element = /** @type {SVGElement} */ (document.createElementNS(SVG, tag));
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  element.append(...children);
  return element;
}

/**
 * Sets the text of an element if it differs.
 * @param {Element} element
 * @param {string} text
 */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** @param {Element} element @param {boolean} isShown */
export function show(element, isShown) {
  /** @type {HTMLElement} */ (element).hidden = !isShown;
}

/**
 * Replaces the children of an element when their key has changed.
 * @param {HTMLElement} parent
 * @param {string} key
 * @param {() => (Node | string)[]} build
 * @returns {boolean} whether the children are new
 */
export function rebuild(parent, key, build) {
  if (parent.dataset["key"] === key) return false;
  parent.dataset["key"] = key;
  parent.replaceChildren(...build());
  return true;
}

/** Paths of the icons, in a square of 24. */
const ICONS = Object.freeze({
  back: "M15 5l-7 7 7 7", link: "M10 14a4 4 0 0 0 6 .5l3-3a4 4 0 0 0-6-6l-1.5 1.500M14 10a4 4 0 0 0-6-.5l-3 3a4 4 0 0 0 6 6l1.500-1.500",
  bot: "M5 9h14v9H5zM12 9V5M9 13v1M15 13v1M3 12v3M21 12v3", list: "M9 6h11M9 12h11M9 18h11M4 6h.01M4 12h.01M4 18h.01",
  grid: "M4 4h16v16H4zM9.300 4v16M14.700 4v16M4 9.300h16M4 14.700h16",
  gear: "M12 15.200a3.200 3.200 0 1 0 0-6.400 3.200 3.200 0 0 0 0 6.400zM10 4.500l.5-2h3l.5 2 1.700 1 2-.6 1.500 2.600-1.500 1.400v2l1.500 1.500-1.500 2.600-2-.6-1.700 1-.5 2.100h-3l-.5-2.100-1.700-1-2 .6-1.500-2.600L6.300 13v-2L4.800 9.500l1.500-2.600 2 .6z",
  draw: "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM8 10h8M8 14h8", undo: "M8 5L4 9l4 4M4 9h10a6 6 0 0 1 0 12h-3", flag: "M6 21V4h11l-2 4 2 4H6",
  say: "M4 5h16v11H10l-5 4v-4H4z", close: "M6 6l12 12M18 6L6 18",
  leave: "M5 12h14M13 6l6 6-6 6", copy: "M9 9h11v11H9zM5 15H4V4h11v1", share: "M12 15V3M8 7l4-4 4 4M5 13v7h14v-7", redo: "M20 6v5h-5M20 11a8 8 0 1 0 1 4",
  eye: "M2 12s4-7 10-7 10 7 10 7-4 7-10 7S2 12 2 12zM12 15a3 3 0 1 0 0-6 3 3 0 0 0 0 6z", plus: "M12 5v14M5 12h14", minus: "M5 12h14", check: "M6 12.500l4 4 8-9",
  first: "M7 5v14M18 5l-7 7 7 7", previous: "M15 5l-7 7 7 7", next: "M9 5l7 7-7 7", last: "M17 5v14M6 5l7 7-7 7", offline: "M3 3l18 18M5 12a10 10 0 0 1 4-2M19 12a10 10 0 0 0-6-3M9 16a5 5 0 0 1 6 0M12 20h.01",
});

/** @typedef {keyof typeof ICONS} IconName */

/** @param {IconName} name */
export function icon(name) {
  return svg("svg", { class: "icon", viewBox: "0 0 24 24", "aria-hidden": "true" }, svg("path", { d: ICONS[name] }));
}

/** @param {"X" | "O"} seat @param {string} [className] */
export function mark(seat, className = "") {
  const shape = seat === "X" ? svg("path", { d: "M5 5 19 19M19 5 5 19" }) : svg("circle", { cx: 12, cy: 12, r: 7.3 });
  return svg("svg", { class: `mark ${seat.toLowerCase()} ${className}`, viewBox: "0 0 24 24", "aria-hidden": "true" }, shape);
}

/**
 * A button.
 * @param {string} label
 * @param {Record<string, any>} properties
 * @param {...(Node | null | false)} before
 */
export function button(label, properties, ...before) {
  const { class: className = "", ...rest } = properties;
  return h("button", { type: "button", class: `button ${className}`, ...rest }, ...before, h("span", null, label));
}
