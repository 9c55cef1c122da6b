// Spots as the recorded rules have them: what a stake on one returns, its limits, and whether the game is a published one.

import { bytes, hex, sha256 } from "./hashes.js";
import { CheckFailed } from "./proof.js";
import { canonical } from "./read.js";

/** @import { Value } from "./facts.js" */

/** @typedef {{numerator: number, denominator: number}} Ratio */
/** @typedef {{fact: string, values: Value[]}} Condition */
/** @typedef {{when: Condition[], pays: Ratio | null}} PayLine */
/** @typedef {{rate: Ratio, rounding: Ratio | null, timing: string}} Commission */
/** @typedef {{name: string, kind: string, lines: PayLine[], commission: Commission | null, minimum: number | null, maximum: number | null, needs: string[]}} Spot */
/** @typedef {{preset: string, version: number, currency: string, decks: number, shuffle: string, cut_cards_from_end: number | null, hands_after_cut: number, burn: boolean, fixed_order: boolean, minimum: number, maximum: number, chips: number[], spots_per_round: string, under_minimum: string, play_money: boolean, spots: Spot[]}} Rules a table's rules as the log has them */

// The rules that decide the game, which a published preset fixes; a table's currency, chips and times are its own.
const GAME = /** @type {const} */ (["decks", "shuffle", "cut_cards_from_end", "hands_after_cut", "burn", "fixed_order", "spots"]);
/** The digest of these members of the rules of each published preset. */
export const PUBLISHED = new Map(Object.entries({
  atlantic_city: "0384e6811fbe04a693f558b32387993a617a767eae3e4c6b42edd057b4eb18d8",
  overview: "8107cf42c9499053ed9c7c73796c0bd232aa5bfeda38872c2adf68cffafde5dd",
  mini: "e5e81cfd6398f10b855bc24517766fe1affe5dce90b77582d96f135bdf66eaaf",
  classic: "116e54afbe2d8a0726c1ccd97e0af6a014e7808fa0d61c8c17362908698bb5e6",
  big_table: "3a80b9bcb8e508d90103d0e8d9b50e1665766500a61399ff55a5747971f6e60e",
}));

/** @param {Rules} rules */
export const digestOfGame = async (rules) => hex(await sha256(bytes(canonical(Object.fromEntries(GAME.map((name) => [name, rules[name]]))))));

/**
 * Whether the game is that of the published preset whose name the rules bear.
 * @param {Rules} rules
 */
export const isPublished = async (rules) => PUBLISHED.get(rules.preset) === await digestOfGame(rules);

/** @param {Rules} rules */
export const spotNames = ({ spots }) => spots.map((spot) => spot.name);

/**
 * The spot of a name. Throws CheckFailed if the rules have none.
 * @param {Rules} rules
 * @param {string} name
 */
export function spotOf(rules, name) {
  const spot = rules.spots.find((each) => each.name === name);
  if (!spot) throw new CheckFailed("wagers.spot", spotNames(rules), name, { spot: name });
  return spot;
}

/**
 * The least and the most that may be staked on a spot: its own limits, or the table's.
 * @param {Rules} rules
 * @param {Spot} spot
 */
export const limitsOf = (rules, spot) => [spot.minimum ?? rules.minimum, spot.maximum ?? rules.maximum];

/** @param {Rules} rules */
export const isDeferred = ({ spots }) => spots.some((spot) => spot.commission?.timing === "deferred");

// Money is computed with BigInt; amounts are never negative.
/**
 * @param {bigint} over
 * @param {bigint} under
 */
const roundHalfUp = (over, under) => (2n * over + under) / (2n * under);
/**
 * @param {bigint} over
 * @param {bigint} under
 */
const roundUp = (over, under) => (over + under - 1n) / under;

/**
 * @param {Commission | null} commission
 * @param {bigint} won
 * @param {number} chip the lowest one
 */
function commissionOn(commission, won, chip) {
  if (commission === null) return 0n;
  const { rate, rounding } = commission;
  const [over, under] = [won * BigInt(rate.numerator), BigInt(rate.denominator)];
  if (rounding === null) return roundHalfUp(over, under);
  const step = BigInt(rounding.numerator) * BigInt(chip);
  const charged = roundUp(roundUp(over * BigInt(rounding.denominator), under * step) * step, BigInt(rounding.denominator));
  return charged < won ? charged : won;
}

/**
 * What becomes of a stake: the first line whose conditions all hold decides.
 * @param {Rules} rules
 * @param {string} name
 * @param {number} stake
 * @param {Record<string, Value>} facts
 */
export function resultOf(rules, name, stake, facts) {
  const { lines, commission } = spotOf(rules, name);
  const line = lines.find(({ when }) => when.every(({ fact, values }) => values.includes(facts[fact])));
  if (!line?.pays) return { result: line ? "push" : "lose", won: 0, commission: 0, returned: line ? stake : 0 };
  const won = roundHalfUp(BigInt(stake) * BigInt(line.pays.numerator), BigInt(line.pays.denominator));
  const owed = commissionOn(commission, won, Math.min(...rules.chips));
  return { result: "win", won: Number(won), commission: Number(owed), returned: Number(BigInt(stake) + won - owed) };
}
