// The player's contributions to the cut, drawn at random by this browser unless the player chooses one.

import { command, NoResponse, Problem } from "../core/api.js";

/** @import { Game } from "./game.js" */

const MAX_BYTES = 32;
const DIGITS = /^([0-9a-f]{2}){1,32}$/i;

/** @param {Uint8Array} bytes */
export const hex = (bytes) => [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");

/** Return 16 random bytes in hex. */
export const randomContribution = () => hex(crypto.getRandomValues(new Uint8Array(16)));

/**
 * Convert typed text to hex: hex digits as they are, other text as UTF-8; null if empty or too long.
 * @param {string} text
 */
export function parseContribution(text) {
  const trimmed = text.trim();
  if (DIGITS.test(trimmed)) return trimmed.toLowerCase();
  const bytes = new TextEncoder().encode(trimmed);
  return bytes.length > 0 && bytes.length <= MAX_BYTES ? hex(bytes) : null;
}

/** `next` is contributed to the next shoe: at once for a shoe of many rounds, else with the player's deal. */
export class CutContributions {
  /** @param {Game} game */
  constructor(game) {
    this.game = game;
    this.next = randomContribution();
    /** @type {string | null} */
    this.sentFor = null;
    /** What was sent last. @type {string | null} */
    this.sent = null;
  }

  /** Return the shoe that accepts contributions now; null if none, or without a seat. */
  openShoe() {
    const { you, next_shoe: next } = this.game.state;
    return you ? next : null;
  }

  /**
   * Find this seat's contribution to a shoe, or null.
   * @param {{contributions: Api["Contribution"][]} | null} shoe
   */
  ownContribution(shoe) {
    const { you } = this.game.state;
    return shoe?.contributions.find((each) => each.seat === you?.seat)?.contribution ?? null;
  }

  /** Return the contribution to send with a deal: only where each round has its own shoe, and only once. */
  async forDeal() {
    const shoe = this.game.state.rules.shuffle === "shoe" ? null : this.openShoe();
    return shoe && this.ownContribution(shoe) === null ? this.signed(this.takeNext()) : {};
  }

  /**
   * Return a contribution to the open shoe as it is sent, with its signature where it is signed.
   * @param {string} contribution
   */
  async signed(contribution) {
    this.sent = contribution;
    const signature = await this.game.signer.signContribution(this.openShoe(), contribution);
    return { contribution, ...(signature && { contribution_signature: signature }) };
  }

  takeNext() {
    const contribution = this.next;
    this.next = randomContribution();
    return contribution;
  }

  /** Contribute to a shoe of many rounds as soon as the table has committed to it. */
  async contributeAutomatically() {
    const { state, table } = this.game;
    const shoe = state.rules.shuffle === "shoe" ? this.openShoe() : null;
    if (!shoe || this.sentFor === shoe.id || this.ownContribution(shoe) !== null) return;
    this.sentFor = shoe.id;
    try {
      await command(`tables/${table}/cut`, await this.signed(this.takeNext()));
      await this.game.stream.refresh();
    } catch (error) {
      if (!(error instanceof Problem || error instanceof NoResponse)) throw error;
    }
  }

  /**
   * Contribute the player's choice to the next shoe.
   * @param {string} contribution
   */
  async contribute(contribution) {
    this.game.updates.applyAnswer(await command(`tables/${this.game.table}/cut`, await this.signed(contribution)));
  }
}
