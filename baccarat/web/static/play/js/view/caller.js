// The Caller's ceremony: the Player's cards lie face down at a seat, which may look before it hands them back.

import { cardName, drawCard } from "../art/cards.js";
import { command, NoResponse, Problem } from "../core/api.js";
import { h, put, say, set } from "../core/dom.js";
import { currentCeremony } from "../core/table_state.js";
import { t } from "../messages/index.js";
import { announce } from "./notices.js";
import { squeezable } from "./squeeze.js";

/** @import { Game } from "./game.js" */

export class Caller {
  /** @param {Game} game */
  constructor(game) {
    this.game = game;
    this.words = h("p", { class: "caller-words" });
    this.how = h("p", { class: "caller-how" });
    this.cards = h("div", { class: "caller-cards" });
    this.look = h("button", { type: "button", class: "action deal", onclick: () => this.lookAt() });
    this.back = h("button", { type: "button", onclick: () => this.handBack() });
    this.buttons = h("div", { class: "caller-buttons" }, this.look, this.back);
    this.element = h("section", { class: "caller", hidden: true }, this.words, this.how, this.cards, this.buttons);
    /** @type {string | null} */
    this.round = null;
    /** @type {ReturnType<typeof drawCard>[]} */
    this.drawn = [];
  }

  /** @param {Api["Table"]} state */
  draw(state) {
    const ceremony = currentCeremony(state);
    set(this.element, { hidden: !ceremony, "aria-label": t("caller.label"), "data-you": ceremony?.you ?? false });
    if (!ceremony || !state.round) return;
    if (this.round !== state.round.id) this.begin(state.round.id, ceremony);
    const words = ceremony.you ? "caller.you" : ceremony.looked ? "caller.looked" : "caller.seat";
    say(this.words, t(words, { seat: ceremony.seat }));
    say(this.look, t("caller.look"));
    say(this.back, t("caller.hand_back"));
    set(this.buttons, { hidden: !ceremony.you });
  }

  /**
   * @param {string} round
   * @param {Api["Ceremony"]} ceremony
   */
  begin(round, ceremony) {
    this.round = round;
    this.game.hands.clear();
    this.drawn = [drawCard(null), drawCard(null)];
    put(this.cards, this.drawn);
    say(this.how, "");
    set(this.look, { hidden: false });
    set(this.back, { class: "action" });
    announce(t(ceremony.you ? "caller.you" : "caller.seat", { seat: ceremony.seat }));
    if (ceremony.you) this.look.focus();
  }

  /** Get the cards from the service and let this player squeeze them, on this screen only. */
  async lookAt() {
    set(this.look, { hidden: true });
    set(this.back, { class: "action deal" });
    try {
      const { cards } = await command(`tables/${this.game.table}/look`, {});
      this.drawn = cards.map((/** @type {string} */ card) => squeezable(card, () => this.turned(card)));
      put(this.cards, this.drawn);
      say(this.how, t("squeeze.peel"));
      announce(t("squeeze.how"));
      this.drawn[0].focus();
      return;
    } catch (error) {
      if (!(error instanceof Problem || error instanceof NoResponse)) throw error;
      this.game.notices.showProblem(error);
    }
    this.back.focus();
  }

  /** @param {string} card */
  turned(card) {
    this.game.sound.play("turn");
    announce(cardName(card));
    const next = this.drawn.find((drawn) => drawn.classList.contains("squeeze"));
    (next ?? this.back).focus();
  }

  handBack() {
    this.game.actions.send("hand-back", {});
  }
}
