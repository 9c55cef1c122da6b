// Elements without markup in text: nothing here parses HTML, so nothing that a player writes can become any.

const SVG = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "vars") for (const [key, set] of Object.entries(value)) element.style.setProperty(key, set);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** Make an HTML element: attributes, `onclick` and its kin, `vars` for custom properties, children. */
export function h(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** Make an SVG element. */
export function s(tag, attributes, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

/** Make these the only children, touching nothing when they are already. */
export function put(element, ...children) {
  const wanted = children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false);
  if (wanted.length === element.childNodes.length && wanted.every((child, i) => child === element.childNodes[i])) return;
  element.replaceChildren(...wanted);
}

/** Set text only when it differs, so that screen readers are not told twice. */
export function say(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** Set or remove attributes: true, false and text. */
export function set(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) element.removeAttribute(name);
    else if (element.getAttribute(name) !== String(value === true ? "" : value)) {
      element.setAttribute(name, value === true ? "" : String(value));
    }
  }
}

/** Make a cache of elements: the same key and signature give the same element, others are made anew. */
export function keeper() {
  const kept = new Map();
  return (key, signature, make) => {
    const found = kept.get(key);
    if (found && found.signature === signature) return found.element;
    const element = make();
    kept.set(key, { signature, element });
    return element;
  };
}
