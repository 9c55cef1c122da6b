// What is checked of the game: rules, the summary, hands, wagers, payouts, commission, and a void.

import { outcomeOf, played, total } from "./hands.js";
import { same } from "./read.js";
import { Nothing, NotYet, Wrong } from "./results.js";

const TELLING_RULES = new Set(["TableOpened", "RulesTookEffect"]);
const SPOTS = ["player", "banker", "tie"];
const byName = (one, other) => (one < other ? -1 : Number(one > other));

function requireSame(wanted, found, code, values = {}) {
  for (const name of Object.keys({ ...wanted, ...found }).sort(byName)) {
    if (!same(wanted[name], found[name])) throw new Wrong(code, wanted[name] ?? null, found[name] ?? null, { ...values, name });
  }
}

const pick = (found, names) => Object.fromEntries(names.map((name) => [name, found[name]]));

export function rules(proof) {
  const start = proof.first("RoundOpened");
  const told = proof.ofTable.filter((event) => TELLING_RULES.has(event.type) && event.data && event.position < start.position).at(-1);
  if (!told) throw new Wrong("rules.untold", "TableOpened", proof.ofTable.map((event) => event.type));
  requireSame({ ...told.data.rules, third_cards: "punto_banco" }, proof.rules, "rules.differ");
  const name = `${proof.rules.preset}@${proof.rules.version}`;
  if (start.data.rules !== name) throw new Wrong("rules.others", start.data.rules, name);
  return ["rules.ok", { rules: name }];
}

export function record(proof) {
  const { opened } = proof;
  const voided = proof.maybe("RoundVoided");
  if (!voided && !proof.maybe("RoundSettled")) throw new Wrong("record.running", "RoundSettled", proof.ofRound.at(-1).type);
  const ended = proof.maybe("RoundSettled")?.data ?? {};
  const dealt = proof.maybe("CardsDealt")?.data ?? {};
  const wanted = {
    ...pick(opened, ["table", "operator", "number", "rules", "opened_at"]),
    id: opened.round, currency: proof.rules.currency, phase: voided ? "voided" : "settled", settled_at: ended.settled_at ?? null,
    position: dealt.position ?? null, cards: dealt.cards ?? [],
    ...Object.fromEntries(["outcome", "player_total", "banker_total", "natural"].map((name) => [name, ended[name] ?? null])),
  };
  requireSame(wanted, proof.round, "record.differs");
  const shoe = { id: opened.shoe, decks: proof.rules.decks, position: dealt.position ?? null };
  requireSame(shoe, pick(proof.shoe, Object.keys(shoe)), "record.shoe");
  return ["record.ok", { number: opened.number, table: opened.table }];
}

export function hands(proof) {
  if (!proof.maybe("CardsDealt")) throw new Nothing("cards.none");
  const settled = proof.first("RoundSettled").data;
  const { player, banker, natural } = played(proof.first("CardsDealt").data.cards);
  if (proof.rules.third_cards !== "punto_banco") throw new Wrong("hands.rule", "punto_banco", proof.rules.third_cards);
  const wanted = { player_total: total(player), banker_total: total(banker), natural, outcome: outcomeOf(player, banker) };
  requireSame(wanted, pick(settled, Object.keys(wanted)), "hands.differ");
  for (const turned of proof.all("HandTurned")) {
    const hand = { player, banker }[turned.side].slice(0, 2);
    if (!same(turned.cards, hand)) throw new Wrong("hands.turned", hand, turned.cards);
  }
  return [`hands.${wanted.outcome}`, { player: wanted.player_total, banker: wanted.banker_total }];
}

const sum = (amounts) => amounts.reduce((all, amount) => all + amount, 0);

export function wagers(proof) {
  const seats = new Map(proof.opened.seats.map((seat) => [seat.seat, seat]));
  const confirmed = proof.wagers();
  for (const [number, wager] of confirmed) {
    const seat = seats.get(number);
    if (!seat || seat.player !== wager.player || seat.money_type !== wager.money_type) throw new Wrong("wagers.seat", seat ?? null, wager, { seat: number });
    requireLimits(proof.rules, wager);
  }
  if (!proof.maybe("RoundSettled")) return ["wagers.unsettled", { n: confirmed.size }];
  const settled = proof.first("RoundSettled").data.wagers;
  requireSeats(confirmed, settled, "wagers.seats");
  for (const wager of settled) {
    const own = confirmed.get(wager.seat);
    const stakes = Object.fromEntries(wager.results.map((line) => [line.spot, line.stake]));
    const wanted = { player: own.player, money_type: own.money_type, stakes: own.stakes, staked: sum(Object.values(own.stakes)) };
    requireSame(wanted, { ...pick(wager, ["player", "money_type", "staked"]), stakes }, "wagers.differ", { seat: wager.seat });
  }
  return ["wagers.ok", { n: confirmed.size }];
}

function requireSeats(confirmed, lines, code) {
  const ascending = (seats) => [...seats].sort((one, other) => one - other);
  const [wanted, found] = [ascending(confirmed.keys()), ascending(lines.map((line) => line.seat))];
  if (!same(wanted, found)) throw new Wrong(code, wanted, found);
}

function requireLimits(table, { seat, stakes, raised }) {
  const spots = Object.keys(stakes);
  if (!spots.length || (table.spots_per_round === "one" && spots.length > 1)) throw new Wrong("wagers.spots", table.spots_per_round, stakes, { seat });
  for (const [spot, stake] of Object.entries(stakes)) {
    const within = SPOTS.includes(spot) && typeof stake === "number" && stake >= table.minimum && stake <= table.maximum;
    if (!within) throw new Wrong("wagers.limits", [table.minimum, table.maximum], stake, { seat, spot });
  }
  for (const [spot, more] of Object.entries(raised)) {
    if (table.under_minimum !== "raise" || stakes[spot] !== table.minimum || !(more > 0)) throw new Wrong("wagers.raised", table.minimum, stakes[spot] ?? null, { seat });
  }
}

// Money in whole numbers of any size; division of what is not below zero rounds as it is said.
const isDeferred = (table) => table.commission !== null && table.commission.timing === "deferred";
const halfUp = (over, under) => (2n * over + under) / (2n * under);
const up = (over, under) => (over + under - 1n) / under;

function commissionOn(table, win) {
  if (table.commission === null) return 0n;
  const { rate, rounding } = table.commission;
  const [over, under] = [win * BigInt(rate.numerator), BigInt(rate.denominator)];
  if (rounding === null) return halfUp(over, under);
  const step = BigInt(rounding.numerator) * BigInt(Math.min(...table.chips));
  const charged = up(up(over * BigInt(rounding.denominator), under * step) * step, BigInt(rounding.denominator));
  return charged < win ? charged : win;
}

function resultOf(table, spot, stake, outcome) {
  if (!SPOTS.includes(spot)) throw new TypeError("no spot");
  if (spot !== outcome) {
    const push = outcome === "tie";
    return { result: push ? "push" : "lose", win: 0, commission: 0, returned: push ? stake : 0 };
  }
  const odds = table[`${spot}_pays`];
  const win = halfUp(BigInt(stake) * BigInt(odds.numerator), BigInt(odds.denominator));
  const owed = spot === "banker" ? commissionOn(table, win) : 0n;
  const held = isDeferred(table) ? 0n : owed;
  return { result: "win", win: Number(win), commission: Number(owed), returned: Number(BigInt(stake) + win - held) };
}

/** Every stake and every sum of every settled wager, worked out again; `names` are the fields to compare. */
function requireMoney(proof, names) {
  const settled = proof.first("RoundSettled").data;
  let lines = 0;
  for (const wager of settled.wagers) {
    const wanted = wager.results.map((line) => resultOf(proof.rules, line.spot, line.stake, settled.outcome));
    wager.results.forEach((line, at) => {
      lines += 1;
      requireSame(pick(wanted[at], names), pick(line, names), "money.differs", { seat: wager.seat, spot: line.spot });
    });
    for (const name of names.filter((each) => each !== "result")) {
      const field = name === "win" ? "won" : name;
      const total_ = sum(wanted.map((line) => line[name]));
      if (!same(total_, wager[field])) throw new Wrong("money.sum", total_, wager[field] ?? null, { seat: wager.seat, name: field });
    }
  }
  return [lines, settled.wagers];
}

export function payouts(proof) {
  if (!proof.maybe("RoundSettled")) throw new Nothing("payouts.none");
  const [lines] = requireMoney(proof, ["result", "win", "returned"]);
  return ["payouts.ok", { n: lines }];
}

export function commission(proof) {
  if (!proof.maybe("RoundSettled")) throw new Nothing("payouts.none");
  const [, settled] = requireMoney(proof, ["commission"]);
  for (const wager of settled) {
    if (wager.deferred !== isDeferred(proof.rules)) throw new Wrong("commission.time", isDeferred(proof.rules), wager.deferred, { seat: wager.seat });
  }
  if (proof.rules.commission === null) return ["commission.free"];
  return [isDeferred(proof.rules) ? "commission.deferred" : "commission.ok", { minor: sum(settled.map((wager) => wager.commission)), currency: proof.rules.currency }];
}

export function voiding(proof) {
  const voided = proof.maybe("RoundVoided");
  if (!voided) throw new Nothing("void.none");
  if (!voided.data) throw new NotYet("void.withheld");
  const confirmed = proof.wagers();
  const paid = new Map((proof.maybe("RoundSettled")?.data.wagers ?? []).map((wager) => [wager.seat, wager]));
  requireSeats(confirmed, voided.data.seats, "void.seats");
  for (const line of voided.data.seats) {
    const own = confirmed.get(line.seat);
    const wager = paid.get(line.seat);
    const wanted = {
      player: own.player, money_type: own.money_type, staked: sum(Object.values(own.stakes)),
      paid: wager ? wager.returned - (wager.deferred ? wager.commission : 0) : 0, commission: wager?.commission ?? 0,
    };
    requireSame(wanted, pick(line, Object.keys(wanted)), "void.differs", { seat: line.seat });
    const moved = line.to_game + line.to_account - line.from_game - line.from_account - line.owed - line.forgiven;
    if (moved !== line.staked - line.paid) throw new Wrong("void.amount", line.staked - line.paid, moved, { seat: line.seat });
  }
  return ["void.ok", { n: confirmed.size }];
}
