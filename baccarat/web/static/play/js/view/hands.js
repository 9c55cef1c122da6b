// The Player's and the Banker's hand, and the call between their names.

/** @import { Card } from "../art/cards.js" */
/** @import { Side } from "./animation.js" */

import { drawCard } from "../art/cards.js";
import { h, say, set } from "../core/dom.js";
import { t } from "../messages/index.js";

/** @type {Record<string, number>} */
const POINTS = { A: 1, T: 0, J: 0, Q: 0, K: 0 };
/** @param {string[]} cards */
export const points = (cards) => cards.reduce((total, card) => total + (POINTS[card[0]] ?? Number(card[0])), 0) % 10;

/** Milliseconds until cleared cards are removed, which takes long while they are laid out. */
const REMOVE_AFTER = 100;

/** @typedef {{ side: Side, card: string, drawn: Card, away?: { x: number, y: number } }} LaidCard a card on its hand; `away` is the way to it from the shoe */

class Hand {
  /** @param {Side} side */
  constructor(side) {
    /** @type {string[]} */
    this.cards = [];
    this.row = h("div", { class: "cards" });
    this.total = h("output", { class: "total" });
    this.flag = h("span", { class: "hand-flag" });
    this.name = h("h2", { class: `hand-name ${side}` }, h("span", {}, t(`spots.${side}`)), this.total, this.flag);
    this.element = h("section", { class: `hand ${side}`, "aria-label": t(`hand.${side}`) }, this.name, this.row);
  }

  clear() {
    this.cards = [];
    const cleared = /** @type {HTMLElement[]} */ ([...this.row.children]);
    for (const card of cleared) card.hidden = true;
    if (cleared.length) setTimeout(() => cleared.forEach((card) => card.remove()), REMOVE_AFTER);
    say(this.total, "");
    say(this.flag, "");
    set(this.element, { "data-won": false, "data-lost": false, "data-natural": false });
  }

  /**
   * Lay cards face down, the third one sideways, and a third one that nobody sees where there is none.
   * @param {Side} side
   * @param {string[]} cards
   * @returns {LaidCard[]}
   */
  lay(side, cards) {
    const places = [0, 1, 2].map((i) => drawCard(null, { sideways: i === 2 }));
    for (const place of places) place.classList.add("coming");
    this.row.replaceChildren(...places);
    return cards.map((card, i) => ({ side, card, drawn: places[i] }));
  }

  /** Turn a card face up, and count once two cards are seen. @param {LaidCard} laid */
  turn({ drawn, card }) {
    drawn.turn(card);
    this.cards.push(card);
    if (this.cards.length < 2) return;
    say(this.total, String(points(this.cards)));
    const natural = this.cards.length === 2 && points(this.cards) >= 8;
    set(this.element, { "data-natural": natural });
    say(this.flag, natural ? t("hand.natural") : "");
  }
}

/** Both hands: `show(round)` lays a round out at once, `lay(round)` lays it unseen to be dealt card by card. */
export class Hands {
  /** @param {HTMLElement} callout the call, in its place between the names of the hands */
  constructor(callout) {
    this.player = new Hand("player");
    this.banker = new Hand("banker");
    this.note = h("p", { class: "hands-note" });
    this.call = h("div", { class: "call" }, callout, this.note);
    this.element = h("div", { class: "hands" }, this.player.element, this.call, this.banker.element);
    this.box = h("div", { class: "hands-box" }, this.element);
    /** @type {string | null} */
    this.shown = null;
  }

  clear() {
    this.shown = null;
    this.player.clear();
    this.banker.clear();
    say(this.note, "");
    this.element.classList.remove("past");
  }

  /**
   * Show a settled round's final hands.
   * @param {Api["Round"]} round
   */
  show(round) {
    if (this.shown === round.id) return;
    const { player, banker } = this.lay(round);
    for (const laid of [...player, ...banker]) {
      laid.drawn.classList.remove("coming");
      this.turn(laid);
    }
    this.clearUnused();
    this.markWinner(round.outcome);
  }

  /** Take the third cards away that were not dealt. */
  clearUnused() {
    for (const card of this.element.querySelectorAll(".card.coming")) card.remove();
  }

  /**
   * Lay a round's cards where they will lie, face down and not to be seen yet.
   * @param {Api["Round"]} round
   */
  lay(round) {
    this.clear();
    this.shown = round.id;
    return { player: this.player.lay("player", round.player_hand.cards), banker: this.banker.lay("banker", round.banker_hand.cards) };
  }

  /** @param {Api["Round"]["outcome"]} outcome */
  markWinner(outcome) {
    set(this.player.element, { "data-won": outcome === "player", "data-lost": outcome === "banker" });
    set(this.banker.element, { "data-won": outcome === "banker", "data-lost": outcome === "player" });
  }

  /** @param {string | null} words */
  dim(words) {
    this.element.classList.toggle("past", Boolean(words));
    say(this.note, words ?? "");
  }

  /** @param {LaidCard} laid */
  turn(laid) {
    this[laid.side].turn(laid);
  }
}
