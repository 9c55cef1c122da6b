// Above the table: where one is, what one has, and the way to everything else.

import { icon } from "../art/icons.js";
import { percentOf } from "../art/felt.js";
import { h, put, say, set } from "../core/dom.js";
import { balance, peculiar } from "../core/facts.js";
import { money, t } from "../words/index.js";

const MENU = ["stats", "chat", "history", "cash", "limit", "fair", "options", "help"];

export class Header {
  constructor(act) {
    this.act = act;
    this.name = h("h1", { class: "table-name" });
    this.facts = h("p", { class: "table-facts" });
    this.badges = h("ul", { class: "badges" });
    this.link = h("span", { class: "link", role: "img" });
    this.game = h("output", { class: "purse-amount", id: "game-balance" });
    this.account = h("output", { class: "purse-amount", id: "account-balance" });
    this.labels = [h("span", { class: "purse-label" }), h("span", { class: "purse-label" })];
    this.rebuy = h("button", { type: "button", class: "plus", onclick: () => act.open("cash") }, icon("plus"));
    this.lobby = h("button", { type: "button", class: "menu-button to-lobby", onclick: () => act.lobby() }, icon("lobby"), h("span"));
    this.leave = h("button", { type: "button", class: "menu-button to-leave", onclick: () => act.run("leave") }, icon("leave"), h("span"));
    this.menu = Object.fromEntries(MENU.map((name) => [name, this.entry(name)]));
    this.element = h("header", { class: "header" }, this.lobby,
      h("div", { class: "where" }, h("div", { class: "where-line" }, this.name, this.link), this.facts, this.badges),
      h("div", { class: "purses" },
        h("p", { class: "purse purse-game" }, this.labels[0], this.game, this.rebuy),
        h("p", { class: "purse purse-account" }, this.labels[1], this.account)),
      h("nav", { class: "menu" }, Object.values(this.menu)), this.leave);
  }

  entry(name) {
    return h("button", { type: "button", class: `menu-button to-${name}`, "data-panel": name, "aria-expanded": "false", onclick: () => this.act.open(name) }, icon(name), h("span"));
  }

  draw(picture, { balances, held, link, open }) {
    const { rules, currency, you } = picture;
    say(this.name, picture.name);
    const limits = t("table.limits", { minimum: money(rules.minimum, currency), maximum: money(rules.maximum, currency) });
    say(this.facts, [limits, picture.shoe ? t("table.shoe", { number: picture.shoe.number, out: picture.shoe.cards_used }) : ""].filter(Boolean).join(" · "));
    this.drawBadges(picture);
    set(this.link, { "data-link": link, "aria-label": t(`link.${link}`), title: t(`link.${link}`) });
    say(this.labels[0], t("purse.game"));
    say(this.labels[1], t("purse.account"));
    say(this.game, you ? money(held ?? you.game_balance.amount, currency) : "–");
    const account = balance(balances, "account", you?.money_type ?? picture.money_types[0]);
    say(this.account, account ? money(account.amount, account.currency) : "–");
    set(this.rebuy, { "aria-label": t("cash.rebuy"), hidden: !you });
    for (const [name, button] of [...Object.entries(this.menu), ["lobby", this.lobby], ["leave", this.leave]]) {
      say(button.querySelector("span"), t(`menu.${name}`));
      set(button, { "aria-label": t(`menu.${name}`) });
      if (open === name) set(button, { "data-unread": false, "aria-description": false });
      if (name in this.menu) set(button, { "aria-expanded": String(open === name) });
    }
    set(this.leave, { hidden: !you });
    set(this.element.querySelector("nav"), { "aria-label": t("menu.label") });
  }

  /** Mark a panel's button until the panel is opened. */
  unread(name) {
    set(this.menu[name], { "data-unread": true, "aria-description": t("chat.unread") });
  }

  drawBadges({ rules, you, currency }) {
    const words = peculiar(rules).map((each) => t(`badge.${each}`, { percent: percentOf(rules), minimum: money(rules.minimum, currency), step: rules.commission?.rounding ? money(quarter(rules), currency) : "" }));
    if (you?.money_type === "play") words.unshift(t("badge.play"));
    const signature = words.join("|");
    if (this.badges.dataset.words === signature) return;
    this.badges.dataset.words = signature;
    put(this.badges, words.map((each) => h("li", {}, each)));
  }
}

/** What commission is rounded up to: the share of the lowest chip that the rules name. */
function quarter(rules) {
  const [share, of] = rules.commission.rounding.split(" ")[0].split("/").map(BigInt);
  const [whole, part = ""] = rules.chips[0].split(".");
  const digits = part.length;
  const units = (BigInt(whole + part) * share) / of;
  const text = String(units).padStart(digits + 1, "0");
  return digits ? `${text.slice(0, -digits)}.${text.slice(-digits)}` : text;
}
