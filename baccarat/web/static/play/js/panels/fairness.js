// Fairness of the shuffle: commitments, contributions to the cut, revealed seeds.

import { h, put, say } from "../core/dom.js";
import { ownPart } from "../core/table_state.js";
import { signedMoney, t } from "../messages/index.js";
import { parseContribution, randomContribution } from "../view/cut.js";
import { Check } from "../view/check.js";
import { field, form, errorText, panel, InvalidInput } from "./widgets.js";

/** @import { Children } from "../core/dom.js" */
/** @import { Game } from "../view/game.js" */

/** @param {string} digits */
const hash = (digits) => h("code", { class: "hash" }, digits);
/**
 * @param {string} label
 * @param {Children} value
 */
const detail = (label, value) => [h("dt", {}, t(`fair.${label}`)), h("dd", {}, value)];

/**
 * @param {Game} game
 * @param {Api["Contribution"][]} items
 */
function contributions(game, items) {
  if (!items.length) return t("fair.nobody");
  const seat = game.state.you?.seat;
  return h("ul", { class: "contributions" }, items.map((each) => h("li", {}, h("span", {}, t(each.seat === seat ? "fair.you" : "fair.seat", { seat: each.seat })), hash(each.contribution))));
}

/**
 * @param {Game} game
 * @param {Pick<Api["RevealedShoe"], "commitment" | "contributions"> & {cut?: string | null, root?: string | null, seed?: string | null}} shoe
 */
function shoeDetails(game, shoe) {
  return h("dl", { class: "facts" }, detail("commitment", hash(shoe.commitment)), detail("contributions", contributions(game, shoe.contributions)),
    shoe.cut === null ? null : detail("cut", shoe.cut ? hash(shoe.cut) : t("fair.no_cut")), shoe.root ? detail("root", hash(shoe.root)) : null,
    shoe.seed ? detail("seed", hash(shoe.seed)) : null);
}

/**
 * @param {Game} game
 * @param {{number: number}} shoe
 */
const shoeName = (game, shoe) => t(game.state.rules.shuffle === "shoe" ? "fair.shoe" : "fair.of_round", { number: shoe.number });

/**
 * @param {Game} game
 * @param {Api["RevealedShoe"][]} shoes
 * @param {Set<string>} ownRounds
 */
function revealed(game, shoes, ownRounds) {
  if (!shoes.length) return h("p", { class: "quiet-words" }, t("fair.none"));
  return shoes.map((shoe) => {
    const check = shoe.round !== null && ownRounds.has(shoe.round) ? new Check({ id: shoe.round, number: shoe.number }) : null;
    return h("details", {}, h("summary", {}, shoeName(game, shoe)), shoeDetails(game, shoe), check?.button, check?.line);
  });
}

/**
 * @param {Api["VoidsByCause"]} voids
 * @param {string} currency
 */
function voidsOf({ cause, rounds, unconfirmed, after_release: after, unknown, house_gain: gain }, currency) {
  return t("fair.void", { cause: t(`fair.void.${cause}`), rounds, unconfirmed, after, unknown, gain: signedMoney(gain, currency) });
}

/** The panel's content, loaded again when the table's shoes change. */
class Fairness {
  /** @param {Game} game */
  constructor(game) {
    this.game = game;
    /** @type {string | null} */
    this.signature = null;
    this.now = h("p", { class: "fair-now" });
    this.input = h("input", { type: "text", name: "contribution", id: "contribution", autocomplete: "off", spellcheck: "false", maxlength: 64 });
    this.status = h("p", { class: "quiet-words", role: "status" });
    this.shoes = h("div", { class: "bounds" });
    const random = h("button", { type: "button", class: "quiet", onclick: () => { this.input.value = randomContribution(); } }, t("fair.draw"));
    this.form = form(() => this.submit(), field(t("fair.yours"), this.input, t("fair.yours.note")),
      h("div", { class: "side-by-side" }, h("button", { type: "submit", class: "primary" }, t("fair.do")), random), this.status);
    this.element = h("div", { class: "bounds" }, h("p", {}, t(`fair.how.${game.state.rules.fixed_order ? "fixed" : game.state.rules.shuffle}`)),
      game.state.you ? [this.now, this.form] : null, this.shoes);
    this.draw();
  }

  draw() {
    const { cut, state, updates } = this.game;
    const open = cut.openShoe();
    const contribution = cut.ownContribution(open);
    say(this.now, contribution ? t("fair.given", { contribution }) : t("fair.to_come", { contribution: cut.next }));
    /** @type {string} */
    const signature = JSON.stringify([updates.lastRound, state.round?.shoe, state.round?.phase, state.shoe?.id, state.next_shoe?.id, open]);
    if (signature === this.signature || this.game.show.round) return;
    this.signature = signature;
    this.load();
  }

  async load() {
    try {
      const [fairness, mine] = await Promise.all([`tables/${this.game.table}/fairness`, "rounds?limit=50"].map((path) => this.game.show.get(path)));
      const rounds = /** @type {Api["Round"][]} */ (mine.items);
      this.show(fairness, new Set(rounds.filter((round) => ownPart(round)).map((round) => round.id)));
    } catch (error) {
      put(this.shoes, h("p", { class: "form-fault", role: "alert" }, errorText(error)));
    }
  }

  /**
   * @param {Api["TableFairness"]} fairness
   * @param {Set<string>} ownRounds
   */
  show({ shoe, next_shoe: next, revealed_shoes: past, rounds, voids, voids_by_cause: causes }, ownRounds) {
    const { game } = this;
    put(this.shoes,
      shoe ? h("section", { class: "cash-part" }, h("h3", {}, t("fair.in_play", { name: shoeName(game, shoe) })), shoeDetails(game, shoe)) : null,
      next ? h("section", { class: "cash-part" }, h("h3", {}, t("fair.next", { name: shoeName(game, next) })), shoeDetails(game, next)) : null,
      h("section", { class: "cash-part" }, h("h3", {}, t("fair.revealed")), h("p", { class: "quiet-words" }, t("fair.revealed.how")), revealed(game, past, ownRounds)),
      h("p", { class: "quiet-words" }, t("fair.counts", { rounds, voids })),
      causes.map((each) => h("p", { class: "quiet-words" }, voidsOf(each, game.state.currency))));
  }

  async submit() {
    const contribution = parseContribution(this.input.value);
    if (contribution === null) throw new InvalidInput(t("fair.wrong"));
    await this.game.cut.contribute(contribution);
    this.input.value = "";
    say(this.status, t("fair.gave"));
    this.draw();
  }
}

/** @type {Fairness} */
let content;

export const fair = {
  /** @param {Game} game */
  make(game) {
    content = new Fairness(game);
    return panel(game, t("menu.fair"), content.element);
  },

  draw() {
    content.draw();
  },
};
