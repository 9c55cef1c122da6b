// What the house signed to this player, the newest kept in this browser: evidence of terms, stakes, payouts and
// contributions, whatever the house says later.

import { h } from "./dom.js";
import { storage } from "./session.js";

/**
 * A receipt, what was paid once that is signed, the session that it is of, and whether its round was compared with it: `fault` is the
 * key of the message if it differs, until the player has closed that message.
 * @typedef {{receipt: Api["Receipt"], payout: Api["Payout"] | null, session: string, status: "kept" | "agrees" | "differs", fault: string | null}} KeptReceipt
 */

const PREFIX = "receipt.";
const CONTRIBUTIONS = "contributions";
const LIMIT = 200;

/** By name, which begins with the time: the first is the oldest. @type {Map<string, KeptReceipt>} */
const kept = new Map();
for (const name of storage.names(PREFIX)) {
  /** @type {KeptReceipt | null} */
  const found = storage.get(name, null);
  if (found) kept.set(name, found);
}

/**
 * Keep a receipt, or what has become known of it; the oldest make room.
 * @param {KeptReceipt} each
 */
export function keep(each) {
  const name = `${PREFIX}${each.receipt.confirmed_at}.${each.receipt.round}`;
  kept.set(name, each);
  storage.set(name, each);
  for (const old of [...kept.keys()].slice(0, Math.max(0, kept.size - LIMIT))) {
    kept.delete(old);
    storage.remove(old);
  }
}

export const keptReceipts = () => [...kept.values()];

/** @param {string} round */
export const receiptOf = (round) => keptReceipts().find((each) => each.receipt.round === round) ?? null;

/** @returns {Api["ContributionReceipt"][]} */
export const keptContributions = () => storage.get(CONTRIBUTIONS, []);

/** @param {Api["ContributionReceipt"]} receipt */
export const keepContribution = (receipt) => storage.set(CONTRIBUTIONS, [...keptContributions(), receipt].slice(-LIMIT));

/**
 * All that is kept of a round: of its wager, what that returned, and contributions to the cut of its cards.
 * @param {KeptReceipt | null} kept
 */
export function receiptsOf(kept) {
  if (!kept) return [];
  const { receipt, payout } = kept;
  const contributions = keptContributions().filter((each) => each.commitment === receipt.terms.commitment);
  return [receipt, ...(payout ? [payout] : []), ...contributions];
}

/**
 * Save what is kept of a round as a file, as verifiers take it.
 * @param {KeptReceipt} kept
 */
export const save = (kept) => saveFile(`receipt-${kept.receipt.terms.number}.json`, JSON.stringify(receiptsOf(kept), null, 2));

/**
 * @param {string} name
 * @param {BlobPart} content
 */
export function saveFile(name, content) {
  const address = URL.createObjectURL(new Blob([content], { type: "application/json" }));
  h("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
