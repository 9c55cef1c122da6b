// The parts of an exported round, and its events by what they are.

import { Wrong } from "./results.js";

export class Proof {
  constructor(document, trusted) {
    Object.assign(this, document);
    this.trusted = new Set(trusted);
    this.stream = `round-${this.round.id}`;
    this.tableStream = `table-${this.round.table}`;
    this.ofRound = this.events.filter((event) => event.stream === this.stream);
    this.ofTable = this.events.filter((event) => event.stream === this.tableStream);
  }

  /** The round's first event of a kind, or undefined. */
  maybe(kind) {
    return this.ofRound.find((event) => event.type === kind);
  }

  /** The same, which must be there and open to read. */
  first(kind) {
    const found = this.maybe(kind);
    if (!found) throw new Wrong("event.missing", kind, this.ofRound.map((event) => event.type), { kind });
    if (!found.data) throw new Wrong("event.withheld", kind, null, { kind });
    return found;
  }

  all(kind) {
    return this.ofRound.filter((event) => event.type === kind && event.data).map((event) => event.data);
  }

  get opened() {
    return this.first("RoundOpened").data;
  }

  get isLong() {
    return this.rules.shuffle === "shoe";
  }

  /** The table's event of a kind about this round's shoe, or undefined. */
  ofShoe(kind) {
    return this.ofTable.find((event) => event.type === kind && event.data?.shoe === this.shoe.id);
  }

  /** The event that committed to the shoe's seed, and the one that fixed its cut. */
  committed() {
    if (!this.isLong) return [this.first("RoundOpened"), this.maybe("BettingClosed")];
    const started = this.ofShoe("ShoeStarted");
    if (!started) throw new Wrong("shoe.unstarted", "ShoeStarted", this.ofTable.map((event) => event.type));
    return [this.ofShoe("ShoeCommitted") ?? started, started];
  }

  /** Who confirmed what, by seat. */
  wagers() {
    const found = new Map();
    for (const wager of this.all("WagerConfirmed")) {
      if (found.has(wager.seat)) throw new Wrong("wagers.twice", 1, 2, { seat: wager.seat });
      found.set(wager.seat, wager);
    }
    return found;
  }
}
