// This table's rules and the keyboard shortcuts.

import { chargedWords, oddsOf } from "../art/felt.js";
import { get } from "../core/api.js";
import { h, put } from "../core/dom.js";
import { countDecimals, toDecimal, toMinor } from "../core/money.js";
import { commissionKey, commissionsOf, limitsOf, offeredChips, ownPart, specialRules, spotsOf, stakesOf, withPending } from "../core/table_state.js";
import { conditionWords, money, percent, spotName, spotNames, t } from "../messages/index.js";
import { printedKeys } from "../view/keys.js";
import { panel, whenLoaded } from "./widgets.js";

/** @import { Stakes } from "../core/table_state.js" */
/** @import { Game } from "../view/game.js" */
/** @import { Host } from "./widgets.js" */

/** @param {Api["StakeReturn"] | Api["SpotFigures"]} figures */
const returned = (figures) => percent(Number(figures.return.decimal));

/**
 * @param {string} key
 * @param {string[]} titles
 */
const head = (key, titles) => [h("caption", {}, t(key)), h("thead", {}, h("tr", {}, titles.map((title) => h("th", { scope: "col" }, title))))];

/** @param {Api["LineOdds"]} odds */
function lineWords({ line: { pays, when = {} }, chance }) {
  return t("help.line", { pays: pays ?? t("help.returned"), when: conditionWords(Object.entries(when)) || t("help.otherwise"), chance: percent(Number(chance.decimal)) });
}

/**
 * All that holds of one spot: its lines, and what it asks for and takes.
 * @param {Api["TableRules"]} rules
 * @param {Api["Spot"]} spot
 * @param {Api["SpotOdds"] | undefined} odds
 */
function aboutSpot(rules, spot, odds) {
  const { commission, minimum, maximum, needs = [] } = spot;
  return [
    ...(odds?.lines ?? []).map(lineWords), commission && chargedWords("help", rules, commission),
    (minimum || maximum) && t("table.limits", { minimum: money(minimum ?? rules.minimum, rules.currency), maximum: money(maximum ?? rules.maximum, rules.currency) }),
    needs.length > 0 && t("spot.needs", { spots: spotNames(needs) }),
  ];
}

/**
 * What the spots pay, and return of the stake that is set on each, or of its minimum.
 * @param {Api["Table"]} state
 * @param {Api["Odds"]} odds
 * @param {Stakes} stakes
 */
function pays({ rules, currency }, odds, stakes) {
  const rows = spotsOf(rules).map((spot) => {
    const amount = toDecimal(stakes[spot.name] || limitsOf(rules, spot).minimum, countDecimals(rules.minimum));
    const priced = odds.spots.find((each) => each.spot === spot.name);
    const line = priced?.at_stakes.find((each) => each.stake === amount);
    return h("tbody", { "data-spot": spot.name },
      h("tr", {}, h("th", { scope: "row" }, spotName(spot.name)), h("td", {}, oddsOf(spot)), h("td", { class: "return" }, line ? t("help.return.at", { share: returned(line), amount: money(amount, currency) }) : "–")),
      h("tr", {}, h("td", { colspan: 3 }, h("ul", { class: "quiet-words" }, aboutSpot(rules, spot, priced).map((words) => words && h("li", {}, words))))));
  });
  return [
    h("table", { class: "pays" }, head("help.pays", [t("help.spot"), t("help.pays.column"), t("help.return")]), rows),
    h("p", { class: "quiet-words" }, t("help.lines")),
    h("p", { class: "quiet-words" }, t("help.return.how")),
    odds.spots.filter((line) => line.at_stakes.some((each) => each.return.fraction !== line.exact.return.fraction)).map((line) => byStake(line, currency)),
  ];
}

/**
 * What stakes return on a spot whose commission is rounded.
 * @param {Api["SpotOdds"]} line
 * @param {string} currency
 */
const byStake = ({ spot, exact, at_stakes: stakes }, currency) => h("table", { class: "pays by-stake" },
  head("help.return.rounded", [spotName(spot), t("help.return")]),
  h("tbody", {}, stakes.map((each) => h("tr", {}, h("th", { scope: "row" }, money(each.stake, currency)), h("td", {}, returned(each)))),
    h("tr", {}, h("th", { scope: "row" }, t("help.return.exact")), h("td", {}, returned(exact)))));

/** What lies on the spots, chips on their way included. @param {Game} game */
function stakesNow({ state, actions }) {
  const part = ownPart(state.round);
  return withPending(stakesOf(part && ["deciding", "confirmed"].includes(part.status) ? part : null), actions.pending);
}

/** What the spots pay, asked for again when the stakes have changed. */
class Pays {
  /** @param {Game} game */
  constructor(game) {
    this.game = game;
    this.signature = "";
    this.element = h("div");
    this.draw();
  }

  draw() {
    const { state, table } = this.game;
    const minimums = state.rules.spots.map((spot) => limitsOf(state.rules, spot).minimum);
    const stakes = stakesNow(this.game);
    const chips = offeredChips(state.rules).map(toMinor);
    const units = [...minimums, ...minimums.map((minimum) => minimum + chips[0]), ...chips, ...Object.values(stakes)].filter((each) => minimums.some((minimum) => each >= minimum));
    const asked = [...new Set(units)].sort((one, other) => Number(one - other)).map((each) => toDecimal(each, countDecimals(state.rules.minimum))).join(",");
    const signature = `${asked} ${state.rules.spots.map(({ name }) => stakes[name] ?? 0n)}`;
    if (signature === this.signature) return;
    this.signature = signature;
    put(this.element, whenLoaded(get(`tables/${table}/odds?stakes=${asked}`), (/** @type {Api["Odds"]} */ odds) => pays(state, odds, stakes)));
  }
}

/** What the spots of the open table pay. @type {Pays | null} */
let shown = null;

/** @param {string} contact an e-mail address, a telephone number or the address of a page */
function contactLink(contact) {
  if (/^https?:/.test(contact)) return h("a", { href: contact, target: "_blank", rel: "noopener noreferrer" }, contact);
  return h("a", { href: contact.includes("@") ? `mailto:${contact}` : `tel:${contact.replace(/[^+0-9]/g, "")}` }, contact);
}

/** @param {Api["OwnOperator"]} operator */
const customerCare = ({ name, customer_care: contact }) => h("p", { class: "customer-care" }, contact ? [t("help.care", { name }), " ", contactLink(contact)] : t("help.care.none", { name }));

/** @param {Api["TableRules"]} rules */
function keys(rules) {
  return h("table", { class: "keys" }, h("caption", {}, t("help.keys")), h("tbody", {}, printedKeys(rules).map(([key, does]) =>
    h("tr", {}, h("th", { scope: "row" }, h("kbd", {}, key)), h("td", {}, does)))));
}

/** What a table pays, and how it is played. @param {Game} game */
function tableRules(game) {
  const { rules, currency } = game.state;
  const told = commissionsOf(rules).map(commissionKey);
  const own = specialRules(rules).filter((each) => !told.some((key) => key === each)).map((each) => h("li", {}, t(`help.${each}`, { minimum: money(rules.minimum, currency) })));
  const turn = rules.turn_seconds ? t("help.turn", { seconds: rules.turn_seconds }) : t("help.alone");
  const cards = t(`help.${rules.fixed_order ? "fixed" : rules.shuffle}`, { decks: rules.decks });
  const cut = rules.shuffle === "shoe" && t(rules.hands_after_cut ? "help.cut.more" : "help.cut.last");
  shown = new Pays(game);
  return [shown.element, h("h3", {}, t("help.here")), h("ul", { class: "help-rules" }, h("li", {}, [cards, cut].filter(Boolean).join(" ")), h("li", {}, turn), own, h("li", {}, t("help.tail")))];
}

export const help = {
  /** @param {Host} host */
  make(host) {
    shown = null;
    return panel(host, t("menu.help"), h("p", {}, t("help.aim")), host.game ? tableRules(host.game) : null,
      h("details", {}, h("summary", {}, t("help.third")), h("p", {}, t("help.third.player")), h("p", {}, t("help.third.banker"))),
      h("h3", {}, t("help.care.title")), whenLoaded(get("me/operator"), customerCare),
      host.game ? [keys(host.game.state.rules), h("p", { class: "quiet-words" }, t("help.mouse"))] : null, h("p", { class: "quiet-words" }, t("help.malfunction")));
  },

  draw() {
    shown?.draw();
  },
};
