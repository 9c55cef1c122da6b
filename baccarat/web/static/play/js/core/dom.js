// DOM helpers. Nothing here parses HTML, so text from players can never become markup.

const SVG = "http://www.w3.org/2000/svg";

/**
 * Attributes by name, `on…` event listeners, and CSS custom properties under `vars`.
 * @typedef {Record<string, unknown> & {vars?: Record<string, string>}} Attributes
 */
/** @typedef {Node | string | null | undefined | false} Child */
/** @typedef {readonly (Child | ChildList)[]} ChildList lists within lists are flattened */
/** @typedef {Child | ChildList} Children */

/**
 * @param {readonly Children[]} children
 * @returns {(Node | string)[]}
 */
const flat = (children) => children.flatMap((child) => (Array.isArray(child) ? flat(child) : child === null || child === undefined || child === false ? [] : [/** @type {Node | string} */ (child)]));

/**
 * @template {HTMLElement | SVGElement} E
 * @param {E} element
 * @param {Attributes | null} attributes
 * @param {readonly Children[]} children
 * @returns {E}
 */
function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), /** @type {EventListener} */ (value));
    else if (name === "vars") for (const [key, set] of Object.entries(attributes?.vars ?? {})) element.style.setProperty(key, set);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...flat(children));
  return element;
}

/**
 * Create an HTML element: attributes, event listeners (`onclick`), CSS custom properties (`vars`), children.
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag
 * @param {Attributes | null} [attributes]
 * @param {...Children} children
 */
export function h(tag, attributes = null, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/**
 * Create an SVG element.
 * @template {keyof SVGElementTagNameMap} T
 * @param {T} tag
 * @param {Attributes | null} [attributes]
 * @param {...Children} children
 * @returns {SVGElementTagNameMap[T]}
 */
export function s(tag, attributes = null, ...children) {
  return fill(/** @type {SVGElementTagNameMap[T]} */ (document.createElementNS(SVG, tag)), attributes, children);
}

/**
 * Replace an element's children; those that it has already stay in the document.
 * @param {Element} element
 * @param {...Children} children
 */
export function put(element, ...children) {
  const wanted = flat(children).map((child) => (child instanceof Node ? child : new Text(child)));
  const kept = new Set(wanted);
  for (const child of [...element.childNodes]) if (!kept.has(child)) child.remove();
  let next = element.firstChild;
  for (const child of wanted) {
    if (child === next) next = next.nextSibling;
    else element.insertBefore(child, next);
  }
}

/**
 * Set text if it differs, so that screen readers do not read it twice.
 * @param {Element} element
 * @param {string} text
 */
export function say(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/**
 * Set attributes; false, null and undefined remove them, true sets an empty one.
 * @param {Element} element
 * @param {Record<string, string | number | boolean | null | undefined>} attributes
 */
export function set(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) element.removeAttribute(name);
    else if (element.getAttribute(name) !== String(value === true ? "" : value)) {
      element.setAttribute(name, value === true ? "" : String(value));
    }
  }
}

const LONG_PRESS = 500;
let touchedAt = 0;
addEventListener("pointerdown", (event) => { touchedAt = event.pointerType === "mouse" ? Infinity : event.timeStamp; }, { capture: true, passive: true });

/**
 * Return a listener to clicks that ignores the end of a long press.
 * @param {() => unknown} run
 */
export const tapped = (run) => (/** @type {UIEvent} */ event) => event.detail === 0 || event.timeStamp - touchedAt < LONG_PRESS ? run() : null; // keys have no detail

/** Whether a finger or a pen caused an event. @param {Event} event */
export const isTouch = (event) => event instanceof PointerEvent && ["touch", "pen"].includes(event.pointerType);

/**
 * Return a cache of elements: the element of a key is created again when its signature changes.
 * @returns {<E extends Element>(key: string, signature: string, make: () => E) => E}
 */
export function elementCache() {
  /** @type {Map<string, {signature: string, element: any}>} */
  const cache = new Map();
  return (key, signature, make) => {
    const cached = cache.get(key);
    if (cached && cached.signature === signature) return cached.element;
    const element = make();
    cache.set(key, { signature, element });
    return element;
  };
}
