// The check of receipts: the round was played, and returned, what the house signed to its player.

import { encodeStakes, leafOfWager } from "./closing.js";
import { big, bytes, hex, isSigned, joined, prefixed, sha256, tag, unhex, uuid } from "./hashes.js";
import { microsecondsOf } from "./log.js";
import { CannotCheck, CheckFailed } from "./proof.js";
import { isSame } from "./read.js";
import { requireReceipt } from "./shape.js";
import { encodeTerms } from "./shoe.js";
import { spotNames } from "./spots.js";
import { indexesOf, requireLinksAfter } from "./witnesses.js";

/** @import { Finding, Proof } from "./proof.js" */

/** @typedef {Api["Receipt"] | Api["Payout"] | Api["ContributionReceipt"]} AnyReceipt */

const [RECEIPT, PAYOUT, CONTRIBUTED] = ["receipt.v2", "payout.v1", "contributed.v1"].map(tag);

/**
 * An amount of the API in minor units.
 * @param {string} amount
 */
const units = (amount) => Number(amount.replace(".", ""));

/**
 * @param {Api["Stake"][]} stakes
 * @returns {Record<string, number>}
 */
const unitsBySpot = (stakes) => Object.assign(Object.create(null), Object.fromEntries(stakes.map(({ spot, amount }) => [spot, units(amount)])));

/** @param {string | null} time */
const timeOf = (time) => big(time === null ? 0 : microsecondsOf(time), 8);

/**
 * Whether a receipt is signed by its key; null if this browser can't tell.
 * @param {AnyReceipt} receipt
 * @param {...Uint8Array} signed
 */
const isBy = (receipt, ...signed) => isSigned(unhex(receipt.public_key), joined(...signed), unhex(receipt.signature));

/**
 * The digest of a receipt's terms, its wager's leaf and stakes, and whether its key signed it (null if this browser
 * can't tell), from nothing but the receipt.
 * @param {Api["Receipt"]} receipt
 */
export async function readReceipt(receipt) {
  const [stakes, raised] = [unitsBySpot(receipt.stakes), unitsBySpot(receipt.raised)];
  const terms = await sha256(...encodeTerms({ ...receipt.terms, table: receipt.table, witnesses: receipt.terms.witnesses ?? [] }));
  // A receipt has no rules: it lists stakes in their order, in which the round has to have them, too.
  const spots = Object.keys(stakes);
  const leaf = await leafOfWager(terms, { ...receipt, stakes, raised, signature: receipt.wager_signature }, receipt.currency, spots);
  const valid = await isBy(
    receipt, RECEIPT, terms, leaf, uuid(receipt.player), big(receipt.seat, 1), big(receipt.place, 4), encodeStakes(stakes, spots), prefixed(bytes(receipt.currency)),
    timeOf(receipt.confirmed_at), timeOf(receipt.close_by),
  );
  return { terms: hex(terms), leaf: hex(leaf), stakes, valid };
}

/**
 * Whether the key of a payout signed it.
 * @param {Api["Payout"]} payout
 */
export const isPayoutSigned = (payout) => isBy(
  payout, PAYOUT, unhex(payout.terms), unhex(payout.leaf), uuid(payout.player), big(payout.results.length, 4),
  ...payout.results.flatMap(({ spot, stake, result, returned, commission }) => [
    prefixed(bytes(spot)), big(units(stake), 8), prefixed(bytes(result)), big(units(returned), 8), big(units(commission), 8),
  ]),
  prefixed(bytes(payout.currency)), timeOf(payout.settled_at),
);

/**
 * Whether the key of a contribution's receipt signed it.
 * @param {Api["ContributionReceipt"]} receipt
 */
export const isContributionSigned = (receipt) => isBy(
  receipt, CONTRIBUTED, uuid(receipt.table), unhex(receipt.commitment), indexesOf(receipt.witnesses), big(receipt.seat, 1), uuid(receipt.player),
  prefixed(unhex(receipt.player_key)), prefixed(unhex(receipt.contribution)), timeOf(receipt.contributed_at),
);

/**
 * @param {AnyReceipt} receipt
 * @param {boolean | null} valid
 */
function requireSigned(receipt, valid) {
  if (valid === null) throw new CannotCheck("signature.browser");
  if (!valid) throw new CheckFailed("receipt.unsigned", receipt.public_key, receipt.signature);
}

/**
 * @param {Proof} proof
 * @param {Api["Receipt"] | Api["Payout"]} receipt
 * @param {string} terms
 */
function requireSameRound(proof, receipt, terms) {
  const [told, found] = [[receipt.round, receipt.table, terms], [proof.round.id, proof.round.table, proof.opened.terms ?? null]];
  if (!isSame(told, found)) throw new CheckFailed("receipt.terms", told, found);
}

/**
 * @param {Proof} proof
 * @param {Api["Receipt"]} receipt
 * @returns {Promise<Finding>}
 */
async function checkWager(proof, receipt) {
  const { terms, leaf, stakes, valid } = await readReceipt(receipt);
  requireSigned(receipt, valid);
  const digests = [receipt.terms.digest, receipt.leaf];
  if (!isSame([terms, leaf], digests)) throw new CheckFailed("receipt.terms", [terms, leaf], digests);
  requireSameRound(proof, receipt, terms);
  const wager = proof.allData("WagerConfirmed")[receipt.place];
  const played = wager ? [hex(await leafOfWager(unhex(terms), wager, proof.rules.currency, spotNames(proof.rules))), wager.stakes] : null;
  if (!isSame(played, [leaf, stakes])) throw new CheckFailed("receipt.wager", [leaf, stakes], played);
  requireLinksAfter(proof, receipt.confirmed_at);
  return ["receipt.ok", { place: receipt.place }];
}

/**
 * @param {Proof} proof
 * @param {Api["Payout"]} payout
 * @returns {Promise<Finding>}
 */
async function checkPayout(proof, payout) {
  requireSigned(payout, await isPayoutSigned(payout));
  requireSameRound(proof, payout, payout.terms);
  const told = {
    leaf: payout.leaf, wager: payout.wager, player: payout.player, currency: payout.currency, settled_at: microsecondsOf(payout.settled_at).toString(),
    results: payout.results.map(({ spot, stake, result, returned, commission }) => [spot, units(stake), result, units(returned), units(commission)]),
  };
  const settled = proof.findEvent("RoundSettled")?.data ?? { wagers: [], settled_at: null };
  const wagers = proof.allData("WagerConfirmed").filter((wager) => settled.wagers.some((/** @type {{seat: number}} */ each) => each.seat === wager.seat));
  const found = await Promise.all(wagers.map(async (wager) => ({
    leaf: hex(await leafOfWager(unhex(payout.terms), wager, proof.rules.currency, spotNames(proof.rules))), wager: wager.wager, player: wager.player, currency: proof.rules.currency,
    settled_at: microsecondsOf(settled.settled_at).toString(),
    results: settled.wagers.find((/** @type {{seat: number}} */ each) => each.seat === wager.seat).results.map((/** @type {any} */ line) => [line.spot, line.stake, line.result, line.returned, line.commission]),
  })));
  if (!payout.results.length || !found.some((each) => isSame(each, told))) throw new CheckFailed("receipt.payout", told, found);
  return ["receipt.paid"];
}

/**
 * @param {Proof} proof
 * @param {Api["ContributionReceipt"]} receipt
 * @returns {Promise<Finding>}
 */
async function checkContribution(proof, receipt) {
  requireSigned(receipt, await isContributionSigned(receipt));
  const [announcement] = proof.findCommitment();
  const told = [receipt.table, receipt.commitment, receipt.witnesses];
  const found = [proof.round.table, proof.commitmentData(announcement).commitment, proof.isLong ? [] : proof.witnesses];
  if (!isSame(told, found)) throw new CheckFailed("receipt.drawing", told, found);
  const given = [receipt.seat, receipt.player, receipt.contribution, receipt.player_key];
  const made = proof.tableEvents.filter((event) => event.type === "ShoeCutContributed").map(({ data }) => [data.seat, data.player, data.contribution, data.signature?.public_key ?? ""]);
  if (!made.some((each) => isSame(each, given))) throw new CheckFailed("receipt.contribution", given, made);
  return ["receipt.contributed"];
}

/**
 * Check each receipt; what is found is that of the last one.
 * @param {Proof} proof
 * @param {readonly AnyReceipt[]} receipts
 * @returns {Promise<Finding>}
 */
export async function checkReceipts(proof, receipts) {
  /** @type {Finding} */
  let finding = ["receipt.paid"];
  for (const receipt of receipts) {
    requireReceipt(receipt);
    if (receipt.kind === "wager") finding = await checkWager(proof, receipt);
    else if (receipt.kind === "payout") finding = await checkPayout(proof, receipt);
    else finding = await checkContribution(proof, receipt);
  }
  if (receipts.some((receipt) => !proof.trusted.has(receipt.public_key))) throw new CannotCheck("receipt.untrusted");
  return finding;
}
