// Elements of the document, built from text without markup.

const SVG = "http://www.w3.org/2000/svg";

/**
 * Creates an element. `on…` properties are listeners. `class`, `data-…`,
 * `aria-…` and others are attributes. `false`, `null` and `undefined` omit an
 * attribute.
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
    if (child !== null && child !== undefined && child !== false)
      element.append(child);
  }
  return element;
}

/** @param {Element} element @param {string} name @param {any} value */
export function setAttribute(element, name, value) {
  if (value === false || value === null || value === undefined)
    element.removeAttribute(name);
  else if (element.getAttribute(name) !== String(value))
    element.setAttribute(name, value === true ? "" : String(value));
}

/**
 * Creates an element of a drawing.
 * @param {string} tag
 * @param {Record<string, any>} attributes
 * @param {...Node} children
 * @returns {SVGElement}
 */
export function svg(tag, attributes, ...children) {
  const element = /** @type {SVGElement} */ (
    document.createElementNS(SVG, tag)
  );
  for (const [name, value] of Object.entries(attributes))
    element.setAttribute(name, String(value));
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
 * Replaces the children of an element when their key has changed. The focus stays on the same control.
 * @param {HTMLElement} parent
 * @param {string} key
 * @param {() => (Node | string)[]} build
 * @returns {boolean} whether the children are new
 */
export function rebuild(parent, key, build) {
  if (parent.dataset["key"] === key) return false;
  parent.dataset["key"] = key;
  const restoreFocus = keepFocus(parent);
  parent.replaceChildren(...build());
  restoreFocus();
  return true;
}

/**
 * Remembers which control in an element has the focus.
 * @param {Element} parent
 * @returns {() => void} focuses the new child with the same name and value,
 *   or with the same text
 */
export function keepFocus(parent) {
  const { activeElement } = document;
  if (
    !activeElement ||
    activeElement === parent ||
    !parent.contains(activeElement)
  )
    return () => {};
  const describe = (/** @type {any} */ control) =>
    control.name
      ? `${control.name} ${control.value}`
      : control.id || control.textContent || control.ariaLabel;
  const wanted = describe(activeElement);
  return () => {
    for (const control of parent.querySelectorAll(activeElement.tagName)) {
      if (describe(control) === wanted)
        return /** @type {HTMLElement} */ (control).focus({
          preventScroll: true,
        });
    }
  };
}

/**
 * Paths of the icons, on a 24 × 24 grid. At first, these are the icons of the first screen;
 * `loadIcons` adds the others.
 */
const ICONS = {
  back: "M15 5l-7 7 7 7",
  link: "M10 14a4 4 0 0 0 6 .5l3-3a4 4 0 0 0-6-6l-1.5 1.500M14 10a4 4 0 0 0-6-.5l-3 3a4 4 0 0 0 6 6l1.500-1.500",
  bot: "M5 9h14v9H5zM12 9V5M9 13v1M15 13v1M3 12v3M21 12v3",
  list: "M9 6h11M9 12h11M9 18h11M4 6h.01M4 12h.01M4 18h.01",
  grid: "M4 4h16v16H4zM9.300 4v16M14.700 4v16M4 9.300h16M4 14.700h16",
  gear: "M12 15.200a3.200 3.200 0 1 0 0-6.400 3.200 3.200 0 0 0 0 6.400zM10 4.500l.5-2h3l.5 2 1.700 1 2-.6 1.500 2.600-1.500 1.400v2l1.500 1.500-1.500 2.600-2-.6-1.700 1-.5 2.100h-3l-.5-2.100-1.700-1-2 .6-1.500-2.600L6.300 13v-2L4.800 9.500l1.500-2.600 2 .6z",
  games: "M5 4h14v16H5zM9 9h6M9 14h6",
  check: "M6 12.500l4 4 8-9",
  eye: "M2 12s4-7 10-7 10 7 10 7-4 7-10 7S2 12 2 12zM12 15a3 3 0 1 0 0-6 3 3 0 0 0 0 6z",
};

/** Loads the icons of the other screens. */
export async function loadIcons() {
  Object.assign(ICONS, (await import("../screens/icons.js")).MORE_ICONS);
}

/** @typedef {keyof typeof ICONS | keyof typeof import("../screens/icons.js").MORE_ICONS} IconName */

/** @param {IconName} name */
export function icon(name) {
  return svg(
    "svg",
    { class: "icon", viewBox: "0 0 24 24", "aria-hidden": "true" },
    svg("path", { d: /** @type {Record<string, string>} */ (ICONS)[name] }),
  );
}

/** @param {"X" | "O"} seat @param {string} [className] */
export function mark(seat, className = "") {
  const shape =
    seat === "X"
      ? svg("path", { d: "M5 5 19 19M19 5 5 19" })
      : svg("circle", { cx: 12, cy: 12, r: 7.3 });
  return svg(
    "svg",
    {
      class: `mark ${seat.toLowerCase()} ${className}`,
      viewBox: "0 0 24 24",
      "aria-hidden": "true",
    },
    shape,
  );
}

/**
 * Creates a button.
 * @param {string} label
 * @param {Record<string, any>} properties
 * @param {...(Node | null | false)} before
 */
export function button(label, properties, ...before) {
  const { class: className = "", ...rest } = properties;
  return h(
    "button",
    { type: "button", class: `button ${className}`, ...rest },
    ...before,
    h("span", null, label),
  );
}
