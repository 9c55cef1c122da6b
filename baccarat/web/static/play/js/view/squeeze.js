// Squeezing a card: its back is folded from an edge, by drag or arrow keys, until it turns.

/** @import { Card } from "../art/cards.js" */

import { drawCard, drawFace } from "../art/cards.js";
import { h, set } from "../core/dom.js";
import { t } from "../messages/index.js";

/** @typedef {"top" | "bottom" | "left" | "right"} Edge */

/** @type {Record<string, Edge>} */
const KEY_EDGES = { ArrowUp: "bottom", ArrowDown: "top", ArrowRight: "left", ArrowLeft: "right" };
const STEPS = 8;
/** The share of the card that lies folded over the rest when it can fold no further. */
const HALF = 0.5;
/** How far a card must be folded, of what it can be, to turn when it is let go. */
const TURNS = 0.6;

/**
 * Return a card lying face down that can be squeezed; it calls `turned` once, when it has been turned face up.
 *
 * Only cards that the service has given to this player may be squeezed: the face is in the page from the first fold.
 * @param {string} card
 * @param {() => void} turned
 * @returns {Card}
 */
export function squeezable(card, turned) {
  const element = drawCard(null);
  const flap = h("span", { class: "squeeze-flap", "aria-hidden": "true" }, drawFace(card), h("span", { class: "squeeze-shade" }));
  const pose = /** @type {HTMLElement} */ (element.firstElementChild);
  let step = 0;
  /** @type {{ edge: Edge, x: number, y: number, share: number } | null} */
  let drag = null;

  /** @param {Edge} edge @param {number} share between 0 and 1 */
  const fold = (edge, share) => {
    set(element, { "data-edge": edge, "data-folded": share > 0 });
    element.style.setProperty("--fold", String(Math.min(1, Math.max(0, share)) * HALF));
  };
  const turn = () => {
    if (element.classList.contains("shown")) return;
    element.classList.remove("squeeze");
    flap.remove();
    element.turn(card);
    set(element, { "data-edge": false, "data-folded": false, tabindex: false, role: "img" });
    turned();
  };

  element.addEventListener("pointerdown", (event) => {
    if (!element.classList.contains("squeeze")) return;
    event.preventDefault();
    element.setPointerCapture(event.pointerId);
    drag = { edge: nearestEdge(element, event), x: event.clientX, y: event.clientY, share: 0 };
    element.dataset.held = "";
  });
  element.addEventListener("pointermove", (event) => {
    if (!drag) return;
    const box = element.getBoundingClientRect();
    const along = { bottom: (drag.y - event.clientY) / box.height, top: (event.clientY - drag.y) / box.height, left: (event.clientX - drag.x) / box.width, right: (drag.x - event.clientX) / box.width };
    drag.share = along[drag.edge];
    fold(drag.edge, drag.share);
  });
  const release = () => {
    if (!drag) return;
    const { edge, share } = drag;
    drag = null;
    delete element.dataset.held;
    if (share > TURNS) turn();
    else fold(edge, 0);
  };
  element.addEventListener("pointerup", release);
  element.addEventListener("pointercancel", release);
  element.addEventListener("keydown", (event) => {
    if (!element.classList.contains("squeeze")) return;
    if (event.key === "Enter" || event.key === " ") turn();
    else if (event.key in KEY_EDGES) {
      step = Math.min(STEPS, step + 1);
      fold(KEY_EDGES[event.key], step / STEPS);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  });

  pose.append(flap);
  element.classList.add("squeeze");
  set(element, { role: "button", tabindex: 0, "aria-label": t("squeeze.card") });
  fold("bottom", 0);
  return element;
}

/**
 * @param {HTMLElement} element
 * @param {PointerEvent} event
 * @returns {Edge}
 */
function nearestEdge(element, event) {
  const box = element.getBoundingClientRect();
  const [x, y] = [(event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height];
  /** @type {[Edge, number][]} */
  const distances = [["left", x], ["right", 1 - x], ["top", y], ["bottom", 1 - y]];
  return distances.sort((a, b) => a[1] - b[1])[0][0];
}
