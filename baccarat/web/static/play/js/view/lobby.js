// The lobby: which tables there are, what they ask, who sits there and how they have run.

import { get, NoAnswer, Problem } from "../core/api.js";
import { h, put } from "../core/dom.js";
import { balance } from "../core/facts.js";
import { forgetToken, goTo } from "../core/session.js";
import { money, plainly, t } from "../words/index.js";

const EVERY = 4000;

export class Lobby {
  constructor({ onExit }) {
    this.onExit = onExit;
    this.list = h("ul", { class: "lobby-tables" });
    this.purse = h("p", { class: "lobby-purse" });
    this.status = h("p", { class: "lobby-status", role: "status" });
    this.element = h("main", { class: "lobby" },
      h("header", { class: "lobby-head" }, h("h1", {}, t("title")), this.purse,
        h("button", { type: "button", class: "quiet", onclick: () => this.exit() }, t("lobby.exit"))),
      this.status, this.list);
    this.timer = null;
  }

  start() {
    this.look();
    this.timer = setInterval(() => document.hidden || this.look(), EVERY);
  }

  leave() {
    clearInterval(this.timer);
  }

  exit() {
    forgetToken();
    this.leave();
    this.onExit();
  }

  async look() {
    try {
      const [tables, balances] = await Promise.all([get("lobby?limit=100"), get("me/balances")]);
      this.draw(tables.items, balances);
      this.status.textContent = "";
    } catch (error) {
      if (!(error instanceof Problem || error instanceof NoAnswer)) throw error;
      const { title, remedy } = plainly(error);
      this.status.textContent = `${title} ${remedy}`;
    }
  }

  draw(tables, balances) {
    const signature = JSON.stringify([tables, balances]);
    if (signature === this.signature) return;
    this.signature = signature;
    const purses = ["real", "play"].map((money_type) => [money_type, balance(balances, "account", money_type)]).filter(([, held]) => held);
    put(this.purse, purses.map(([money_type, held]) => h("span", {}, `${t(`money_type.${money_type}`)} `, h("strong", {}, money(held.amount, held.currency)))));
    put(this.list, tables.map((table) => this.card(table)));
  }

  card(table) {
    const marks = table.results.map((mark) => mark.outcome);
    return h("li", { class: `lobby-table ${table.preset}` },
      h("button", { type: "button", onclick: () => goTo(table.id) },
        h("span", { class: "lobby-cloth", "aria-hidden": "true" }, h("span", { class: "lobby-seats" }, String(table.seats))),
        h("strong", { class: "lobby-name" }, table.name),
        h("span", { class: "lobby-preset" }, t(`preset.${table.preset}`)),
        h("span", { class: "lobby-limits" }, t("table.limits", { minimum: money(table.minimum, table.currency), maximum: money(table.maximum, table.currency) })),
        h("span", { class: "lobby-free" }, table.you ? t("lobby.yours") : t("lobby.free", { n: table.free_seats.length })),
        h("span", { class: "lobby-books" }, table.money_types.map((money_type) => t(`money_type.${money_type}`)).join(" · ")),
        h("span", { class: "lobby-turn" }, table.turn_seconds ? t("lobby.turn", { seconds: table.turn_seconds }) : t("lobby.alone")),
        marks.length ? h("span", { class: "lobby-marks", role: "img", "aria-label": marks.map((mark) => t(`mark.${mark}`)).join(" ") },
          marks.map((mark) => h("span", { class: `mark ${mark}`, "aria-hidden": "true" }, t(`mark.${mark}`)))) : null));
  }
}
