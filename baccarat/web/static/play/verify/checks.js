// Every check of one exported round, in order. The same names and verdicts as the stand-alone verifier's.

import * as game from "./game.js";
import * as log from "./log.js";
import { Proof } from "./proof.js";
import { read, requireShape } from "./read.js";
import { Nothing, NotYet, Wrong } from "./results.js";
import * as shoe from "./shoe.js";

const CHECKS = [
  ["digests", log.digests], ["chain", log.chain], ["inclusion", log.inclusion], ["signature", log.signature], ["key", log.key],
  ["rules", game.rules], ["record", game.record], ["commitment", shoe.commitment], ["cut", shoe.cut], ["cards", shoe.cards],
  ["hands", game.hands], ["wagers", game.wagers], ["payouts", game.payouts], ["commission", game.commission], ["void", game.voiding],
];

async function one(name, check) {
  try {
    const [code, values = {}] = await check();
    return { name, verdict: "ok", code, values };
  } catch (error) {
    if (error instanceof NotYet) return { name, verdict: "open", code: error.code, values: error.values };
    if (error instanceof Nothing) return { name, verdict: "none", code: error.code, values: error.values };
    if (error instanceof Wrong) return { name, verdict: "failed", code: error.code, values: error.values, expected: error.expected, found: error.found };
    return { name, verdict: "failed", code: "malformed", values: {}, expected: "", found: String(error) };
  }
}

/** This will check the bytes of a file. `trusted` are public keys in hex; `onCheck` is told of each check when it ends. */
export async function verify(bytes, { trusted = [], onCheck = () => undefined } = {}) {
  const checks = [];
  const told = (check) => {
    checks.push(check);
    onCheck(check);
    return check;
  };
  let proof = null;
  const first = told(await one("file", () => {
    const document = read(bytes);
    requireShape(document);
    proof = new Proof(document, trusted);
    return ["file.ok", { n: proof.events.length }];
  }));
  if (first.verdict === "ok") {
    for (const [name, check] of CHECKS) told(await one(name, () => check(proof)));
  }
  const verdicts = new Set(checks.map((check) => check.verdict));
  let verdict = verdicts.has("open") ? "partly" : "verified";
  if (verdicts.has("failed")) verdict = "failed";
  return { verdict, round: proof?.round ?? null, checks };
}
