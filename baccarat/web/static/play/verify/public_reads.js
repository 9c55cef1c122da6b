// What witnesses say themselves, at their own addresses, compared with an exported round: neither side can say two things.

import { hex } from "./hashes.js";
import { CannotCheck, CheckFailed, DoesNotApply } from "./proof.js";
import { digestIn, drawingsOf, encodeStatement, openedChains, releasesOf, requireSigned } from "./witnesses.js";

/** @import { Finding, Proof } from "./proof.js" */
/** @import { WitnessIndex } from "./witnesses.js" */
/** @typedef {Pick<Api["LogWitness"], "name" | "url" | "release_key">} WitnessAddress */

/**
 * Read what a witness publishes; null if there is nothing.
 * @param {WitnessAddress} witness
 * @param {string} path
 * @returns {Promise<any>}
 */
async function readPublic({ name, url }, path) {
  try {
    const response = await fetch(url + path, { cache: "no-store", credentials: "omit" });
    if (response.status === 404) return null;
    if (response.ok) return await response.json();
  } catch {
    // as if it had no answer
  }
  throw new CannotCheck("public.away", { name });
}

/**
 * The keys by which a witness signs, as it says at its own address; none if it can't be reached or is another one.
 * @param {WitnessAddress} witness
 * @returns {Promise<string[]>}
 */
export async function keysOf(witness) {
  const identity = await readPublic(witness, "/").catch(() => null);
  return identity?.release_key === witness.release_key ? [identity.release_key, identity.cosigner] : [];
}

/**
 * Compare each link of a round with what its witness shows. Where a closing is withheld, its digest is the one that the
 * witness shows, under which the casino's copy of the signature must be right; where the casino shows no link yet, a
 * witness may have none, or one for the round's own closing.
 * @param {Proof} proof
 * @param {readonly WitnessAddress[]} witnesses
 * @returns {Promise<Finding>}
 */
export async function publicReads(proof, witnesses) {
  const chains = await openedChains(proof);
  const closing = (proof.findEvent("BettingClosed") ?? proof.findEvent("RoundVoided"))?.data?.closing;
  /** @type {Map<string, {place: WitnessIndex, kind: number, digest?: string, release?: any}>} */
  const links = new Map(proof.witnesses.map((place) => [place.chain + place.index, { place, kind: 0, digest: closing?.digest }]));
  for (const { listed, kind, closed, released } of drawingsOf(proof)) {
    const releases = releasesOf(listed, released);
    listed.forEach((place, at) => links.set(place.chain + place.index, { place, kind, digest: closed?.data?.closing.digest, release: releases[at] }));
  }
  if (!links.size) throw new DoesNotApply("witnesses.none");
  const names = new Set();
  for (const { place, kind, digest, release } of links.values()) {
    const { chain, index } = place;
    const key = chains.get(chain)?.key;
    const witness = witnesses.find((each) => key && each.release_key === hex(key));
    if (!key || !witness) throw new CannotCheck("public.unknown", { chain });
    const { name } = witness;
    /** @type {string | null} */
    const said = (await readPublic(witness, `/v1/chains/${chain}/${index}`))?.statement ?? null;
    const given = digest ?? (said === null ? null : digestIn(said));
    const shown = release && given ? encodeStatement(place, release, kind, given) : null;
    if (shown ? hex(shown) !== said : release || (said !== null && digestIn(said) !== given)) throw new CheckFailed("public.differs", shown && hex(shown), said, { name, chain, index });
    if (shown && !digest) await requireSigned(key, shown, release.signature, "witnesses.unsigned");
    if (!shown && said !== null) throw new CannotCheck("public.later", { name, chain, index });
    names.add(name);
  }
  return ["public.ok", { names: [...names].join(", "), n: links.size }];
}
