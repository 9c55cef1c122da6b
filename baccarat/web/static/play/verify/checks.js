// Runs all checks of an exported round, with the names and verdicts of the stand-alone verifier.

import { closing } from "./closing.js";
import { cosignatures } from "./cosignatures.js";
import * as game from "./game.js";
import * as log from "./log.js";
import { CannotCheck, CheckFailed, DoesNotApply, Proof } from "./proof.js";
import { read } from "./read.js";
import { publicReads } from "./public_reads.js";
import { receipt as checkReceipt } from "./receipt.js";
import { caveatsOn } from "./caveats.js";
import { requireShape } from "./shape.js";
import * as shoe from "./shoe.js";
import { witnesses } from "./witnesses.js";

/** @import { Finding, Values } from "./proof.js" */
/** @import { Cosignature } from "./cosignatures.js" */
/** @import { WitnessAddress } from "./public_reads.js" */
/** @import { Caveat } from "./caveats.js" */

/** @typedef {{name: string, verdict: "ok" | "open" | "none" | "failed", code: string, values: Values, expected?: unknown, found?: unknown}} Check */
/** @typedef {{verdict: "verified" | "partly" | "forced" | "unverified" | "failed", round: Api["ProofRound"] | null, asOf: {number: number, made_at: string, cosignedBy: Cosignature[]} | null, foreknown: boolean, caveats: Caveat[], checks: Check[]}} Verdict `foreknown`: whether the house could know the cards before the bets */

/** @type {[name: string, check: (proof: Proof) => Finding | Promise<Finding>][]} */
const CHECKS = [
  ["digests", log.digests], ["chain", log.chain], ["inclusion", log.inclusion], ["signature", log.signature], ["key", log.key],
  ["cosignatures", cosignatures],
  ["rules", game.rules], ["record", game.record], ["commitment", shoe.commitment], ["cut", shoe.cut], ["terms", shoe.terms],
  ["closing", closing], ["witnesses", witnesses], ["cards", shoe.cards],
  ["hands", game.hands], ["wagers", game.wagers], ["payouts", game.payouts], ["commission", game.commission], ["void", game.voiding],
];

/** The checks without which everything else may have been made up. */
const SIGNED = new Set(["inclusion", "signature", "key"]);

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
 * Check the bytes of a file. `trusted` are public keys, in hex or of cosigners; `receipt`, if there is one, is compared with the round,
 * and so is what `witnesses`, if they are given, publish themselves; `onCheck` is called with each result.
 * @param {Uint8Array} bytes
 * @param {{trusted?: readonly string[], receipt?: Api["Receipt"] | null, witnesses?: readonly WitnessAddress[] | null, onCheck?: (check: Check) => void}} [options]
 * @returns {Promise<Verdict>}
 */
export async function verify(bytes, { trusted = [], receipt = null, witnesses: published = null, onCheck = () => undefined } = {}) {
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
    const proof = new Proof(requireShape(read(bytes)), trusted);
    file.proof = proof;
    return ["file.ok", { n: proof.events.length }];
  }));
  const { proof } = file;
  if (proof && first.verdict === "ok") {
    for (const [name, check] of CHECKS) report(await run(name, () => check(proof)));
    if (published) report(await run("public", () => publicReads(proof, published)));
    if (receipt) report(await run("receipt", () => checkReceipt(proof, receipt)));
  }
  const verdicts = new Set(checks.map((check) => check.verdict));
  const isWitnessed = !checks.some((check) => check.name === "witnesses" && check.verdict === "open");
  const signed = isWitnessed && checks.filter((check) => check.verdict === "ok" && SIGNED.has(check.name)).length === SIGNED.size;
  const verdict = verdicts.has("failed") ? "failed" : !signed ? "unverified" : proof?.isForced ? "forced" : verdicts.has("open") ? "partly" : "verified";
  const covered = verdict !== "failed" && verdict !== "unverified";
  return {
    verdict, checks,
    round: covered && proof ? proof.round : null,
    asOf: covered && proof ? { ...proof.checkpoint, cosignedBy: proof.cosignedBy } : null,
    foreknown: Boolean(proof && verdict !== "failed" && (proof.isLong || !proof.shoeWitnesses.length)),
    caveats: proof && verdict !== "failed" ? caveatsOn(proof) : [],
  };
}
