// Checks of the game: rules, summary, hands, wagers, payouts, commission, and a void.

import { factsOf } from "./facts.js";
import { dealHands, outcomeOf, total } from "./hands.js";
import { bytes, hex, sha256 } from "./hashes.js";
import { CannotCheck, CheckFailed, DoesNotApply } from "./proof.js";
import { canonical, isSame } from "./read.js";
import { isDeferred, limitsOf, resultOf, spotNames, spotOf } from "./spots.js";

/** @import { Finding, Proof, Values } from "./proof.js" */
/** @import { Rules, Spot } from "./spots.js" */

const RULES_EVENTS = new Set(["TableOpened", "RulesTookEffect"]);
/**
 * @param {string} one
 * @param {string} other
 */
const byName = (one, other) => (one < other ? -1 : Number(one > other));

/**
 * @param {Values} expected
 * @param {Values} actual
 * @param {string} code
 * @param {Values} [values]
 */
function requireEqual(expected, actual, code, values = {}) {
  for (const name of Object.keys({ ...expected, ...actual }).sort(byName)) {
    if (!isSame(expected[name], actual[name])) throw new CheckFailed(code, expected[name] ?? null, actual[name] ?? null, { ...values, name });
  }
}

/**
 * @param {Values} object
 * @param {readonly string[]} names
 * @returns {Values}
 */
const pick = (object, names) => Object.fromEntries(names.map((name) => [name, object[name]]));

/**
 * @param {Proof} proof
 * @returns {Promise<Finding>}
 */
export async function rules(proof) {
  const start = proof.requireEvent("RoundOpened");
  const recorded = proof.tableEvents.filter((event) => RULES_EVENTS.has(event.type) && event.data && event.position < start.position).at(-1);
  const [first] = proof.tableEvents.filter((event) => RULES_EVENTS.has(event.type));
  if (!recorded || first.type !== "TableOpened") throw new CheckFailed("rules.missing", "TableOpened", proof.tableEvents.map((event) => event.type));
  requireEqual({ ...recorded.data.rules.values, third_cards: "punto_banco" }, proof.rules, "rules.differ");
  const name = `${proof.rules.preset}@${proof.rules.version}`;
  const digest = hex(await sha256(bytes(canonical(recorded.data.rules.values))));
  if (recorded.data.rules.digest !== digest) throw new CheckFailed("rules.digest", digest, recorded.data.rules.digest);
  if (start.data.rules !== digest || start.data.rules_label !== name) throw new CheckFailed("rules.others", digest, start.data.rules);
  return ["rules.ok", { rules: name, digest }];
}

/**
 * @param {Proof} proof
 * @returns {Finding}
 */
export function record(proof) {
  const { opened } = proof;
  const voided = proof.findEvent("RoundVoided");
  if (!voided && !proof.findEvent("RoundSettled")) throw new CheckFailed("record.running", "RoundSettled", proof.roundEvents.at(-1)?.type ?? null);
  const ended = proof.findEvent("RoundSettled")?.data ?? {};
  const dealt = proof.findEvent("CardsDealt")?.data ?? {};
  const wanted = {
    ...pick(opened, ["table", "operator", "number", "rules", "rules_label", "opened_at"]),
    id: opened.round, currency: proof.rules.currency, phase: voided ? "voided" : "settled", settled_at: ended.settled_at ?? null,
    shoe_position: dealt.shoe_position ?? null, cards: dealt.cards ?? [],
    ...Object.fromEntries(["outcome", "player_total", "banker_total", "natural"].map((name) => [name, ended[name] ?? null])),
  };
  requireEqual(wanted, proof.round, "record.differs");
  const drawn = proof.drawsByRound ? {} : { round_seed: null, dealt: [] };
  const shoe = { id: opened.shoe, decks: proof.rules.decks, shoe_position: dealt.shoe_position ?? null, ...drawn };
  requireEqual(shoe, pick(proof.shoe, Object.keys(shoe)), "record.shoe");
  return ["record.ok", { number: opened.number, table: opened.table }];
}

/**
 * @param {Proof} proof
 * @returns {Finding}
 */
export function hands(proof) {
  if (!proof.findEvent("CardsDealt")) throw new DoesNotApply("cards.none");
  const settled = proof.requireEvent("RoundSettled").data;
  const { player, banker, natural } = dealHands(proof.requireEvent("CardsDealt").data.cards);
  if (proof.rules.third_cards !== "punto_banco") throw new CheckFailed("hands.rule", "punto_banco", proof.rules.third_cards);
  const wanted = { player_total: total(player), banker_total: total(banker), natural, outcome: outcomeOf(player, banker) };
  requireEqual(wanted, pick(settled, Object.keys(wanted)), "hands.differ");
  for (const turned of proof.allData("HandTurned")) {
    const hand = (turned.side === "player" ? player : banker).slice(0, 2);
    if (!isSame(turned.cards, hand)) throw new CheckFailed("hands.turned", hand, turned.cards);
  }
  return [`hands.${wanted.outcome}`, { player: wanted.player_total, banker: wanted.banker_total }];
}

/** @typedef {{seat: number, player: string, money_type: string}} SeatInRound */
/** @typedef {{seat: number, returned: number, commission: number, deferred: boolean}} SettledWager */

/**
 * Sums are exact, too, where they are no number of a file.
 * @param {number[]} amounts
 */
const sum = (amounts) => {
  const exact = amounts.reduce((all, amount) => all + BigInt(amount), 0n);
  return exact <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(exact) : String(exact);
};

/**
 * @param {Proof} proof
 * @returns {Finding}
 */
export function wagers(proof) {
  const seats = new Map(proof.opened.seats.map((/** @type {SeatInRound} */ seat) => [seat.seat, seat]));
  const confirmed = proof.confirmedWagers();
  if (!confirmed.size && proof.findEvent("BettingClosed")) throw new CheckFailed("wagers.seats", 1, 0);
  for (const [number, wager] of confirmed) {
    const seat = seats.get(number);
    if (!seat || seat.player !== wager.player || seat.money_type !== wager.money_type) throw new CheckFailed("wagers.seat", seat ?? null, wager, { seat: number });
    const [round, named] = [proof.opened.round, wager.wager].map((id) => BigInt(`0x${id.replaceAll("-", "")}`));
    if (named !== round + BigInt(number)) throw new CheckFailed("wagers.differ", [proof.opened.round, number], wager.wager, { seat: number, name: "wager" });
    requireLimits(proof.rules, wager);
  }
  if (!proof.findEvent("RoundSettled")) return ["wagers.unsettled", { n: confirmed.size }];
  const settled = proof.requireEvent("RoundSettled").data.wagers;
  requireSeats(confirmed, settled, "wagers.seats");
  for (const wager of settled) {
    const own = confirmed.get(wager.seat);
    const stakes = Object.fromEntries(wager.results.map((/** @type {{spot: string, stake: number}} */ line) => [line.spot, line.stake]));
    const order = spotNames(proof.rules).filter((spot) => Object.hasOwn(stakes, spot));
    if (!isSame(order, Object.keys(stakes))) throw new CheckFailed("wagers.differ", order, Object.keys(stakes), { seat: wager.seat, name: "results" });
    const wanted = { ...pick(own, ["wager", "player", "money_type", "stakes"]), staked: sum(Object.values(own.stakes)) };
    requireEqual(wanted, { ...pick(wager, ["wager", "player", "money_type", "staked"]), stakes }, "wagers.differ", { seat: wager.seat });
  }
  return ["wagers.ok", { n: confirmed.size }];
}

/**
 * @param {Map<number, any>} confirmed
 * @param {any[]} lines
 * @param {string} code
 */
function requireSeats(confirmed, lines, code) {
  /** @param {Iterable<number>} seats */
  const ascending = (seats) => [...seats].sort((one, other) => one - other);
  const [expected, actual] = [ascending(confirmed.keys()), ascending(lines.map((line) => line.seat))];
  if (!isSame(expected, actual)) throw new CheckFailed(code, expected, actual);
}

/**
 * @param {Rules} table
 * @param {{seat: number, money_type: string, stakes: Record<string, number>, raised?: Record<string, number>}} wager
 */
function requireLimits(table, { seat, money_type: money, stakes, raised = {} }) {
  if (money === "play" && !table.play_money) throw new CheckFailed("wagers.seat", "real", money, { seat });
  const spots = Object.keys(stakes);
  if (!spots.length || (table.spots_per_round === "one" && spots.length > 1)) throw new CheckFailed("wagers.spots", table.spots_per_round, stakes, { seat });
  for (const [spot, stake] of Object.entries(stakes)) {
    const { needs } = spotOf(table, spot);
    const [least, most] = limitsOf(table, spotOf(table, spot));
    if (stake < least || stake > most) throw new CheckFailed("wagers.limits", [least, most], stake, { seat, spot });
    if (needs.length && !needs.some((each) => spots.includes(each))) throw new CheckFailed("wagers.needs", needs, spots, { seat, spot });
  }
  for (const [spot, more] of Object.entries(raised)) {
    const [least] = limitsOf(table, spotOf(table, spot));
    const told = [table.under_minimum, spotOf(table, spot).kind];
    if (!isSame(told, ["raise", "main"])) throw new CheckFailed("wagers.raised", ["raise", "main"], told, { seat });
    if (stakes[spot] !== least || more > stakes[spot]) throw new CheckFailed("wagers.raised", least, [stakes[spot] ?? null, more], { seat });
  }
}

/**
 * Recompute every stake and sum of every settled wager; `names` are the fields to compare.
 * @param {Proof} proof
 * @param {readonly ("result" | "won" | "commission" | "returned")[]} names
 * @returns {[lines: number, wagers: any[]]}
 */
function requireMoney(proof, names) {
  const settled = proof.requireEvent("RoundSettled").data;
  const facts = factsOf(proof.requireEvent("CardsDealt").data.cards);
  let lines = 0;
  for (const wager of settled.wagers) {
    const results = /** @type {any[]} */ (wager.results);
    const wanted = results.map((line) => resultOf(proof.rules, line.spot, line.stake, facts));
    results.forEach((line, at) => {
      lines += 1;
      requireEqual(pick(wanted[at], names), pick(line, names), "money.differs", { seat: wager.seat, spot: line.spot });
    });
    for (const name of names.filter((each) => each !== "result")) {
      const due = sum(wanted.map((line) => /** @type {number} */ (line[name])));
      if (!isSame(due, wager[name])) throw new CheckFailed("money.sum", due, wager[name] ?? null, { seat: wager.seat, name });
    }
  }
  return [lines, settled.wagers];
}

/**
 * @param {Proof} proof
 * @returns {Finding}
 */
export function payouts(proof) {
  if (!proof.findEvent("RoundSettled")) throw new DoesNotApply("payouts.none");
  const [lines] = requireMoney(proof, ["result", "won", "returned"]);
  return ["payouts.ok", { n: lines }];
}

/**
 * @param {Proof} proof
 * @returns {Finding}
 */
export function commission(proof) {
  if (!proof.findEvent("RoundSettled")) throw new DoesNotApply("payouts.none");
  const [, settled] = requireMoney(proof, ["commission"]);
  for (const wager of settled) {
    if (wager.deferred !== isDeferred(proof.rules)) throw new CheckFailed("commission.time", isDeferred(proof.rules), wager.deferred, { seat: wager.seat });
  }
  if (proof.rules.spots.every((/** @type {Spot} */ spot) => spot.commission === null)) return ["commission.free"];
  return [isDeferred(proof.rules) ? "commission.deferred" : "commission.ok", { minor: sum(settled.map((wager) => wager.commission)), currency: proof.rules.currency }];
}

/**
 * @param {Proof} proof
 * @returns {Finding}
 */
export function voiding(proof) {
  const voided = proof.findEvent("RoundVoided");
  if (!voided) throw new DoesNotApply("void.none");
  if (!voided.data) throw new CannotCheck("void.withheld");
  const confirmed = proof.confirmedWagers();
  const paid = new Map((proof.findEvent("RoundSettled")?.data.wagers ?? []).map((/** @type {SettledWager} */ wager) => [wager.seat, wager]));
  requireSeats(confirmed, voided.data.seats, "void.seats");
  for (const line of voided.data.seats) {
    const own = confirmed.get(line.seat);
    const wager = paid.get(line.seat);
    const wanted = {
      ...pick(own, ["wager", "player", "money_type"]), staked: sum(Object.values(own.stakes)),
      returned: wager?.returned ?? 0, commission: wager?.commission ?? 0,
    };
    requireEqual(wanted, pick(line, Object.keys(wanted)), "void.differs", { seat: line.seat });
    const held = wager?.deferred ? wager.commission : 0;
    if (line.from_rack > held) throw new CheckFailed("void.differs", held, line.from_rack, { seat: line.seat, name: "from_rack" });
    const [moved, due] = [sum([line.to_game, line.to_account, -line.from_game, -line.from_account, -line.owed, -line.forgiven]), sum([line.staked, -line.returned])];
    if (moved !== due) throw new CheckFailed("void.amount", due, moved, { seat: line.seat });
  }
  return ["void.ok", { n: confirmed.size }];
}
