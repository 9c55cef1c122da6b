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
    this.others = this.events.filter((event) => event.stream !== this.stream && event.stream !== this.tableStream);
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
    if (!this.isLong) return [this.naming(), this.maybe("BettingClosed")];
    const started = this.ofShoe("ShoeStarted");
    if (!started) throw new Wrong("shoe.unstarted", "ShoeStarted", this.ofTable.map((event) => event.type));
    const promise = this.ofShoe("ShoeCommitted");
    if (!promise) throw new Wrong("event.missing", "ShoeCommitted", this.ofTable.map((event) => event.type), { kind: "ShoeCommitted" });
    return [promise, started];
  }

  /** The opening that named the round's own shoe: the table's, or that of the round before. */
  naming() {
    const { number, shoe } = this.opened;
    const first = this.ofTable.find((event) => event.type === "TableOpened");
    if (!first) throw new Wrong("event.missing", "TableOpened", this.ofTable.map((event) => event.type), { kind: "TableOpened" });
    const event = number === 1 ? first : this.others.find((each) => each.type === "RoundOpened");
    const named = event?.data.next_shoe ?? null;
    if (named === null) throw new Wrong("naming.none", number - 1, null, { number });
    if (number > 1 && event.data.number !== number - 1) throw new Wrong("naming.other", number - 1, event.data.number);
    if (named.shoe !== shoe) throw new Wrong("naming.shoe", named.shoe, shoe);
    return event;
  }

  /** What the event that committed to the seed promises: the commitment, and the shape it is bound to. */
  promised(promise) {
    return this.isLong ? promise.data : promise.data.next_shoe;
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
