// The check of the closing: every wager is pinned before a card was drawn.

import { big, bytes, hex, isSigned, joined, leafOf, prefixed, rootOf, sha256, tag, unhex, uuid } from "./hashes.js";
import { microsecondsOf } from "./log.js";
import { CannotCheck, CheckFailed, DoesNotApply } from "./proof.js";
import { isSame } from "./read.js";
import { spotNames } from "./spots.js";
import { indexesOf } from "./witnesses.js";

/** @import { Finding, LogEvent, Proof } from "./proof.js" */

const [WAGER, LEAF, CLOSING] = ["wager.v2", "wager-leaf.v1", "closing.v1"].map(tag);
/** @type {Record<string, number | null>} */
const ENDS = { WagerConfirmed: 1, SeatPassed: 2, SeatTimedOut: 3, SeatLeftRound: null };
const NO_DIGEST = "00".repeat(32);
const ED25519 = 1;
const VOID_CAUSES = ["malfunction", "misdeal", "wrong_rules", "fraud", "other"];

/** @param {string} text */
function digestBytes(text) {
  const data = unhex(text);
  if (data.length !== 32) throw new TypeError("a digest of another length");
  return data;
}

/**
 * What wagers and receipts say of stakes: their count, then each spot's name and units that are not 0.
 * @param {Record<string, number>} stakes
 * @param {string[]} spots the names of the rules' spots, in their order
 */
export function encodeStakes(stakes, spots) {
  const listed = spots.filter((spot) => stakes[spot]).map((spot) => joined(prefixed(bytes(spot)), big(stakes[spot], 8)));
  return joined(big(listed.length, 1), ...listed);
}

/**
 * The leaf of a wager, with its stakes as asked, once the player's signature is checked, if there is one.
 * @param {Uint8Array} terms
 * @param {any} wager
 * @param {string} currency
 * @param {string[]} spots the names of the rules' spots, in their order
 */
export async function leafOfWager(terms, wager, currency, spots) {
  const asked = Object.fromEntries(spots.map((spot) => [spot, (wager.stakes[spot] ?? 0) - (wager.raised?.[spot] ?? 0)]));
  const money = wager.money_type === "play" ? 2 : 1;
  const { signature = null } = wager;
  const nonce = signature ? digestBytes(signature.nonce) : new Uint8Array(32);
  const text = joined(
    WAGER, terms, uuid(wager.wager), uuid(wager.player), big(wager.seat, 1), big(money, 1), prefixed(bytes(currency)), encodeStakes(asked, spots), nonce,
  );
  if (!signature) return leafOf(LEAF, prefixed(text), prefixed(new Uint8Array(0)));
  const key = unhex(signature.public_key);
  const isValid = key.length === 33 && key[0] === ED25519 && await isSigned(key.slice(1), text, unhex(signature.signature));
  if (isValid === null) throw new CannotCheck("signature.browser");
  if (!isValid) throw new CheckFailed("closing.unsigned", wager.seat, signature.signature, { seat: wager.seat });
  return leafOf(LEAF, prefixed(text), prefixed(key));
}

/**
 * How each seat's turn ended, once, by seat; seats that left the round are not listed.
 * @param {Proof} proof
 */
function seatEnds(proof) {
  /** @type {Map<number, number | null>} */
  const ends = new Map();
  for (const { type, data } of proof.roundEvents.filter((event) => Object.hasOwn(ENDS, event.type))) {
    if (ends.has(data.seat)) throw new CheckFailed("closing.differs", 1, 2, { name: "seats" });
    ends.set(data.seat, ENDS[type]);
  }
  return [...ends].filter(([, end]) => end !== null).sort(([one], [other]) => one - other).map(([seat, end]) => ({ seat, end }));
}

/**
 * @param {any} recorded
 * @param {Uint8Array} terms
 * @param {{ kind: number, cause: number, count: number, seats: { seat: number, end: number | null }[], indexes?: Uint8Array }} closed
 * @param {Uint8Array} root
 * @param {string} time
 */
export async function digestOf(recorded, terms, { kind, cause, count, seats, indexes = big(0, 1) }, root, time) {
  const cosigned = recorded.cosigned ?? { size: 0, root: NO_DIGEST };
  const ends = await sha256(...seats.map(({ seat, end }) => joined(big(seat, 1), big(end ?? 0, 1))));
  return hex(await sha256(
    CLOSING, digestBytes(recorded.blind), terms, indexes, big(kind, 1), big(cause, 1), big(count, 4), root, ends,
    big(microsecondsOf(time), 8), digestBytes(recorded.sealed_head), big(cosigned.size, 8), digestBytes(cosigned.root), digestBytes(recorded.before),
  ));
}

/**
 * Check that the closing of a long shoe pins its cut: as it starts, or before its witnesses' links.
 * @param {Proof} proof
 * @param {any} started
 * @param {() => Promise<Uint8Array>} terms
 */
export async function checkShoeClosing(proof, started, terms) {
  const closed = proof.findShoeEvent("ShoeCutClosed")?.data;
  const [{ data: committed }] = proof.findCommitment();
  if (started.number !== committed.number) throw new CheckFailed("closing.differs", committed.number, started.number, { name: "number" });
  if (closed && started.closing !== null) throw new CheckFailed("closing.digest", null, started.closing);
  const recorded = (closed ?? started).closing;
  if (recorded === null) throw new CheckFailed("closing.missing", "closing", null);
  const indexes = indexesOf(proof.shoeWitnesses);
  const digest = await digestOf(recorded, await terms(), { kind: 4, cause: 0, count: 0, seats: [], indexes }, await sha256(), closed?.closed_at ?? started.started_at);
  if (recorded.digest !== digest) throw new CheckFailed("closing.digest", digest, recorded.digest);
  checkReferences(proof, /** @type {LogEvent} */ (proof.findShoeEvent("ShoeCutClosed") ?? proof.findShoeEvent("ShoeStarted")), recorded);
}

/**
 * Check what a closing says of the log and of the closing before; return the names of what the file does not hold.
 * @param {Proof} proof
 * @param {LogEvent} closed
 * @param {any} recorded
 */
function checkReferences(proof, closed, recorded) {
  const heads = new Map([...proof.events.map((event) => /** @type {const} */ ([event.previous, event.position - 1])), ...proof.events.map((event) => /** @type {const} */ ([event.digest, event.position]))]);
  const before = closingBefore(proof, closed);
  const { sealed_head: head, cosigned = null } = recorded;
  const [ofRound, none] = [closed.stream === proof.stream, recorded.before === NO_DIGEST];
  if ((heads.get(head) ?? 0) >= closed.position) throw new CheckFailed("closing.later", `< ${closed.position}`, heads.get(head));
  if (cosigned && cosigned.size >= closed.position) throw new CheckFailed("closing.later", `< ${closed.position}`, cosigned.size);
  if (before === null ? ofRound && none : !isSame(before, recorded.before)) throw new CheckFailed("closing.before", before ?? "D", recorded.before);
  return [...(heads.has(head) ? [] : ["sealed_head"]), ...(cosigned ? ["cosigned"] : []), ...(before === null ? ["before"] : [])];
}

/**
 * The digest of the table's closing before, zeros if there is none, null if the file does not have it.
 * @param {Proof} proof
 * @param {LogEvent} closed
 */
function closingBefore(proof, closed) {
  const started = proof.isLong ? proof.findShoeEvent("ShoeStarted") : undefined;
  if (closed.stream !== proof.stream) return started?.data.number === 1 ? NO_DIGEST : null;
  if (started && proof.opened.number === started.data.first_round) return (proof.findShoeEvent("ShoeCutClosed") ?? started).data.closing?.digest ?? null;
  return proof.opened.number === 1 ? NO_DIGEST : null;
}

/**
 * @param {Proof} proof
 * @returns {Promise<Finding>}
 */
export async function closing(proof) {
  const played = proof.findEvent("BettingClosed");
  const voided = proof.findEvent("RoundVoided");
  const closed = played ?? voided;
  if (played && voided?.data?.closing) throw new CheckFailed("closing.differs", null, voided.data.closing, { name: "closing" });
  if (!closed?.data) throw new DoesNotApply("closing.open");
  const recorded = closed.data.closing;
  if (recorded === null) throw new CheckFailed("closing.missing", "closing", null);
  const terms = digestBytes(proof.opened.terms);
  const wagers = proof.allData("WagerConfirmed");
  const leaves = await Promise.all(wagers.map((wager) => leafOfWager(terms, wager, proof.rules.currency, spotNames(proof.rules))));
  const root = leaves.length ? await rootOf(leaves) : await sha256();
  const seats = seatEnds(proof);
  const [kind, cause] = played ? [1, 0] : [2, VOID_CAUSES.indexOf(closed.data.reason) + 1];
  const closedWith = { kind, cause, count: wagers.length, seats, indexes: indexesOf(proof.witnesses) };
  const digest = await digestOf(recorded, terms, closedWith, root, played ? closed.data.closed_at : closed.data.voided_at);
  if (recorded.digest !== digest) throw new CheckFailed("closing.digest", digest, recorded.digest);
  const unchecked = checkReferences(proof, closed, recorded);
  const signed = wagers.filter((wager) => wager.signature).length;
  if (proof.requireSigned && signed < wagers.length) throw new CannotCheck("closing.required", { n: wagers.length, signed });
  return [signed === wagers.length ? "closing.ok" : "closing.early", { closing: digest, n: wagers.length, signed, unchecked }];
}
