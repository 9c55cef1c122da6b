// Runs all checks of an exported round, with the names and verdicts of the stand-alone verifier.

import { closing } from "./closing.js";
import * as checkpoint from "./checkpoint.js";
import * as game from "./game.js";
import * as log from "./log.js";
import { CannotCheck, CheckFailed, DoesNotApply, Proof } from "./proof.js";
import { read } from "./read.js";
import { publicReads } from "./public_reads.js";
import { checkReceipts } from "./receipt.js";
import { caveatsOn } from "./caveats.js";
import { requireShape } from "./shape.js";
import * as shoe from "./shoe.js";
import { isPublished } from "./spots.js";
import { witnesses } from "./witnesses.js";

/** @import { Finding, Values } from "./proof.js" */
/** @import { Cosignature } from "./checkpoint.js" */
/** @import { AnyReceipt } from "./receipt.js" */
/** @import { WitnessAddress } from "./public_reads.js" */
/** @import { Caveat } from "./caveats.js" */
/** @import { Rules } from "./spots.js" */

/** @typedef {{name: string, verdict: "ok" | "open" | "none" | "failed", code: string, values: Values, expected?: unknown, found?: unknown}} Check */
/** @typedef {{verdict: "verified" | "partly" | "uncosigned" | "forced" | "unverified" | "failed", round: Api["ProofRound"] | null, asOf: {size: number, cosignedBy: Cosignature[]} | null, couldChoose: Chooser | null, foreknown: boolean, rules: (Rules & {published: boolean}) | null, caveats: Caveat[], checks: Check[]}} Verdict `couldChoose`: who could have chosen the cards; `foreknown`: whether the house could know them before the bets */
/** @typedef {"nobody" | "house_and_witnesses" | "house_early" | "house_knows" | "house"} Chooser */

/** @type {[name: string, check: (proof: Proof) => Finding | Promise<Finding>][]} */
const CHECKS = [
  ["digests", log.digests], ["chain", log.chain], ["inclusion", checkpoint.inclusion],
  ["signature", checkpoint.signature], ["key", checkpoint.key], ["cosignatures", checkpoint.cosignatures],
  ["rules", game.rules], ["record", game.record], ["commitment", shoe.commitment], ["cut", shoe.cut], ["terms", shoe.terms],
  ["closing", closing], ["witnesses", witnesses], ["cards", shoe.cards],
  ["hands", game.hands], ["wagers", game.wagers], ["payouts", game.payouts], ["commission", game.commission], ["void", game.voiding],
];

/** The checks without which everything else may have been made up. */
const SIGNED = new Set(["inclusion", "signature", "key"]);

/** The checks by which the reader may require something. */
const REQUIRED = new Set(["witnesses", "closing"]);

/**
 * Who could have chosen the cards, if any were dealt and everything agrees.
 * @param {Proof} proof
 * @returns {Chooser | null}
 */
function whoCouldChoose(proof) {
  if (!proof.findEvent("CardsDealt") || proof.isForced) return null;
  if (!(proof.drawsByRound ? proof.witnesses : proof.shoeWitnesses).length) return "house";
  if (proof.isLong && !proof.drawsByRound) return "house_knows";
  if (proof.allData("WagerConfirmed").some((wager) => !wager.signature)) return "house_early";
  return proof.required.length || proof.oneOf.length ? "nobody" : "house_and_witnesses";
}

/**
 * @param {string} name
 * @param {() => Finding | Promise<Finding>} check
 * @returns {Promise<Check>}
 */
async function run(name, check) {
  try {
    const [code, values = {}] = await check();
    return { name, verdict: "ok", code, values };
  } catch (error) {
    if (error instanceof DoesNotApply) return { name, verdict: "none", code: error.code, values: error.values };
    if (error instanceof CannotCheck) return { name, verdict: "open", code: error.code, values: error.values };
    if (error instanceof CheckFailed) return { name, verdict: "failed", code: error.code, values: error.values, expected: error.expected, found: error.found };
    return { name, verdict: "failed", code: "malformed", values: {}, expected: "", found: String(error) };
  }
}

/**
 * Check the bytes of a file. `trusted` are public keys, in hex or of cosigners; `witnessKeys`, too, and those in hex have to occur among the
 * links; of `oneOf`, which are trusted, one has to; with `requireSigned` each wager has to be signed; `receipts` of any kind are compared with the round,
 * and so is what `witnesses`, if they are given, publish themselves; `onCheck` is called with each result.
 * @param {Uint8Array} bytes
 * @param {{trusted?: readonly string[], witnessKeys?: readonly string[], requireSigned?: boolean, oneOf?: readonly string[], receipts?: readonly AnyReceipt[], witnesses?: readonly WitnessAddress[] | null, onCheck?: (check: Check) => void}} [options]
 * @returns {Promise<Verdict>}
 */
export async function verify(bytes, { trusted = [], witnessKeys = [], requireSigned = false, oneOf = [], receipts = [], witnesses: published = null, onCheck = () => undefined } = {}) {
  /** @type {Check[]} */
  const checks = [];
  /** @param {Check} check */
  const report = (check) => {
    checks.push(check);
    onCheck(check);
    return check;
  };
  /** @type {{proof?: Proof}} */
  const file = {};
  const first = report(await run("file", () => {
    const proof = new Proof(requireShape(read(bytes)), trusted, witnessKeys, requireSigned, oneOf);
    file.proof = proof;
    return ["file.ok", { n: proof.events.length }];
  }));
  const { proof } = file;
  if (proof && first.verdict === "ok") {
    for (const [name, check] of CHECKS) report(await run(name, () => check(proof)));
    if (published) report(await run("public", () => publicReads(proof, published)));
    if (receipts.length) report(await run("receipt", () => checkReceipts(proof, receipts)));
  }
  const verdicts = new Set(checks.map((check) => check.verdict));
  const hasRequired = !checks.some((check) => REQUIRED.has(check.name) && check.verdict === "open");
  const isCosigned = checks.some((check) => check.name === "cosignatures" && check.verdict === "ok");
  const signed = hasRequired && checks.filter((check) => check.verdict === "ok" && SIGNED.has(check.name)).length === SIGNED.size;
  const verdict = verdicts.has("failed") ? "failed" : !signed ? "unverified" : proof?.isForced ? "forced" : !isCosigned ? "uncosigned" : verdicts.has("open") ? "partly" : "verified";
  const covered = verdict !== "failed" && verdict !== "unverified";
  return {
    verdict, checks,
    round: covered && proof ? proof.round : null,
    asOf: covered && proof?.checkpoint ? { size: checkpoint.parseNote(proof.checkpoint).size, cosignedBy: proof.cosignedBy } : null,
    couldChoose: covered && proof ? whoCouldChoose(proof) : null,
    foreknown: Boolean(proof && verdict !== "failed" && ((proof.isLong && !proof.drawsByRound) || !proof.witnesses.length)),
    rules: covered && proof ? { ...proof.rules, published: await isPublished(proof.rules) } : null,
    caveats: proof && verdict !== "failed" ? caveatsOn(proof) : [],
  };
}
