// What a check of a round comes to, in one word: the tick of its line on the table page.

/** @import { Verdict } from "./checks.js" */
/** @typedef {"proven" | "shoe" | "waiting" | "own" | "forced" | "unable" | "failed"} Tick */

const SIGNED = ["inclusion", "signature", "key"];

/**
 * Return "proven" only by keys that somebody else named, and once a witness named has cosigned; "shoe" where the house
 * could know the cards before the bet; "own" where its own keys are all there is.
 * @param {Verdict} result
 * @param {boolean} named whether the keys are those that the operator named
 * @returns {Tick}
 */
export function tickOf({ verdict, checks, foreknown }, named) {
  const found = new Map(checks.map((check) => [check.name, check]));
  if (verdict === "failed") return "failed";
  if (checks.some((check) => check.code === "signature.browser")) return "unable";
  if (SIGNED.some((name) => found.get(name)?.verdict !== "ok")) return "waiting";
  if (found.get("cards")?.code === "cards.forced") return "forced";
  if (!named || found.get("witnesses")?.verdict === "open") return "own";
  if (found.get("cosignatures")?.verdict !== "ok" || found.get("cards")?.verdict === "open") return "waiting";
  return foreknown ? "shoe" : "proven";
}
