// Why nobody could know the cards: what the table committed to, what players added, and the seeds it has revealed since.

import { get } from "../core/api.js";
import { contributionOf, drawn } from "../core/cut.js";
import { h, put, say } from "../core/dom.js";
import { partOf } from "../core/facts.js";
import { t } from "../words/index.js";
import { checkLink, field, form, inWords, panel, Wrong } from "./parts.js";

const hash = (digits) => h("code", { class: "hash" }, digits);
const line = (label, value) => [h("dt", {}, t(`fair.${label}`)), h("dd", {}, value)];

function contributions(game, given) {
  if (!given.length) return t("fair.nobody");
  const seat = game.picture.you?.seat;
  return h("ul", { class: "given" }, given.map((each) => h("li", {}, h("span", {}, t(each.seat === seat ? "fair.you" : "fair.seat", { seat: each.seat })), hash(each.contribution))));
}

function facts(game, shoe) {
  return h("dl", { class: "facts" }, line("commitment", hash(shoe.commitment)), line("contributions", contributions(game, shoe.contributions)),
    shoe.cut === null ? null : line("cut", shoe.cut ? hash(shoe.cut) : t("fair.no_cut")), shoe.root ? line("root", hash(shoe.root)) : null,
    shoe.seed ? line("seed", hash(shoe.seed)) : null);
}

const nameOf = (game, shoe) => t(game.picture.rules.shuffle === "shoe" ? "fair.shoe" : "fair.of_round", { number: shoe.number });

function revealed(game, shoes, own) {
  if (!shoes.length) return h("p", { class: "quiet-words" }, t("fair.none"));
  return shoes.map((shoe) => h("details", {}, h("summary", {}, nameOf(game, shoe)), facts(game, shoe), own.has(shoe.round) ? checkLink(shoe.round, shoe.number) : null));
}

/** What is on the screen of one table's shoes, asked anew when they change. */
class Fairness {
  constructor(game) {
    this.game = game;
    this.signature = null;
    this.now = h("p", { class: "fair-now" });
    this.input = h("input", { type: "text", name: "contribution", id: "contribution", autocomplete: "off", spellcheck: "false", maxlength: 64 });
    this.status = h("p", { class: "quiet-words", role: "status" });
    this.shoes = h("div", { class: "bounds" });
    const random = h("button", { type: "button", class: "quiet", onclick: () => { this.input.value = drawn(); } }, t("fair.draw"));
    this.form = form(() => this.give(), field(t("fair.yours"), this.input, t("fair.yours.note")),
      h("div", { class: "side-by-side" }, h("button", { type: "submit", class: "primary" }, t("fair.do")), random), this.status);
    this.element = h("div", { class: "bounds" }, h("p", {}, t(`fair.how.${game.picture.rules.shuffle}`)),
      game.picture.you ? [this.now, this.form] : null, this.shoes);
    this.draw();
  }

  draw() {
    const { cutting, picture, sight } = this.game;
    const open = cutting.open();
    const given = cutting.mine(open);
    say(this.now, given ? t("fair.given", { contribution: given }) : t(cutting.chosen ? "fair.chosen" : "fair.to_come", { contribution: cutting.next }));
    const signature = JSON.stringify([sight.seen, picture.round?.shoe, picture.round?.phase, picture.shoe?.id, picture.next_shoe?.id, open]);
    if (signature === this.signature || this.game.show.on) return;
    this.signature = signature;
    this.ask();
  }

  async ask() {
    try {
      const [found, mine] = await Promise.all([get(`tables/${this.game.table}/fairness`), get("rounds?limit=50")]);
      this.show(found, new Set(mine.items.filter((round) => partOf(round)).map((round) => round.id)));
    } catch (error) {
      put(this.shoes, h("p", { class: "form-fault", role: "alert" }, inWords(error)));
    }
  }

  show({ shoe, next_shoe: next, revealed_shoes: past, rounds, voids }, own) {
    const { game } = this;
    put(this.shoes,
      shoe ? h("section", { class: "cash-part" }, h("h3", {}, t("fair.in_play", { name: nameOf(game, shoe) })), facts(game, shoe)) : null,
      next ? h("section", { class: "cash-part" }, h("h3", {}, t("fair.next", { name: nameOf(game, next) })), facts(game, next)) : null,
      h("section", { class: "cash-part" }, h("h3", {}, t("fair.revealed")), h("p", { class: "quiet-words" }, t("fair.revealed.how")), revealed(game, past, own)),
      h("p", { class: "quiet-words" }, t("fair.counts", { rounds, voids })));
  }

  async give() {
    const contribution = contributionOf(this.input.value);
    if (contribution === null) throw new Wrong(t("fair.wrong"));
    const now = await this.game.cutting.give(contribution);
    this.input.value = "";
    say(this.status, t(now ? "fair.gave" : "fair.kept"));
    this.draw();
  }
}

export const fair = {
  make(game) {
    this.shown = new Fairness(game);
    return panel(game, t("menu.fair"), this.shown.element);
  },

  draw() {
    this.shown.draw();
  },
};
