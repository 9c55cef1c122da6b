// Signs this window's wagers by a key of its own: the terms that stood before a wager can't be exchanged afterwards.
// The bytes are those of /play/verify/specification.

import { ownPart, stakesOf } from "../core/table_state.js";
import { hex } from "./cut.js";

/** @import { Game } from "./game.js" */

const TAG = new TextEncoder().encode("casino.baccarat.wager.v1\0");
const ALGORITHM = "ed25519";
const ED25519 = 1;
/** @type {Api["Spot"][]} */
const SPOTS = ["player", "banker", "tie"];

/** @param {string} digits */
const unhex = (digits) => Uint8Array.from(digits.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));

/** @param {bigint | number} number */
function inEightBytes(number) {
  const view = new DataView(new ArrayBuffer(8));
  view.setBigUint64(0, BigInt(number));
  return new Uint8Array(view.buffer);
}

/** Make a key that never leaves this window; null where the browser can't. */
async function makeKey() {
  try {
    const { privateKey, publicKey } = /** @type {CryptoKeyPair} */ (await crypto.subtle.generateKey("Ed25519", false, ["sign"]));
    const raw = new Uint8Array(await crypto.subtle.exportKey("raw", publicKey));
    return { privateKey, publicKey: hex(Uint8Array.of(ED25519, ...raw)) };
  } catch {
    return null; // an older browser, or a page without HTTPS: wagers go unsigned, and verdicts say so
  }
}

export class WagerSigner {
  /** @param {Game} game */
  constructor(game) {
    this.game = game;
    this.key = makeKey();
  }

  /** Return the signature to send with a deal: of the chips on the table, on the terms in force. */
  async forDeal() {
    const { state } = this.game;
    const { terms, you } = state;
    // A service older than this page takes no signature, and would refuse the whole wager for it.
    const key = you?.wager_signatures?.includes(ALGORITHM) ? await this.key : null;
    if (!key || !terms || !you) return {};
    const placed = stakesOf(ownPart(state.round));
    const stakes = SPOTS.map((spot, at) => ({ number: at + 1, units: placed[spot] ?? 0n })).filter(({ units }) => units > 0n);
    const nonce = crypto.getRandomValues(new Uint8Array(32));
    const currency = new TextEncoder().encode(state.currency);
    const wager = Uint8Array.of(
      ...TAG, ...unhex(terms.digest), you.seat, you.money_type === "play" ? 2 : 1, ...inEightBytes(currency.length), ...currency, stakes.length,
      ...stakes.flatMap(({ number, units }) => [number, ...inEightBytes(units)]), ...nonce,
    );
    const signature = new Uint8Array(await crypto.subtle.sign("Ed25519", key.privateKey, wager));
    return { signature: { public_key: key.publicKey, nonce: hex(nonce), signature: hex(signature) } };
  }
}
