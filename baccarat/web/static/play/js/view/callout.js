// The call in the middle of the table: who won, with how much, and what that was to the player.

import { h, say, set } from "../core/dom.js";

export class Callout {
  constructor() {
    this.words = h("p", { class: "callout-words" });
    this.net = h("p", { class: "callout-net" });
    this.element = h("div", { class: "callout", hidden: true, "aria-hidden": "true" }, this.words, this.net);
    this.timer = null;
  }

  show(round, words, net, amount) {
    clearTimeout(this.timer);
    say(this.words, words);
    say(this.net, net);
    set(this.element, { hidden: false, "data-outcome": round.outcome, "data-net": amount > 0n ? "won" : amount < 0n ? "lost" : "even" });
    this.timer = setTimeout(() => this.hide(), 4200);
  }

  caption(words) {
    clearTimeout(this.timer);
    say(this.words, words);
    say(this.net, "");
    set(this.element, { hidden: false, "data-outcome": "none" });
    this.timer = setTimeout(() => this.hide(), 900);
  }

  hide() {
    clearTimeout(this.timer);
    set(this.element, { hidden: true });
  }
}
