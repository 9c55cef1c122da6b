// The player's part in the shuffle: something of one's own for each shoe, drawn by this browser unless it was chosen.

import { command, NoAnswer, Problem } from "../core/api.js";
import { drawn } from "../core/cut.js";

/** `next` goes to the next shoe that takes it; with a long shoe it is sent at once, else along with the deal. */
export class Cutting {
  constructor(game) {
    this.game = game;
    this.next = drawn();
    this.chosen = false;
    this.sentFor = null;
  }

  /** The shoe that takes contributions now, as {id, contributions}, or null: none is committed to, or one has no seat. */
  open() {
    const { you, rules, round, next_shoe: next } = this.game.picture;
    if (!you) return null;
    if (rules.shuffle === "shoe") return next;
    return round?.phase === "betting" && you.in_round ? { id: round.shoe, contributions: round.contributions } : null;
  }

  /** Find what this seat has added to a shoe, or null. */
  mine(shoe) {
    const { you } = this.game.picture;
    return shoe?.contributions.find((each) => each.seat === you?.seat)?.contribution ?? null;
  }

  /** What a deal takes along: only to a shoe of the round's own, and only once. */
  forDeal() {
    const shoe = this.game.picture.rules.shuffle === "shoe" ? null : this.open();
    return shoe && this.mine(shoe) === null ? { contribution: this.take() } : {};
  }

  take() {
    const given = this.next;
    this.next = drawn();
    this.chosen = false;
    return given;
  }

  /** A long shoe takes what this browser has drawn as soon as it is committed to. */
  async watch() {
    const { picture, table } = this.game;
    const shoe = picture.rules.shuffle === "shoe" ? this.open() : null;
    if (!shoe || this.sentFor === shoe.id || this.mine(shoe) !== null) return;
    this.sentFor = shoe.id;
    try {
      await command(`tables/${table}/cut`, { contribution: this.take() });
      await this.game.live.look();
    } catch (error) {
      if (!(error instanceof Problem || error instanceof NoAnswer)) throw error;
    }
  }

  /** Add what the player chose: now where a shoe takes it (true), else along with the next deal (false). */
  async give(contribution) {
    if (!this.open()) {
      this.next = contribution;
      this.chosen = true;
      return false;
    }
    this.game.sight.answered(await command(`tables/${this.game.table}/cut`, { contribution }));
    return true;
  }
}
