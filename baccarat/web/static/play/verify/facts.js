// The facts of a coup that pay lines ask for, from its cards.

import { dealHands, outcomeOf, total } from "./hands.js";

/** @typedef {string | number | boolean} Value */

const POINTS = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];
const FLAG = [false, true];
/**
 * The values that each fact may have.
 * @type {Map<string, readonly Value[]>}
 */
export const FACTS = new Map(Object.entries(/** @type {Record<string, Value[]>} */ ({
  winner: ["player", "banker", "tie"],
  player_points: POINTS, banker_points: POINTS, margin: POINTS,
  player_cards: [2, 3], banker_cards: [2, 3], cards: [4, 5, 6],
  natural: FLAG, player_natural: FLAG, banker_natural: FLAG,
  player_pair: FLAG, banker_pair: FLAG, player_perfect: FLAG, banker_perfect: FLAG,
  pairs: [0, 1, 2], perfect_pairs: [0, 1, 2],
})));

/** @param {string[]} hand */
const isNatural = (hand) => hand.length === 2 && total(hand) >= 8;
/** @param {string[]} hand */
const isPair = ([first, second]) => first[0] === second[0];
/** @param {string[]} hand */
const isPerfect = ([first, second]) => first === second;

/**
 * The facts of a coup. Its natural is that of the winning hand; of a tie, of both.
 * @param {string[]} cards in deal order
 * @returns {Record<string, Value>}
 */
export function factsOf(cards) {
  const { player, banker } = dealHands(cards);
  const winner = outcomeOf(player, banker);
  const hands = [player, banker];
  const best = { player: [player], banker: [banker], tie: hands }[winner];
  return {
    winner, player_points: total(player), banker_points: total(banker), margin: Math.abs(total(player) - total(banker)),
    player_cards: player.length, banker_cards: banker.length, cards: cards.length,
    natural: best.every(isNatural), player_natural: isNatural(player), banker_natural: isNatural(banker),
    player_pair: isPair(player), banker_pair: isPair(banker), player_perfect: isPerfect(player), banker_perfect: isPerfect(banker),
    pairs: hands.filter(isPair).length, perfect_pairs: hands.filter(isPerfect).length,
  };
}
