// Queries on a table's state as its viewer gets it from the API. Draws nothing.

import { countDecimals, toDecimal, toMinor, stakeOn } from "./money.js";

/** From the Player's side of the felt to the Banker's; what else there is lies between. */
const PLACES = ["player", "tie", "banker"];

/**
 * The hand, or the tie, without which a spot never wins; undefined if it wins with several.
 * @param {Pick<Api["Spot"], "lines">} spot
 */
export function backedBy({ lines }) {
  const winners = new Set(lines.filter((line) => line.pays).flatMap(({ when }) => when?.winner ?? PLACES));
  return winners.size === 1 ? String([...winners][0]) : undefined;
}

/**
 * List a table's spots in their order on the page: the main spots as they lie on the felt, then the side bets.
 * @param {Pick<Api["TableRules"], "spots">} rules
 */
export function spotsOf({ spots }) {
  const mains = spots.filter((spot) => spot.kind === "main").map((spot) => ({ spot, place: PLACES.indexOf(backedBy(spot) ?? "tie") }));
  return [...mains.sort((one, other) => one.place - other.place).map(({ spot }) => spot), ...spots.filter((spot) => spot.kind === "side")];
}

/**
 * The least and the most that a spot takes, in minor units.
 * @param {Api["TableRules"]} rules
 * @param {Api["Spot"] | undefined} spot
 */
export const limitsOf = (rules, spot) => ({ minimum: toMinor(spot?.minimum ?? rules.minimum), maximum: toMinor(spot?.maximum ?? rules.maximum) });

/**
 * Stakes by the name of their spot, in minor units.
 * @typedef {Record<string, bigint>} Stakes
 */
/**
 * Chips on the table that the service has not accepted yet.
 * @typedef {{spot: string, units: bigint}} PendingChip
 */
/** @typedef {"out" | "idle" | "waiting" | "closed" | Api["SeatStatus"]} OwnStatus */
/** @typedef {ReturnType<typeof seatsOf>[number]} SeatView */

/**
 * Find the viewer's part in a round, or null.
 * @param {Api["Round"] | null | undefined} round
 */
export const ownPart = (round) => round?.seats.find((seat) => seat.you) ?? null;

/**
 * Return the viewer's status: out, idle, deciding, confirmed, passed, timed_out, waiting, closed.
 * @param {Api["Table"]} state
 * @returns {OwnStatus}
 */
export function ownStatus(state) {
  if (!state.you) return "out";
  const round = state.round;
  if (!round) return "idle";
  const part = ownPart(round);
  if (!part || part.status === "left") return "waiting";
  if (round.phase !== "betting") return part.status === "confirmed" ? "confirmed" : "closed";
  return part.status;
}

/**
 * Return the ceremony in progress, or null.
 * @param {Pick<Api["Table"], "round">} state
 */
export function currentCeremony({ round }) {
  return round?.ceremony && !round.ceremony.handed_back && round.phase === "closed" ? round.ceremony : null;
}

/**
 * Return the stakes of a part in a round by spot, in minor units: placed, or confirmed.
 * @param {Api["RoundSeat"] | null | undefined} part
 * @returns {Stakes}
 */
export function stakesOf(part) {
  const stakes = part?.stakes ?? part?.placed ?? [];
  return Object.fromEntries(stakes.map(({ spot }) => [spot, stakeOn(stakes, spot)]));
}

/** @param {Stakes} stakes */
export const totalStake = (stakes) => Object.values(stakes).reduce((total, units) => total + units, 0n);

/**
 * Add chips that are being sent to stakes.
 * @param {Stakes} stakes
 * @param {PendingChip[]} pending
 */
export function withPending(stakes, pending) {
  const all = { ...stakes };
  for (const { spot, units } of pending) all[spot] = (all[spot] ?? 0n) + units;
  return all;
}

/**
 * Return the chips that one may place, which fit on a spot.
 * @param {Api["TableRules"]} rules
 */
export const offeredChips = (rules) => rules.chips.filter((chip) => rules.spots.some((spot) => toMinor(chip) <= limitsOf(rules, spot).maximum));

/**
 * List all seats with their occupant and their part and stakes in a round.
 * @param {Api["Table"]} state
 * @param {Api["Round"] | null | undefined} round
 */
export function seatsOf(state, round) {
  const seats = [];
  for (let seat = 1; seat <= state.rules.seats; seat++) {
    const taken = state.seats.find((each) => each.seat === seat) ?? null;
    const part = round?.seats.find((each) => each.seat === seat) ?? null;
    seats.push({ seat, taken, part, you: Boolean(taken?.you), stakes: stakesOf(part) });
  }
  return seats;
}

/**
 * Return the number of decimals of the table's currency.
 * @param {Api["Table"]} state
 */
export const currencyDigits = (state) => countDecimals(state.rules.minimum);

/** What the player's seat has set aside for commission. @param {Api["Table"]} state */
export const setAsideOf = ({ seats }) => seats.find((seat) => seat.you)?.commission_set_aside ?? "0";

/**
 * Return what a seat won or lost in a settled round, in minor units, net of commission.
 * @param {Api["RoundSeat"] | null | undefined} part
 */
export function netResult(part) {
  if (!part?.result) return 0n;
  return toMinor(part.result.returned) - toMinor(part.result.staked);
}

/**
 * Find one of the player's balances in a currency as {amount, currency}, or null.
 * @param {Api["Balances"] | null} balances
 * @param {Api["Balance"]["account"]} account
 * @param {Api["MoneyType"]} money_type
 * @param {string} currency
 */
export function findBalance(balances, account, money_type, currency) {
  return balances?.items.find((item) => item.account === account && item.money_type === money_type && item.balance.currency === currency)?.balance ?? null;
}

/** Return the money that the viewer plays with, or may choose first. @param {Api["Table"]} state */
export const moneyTypeOf = (state) => state.you?.money_type ?? [...state.money_types].sort()[0];

/**
 * Whether money stays in the casino's own wallet, so that nothing is brought to the table.
 * @param {Api["Table"]} state
 * @param {Api["MoneyType"]} [money_type]
 */
export const staysAtCasino = (state, money_type = moneyTypeOf(state)) => state.funding === "seamless" && money_type === "real";

/**
 * Return how commission is taken, as a suffix of message keys (`badge.*`, `help.*`).
 * @param {Api["Commission"]} commission
 */
export const commissionKey = ({ timing, rounding }) => (timing === "deferred" ? "deferred" : rounding ? "rounded" : "exact");

/**
 * List what a table takes commission by, each once.
 * @param {Pick<Api["TableRules"], "spots">} rules
 */
export function commissionsOf({ spots }) {
  const all = spots.flatMap(({ commission }) => commission ?? []);
  return all.filter((one, i) => all.findIndex((other) => JSON.stringify(other) === JSON.stringify(one)) === i);
}

/**
 * Return the amount that commission is rounded up to, "" if it is exact.
 * @param {Api["TableRules"]} rules
 * @param {Api["Commission"]} commission
 */
export function roundingStep({ chips: [lowest] }, { rounding }) {
  if (!rounding) return "";
  const [over, under] = rounding.split("/").map(BigInt);
  return toDecimal((toMinor(lowest) * over) / under, countDecimals(lowest));
}

/**
 * List the notable rules of a table, as suffixes of message keys (`badge.*`, `help.*`).
 * @param {Pick<Api["TableRules"], "under_minimum" | "spots" | "spots_per_round" | "caller"> & Partial<Pick<Api["TableRules"], "auto_confirm" | "may_hurry">>} rules
 */
export function specialRules(rules) {
  const keys = [];
  const commissions = new Set(commissionsOf(rules).map(commissionKey));
  if (rules.under_minimum === "raise") keys.push("raise");
  keys.push(...(commissions.size ? commissions : ["no_commission"]));
  if (rules.spots_per_round === "one") keys.push("one_spot");
  if (rules.caller) keys.push("caller");
  if (rules.auto_confirm) keys.push("auto_confirm");
  if (rules.may_hurry === false) keys.push("no_hurry");
  return keys;
}
