// What a table's picture means for its viewer: plain questions, plain answers, nothing drawn.

import { decimals, minor, on, sum } from "./money.js";

export const SPOTS = ["player", "tie", "banker"];

/** Find the viewer's part of a round; null for one who has none. */
export const partOf = (round) => round?.seats.find((seat) => seat.you) ?? null;

/** Return the viewer's status: out, idle, deciding, confirmed, passed, timed_out, waiting, closed. */
export function statusOf(picture) {
  if (!picture.you) return "out";
  const round = picture.round;
  if (!round) return "idle";
  const part = partOf(round);
  if (!part || part.status === "left") return "waiting";
  if (round.phase !== "betting") return part.status === "confirmed" ? "confirmed" : "closed";
  return part.status;
}

/** List the viewer's stakes on the table, in minor units per spot: placed, or confirmed. */
export function stakesOf(part) {
  const stakes = part?.wager ?? part?.placed ?? [];
  return Object.fromEntries(SPOTS.map((spot) => [spot, on(stakes, spot)]));
}

export const totalOf = (stakes) => SPOTS.reduce((total, spot) => total + (stakes[spot] ?? 0n), 0n);

/** Add chips on their way to the stakes that are there. */
export function withPending(stakes, pending) {
  const all = { ...stakes };
  for (const { spot, units } of pending) all[spot] = (all[spot] ?? 0n) + units;
  return all;
}

/** Tell which actions make sense now; the service alone decides. */
export function possible(picture, pending) {
  const how = statusOf(picture);
  const turns = picture.rules.turn_seconds !== null;
  const free = !picture.stop && (how === "idle" || how === "deciding");
  const bet = how === "deciding" || (how === "idle" && pending.length > 0);
  const chips = totalOf(withPending(stakesOf(how === "deciding" ? partOf(picture.round) : null), pending)) > 0n;
  const last = Boolean(picture.you?.last_wager);
  return {
    place: free,
    undo: bet && chips,
    clear: bet && chips,
    deal: bet && chips && !picture.stop,
    pass: how === "deciding" && turns,
    rebet: free && last && !chips,
    rebetDeal: free && last && !chips,
    newGame: free && how === "idle",
    rebuy: Boolean(picture.you) && how !== "confirmed",
    move: Boolean(picture.you) && how !== "confirmed" && picture.rules.seats > 1,
    leave: Boolean(picture.you) && how !== "confirmed",
  };
}

/** Gather what each seat shows of a round: who sits there, stakes, status, result. */
export function seatsOf(picture, round) {
  const seats = [];
  for (let seat = 1; seat <= picture.rules.seats; seat++) {
    const taken = picture.seats.find((each) => each.seat === seat) ?? null;
    const part = round?.seats.find((each) => each.seat === seat) ?? null;
    seats.push({ seat, taken, part, you: Boolean(taken?.you), stakes: stakesOf(part) });
  }
  return seats;
}

/** Tell the currency's decimals at this table. */
export const digitsOf = (picture) => decimals(picture.rules.minimum);

/** Tell what a seat won or lost in a settled round, in minor units. */
export const netOf = (part) => (part?.result ? minor(part.result.returned) - minor(part.result.staked) : 0n);

/** Find one of the player's balances, as {amount, currency} or null. */
export function balance(balances, account, money_type) {
  return balances?.items.find((item) => item.account === account && item.money_type === money_type)?.balance ?? null;
}

/** Tell what a preset is known for: keys of the words that the table shows. */
export function peculiar(rules) {
  const found = [];
  if (rules.under_minimum === "raise") found.push("raise");
  if (!rules.commission) found.push("no_commission");
  else if (rules.commission.timing === "deferred") found.push("deferred");
  else if (rules.commission.rounding) found.push("rounded");
  else found.push("exact");
  if (rules.spots_per_round === "one") found.push("one_spot");
  if (rules.caller) found.push("caller");
  return found;
}

export { sum };
