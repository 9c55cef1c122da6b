// The Caller's ceremony: the Player's cards lie face down at a seat, which may look and hands them back.

import { drawCard } from "../art/card.js";
import { command, NoAnswer, Problem } from "../core/api.js";
import { h, put, say, set } from "../core/dom.js";
import { t } from "../words/index.js";
import { announce } from "./notices.js";

/** Find the ceremony that is under way, or null. */
export function underWay(picture) {
  const { round } = picture;
  return round?.ceremony && !round.ceremony.handed_back && round.phase === "closed" ? round.ceremony : null;
}

export class Caller {
  constructor(game) {
    this.game = game;
    this.words = h("p", { class: "caller-words" });
    this.cards = h("div", { class: "caller-cards" });
    this.look = h("button", { type: "button", class: "action", onclick: () => this.lookAt() });
    this.back = h("button", { type: "button", class: "action deal", onclick: () => this.handBack() });
    this.buttons = h("div", { class: "caller-buttons" }, this.look, this.back);
    this.element = h("section", { class: "caller", hidden: true }, this.words, this.cards, this.buttons);
    this.round = null;
  }

  draw(picture) {
    const ceremony = underWay(picture);
    set(this.element, { hidden: !ceremony, "aria-label": t("caller.label"), "data-you": ceremony?.you ?? false });
    if (!ceremony) return;
    if (this.round !== picture.round.id) this.begin(picture, ceremony);
    const words = ceremony.you ? "caller.you" : ceremony.looked ? "caller.looked" : "caller.seat";
    say(this.words, t(words, { seat: ceremony.seat }));
    say(this.look, t("caller.look"));
    say(this.back, t("caller.hand_back"));
    set(this.buttons, { hidden: !ceremony.you });
  }

  begin(picture, ceremony) {
    this.round = picture.round.id;
    this.game.hands.clear();
    this.drawn = [drawCard(null), drawCard(null)];
    put(this.cards, this.drawn);
    set(this.look, { disabled: false });
    announce(t(ceremony.you ? "caller.you" : "caller.seat", { seat: ceremony.seat }));
    if (ceremony.you) this.look.focus();
  }

  /** Only this player's screen turns them: the house keeps the answer nowhere. */
  async lookAt() {
    set(this.look, { disabled: true });
    try {
      const { cards } = await command(`tables/${this.game.table}/look`, {});
      this.drawn.forEach((drawn, i) => drawn.turn(cards[i]));
      this.game.sound.card();
      announce(this.drawn.map((drawn) => drawn.getAttribute("aria-label")).join(", "));
    } catch (error) {
      if (!(error instanceof Problem || error instanceof NoAnswer)) throw error;
      this.game.notices.problem(error);
    }
    this.back.focus();
  }

  handBack() {
    this.game.actions.send("hand-back", {});
  }
}
