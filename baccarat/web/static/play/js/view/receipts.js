// Keeps the receipts of this player's wagers, and compares them with what was shown before and with the round's proof.

import { get, NoResponse, wait } from "../core/api.js";
import { keep, keepContribution, keptContributions, keptReceipts, receiptOf, receiptsOf, save } from "../core/kept_receipts.js";
import { toMinor } from "../core/money.js";
import { token } from "../core/session.js";
import { ownPart } from "../core/table_state.js";
import { t } from "../messages/index.js";
import { verify } from "../../verify/checks.js";
import { bytes, hex, sha256 } from "../../verify/hashes.js";
import { isSame } from "../../verify/read.js";
import { isContributionSigned, isPayoutSigned, readReceipt } from "../../verify/receipt.js";
import { publishedKeys } from "./named_witnesses.js";

/** @import { KeptReceipt } from "../core/kept_receipts.js" */
/** @import { Game } from "./game.js" */
/** @import { ShownWager } from "./signing.js" */

/** Proofs are large, and comparing them can wait. */
const PAUSE = 5000;
/** While no round can be compared, because a proof or a witness is missing, each new try waits twice as long, up to this. */
const LONGEST_PAUSE = 60_000;
/** How long the house may take to show a link that a witness gave out. */
const SHOWN_WITHIN = 60_000;
/** Since when a witness has shown a link that the house does not, by round. @type {Map<string, number>} */
const owed = new Map();
const ROUNDS = new URL("../api/v1/rounds/", document.baseURI);
/** Answers by which the house denies a round for which it gave a receipt. */
const DENIALS = new Set([403, 404]);

/**
 * Whether a receipt is for the wager that this page sent, on the terms that it showed, and signed by its own key.
 * @param {Api["Receipt"]} receipt
 * @param {ShownWager} shown
 */
async function isOf(receipt, shown) {
  const { terms } = receipt;
  const { terms: digest, valid } = await readReceipt(receipt);
  if (valid === false || digest !== terms.digest) return false;
  if (!isSame([receipt.wager_signature, receipt.player], [shown.signature, shown.player])) return false;
  // A wager that is not signed goes to the round that is open when it arrives.
  if (!shown.signature && terms.number !== shown.terms?.number) return true;
  const amounts = (/** @type {Api["Stake"][]} */ stakes) => Object.fromEntries(stakes.map(({ spot, amount }) => [spot, toMinor(amount)]));
  const [confirmed, raised] = [amounts(receipt.stakes), amounts(receipt.raised)];
  const spots = Object.keys({ ...confirmed, ...shown.stakes });
  if (spots.some((spot) => (confirmed[spot] ?? 0n) - (raised[spot] ?? 0n) !== (shown.stakes[spot] ?? 0n))) return false;
  return isSame([terms, receipt.seat, receipt.money_type, receipt.currency], [shown.terms, shown.seat, shown.money_type, shown.currency]);
}

/**
 * Whether a payout says of the wager of a receipt what the page shows of the round, and is signed by its own key. What
 * the cards bring by the rules is computed as the round's proof is compared.
 * @param {Api["Payout"]} payout
 * @param {Api["Receipt"]} receipt
 * @param {Api["WagerResult"]} result
 */
async function isPaid(payout, receipt, result) {
  const lines = result.spots.map(({ spot, stake, result: outcome, returned, commission }) => [spot, stake, outcome, returned, commission]);
  const signed = payout.results.map(({ spot, stake, result: outcome, returned, commission }) => [spot, stake, outcome, returned, commission]);
  const wager = [receipt.table, receipt.round, receipt.terms.digest, receipt.wager, receipt.player, receipt.leaf, receipt.currency];
  const told = [payout.table, payout.round, payout.terms, payout.wager, payout.player, payout.leaf, payout.currency];
  return isSame([told, signed], [wager, lines]) && await isPayoutSigned(payout) !== false;
}

/**
 * Whether a receipt is for the contribution that a table shows of this player, and signed by its own key.
 * @param {Api["ContributionReceipt"]} receipt
 * @param {Api["Table"]} table
 * @param {Api["Contribution"]} given
 */
async function isGiven(receipt, { id, next_shoe: shoe, you }, given) {
  const told = [receipt.table, receipt.commitment, receipt.witnesses, receipt.player, receipt.seat, receipt.contribution, receipt.player_key];
  return isSame(told, [id, shoe?.commitment, shoe?.witnesses, you?.player, given.seat, given.contribution, given.public_key])
    && await isContributionSigned(receipt) !== false;
}

/**
 * Whether a round's shoe is the one that the terms of the round before promised.
 * @param {Api["Receipt"]} receipt
 * @param {string} commitment to its shoe
 */
function followsTheRoundBefore({ table, terms }, commitment) {
  const before = keptReceipts().find((each) => each.receipt.table === table && each.receipt.terms.number === terms.number - 1)?.receipt.terms;
  return !before || (before.shoe === terms.shoe ? terms.cut === before.cut : commitment === before.next_commitment);
}

/**
 * Fetch a round's proof as it is sent: verifiers read its bytes.
 * @param {string} round
 * @param {{soon?: boolean}} [options] whether a checkpoint over it is to be signed at once
 */
export async function fetchProof(round, { soon = false } = {}) {
  const headers = { Accept: "application/json", Authorization: `Bearer ${token()}` };
  try {
    return await fetch(new URL(`${round}/proof${soon ? "?soon=true" : ""}`, ROUNDS), { headers, cache: "no-store", credentials: "omit" });
  } catch (error) {
    throw new NoResponse(String(error));
  }
}

/** What stands for this session beside its receipts, so that another player's are left alone. */
async function nameSession() {
  return crypto.subtle ? hex((await sha256(bytes(token() ?? ""))).slice(0, 8)) : "";
}

/**
 * Compare a round's proof with what is kept of it, and with what its witnesses publish: return the key of the message if
 * they differ, null if they agree, and undefined if there is no proof or no answer yet.
 * @param {KeptReceipt} kept
 */
async function faultOf(kept) {
  const { receipt } = kept;
  const response = await fetchProof(receipt.round);
  if (DENIALS.has(response.status)) return "receipt.denied";
  if (!response.ok) return undefined;
  const proof = new Uint8Array(await response.arrayBuffer());
  const [trusted, { items: witnesses }] = await Promise.all([publishedKeys(), get("log/witnesses")]);
  const { checks } = await verify(proof, { trusted, receipts: receiptsOf(kept), witnesses });
  const failed = checks.filter((check) => check.verdict === "failed" || check.code === "receipt.untrusted");
  if (failed.length) return failed.every((check) => check.name === "public") ? "receipt.witness" : "receipt.round";
  if (!followsTheRoundBefore(receipt, JSON.parse(new TextDecoder().decode(proof)).shoe.commitment)) return "receipt.round";
  return faultOfLinks(receipt.round, checks.find((check) => check.name === "public")?.code);
}

/**
 * What it means that a round's links can't be compared: the house names no witness, or withholds a link, or one of the
 * two has not answered yet.
 * @param {string} round
 * @param {string} [code]
 */
export function faultOfLinks(round, code) {
  if (code === "public.unknown") return "receipt.unlisted";
  if (code === "public.away") return undefined;
  if (code !== "public.later") return null;
  const since = owed.get(round) ?? performance.now();
  owed.set(round, since);
  return performance.now() - since > SHOWN_WITHIN ? "receipt.withheld" : undefined;
}

export class Receipts {
  /** @param {Game} game */
  constructor(game) {
    this.game = game;
    this.stopped = false;
    this.session = nameSession();
    this.compareAll();
  }

  stop() {
    this.stopped = true;
  }

  /**
   * Keep the receipt that answered a wager, and say so if it is none for it.
   * @param {Api["Receipt"] | null} receipt
   * @param {ShownWager} shown
   */
  async take(receipt, shown) {
    if (!receipt) return void (shown.terms && this.show("receipt.missing", shown.terms.number));
    // Without the browser's cryptography a receipt is kept, and compared elsewhere.
    const agrees = !crypto.subtle || await isOf(receipt, shown).catch(() => false);
    /** @type {KeptReceipt} */
    const kept = { receipt, payout: null, session: await this.session, status: "kept", fault: null };
    const { shoe } = this.game.state;
    if (agrees && followsTheRoundBefore(receipt, shoe?.id === receipt.terms.shoe ? shoe.commitment : receipt.terms.commitment)) keep(kept);
    else this.convict(kept, "receipt.differs");
  }

  /**
   * Keep what the house signed that this player's wager returned, and say so if it did not, or signed something else.
   * @param {Api["Round"]} round
   */
  async takePayout(round) {
    const [kept, mine, session] = [receiptOf(round.id), ownPart(round), await this.session];
    if (!kept || kept.payout || kept.session !== session || !mine?.result) return;
    const { payout } = mine;
    if (payout && (!crypto.subtle || await isPaid(payout, kept.receipt, mine.result).catch(() => false))) keep({ ...kept, payout });
    else this.convict(kept, "receipt.payout");
  }

  /**
   * Keep the receipt of a contribution, and say so if there is none for what this page sent.
   * @param {Api["Table"]} table
   * @param {string | null} sent
   */
  async takeContribution(table, sent) {
    const { you, next_shoe: shoe } = table;
    const given = shoe?.contributions.find((each) => each.seat === you?.seat);
    const receipt = you?.contribution;
    if (!given || !shoe || keptContributions().some((each) => each.signature === receipt?.signature)) return;
    const agrees = receipt && (!crypto.subtle || await isGiven(receipt, table, given).catch(() => false));
    if (agrees) keepContribution(receipt);
    else if (receipt || sent === given.contribution) this.show("receipt.cut", shoe.number);
  }

  /** Compare rounds that have ended with their receipts, one after the other, while the table is open. */
  async compareAll() {
    if (!crypto.subtle) return;
    const session = await this.session;
    for (const each of keptReceipts()) if (each.session === session) this.warn(each);
    const tried = new Set();
    let [pause, compared] = [PAUSE, true];
    while (!this.stopped) {
      const { round } = this.game.state;
      const waiting = keptReceipts().filter((each) => each.status === "kept" && each.session === session && each.receipt.round !== round?.id);
      const next = waiting.find((each) => !tried.has(each.receipt.round));
      if (next) {
        tried.add(next.receipt.round);
        compared = await this.compare(next) || compared;
      } else {
        tried.clear();
        pause = compared || !waiting.length ? PAUSE : Math.min(2 * pause, LONGEST_PAUSE);
        compared = false;
      }
      await wait(next ? PAUSE : pause);
    }
  }

  /**
   * Return whether the round could be compared.
   * @param {KeptReceipt} kept
   */
  async compare(kept) {
    let fault;
    try {
      fault = await faultOf(receiptOf(kept.receipt.round) ?? kept);
    } catch {
      return false; // no answer: compared later
    }
    const now = receiptOf(kept.receipt.round) ?? kept;
    if (fault) this.convict(now, fault);
    else if (fault === null) keep({ ...now, status: "agrees" });
    return fault !== undefined;
  }

  /**
   * @param {KeptReceipt} kept
   * @param {string} fault
   */
  convict(kept, fault) {
    /** @type {KeptReceipt} */
    const differing = { ...kept, status: "differs", fault };
    keep(differing);
    this.warn(differing);
  }

  /** @param {KeptReceipt} kept */
  warn(kept) {
    if (!kept.fault || this.stopped) return;
    this.show(kept.fault, kept.receipt.terms.number, kept);
  }

  /**
   * @param {string} fault
   * @param {number} number
   * @param {KeptReceipt | null} [kept]
   */
  show(fault, number, kept = null) {
    this.game.notices.show(t(fault, { number }), {
      key: `receipt.${number}`, kind: "problem", stay: true, remedy: t("receipt.what"),
      actions: kept ? [[t("receipt.save"), () => save(kept)]] : [],
      closed: () => kept && keep({ ...kept, fault: null }),
    });
  }
}
