// The people at a table: names of those who show theirs, and what they say as bubbles at their seats.

import { h } from "../core/dom.js";
import { t } from "../messages/index.js";

/** @import { Game } from "./game.js" */

const SHOWN_FOR = 5000;
const GAP = 6;
/** What a bubble should not hide. */
const TAKEN = ".plate, .circle, .hand-name, .call, .hands .card";

/** @typedef {{left: number, top: number, right: number, bottom: number}} Edges */

/**
 * The area that two boxes share.
 * @param {Edges} a
 * @param {Edges} b
 */
const shared = (a, b) => Math.max(0, Math.min(a.right, b.right) - Math.max(a.left, b.left)) * Math.max(0, Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top));

/**
 * Return the nickname of the player in a seat, null for one who does not show it.
 * @param {Api["Table"]} state
 * @param {number} seat
 */
export const nameOfSeat = (state, seat) => state.nicknames.find((each) => each.seat === seat)?.nickname ?? null;

/**
 * Return the initials of a name: of its first two words.
 * @param {string} name
 */
export const initialsOf = (name) => name.split(/[\s·]+/u).filter(Boolean).slice(0, 2).map((word) => [...word][0].toLocaleUpperCase()).join("");

/**
 * Return how a player is called: by the nickname that they show, else by their seat.
 * @param {string | null} nickname
 * @param {number} seat
 */
export const calledBy = (nickname, seat) => nickname ?? t("seat.label", { seat });

/** The bubbles over the felt: one for each seat, for some seconds. The chat has the messages to read. */
export class People {
  /** @param {Game} game */
  constructor(game) {
    this.game = game;
    this.element = h("div", { class: "bubbles", "aria-hidden": "true" });
    /** @type {Map<number, {bubble: HTMLElement, timer: number}>} */
    this.bubbles = new Map();
  }

  /**
   * Show what somebody said at their seat.
   * @param {{seat: number, text: string, nickname: string | null}} message
   */
  speak({ seat, text, nickname }) {
    const home = this.game.board.home(seat);
    if (!home || !text) return;
    this.remove(seat);
    const who = seat === this.game.state.you?.seat ? t("seat.you") : calledBy(nickname, seat);
    const bubble = h("p", { class: "bubble" }, h("strong", {}, h("bdi", {}, who)), " ", h("bdi", {}, text));
    this.element.append(bubble);
    this.place(bubble, home);
    this.bubbles.set(seat, { bubble, timer: setTimeout(() => this.remove(seat), SHOWN_FOR) });
  }

  /**
   * Put a bubble beside a plate, inside the felt, where it hides least of what lies there: cards, chips, plates, others' words.
   * @param {HTMLElement} bubble
   * @param {HTMLElement} home
   */
  place(bubble, home) {
    const area = this.element.getBoundingClientRect();
    const plate = home.getBoundingClientRect();
    const { offsetWidth: width, offsetHeight: height } = bubble;
    const taken = [...this.game.felt.querySelectorAll(TAKEN), ...[...this.bubbles.values()].map((shown) => shown.bubble)].map((each) => each.getBoundingClientRect());
    const [middle, centre] = [plate.left + (plate.width - width) / 2, plate.top + (plate.height - height) / 2];
    /** @type {[x: number, y: number][]} */
    const ways = [[plate.right + GAP, centre], [plate.left - width - GAP, centre], [middle, plate.bottom + GAP], [middle, plate.top - height - GAP],
      [plate.right + GAP, area.bottom], [plate.left - width - GAP, area.bottom], [middle, plate.top - 2 * (height + GAP)], [middle, plate.top - 3 * (height + GAP)], [plate.right + GAP, plate.bottom - height], [plate.left - width - GAP, plate.bottom - height], [plate.right + GAP, plate.top], [plate.left - width - GAP, plate.top]];
    const places = ways.map(([x, y]) => {
      const left = Math.min(Math.max(x, area.left + GAP), area.right - width - GAP);
      const top = Math.min(Math.max(y, area.top + 1), area.bottom - height - 1);
      return { left, top, hidden: taken.reduce((sum, box) => sum + shared(box, { left, top, right: left + width, bottom: top + height }), 0) };
    });
    const { left, top } = places.reduce((best, each) => (each.hidden < best.hidden ? each : best));
    bubble.style.left = `${left - area.left}px`;
    bubble.style.top = `${top - area.top}px`;
  }

  /** @param {number} seat */
  remove(seat) {
    const shown = this.bubbles.get(seat);
    if (!shown) return;
    clearTimeout(shown.timer);
    shown.bubble.remove();
    this.bubbles.delete(seat);
  }

  leave() {
    for (const seat of [...this.bubbles.keys()]) this.remove(seat);
  }
}
