// The check of a receipt: the round was played on the terms, and with the wager, that the house signed to its player.

import { encodeStakes, leafOfWager } from "./closing.js";
import { big, bytes, hex, isSigned, joined, prefixed, sha256, tag, unhex, uuid } from "./hashes.js";
import { microsecondsOf } from "./log.js";
import { CannotCheck, CheckFailed } from "./proof.js";
import { isSame } from "./read.js";
import { requireReceipt } from "./shape.js";
import { encodeTerms } from "./shoe.js";
import { requireLinksAfter } from "./witnesses.js";

/** @import { Finding, Proof } from "./proof.js" */

const RECEIPT = tag("receipt.v2");

/**
 * Amounts of the API in minor units, by spot.
 * @param {Api["Stake"][]} stakes
 * @returns {Record<string, number>}
 */
const unitsBySpot = (stakes) => Object.fromEntries(stakes.map(({ spot, amount }) => [spot, Number(amount.replace(".", ""))]));

/**
 * The digest of a receipt's terms, its wager's leaf and stakes, and whether its key signed it (null if this browser
 * can't tell), from nothing but the receipt.
 * @param {Api["Receipt"]} receipt
 */
export async function readReceipt(receipt) {
  const [stakes, raised] = [unitsBySpot(receipt.stakes), unitsBySpot(receipt.raised)];
  const terms = await sha256(...encodeTerms({ ...receipt.terms, table: receipt.table, witnesses: receipt.terms.witnesses ?? [] }));
  const leaf = await leafOfWager(terms, { ...receipt, stakes, raised, signature: receipt.wager_signature }, receipt.currency);
  const times = [receipt.confirmed_at, receipt.close_by].map((time) => big(time === null ? 0 : microsecondsOf(time), 8));
  const signed = joined(
    RECEIPT, terms, leaf, uuid(receipt.player), big(receipt.seat, 1), big(receipt.place, 4), encodeStakes(stakes), prefixed(bytes(receipt.currency)), ...times,
  );
  const valid = await isSigned(unhex(receipt.public_key), signed, unhex(receipt.signature));
  return { terms: hex(terms), leaf: hex(leaf), stakes, valid };
}

/**
 * @param {Proof} proof
 * @param {Api["Receipt"]} receipt
 * @returns {Promise<Finding>}
 */
export async function receipt(proof, receipt) {
  requireReceipt(receipt);
  const { terms, leaf, stakes, valid } = await readReceipt(receipt);
  if (valid === null) throw new CannotCheck("signature.browser");
  if (!valid) throw new CheckFailed("receipt.unsigned", receipt.public_key, receipt.signature);
  const digests = [receipt.terms.digest, receipt.leaf];
  if (!isSame([terms, leaf], digests)) throw new CheckFailed("receipt.terms", [terms, leaf], digests);
  const [told, found] = [[receipt.round, receipt.table, terms], [proof.round.id, proof.round.table, proof.opened.terms ?? null]];
  if (!isSame(told, found)) throw new CheckFailed("receipt.terms", told, found);
  const wager = proof.allData("WagerConfirmed")[receipt.place];
  const played = wager ? [hex(await leafOfWager(unhex(terms), wager, proof.rules.currency)), wager.stakes] : null;
  if (!isSame(played, [leaf, stakes])) throw new CheckFailed("receipt.wager", [leaf, stakes], played);
  requireLinksAfter(proof, receipt.confirmed_at);
  if (!proof.trusted.has(receipt.public_key)) throw new CannotCheck("receipt.untrusted");
  return ["receipt.ok", { place: receipt.place }];
}
