// The witnesses that the operator named as it let the player in: no bet is placed on terms that none of them stands for.

import { get } from "../core/api.js";
import { namedKeys } from "../core/session.js";
import { hex, sha256, unhex } from "../../verify/hashes.js";

/** @import { WitnessAddress } from "../../verify/public_reads.js" */

const KEYS = "../../.well-known/jwks.json";
/** Where a chain's header ends with the witness's key: u32 and u64 follow it. */
const [KEY_FROM, KEY_TO] = [-88, -24];
/** The release key of each chain that was looked up. A chain's id is the hash of its header, which has the key. @type {Map<string, string>} */
const known = new Map();

/** The keys that the house publishes for some purposes, beside those of checkpoints. @param {(purpose: string) => boolean} isWanted */
async function keysFor(isWanted) {
  const [log, { keys }] = await Promise.all([get("log/keys"), get(KEYS)]);
  const wanted = keys.filter((/** @type {{purpose: string}} */ key) => isWanted(key.purpose));
  return [...log.items.map((/** @type {Api["LogKey"]} */ key) => key.public_key), ...wanted.map((/** @type {{name: string}} */ key) => key.name)];
}

/** The keys that the house publishes, of checkpoints and of receipts. @returns {Promise<string[]>} */
export const publishedKeys = () => keysFor((purpose) => purpose === "receipt");

/** The keys by which the operator expects links to be given out: those that are not the house's own. @returns {Promise<string[]>} */
export async function namedReleaseKeys() {
  const named = namedKeys()?.keys.filter((key) => !key.includes("+")) ?? [];
  if (!named.length) return [];
  const own = await keysFor(() => true);
  return named.filter((key) => !own.includes(key));
}

/**
 * The key of the witness that a chain is of, as the witness shows it itself; nothing if none shows it.
 * @param {string} chain
 */
async function releaseKeyOf(chain) {
  const found = known.get(chain);
  if (found) return found;
  const { items } = await get("log/witnesses");
  const shown = await Promise.all(items.map((/** @type {WitnessAddress} */ { url }) => headerAt(url, chain)));
  for (const header of shown) {
    if (header && hex(await sha256(unhex(header))) === chain) known.set(chain, header.slice(KEY_FROM, KEY_TO));
  }
  return known.get(chain);
}

/**
 * @param {string} url
 * @param {string} chain
 * @returns {Promise<string | null>}
 */
async function headerAt(url, chain) {
  try {
    const response = await fetch(`${url}/v1/chains/${chain}`, { cache: "no-store", credentials: "omit" });
    return response.ok ? (await response.json()).header : null;
  } catch {
    return null; // as if it showed none
  }
}

/**
 * Whether the operator named witnesses, and none of them stands for these terms.
 * @param {Api["Terms"] | null} terms
 */
export async function lacksNamedWitness(terms) {
  const named = await namedReleaseKeys();
  if (!named.length) return false;
  const keys = await Promise.all((terms?.witnesses ?? []).map(({ chain }) => releaseKeyOf(chain)));
  return !keys.some((key) => key !== undefined && named.includes(key));
}
