// What one may do at each moment of play, and the words that stand for it: buttons, spots, keys, hints and the help all
// derive from these tables. Draws nothing.

import { toMinor } from "./money.js";
import { phaseOf } from "./phase.js";
import { currentCeremony, limitsOf, ownPart, ownStatus, spotsOf, stakesOf, totalStake, withPending } from "./table_state.js";

/** @import { PendingChip, Stakes } from "./table_state.js" */

/** @typedef {"stopped" | "suspended" | "witness" | "caller" | "sending" | "unsure" | "confirming" | "out" | "show" | "idle" | "idle_alone" | "bet" | "deal" | "deal_alone" | "deal_auto" | "confirmed" | "confirmed_alone" | "passed" | "timed_out" | "waiting" | "closed"} Moment */
/** @typedef {"clear" | "undo" | "double" | "rebet" | "pass" | "skip" | "newGame" | "rebetDeal" | "deal"} ActionName */
/** @typedef {ActionName | "place" | "rebuy" | "move" | "leave"} Move */
/** @typedef {Record<Move, boolean>} Available */
/**
 * What the page waits for: `sending` the answer to a deal, `unsure` whether one without an answer was taken,
 * `confirming` the casino's own wallet. `limit` is the player's own limit on a spot, in minor units.
 * @typedef {{pending?: PendingChip[], sending?: boolean, unsure?: boolean, confirming?: boolean, limit?: bigint | null}} Waits
 */

/** The buttons below the table in their order, each with the key that does the same, and another that does it, too. */
export const ACTIONS = /** @type {const} */ ({
  clear: ["c", "Delete"], undo: ["u", "Backspace"], double: ["d"], rebet: ["0"], pass: ["s"], skip: ["x"], newGame: ["n"], rebetDeal: ["r"], deal: ["Enter"],
});
const ACTION_NAMES = /** @type {ActionName[]} */ (Object.keys(ACTIONS));

/** @type {Move[]} */
const BETWEEN_BETS = ["rebuy", "move", "leave"];
/** @type {Move[]} */
const TAKE_BACK = ["clear", "undo"];
/** @type {Move[]} */
const BET = [...TAKE_BACK, "place", "double", "rebet", "rebetDeal", "deal"];

/**
 * Each moment: the message that stands for it, and what may be done as far as the player's chips and wager allow it.
 * @type {Record<Moment, {words: string, can: Move[]}>}
 */
export const MOMENTS = {
  stopped: { words: "stopped", can: [...TAKE_BACK, ...BETWEEN_BETS] },
  suspended: { words: "message.suspended", can: BETWEEN_BETS },
  witness: { words: "message.witness", can: BETWEEN_BETS },
  caller: { words: "caller.seat", can: BETWEEN_BETS },
  sending: { words: "message.sending", can: [] },
  unsure: { words: "message.unsure", can: [] },
  confirming: { words: "wallet.confirming", can: [] },
  out: { words: "message.out", can: [] },
  show: { words: "message.pause", can: ["skip", ...BETWEEN_BETS] },
  idle: { words: "message.idle", can: ["newGame", ...BET, ...BETWEEN_BETS] },
  idle_alone: { words: "message.idle_alone", can: ["newGame", ...BET, ...BETWEEN_BETS] },
  bet: { words: "message.bet", can: ["pass", ...BET, ...BETWEEN_BETS] },
  deal: { words: "message.deal", can: ["pass", ...BET, ...BETWEEN_BETS] },
  deal_alone: { words: "message.deal_alone", can: [...BET, ...BETWEEN_BETS] },
  deal_auto: { words: "message.deal_auto", can: ["pass", ...BET, ...BETWEEN_BETS] },
  confirmed: { words: "message.confirmed", can: [] },
  confirmed_alone: { words: "restored.wager", can: [] },
  passed: { words: "message.passed", can: BETWEEN_BETS },
  timed_out: { words: "message.timed_out", can: BETWEEN_BETS },
  waiting: { words: "message.waiting", can: BETWEEN_BETS },
  closed: { words: "message.closed", can: BETWEEN_BETS },
};

/**
 * Return the key of each spot: the first letter of its name that is no other's.
 * @param {Api["TableRules"]} rules
 * @returns {Map<string, string>}
 */
export function spotKeys(rules) {
  const keys = new Map();
  const taken = new Set(Object.values(ACTIONS).flat().map((key) => key.toLowerCase()));
  for (const { name } of spotsOf(rules)) {
    const key = [...name].find((letter) => /[a-z]/.test(letter) && !taken.has(letter) && !keys.has(letter));
    if (key) keys.set(key, name);
  }
  return keys;
}

const SHOW = new Set(["deal", "result", "pause"]);

/** Whether the next turn waits for the show: others watch it, or nobody may hurry it. @param {Api["Table"]} state */
const waitsForShow = ({ rules, seats }) => !rules.may_hurry || (rules.turn_seconds !== null && seats.length > 1);

/**
 * Return when the next turn may begin, in milliseconds since the epoch: after the show, and the least cycle.
 * @param {Api["Table"]} state
 */
export function turnComes(state) {
  const { betting_opens_at: opens, last_round: last, rules } = state;
  const cycle = last && rules.minimum_cycle_seconds ? Date.parse(last.opened_at) + 1000 * rules.minimum_cycle_seconds : 0;
  return Math.max(cycle, opens && waitsForShow(state) ? Date.parse(opens) : 0);
}

/**
 * Whether the next round has not opened yet; a round that the service opens by itself may be on its way.
 * @param {Api["Table"]} state
 * @param {number} now the server's time, in milliseconds since the epoch
 */
const isBeforeTurn = (state, now) => now < turnComes(state) || (waitsForShow(state) && SHOW.has(phaseOf(state, now).phase));

/**
 * Return the moment of play for its viewer.
 * @param {Api["Table"]} state
 * @param {number} now the server's time, in milliseconds since the epoch
 * @param {Waits} [waits]
 * @returns {Moment}
 */
export function momentOf(state, now, { pending = [], sending = false, unsure = false, confirming = false } = {}) {
  const { round, rules, stop } = state;
  if (currentCeremony(state)) return "caller";
  if (round?.suspended) return "suspended";
  if (round?.waiting_for === "witness") return "witness";
  if (confirming) return "confirming";
  if (unsure) return "unsure";
  if (sending) return "sending";
  const status = ownStatus(state);
  if (stop && status !== "confirmed") return "stopped";
  const alone = rules.turn_seconds === null;
  const chips = totalStake(placedChips(state, pending)) > 0n;
  if (status === "idle" && isBeforeTurn(state, now)) return "show";
  if (status === "idle" && state.you && state.terms === null) return "witness"; // a long shoe waits for its links
  if (status === "deciding" || (status === "idle" && chips)) return chips ? (alone ? "deal_alone" : rules.auto_confirm ? "deal_auto" : "deal") : "bet";
  if (alone && (status === "idle" || status === "confirmed")) return `${status}_alone`;
  return /** @type {Moment} */ (status);
}

/**
 * Return the viewer's chips that are not confirmed, with those that are being sent.
 * @param {Api["Table"]} state
 * @param {PendingChip[]} pending
 */
export const placedChips = (state, pending) => withPending(ownStatus(state) === "deciding" ? stakesOf(ownPart(state.round)) : {}, pending);

/**
 * Return what may be done now. The service decides whether it is accepted.
 * @param {Api["Table"]} state
 * @param {number} now the server's time, in milliseconds since the epoch
 * @param {Waits} [waits]
 * @returns {Available}
 */
export function movesAt(state, now, waits = {}) {
  const { rules, seats, you } = state;
  const can = MOMENTS[momentOf(state, now, waits)].can;
  const placed = placedChips(state, waits.pending ?? []);
  const chips = totalStake(placed) > 0n;
  const last = Boolean(you?.last_wager) && !chips;
  const turns = rules.turn_seconds !== null;
  const free = ownStatus(state) !== "confirmed";
  /** @type {Partial<Available>} */
  const needs = {
    rebuy: free, leave: free, move: free && rules.seats > 1,
    undo: chips, clear: chips, deal: chips, double: chips && canDouble(state, placed, waits.limit ?? null), rebet: last, rebetDeal: last,
    pass: turns && ownStatus(state) === "deciding", newGame: !chips && ownStatus(state) === "idle",
    skip: turns && seats.length > 1 && rules.may_hurry && seats.some((seat) => seat.you && !seat.skips_show),
  };
  const moves = /** @type {Move[]} */ ([...ACTION_NAMES, "place", ...BETWEEN_BETS]);
  return /** @type {Available} */ (Object.fromEntries(moves.map((move) => [move, Boolean(you) && can.includes(move) && (needs[move] ?? true)])));
}

/**
 * Whether every stake, doubled, is within its spot's maximum and the player's own, and all together within the balance.
 * @param {Api["Table"]} state
 * @param {Stakes} placed
 * @param {bigint | null} limit
 */
function canDouble({ rules, you }, placed, limit) {
  const fit = rules.spots.every((spot) => {
    const { maximum } = limitsOf(rules, spot);
    return 2n * (placed[spot.name] ?? 0n) <= (limit !== null && limit < maximum ? limit : maximum);
  });
  return fit && you !== null && 2n * totalStake(placed) <= toMinor(you.game_balance.amount);
}

/**
 * Return which buttons are shown: those that another rule of the table or another moment makes senseless are not.
 * @param {Api["Table"]} state
 * @param {Available} can
 * @returns {Partial<Record<ActionName, boolean>>}
 */
export function hiddenActions({ rules }, can) {
  const turns = rules.turn_seconds !== null;
  return { pass: !turns || can.skip, skip: !can.skip, newGame: turns };
}
