// The header above the table: name, rules, balances and menu.

import { chargedWords } from "../art/felt.js";
import { icon } from "../art/pieces.js";
import { h, put, say, set } from "../core/dom.js";
import { logo } from "../core/launch.js";
import { toMinor } from "../core/money.js";
import { commissionKey, commissionsOf, findBalance, moneyTypeOf, setAsideOf, specialRules } from "../core/table_state.js";
import { money, second, t, time } from "../messages/index.js";

/** @import { Actions } from "./actions.js" */
/** @import { PanelName } from "./game.js" */

/** @type {readonly PanelName[]} */
const MENU = ["stats", "chat", "history", "cash", "limit", "fair", "options", "help"];

export class Header {
  /** @param {Actions} act */
  constructor(act) {
    this.act = act;
    this.name = h("h1", { class: "table-name" });
    this.facts = h("p", { class: "table-facts" });
    this.badges = h("ul", { class: "badges" });
    this.connection = h("span", { class: "connection", role: "img" });
    this.game = h("output", { class: "balance-amount", id: "game-balance" });
    this.account = h("output", { class: "balance-amount", id: "account-balance" });
    this.setAside = h("output", { class: "balance-amount" });
    this.labels = [h("span", { class: "balance-label" }), h("span", { class: "balance-label" }), h("span", { class: "balance-label" })];
    this.rebuyButton = h("button", { type: "button", class: "plus", onclick: () => act.open("cash") }, icon("plus"));
    this.own = h("p", { class: "balance balance-game" }, this.labels[0], this.game, this.rebuyButton);
    this.aside = h("p", { class: "balance balance-aside" }, this.labels[2], this.setAside);
    this.lobby = h("button", { type: "button", class: "menu-button to-lobby", onclick: () => act.lobby() }, icon("lobby"), h("span"));
    this.leave = h("button", { type: "button", class: "menu-button to-leave", onclick: () => act.run("leave") }, icon("leave"), h("span"));
    /** @type {Record<string, HTMLButtonElement>} */
    this.menu = Object.fromEntries(MENU.map((name) => [name, this.entry(name)]));
    this.nav = h("nav", { class: "menu", onclick: () => this.unfold(false) }, Object.values(this.menu), this.leave);
    this.more = h("button", { type: "button", class: "menu-button to-more", onclick: () => this.unfold(!this.unfolded) }, icon("more"));
    this.unfolded = false;
    this.badged = "";
    this.element = h("header", { class: "header", onkeydown: (/** @type {KeyboardEvent} */ event) => this.fold(event) }, this.lobby, logo(),
      h("div", { class: "where" }, h("div", { class: "where-line" }, this.name, this.connection), this.facts, this.badges),
      h("div", { class: "balances" },
        this.own, this.aside, h("p", { class: "balance balance-account" }, this.labels[1], this.account)),
      this.more, this.nav);
    this.element.addEventListener("focusout", ({ relatedTarget }) => relatedTarget instanceof Node && !this.element.contains(relatedTarget) && this.unfold(false));
    this.unfold(false);
  }

  /** In small frames the menu is folded away behind a button. @param {boolean} open */
  unfold(open) {
    this.unfolded = open;
    set(this.nav, { "data-unfolded": open });
    set(this.more, { "aria-expanded": String(open) });
  }

  /** @param {KeyboardEvent} event */
  fold(event) {
    if (event.key !== "Escape" || !this.unfolded) return;
    event.stopPropagation();
    this.unfold(false);
    this.more.focus();
  }

  /** @param {typeof MENU[number]} name */
  entry(name) {
    return h("button", { type: "button", class: `menu-button to-${name}`, "data-panel": name, "aria-expanded": "false", onclick: () => this.act.open(name) }, icon(name), h("span"));
  }

  /**
   * @param {Api["Table"]} state
   * @param {{balances: Api["Balances"] | null, amount: string | null, connection: string, knownAt: Date | null, open: PanelName | null}} shown
   */
  draw(state, { balances, amount, connection, knownAt, open }) {
    const { rules, currency, you } = state;
    say(this.name, state.name);
    const limits = t("table.limits", { minimum: money(rules.minimum, currency), maximum: money(rules.maximum, currency) });
    const facts = [limits, state.shoe ? t("table.shoe", { number: state.shoe.number, out: state.shoe.cards_used }) : ""].filter(Boolean).join(" · ");
    say(this.facts, facts);
    set(this.facts, { title: facts });
    this.drawBadges(state);
    set(this.connection, { "data-connection": connection, "aria-label": t(`connection.${connection}`), title: t(`connection.${connection}`) });
    const told = you?.balance_told_at;
    const names = [told ? t("balance.told", { when: time(told) }) : t("balance.game"), t(told ? "balance.returning" : "balance.account")];
    const old = connection === "offline" && knownAt ? second(knownAt) : null;
    for (const [i, what] of names.entries()) {
      say(this.labels[i], old ? t("balance.known", { what, when: old }) : what);
      set(/** @type {Element} */ (this.labels[i].parentElement), { "data-old": old !== null });
    }
    this.drawBalance(state, amount);
    const account = findBalance(balances, told ? "returning" : "account", moneyTypeOf(state), currency);
    say(this.account, account ? money(account.amount, account.currency) : "–");
    this.drawAside(state);
    set(this.own, { hidden: !you });
    set(this.rebuyButton, { "aria-label": t("cash.rebuy"), hidden: !you || Boolean(told) });
    for (const [name, button] of Object.entries({ ...this.menu, lobby: this.lobby, leave: this.leave })) {
      say(/** @type {Element} */ (button.lastElementChild), t(`menu.${name}`));
      set(button, { "aria-label": t(`menu.${name}`) });
      if (open === name) set(button, { "data-unread": false, "aria-description": false });
      if (name in this.menu) set(button, { "aria-expanded": String(open === name) });
    }
    set(this.leave, { hidden: !you });
    set(this.nav, { "aria-label": t("menu.label") });
    set(this.more, { "aria-label": t("menu.label") });
  }

  /**
   * @param {Api["Table"]} state
   * @param {string | null} amount
   */
  drawBalance({ currency }, amount) {
    say(this.game, amount === null ? "–" : money(amount, currency));
  }

  /** Show what the player's seat has set aside for commission. @param {Api["Table"]} state */
  drawAside(state) {
    const aside = setAsideOf(state);
    const amount = money(aside, state.currency);
    set(this.aside, { hidden: toMinor(aside) === 0n, title: t("aside.how", { amount }) });
    say(this.labels[2], t("aside.label"));
    say(this.setAside, amount);
  }

  /**
   * Mark a panel's button until the panel is opened.
   * @param {string} name
   */
  unread(name) {
    set(this.menu[name], { "data-unread": true, "aria-description": t("chat.unread") });
  }

  /** @param {Api["Table"]} state */
  drawBadges({ rules, you, currency }) {
    const signature = `${document.documentElement.lang} ${you?.money_type} ${JSON.stringify(rules)}`;
    if (this.badged === signature) return;
    this.badged = signature;
    const commissions = commissionsOf(rules);
    const words = specialRules(rules).flatMap((key) => {
      const taken = commissions.filter((each) => commissionKey(each) === key);
      return taken.length ? taken.map((each) => chargedWords("badge", rules, each)) : t(`badge.${key}`, { minimum: money(rules.minimum, currency) });
    });
    if (you?.money_type === "play") words.unshift(t("badge.play"));
    put(this.badges, words.map((each) => h("li", {}, each)));
  }
}
