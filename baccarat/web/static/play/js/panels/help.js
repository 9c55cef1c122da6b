// This table's rules and the keyboard shortcuts.

import { oddsOf, percentOf } from "../art/felt.js";
import { get } from "../core/api.js";
import { h } from "../core/dom.js";
import { specialRules, SPOTS } from "../core/table_state.js";
import { money, percent, t } from "../messages/index.js";
import { KEYS } from "../view/controls.js";
import { panel, whenLoaded } from "./widgets.js";

/** @import { Game } from "../view/game.js" */

/**
 * What the spots pay, and their theoretical return by the exact odds.
 * @param {Api["TableRules"]} rules
 * @param {Api["Odds"]} odds
 */
function pays(rules, odds) {
  const rows = SPOTS.map((spot) => {
    const line = odds.spots.find((each) => each.spot === spot);
    return h("tr", { "data-spot": spot }, h("th", { scope: "row" }, t(`spot.${spot}`)), h("td", {}, oddsOf(rules, spot)), h("td", { class: "return" }, line ? percent(Number(line.exact.return.decimal)) : "–"));
  });
  return [
    h("table", { class: "pays" }, h("caption", {}, t("help.pays")),
      h("thead", {}, h("tr", {}, [t("help.spot"), t("help.pays.column"), t("help.return")].map((title) => h("th", { scope: "col" }, title)))), h("tbody", {}, rows)),
    h("p", { class: "quiet-words" }, t("help.return.how")),
  ];
}

/** @param {string} contact an e-mail address, a telephone number or an address of a page */
function contactLink(contact) {
  if (contact.startsWith("https:")) return h("a", { href: contact, target: "_blank", rel: "noopener noreferrer" }, contact);
  return h("a", { href: contact.includes("@") ? `mailto:${contact}` : `tel:${contact.replace(/[^+0-9]/g, "")}` }, contact);
}

/** @param {Api["OwnOperator"]} operator */
const customerCare = ({ name, customer_care: contact }) => h("p", { class: "customer-care" }, contact ? [t("help.care", { name }), " ", contactLink(contact)] : t("help.care.none", { name }));

function keys() {
  return h("table", { class: "keys" }, h("caption", {}, t("help.keys")), h("tbody", {}, KEYS.map(([key, does]) =>
    h("tr", {}, h("th", { scope: "row" }, h("kbd", {}, key)), h("td", {}, t(`key.${does}`))))));
}

export const help = {
  /** @param {Game} game */
  make(game) {
    const { rules, currency } = game.state;
    const own = specialRules(rules).map((each) => h("li", {}, t(`help.${each}`, { percent: percentOf(rules), minimum: money(rules.minimum, currency) })));
    const turn = rules.turn_seconds ? t("help.turn", { seconds: rules.turn_seconds }) : t("help.alone");
    const cards = t(rules.shuffle === "shoe" ? "help.shoe" : "help.each_round", { decks: rules.decks });
    return panel(game, t("menu.help"), h("p", {}, t("help.aim")), whenLoaded(get(`tables/${game.table}/odds`), (/** @type {Api["Odds"]} */ odds) => pays(rules, odds)), h("p", {}, t("help.push")),
      h("h3", {}, t("help.here")), h("ul", { class: "help-rules" }, h("li", {}, cards), h("li", {}, turn), own),
      h("details", {}, h("summary", {}, t("help.third")), h("p", {}, t("help.third.player")), h("p", {}, t("help.third.banker"))),
      h("h3", {}, t("help.care.title")), whenLoaded(get("me/operator"), customerCare),
      keys(), h("p", { class: "quiet-words" }, t("help.mouse")), h("p", { class: "quiet-words" }, t("help.malfunction")));
  },
};
