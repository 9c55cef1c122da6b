// Checks of the log: digests and links.

import { big, bytes, hex, joined, sha256, unhex } from "./hashes.js";
import { CannotCheck, CheckFailed, termsWithCards } from "./proof.js";
import { canonical } from "./read.js";

/** @import { Finding, LogEvent, Proof } from "./proof.js" */

const SEAL_TAG = joined(bytes("casino.events.seal/1"), new Uint8Array(4));
const REDACTABLE_EVENTS = new Set(["RoundSuspended", "RoundResumed", "RoundVoidRequested", "RoundVoidDeclined", "RoundVoided", "ShoeEnded"]);
const ROUND = /^round-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const NO_DIGEST = "00".repeat(32);
const SHOE_EVENTS = ["ShoeCommitted", "ShoeCutClosed", "ShoeLinksReleased", "ShoeStarted", "ShoeEnded"];
const TABLE_EVENTS = new Set([
  ...SHOE_EVENTS, "TableOpened", "RulesTookEffect", "TermsFixed", "ShoeCutContributed", "TableClosed", "WitnessChainOpened", "WitnessChainsReplaced",
]);
/** Those of the table's and the round's that occur once, beside those whose order says so. */
const SINGLE_EVENTS = new Set([...SHOE_EVENTS, "TableOpened", "TableClosed", "LinksReleased"]);
const BETTING = ["RoundOpened", "CardsForced", "SeatPassed", "SeatTimedOut", "WagerConfirmed"];
const CLOSED = ["BettingClosed", "HandTurned"];
/**
 * Events of a round that its result depends on, and which of them each may directly follow.
 * @type {Map<string, string[]>}
 */
const FOLLOWS = new Map([
  ...[...BETTING, "BettingClosed"].map((kind) => /** @type {[string, string[]]} */ ([kind, BETTING])),
  ["RoundOpened", [""]], ["CardsForced", ["RoundOpened"]], ["HandTurned", CLOSED], ["CardsDealt", CLOSED], ["RoundSettled", ["CardsDealt"]],
  ["RoundVoided", [...BETTING, ...CLOSED, "CardsDealt", "RoundSettled"]],
]);

/**
 * Microseconds since 1970 of a time with six digits of its fraction.
 * @param {string} text
 */
export function microseconds(text) {
  const whole = Date.parse(`${text.slice(0, 19)}Z`);
  if (Number.isNaN(whole)) throw new TypeError("not a time");
  return BigInt(whole) * 1000n + BigInt(text.slice(20, 26));
}

/**
 * Microseconds since 1970 of a time as the API writes it, with any number of digits of its fraction.
 * @param {string} text
 */
export const microsecondsOf = (text) => microseconds(text.replace("Z", "").padEnd(20, ".").padEnd(26, "0"));

/** @param {bigint} number */
const signed64 = (number) => big(number < 0n ? (1n << 64n) + number : number, 8);

/** @param {LogEvent} event */
export async function digestOf(event) {
  const texts = [event.stream, event.type, canonical(event.data), canonical(event.metadata)].map(bytes);
  const digest = await sha256(
    SEAL_TAG, big(event.position, 8), big(event.id, 8), big(event.transaction, 8), big(event.version, 4),
    big(event.schema, 4), signed64(microseconds(event.recorded_at)), ...texts.map((text) => big(text.length, 4)), unhex(event.previous), ...texts,
  );
  return hex(digest);
}

/**
 * @param {Proof} proof
 * @returns {Promise<Finding>}
 */
export async function digests(proof) {
  const withheld = proof.events.filter((event) => !event.data);
  for (const event of proof.events) {
    const values = { position: event.position, type: event.type };
    if (!event.data) {
      if (!REDACTABLE_EVENTS.has(event.type)) throw new CheckFailed("event.withheld", event.type, null, { kind: event.type });
      continue;
    }
    const computed = await digestOf({ ...event, data: event.sealed });
    if (computed !== event.digest) throw new CheckFailed("digests.differ", event.digest, computed, values);
  }
  const count = proof.events.length;
  if (withheld.length) throw new CannotCheck("digests.withheld", { done: count - withheld.length, count, kinds: withheld.map((event) => event.type).join(", ") });
  return ["digests.ok", { count }];
}

/**
 * @param {Proof} proof
 * @returns {Finding}
 */
export function chain(proof) {
  const rounds = proof.otherEvents.map((event) => roundBefore(event, proof));
  proof.otherEvents.forEach((event, at) => {
    if (!rounds[at] || rounds.indexOf(rounds[at]) < at) throw new CheckFailed("chain.stream", [proof.stream, proof.tableStream], event.stream);
  });
  for (const event of proof.events) {
    if (!isInItsStream(event, proof)) throw new CheckFailed("chain.stream", [proof.stream, proof.tableStream], event.stream);
  }
  const single = [...proof.roundEvents, ...proof.tableEvents].map((event) => event.type).filter((type) => SINGLE_EVENTS.has(type));
  if (new Set(single).size !== single.length) throw new CheckFailed("chain.order", [...new Set(single)], single, { stream: proof.stream });
  for (const [events, name] of /** @type {[LogEvent[], "position" | "version"][]} */ ([[proof.events, "position"], [proof.roundEvents, "version"], [proof.tableEvents, "version"]])) {
    events.slice(1).forEach((after, at) => {
      const before = events[at];
      if (after[name] <= before[name]) throw new CheckFailed("chain.order", before[name] + 1, after[name], { stream: after.stream });
    });
  }
  const transactions = proof.events.map((event) => event.transaction).filter((number, at, all) => number !== all[at - 1]);
  if (new Set(transactions).size !== transactions.length) throw new CheckFailed("chain.order", [...new Set(transactions)], transactions, { stream: proof.stream });
  const versions = proof.roundEvents.map((event) => event.version);
  if (versions.some((version, at) => version !== at + 1)) throw new CheckFailed("chain.gap", versions.map((_, at) => at + 1), versions);
  checkOrder(proof);
  return ["chain.ok", { count: versions.length, links: links(proof) }];
}

/**
 * Whether the event of a table is in its stream, and of this shoe if it is of a shoe; others are not.
 * @param {LogEvent} event
 * @param {Proof} proof
 */
function isInItsStream({ type, data, stream }, proof) {
  const ofTable = TABLE_EVENTS.has(type);
  if (ofTable && type.startsWith("Shoe") && data && data.shoe !== proof.shoe.id) return false;
  return ofTable === (stream === proof.tableStream);
}

/**
 * Check that shoe, wagers, closing, cards and settlement came in this order, and the closing before the seed.
 * @param {Proof} proof
 */
function checkOrder(proof) {
  let before = "";
  for (const { type } of proof.roundEvents) {
    const allowed = FOLLOWS.get(type);
    if (allowed && !allowed.includes(before)) throw new CheckFailed("chain.order", allowed, before, { stream: proof.stream });
    if (allowed) before = type;
  }
  const opened = proof.requireEvent("RoundOpened").position;
  const closed = proof.findEvent("BettingClosed") ?? proof.findEvent("RoundVoided");
  for (const { type, position, stream } of proof.tableEvents) {
    const early = (type === "ShoeEnded" || type === "TableClosed") && closed && position < closed.position;
    if (early || (type === "ShoeStarted" && position > opened)) throw new CheckFailed("chain.order", opened, position, { stream });
  }
}

/**
 * How many rounds before this one another round's event is, 0 for one that is not about this round. With the cards of
 * the round before, its terms were fixed; with those of the last but one, its shoe was committed to.
 * @param {LogEvent} event
 * @param {Proof} proof
 */
function roundBefore(event, proof) {
  if (proof.isLong || !ROUND.test(event.stream)) return 0;
  const ahead = termsWithCards(event).map((fixed) => proof.opened.number + 1 - fixed.data.number)[0];
  return ahead === 1 || ahead === 2 ? ahead : 0;
}

/** @param {Proof} proof */
function links(proof) {
  const [first] = proof.events;
  if (first.position === 1 && first.previous !== NO_DIGEST) throw new CheckFailed("chain.link", NO_DIGEST, first.previous, { position: 0 });
  let count = 0;
  proof.events.slice(1).forEach((after, at) => {
    const before = proof.events[at];
    if (after.position !== before.position + 1) return;
    count += 1;
    if (before.digest !== after.previous) throw new CheckFailed("chain.link", before.digest, after.previous, { position: before.position });
  });
  return count;
}
