// A table's own rules in words: what decides the game.

import { conditionWords, spotName, spotNames, t as onPage } from "../js/messages/index.js";
import { money, t } from "./messages.js";

/** @import { PayLine, Ratio, Rules, Spot } from "./spots.js" */

/** @param {Ratio} share */
const shareOf = ({ numerator, denominator }) => `${numerator}/${denominator}`;

/** @param {PayLine} line */
function lineInWords({ when, pays }) {
  const what = pays ? t("line.pays", { odds: `${pays.numerator}:${pays.denominator}` }) : onPage("help.returned");
  return when.length ? t("line.when", { what, conditions: conditionWords(when.map(({ fact, values }) => [fact, values])) }) : what;
}

/**
 * @param {Rules} rules
 * @param {Spot} spot
 */
function spotInWords(rules, { name, lines, commission, minimum, maximum, needs }) {
  const words = lines.map(lineInWords);
  if (commission) words.push(t(commission.rounding ? "line.rounded" : "line.commission", { rate: shareOf(commission.rate), part: commission.rounding && shareOf(commission.rounding) }));
  if (commission?.timing === "deferred") words.push(t("line.deferred"));
  const [least, most] = [minimum ?? rules.minimum, maximum ?? rules.maximum].map((minor) => money(minor, rules.currency));
  if (minimum !== null || maximum !== null) words.push(onPage("table.limits", { minimum: least, maximum: most }));
  if (needs.length) words.push(onPage("spot.needs", { spots: spotNames(needs) }));
  return t("rules.spot", { spot: spotName(name), words: words.join("; ") });
}

/**
 * What decides the game: the cards, and what each spot pays.
 * @param {Rules} rules
 */
export function rulesInWords(rules) {
  const { decks, shuffle, cut_cards_from_end: cards, hands_after_cut: hands, burn, fixed_order: fixed } = rules;
  const shoe = [t("rules.shoe", { decks: String(decks), cards: String(cards) }), t(`rules.hands.${hands}`), burn && t("rules.burn"), fixed && t("rules.fixed_order")];
  const dealt = shuffle === "shoe" ? shoe.filter(Boolean) : [t("rules.shuffled", { decks: String(decks) })];
  return [...dealt, ...rules.spots.map((spot) => spotInWords(rules, spot))];
}
