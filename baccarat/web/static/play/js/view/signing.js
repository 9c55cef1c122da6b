// Signs this window's wagers and contributions by a key of its own: the terms that stood before a wager can't be
// exchanged afterwards, and nobody else can contribute in the player's name.
// The bytes are those of /play/verify/specification.

import { ownPart, stakesOf } from "../core/table_state.js";
import { hex } from "./cut.js";

/** @import { Stakes } from "../core/table_state.js" */
/** @import { Game } from "./game.js" */

/**
 * What this page showed of a wager and sent of it; the signature is null where the wager is not signed.
 * @typedef {{terms: Api["Terms"] | null, round?: string, player?: string, seat?: number, money_type?: Api["MoneyType"], currency: string, stakes: Stakes, signature: Api["WagerSignature"] | null}} ShownWager
 */

const [WAGER, CONTRIBUTION] = ["wager.v2", "contribution.v1"].map((name) => new TextEncoder().encode(`casino.baccarat.${name}\0`));
const ALGORITHM = "ed25519";
const ED25519 = 1;

/** @param {string} digits */
const unhex = (digits) => Uint8Array.from(digits.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));

/** @param {string} id */
const uuid = (id) => unhex(id.replaceAll("-", ""));

/**
 * The bytes of a wager's id: its round's, as a number, plus the seat.
 * @param {string} round
 * @param {number} seat
 */
const wagerId = (round, seat) => unhex((BigInt(`0x${round.replaceAll("-", "")}`) + BigInt(seat)).toString(16).padStart(32, "0"));

/** @param {string} text */
function named(text) {
  const name = new TextEncoder().encode(text);
  return [...inEightBytes(name.length), ...name];
}

/** @param {bigint | number} number */
function inEightBytes(number) {
  const view = new DataView(new ArrayBuffer(8));
  view.setBigUint64(0, BigInt(number));
  return new Uint8Array(view.buffer);
}

/**
 * What a contribution says of witnesses: their count, then each chain's id and index, which come by chain.
 * @param {readonly {chain: string, index: number}[]} listed
 */
const indexesOf = (listed) => [listed.length, ...listed.flatMap(({ chain, index }) => [...unhex(chain), ...inEightBytes(index)])];

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

  /**
   * Return the wager that a deal confirms, with its signature: of the chips on the table, on the terms in force.
   * @returns {Promise<ShownWager>}
   */
  async shownWager() {
    const { you, terms, currency, round } = this.game.state;
    const shown = { terms, round: round?.id, player: you?.player, seat: you?.seat, money_type: you?.money_type, currency, stakes: stakesOf(ownPart(round)), signature: null };
    return this.isTaken() ? { ...shown, signature: await this.sign(shown) } : shown;
  }

  /** Whether the service takes signatures; an older one than this page would refuse the whole command for it. */
  isTaken() {
    return this.game.state.you?.wager_signatures?.includes(ALGORITHM) ?? false;
  }

  /**
   * Return the signature of a contribution to a shoe; null where it is not signed.
   * @param {Api["TableState"]["next_shoe"]} shoe
   * @param {string} contribution
   */
  async signContribution(shoe, contribution) {
    const { id, you, terms } = this.game.state;
    const key = await this.key;
    // Before the terms of the next round are fixed, a contribution may go to the shoe after the one that is shown.
    if (!key || !you || !terms || !shoe || !this.isTaken()) return null;
    const data = unhex(contribution);
    const signed = Uint8Array.of(
      ...CONTRIBUTION, ...uuid(id), ...unhex(shoe.commitment), ...indexesOf(shoe.witnesses ?? []), you.seat, ...inEightBytes(data.length), ...data,
    );
    return { public_key: key.publicKey, signature: hex(new Uint8Array(await crypto.subtle.sign("Ed25519", key.privateKey, signed))) };
  }

  /**
   * @param {ShownWager} shown
   * @returns {Promise<ShownWager["signature"]>}
   */
  async sign({ terms, round, player, seat, money_type: money, currency, stakes }) {
    const key = await this.key;
    if (!key || !terms || !round || !player || seat === undefined) return null;
    const placed = this.game.state.rules.spots.map(({ name }) => ({ spot: name, units: stakes[name] ?? 0n })).filter(({ units }) => units > 0n);
    const nonce = crypto.getRandomValues(new Uint8Array(32));
    const wager = Uint8Array.of(
      ...WAGER, ...unhex(terms.digest), ...wagerId(round, seat), ...uuid(player), seat, money === "play" ? 2 : 1, ...named(currency),
      placed.length, ...placed.flatMap(({ spot, units }) => [...named(spot), ...inEightBytes(units)]), ...nonce,
    );
    const signature = new Uint8Array(await crypto.subtle.sign("Ed25519", key.privateKey, wager));
    return { public_key: key.publicKey, nonce: hex(nonce), signature: hex(signature) };
  }
}
