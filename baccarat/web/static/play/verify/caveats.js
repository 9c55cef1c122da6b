// What is no fault of a file but what its reader has to know: voids, and statements dated before what they are for. A
// witness's clock is evidence only, so a statement that is dated early fails nothing.

import { microseconds } from "./log.js";
import { drawingsOf, releasesOf } from "./witnesses.js";

/** @import { LogEvent, Proof, Values } from "./proof.js" */
/** @typedef {{code: "unconfirmed" | "after_release" | "before_terms" | "before_closing", values: Values}} Caveat */

/** @param {LogEvent} event */
const milliseconds = (event) => Number(microseconds(event.recorded_at) / 1000n);

/**
 * @param {Proof} proof
 * @returns {Caveat[]}
 */
export function caveatsOn(proof) {
  /** @type {Caveat[]} */
  const caveats = [];
  const [voided, closed, released] = ["RoundVoided", "BettingClosed", "LinksReleased"].map((kind) => proof.findEvent(kind));
  if (voided && proof.witnesses.length && !proof.findEvent("RoundSettled")) {
    const times = released?.data.releases.map((/** @type {{time_ms: number}} */ each) => each.time_ms) ?? [];
    if (!released) caveats.push({ code: "unconfirmed", values: {} });
    else if (closed && Math.min(...times) < milliseconds(voided)) caveats.push({ code: "after_release", values: {} });
  }
  for (const { listed, kind, closed: closing, released: given } of drawingsOf(proof)) {
    const fixed = kind === 4 ? proof.findShoeEvent("ShoeCommitted") : proof.requireTerms().at(-1);
    const releases = releasesOf(listed, given);
    listed.forEach(({ chain, index }, at) => {
      for (const [code, event] of /** @type {const} */ ([["before_terms", fixed], ["before_closing", closing]])) {
        const ahead = event ? milliseconds(event) - releases[at].time_ms : 0;
        if (ahead > 0) return void caveats.push({ code, values: { chain, index, ms: ahead } });
      }
    });
  }
  return caveats;
}
