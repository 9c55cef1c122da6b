// The people at a table: names of those who show theirs, and what they say as bubbles at their seats.

import { h, set } from "../core/dom.js";
import { t } from "../messages/index.js";

/** @import { Game } from "./game.js" */

const SHOWN_FOR = 5000;

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
    const bubble = h("p", { class: "bubble" }, h("strong", {}, h("bdi", {}, calledBy(nickname, seat))), " ", h("bdi", {}, text));
    this.element.append(bubble);
    this.place(bubble, home);
    this.bubbles.set(seat, { bubble, timer: setTimeout(() => this.remove(seat), SHOWN_FOR) });
  }

  /**
   * Put a bubble above a plate, or below it where the felt begins, inside the felt.
   * @param {HTMLElement} bubble
   * @param {HTMLElement} home
   */
  place(bubble, home) {
    const area = this.element.getBoundingClientRect();
    const plate = home.getBoundingClientRect();
    const { offsetWidth: width, offsetHeight: height } = bubble;
    const left = Math.min(Math.max(plate.left + plate.width / 2 - width / 2, area.left + 4), area.right - width - 4);
    const below = plate.top - height - 6 < area.top;
    bubble.style.left = `${left - area.left}px`;
    bubble.style.top = `${(below ? Math.min(plate.bottom + 6, area.bottom - height) : plate.top - height - 6) - area.top}px`;
    set(bubble, { "data-below": below });
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
