// The two hands between dealer and seats, and the shoe the cards come from.

import { drawCard } from "../art/card.js";
import { h, say, set } from "../core/dom.js";
import { t } from "../words/index.js";
import { glide } from "./motion.js";

const POINTS = { A: 1, T: 0, J: 0, Q: 0, K: 0 };
const points = (cards) => cards.reduce((total, card) => total + (POINTS[card[0]] ?? Number(card[0])), 0) % 10;

class Hand {
  constructor(side) {
    this.cards = [];
    this.row = h("div", { class: "cards" });
    this.total = h("output", { class: "total" });
    this.flag = h("span", { class: "hand-flag" });
    this.element = h("section", { class: `hand ${side}`, "aria-label": t(`hand.${side}`) },
      h("h2", { class: "hand-name" }, h("span", {}, t(`spot.${side}`)), this.total, this.flag), this.row);
  }

  clear() {
    this.cards = [];
    this.row.replaceChildren();
    say(this.total, "");
    say(this.flag, "");
    set(this.element, { "data-won": false });
  }

  lay(card) {
    const drawn = drawCard(null, { sideways: this.row.childElementCount === 2 });
    this.row.append(drawn);
    if (card) this.turn(drawn, card);
    return drawn;
  }

  turn(drawn, card) {
    drawn.turn(card);
    this.cards.push(card);
    say(this.total, String(points(this.cards)));
    if (this.cards.length === 2 && points(this.cards) >= 8) say(this.flag, t("hand.natural"));
  }
}

/** Both hands: `show(round)` lays a round out at once, `deal` brings one card from the shoe. */
export class Hands {
  constructor() {
    this.player = new Hand("player");
    this.banker = new Hand("banker");
    this.note = h("p", { class: "hands-note" });
    this.element = h("div", { class: "hands" }, this.player.element, this.banker.element, this.note);
    this.shown = null;
  }

  clear() {
    this.shown = null;
    this.player.clear();
    this.banker.clear();
    say(this.note, "");
    this.element.classList.remove("past");
  }

  /** Lay a settled round out as it ended. */
  show(round) {
    if (this.shown === round.id) return;
    this.clear();
    this.shown = round.id;
    for (const card of round.player_hand.cards) this.player.lay(card);
    for (const card of round.banker_hand.cards) this.banker.lay(card);
    this.crown(round.outcome);
  }

  crown(outcome) {
    set(this.player.element, { "data-won": outcome === "player" });
    set(this.banker.element, { "data-won": outcome === "banker" });
  }

  past(words) {
    this.element.classList.toggle("past", Boolean(words));
    say(this.note, words ?? "");
  }

  /** Bring a card from the shoe to a hand, face down, and turn it there if it is known. */
  async deal(side, card, from, pace) {
    const hand = this[side];
    const drawn = hand.lay(null);
    await glide(drawn, from, pace.fly);
    if (card) hand.turn(drawn, card);
    return drawn;
  }

  /** Turn a card that lies face down. */
  turn(side, drawn, card) {
    this[side].turn(drawn, card);
  }

  readOut() {
    return [this.player, this.banker].map((hand) => hand.cards);
  }
}

