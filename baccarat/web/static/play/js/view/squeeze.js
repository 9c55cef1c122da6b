// Squeezing a card: its back is folded from an edge, by drag or arrow keys, until it turns.

/** @import { Card } from "../art/cards.js" */
/** @import { LaidCard } from "./hands.js" */
/** @import { Sound } from "./sound.js" */

import { cardName, drawCard, drawFace } from "../art/cards.js";
import { wait } from "../core/api.js";
import { h, put, say, set } from "../core/dom.js";
import { t } from "../messages/index.js";
import { announce } from "./notices.js";

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
    if (share > 0 && !flap.isConnected) pose.append(flap);
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

/** How long a squeezed card is seen before it goes to its hand. */
const SEEN = 500;

/** A card that may be the last of its round, over the hands: peeled on this screen only, by choice, when everybody could see it already. */
export class LastCard {
  /** @param {Sound} sound */
  constructor(sound) {
    this.sound = sound;
    this.words = h("p", { class: "caller-words" });
    this.how = h("p", { class: "caller-how" });
    this.left = h("span", { class: "caller-left", "aria-hidden": "true" });
    this.card = h("div", { class: "caller-cards" });
    this.button = h("button", { type: "button", class: "action", onclick: () => this.turn() });
    this.element = h("section", { class: "caller last-card", hidden: true, onclick: (/** @type {Event} */ event) => event.stopPropagation() },
      this.words, this.how, this.card, h("div", { class: "caller-buttons" }, this.button), this.left);
    this.turn = () => {};
    /** @type {Element | null} */
    this.focused = null;
  }

  /**
   * Show a card face down until the player has turned it, and how much of its time is left.
   * @param {LaidCard} laid
   * @param {number} milliseconds
   * @returns {Promise<void>}
   */
  show({ side, card }, milliseconds) {
    return new Promise((done) => {
      const drawn = squeezable(card, async () => {
        this.sound.play("turn");
        announce(cardName(card));
        await wait(SEEN);
        done();
      });
      this.turn = () => drawn.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter" }));
      say(this.words, t(`squeeze.last.${side}`));
      say(this.how, t("squeeze.peel"));
      say(this.button, t("squeeze.turn"));
      put(this.card, drawn);
      set(this.element, { hidden: false, "data-side": side, "aria-label": t("option.squeeze") });
      this.left.animate([{ transform: "none" }, { transform: "scaleX(0)" }], { duration: Math.max(0, milliseconds), fill: "forwards" });
      this.focused = document.activeElement;
      drawn.focus({ preventScroll: true });
    });
  }

  /** Take the card away, and give the focus back. */
  hide() {
    const held = this.element.contains(document.activeElement);
    set(this.element, { hidden: true });
    put(this.card);
    if (held && this.focused instanceof HTMLElement) this.focused.focus();
  }
}
