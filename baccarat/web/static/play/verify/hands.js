// Cards, points and the third-card rule, written from the printed rules.

import { CheckFailed } from "./proof.js";

const RANKS = "A23456789TJQK";
export const DECK = [..."cdhs"].flatMap((suit) => [...RANKS].map((rank) => rank + suit));
const KNOWN = new Set(DECK);

/**
 * Return a card's points: ace 1, two to nine as printed, ten and court cards 0.
 * @param {string} card
 */
export function points(card) {
  if (!KNOWN.has(card)) throw new TypeError("not a card");
  return "TJQK".includes(card[0]) ? 0 : RANKS.indexOf(card[0]) + 1;
}

/** @param {string[]} hand */
export const total = (hand) => hand.reduce((sum, card) => sum + points(card), 0) % 10;

// The Player's third cards on which the Banker draws, by the Banker's points.
const BANKER_DRAWS_ON = ["0123456789", "0123456789", "0123456789", "012345679", "234567", "4567", "67", ""];

/**
 * Deal both hands from cards in deal order by the drawing rules. Throws CheckFailed for too few or too many cards.
 * @param {string[]} cards
 */
export function dealHands(cards) {
  if (cards.length < 4) throw new CheckFailed("hands.few", 4, cards);
  const [player, banker] = [[cards[0], cards[2]], [cards[1], cards[3]]];
  let used = 4;
  /** @param {string[]} hand */
  const draw = (hand) => {
    if (used >= cards.length) throw new CheckFailed("hands.third", 1 + used, cards);
    hand.push(cards[used]);
    used += 1;
  };
  const natural = Math.max(total(player), total(banker)) >= 8;
  if (!natural) {
    const bank = total(banker);
    if (total(player) <= 5) draw(player);
    const draws = player.length === 2 ? bank <= 5 : BANKER_DRAWS_ON[bank].includes(String(points(player[2])));
    if (draws) draw(banker);
  }
  if (used !== cards.length) throw new CheckFailed("hands.many", used, cards);
  return { player, banker, natural };
}

/**
 * @param {string[]} player
 * @param {string[]} banker
 */
export function outcomeOf(player, banker) {
  const lead = total(player) - total(banker);
  if (lead === 0) return "tie";
  return lead > 0 ? "player" : "banker";
}
