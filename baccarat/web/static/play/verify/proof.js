// An exported round with its events by kind, and the errors by which a check ends.

/**
 * An event of the log. What its data may hold is for the checks to find out: the file may come from anybody.
 * @typedef {Omit<Api["ProofEvent"], "data"> & {data: any, sealed: any}} LogEvent
 */
/**
 * An exported round whose fields have been checked by `requireShape`.
 * @typedef {Omit<Api["RoundProof"], "events" | "rules" | "keys"> & {events: LogEvent[], rules: any, keys: Api["LogKey"][]}} ProofDocument
 */
/** @typedef {Record<string, unknown>} Values */
/** @typedef {[code: string, values?: Values]} Finding what a passed check found: the key of its message, with values */

/** A value differs. `code` is the key of the message, `values` fill its placeholders. */
export class CheckFailed extends Error {
  /**
   * @param {string} code
   * @param {unknown} expected
   * @param {unknown} found
   * @param {Values} [values]
   */
  constructor(code, expected, found, values = {}) {
    super(code);
    this.code = code;
    this.expected = expected;
    this.found = found;
    this.values = values;
  }
}

/** Something can't be checked with this file. */
export class CannotCheck extends Error {
  /**
   * @param {string} code
   * @param {Values} [values]
   */
  constructor(code, values = {}) {
    super(code);
    this.code = code;
    this.values = values;
  }
}

/** The round has nothing of this kind. */
export class DoesNotApply extends CannotCheck {}

/**
 * The event of a deal with which the next round's terms were fixed, as one that fixes terms; otherwise nothing.
 * @param {LogEvent} event
 * @returns {LogEvent[]}
 */
export function termsWithCards(event) {
  const terms = event.type === "CardsDealt" && event.data?.next_terms;
  if (!terms) return [];
  const { number, decks, ...shoe } = terms;
  return [{ ...event, data: { number, next_shoe: { ...shoe, shape: { decks, cut_cards_from_end: null, burn: false, fixed_order: false } }, place: null } }];
}

export class Proof {
  /**
   * @param {ProofDocument} document
   * @param {readonly string[]} keys
   * @param {readonly string[]} [witnessKeys] which are trusted, too; those of releases have to occur among the links
   * @param {boolean} [requireSigned] whether each wager has to be signed
   * @param {readonly string[]} [oneOf] trusted keys of which one has to occur among the links
   */
  constructor(document, keys, witnessKeys = [], requireSigned = false, oneOf = []) {
    const trusted = [...keys, ...witnessKeys];
    this.round = document.round;
    this.rules = document.rules;
    this.shoe = document.shoe;
    this.events = document.events;
    this.inclusion_proofs = document.inclusion_proofs;
    this.checkpoint = document.checkpoint;
    this.keys = document.keys;
    this.trusted = new Set(trusted.filter((key) => !key.includes("+")));
    this.required = witnessKeys.filter((key) => !key.includes("+"));
    this.requireSigned = requireSigned;
    this.oneOf = oneOf;
    this.cosigners = trusted.filter((key) => key.includes("+"));
    /** @type {{name: string, time: string}[]} */
    this.cosignedBy = [];
    this.stream = `round-${this.round.id}`;
    this.tableStream = `table-${this.round.table}`;
    this.roundEvents = this.events.filter((event) => event.stream === this.stream);
    this.tableEvents = this.events.filter((event) => event.stream === this.tableStream);
    this.otherEvents = this.events.filter((event) => event.stream !== this.stream && event.stream !== this.tableStream);
  }

  /**
   * The round's first event of a kind, or undefined.
   * @param {string} kind
   */
  findEvent(kind) {
    return this.roundEvents.find((event) => event.type === kind);
  }

  /**
   * The round's first event of a kind, which must exist and not be withheld.
   * @param {string} kind
   */
  requireEvent(kind) {
    const event = this.findEvent(kind);
    if (!event) throw new CheckFailed("event.missing", kind, this.roundEvents.map((each) => each.type), { kind });
    if (!event.data) throw new CheckFailed("event.withheld", kind, null, { kind });
    return event;
  }

  /** Whether a sandbox operator chose the cards. */
  get isForced() {
    return Boolean(this.findEvent("CardsForced"));
  }

  /** @param {string} kind */
  allData(kind) {
    return this.roundEvents.filter((event) => event.type === kind && event.data).map((event) => event.data);
  }

  get opened() {
    return this.requireEvent("RoundOpened").data;
  }

  /**
   * The links that the round uses: the chain of each witness, and the index.
   * @returns {{chain: string, index: number}[]}
   */
  get witnesses() {
    return this.opened.witnesses ?? [];
  }

  /**
   * The links that the shoe follows from: those of the round, or of its long shoe.
   * @returns {{chain: string, index: number}[]}
   */
  get shoeWitnesses() {
    return this.isLong ? this.findShoeEvent("ShoeCutClosed")?.data.witnesses ?? [] : this.witnesses;
  }

  /**
   * The events that fix the terms of the table's round with this number, with what they say of them.
   * @param {number} number
   */
  termsEvents(number) {
    const fixed = this.tableEvents.filter((event) => event.type === "TermsFixed" && event.data);
    const events = [...fixed, ...this.otherEvents.flatMap(termsWithCards)].sort((one, other) => one.position - other.position);
    return events.filter((event) => event.data.number === number);
  }

  /** The events that fix the terms of this round. */
  requireTerms() {
    const fixed = this.termsEvents(this.opened.number);
    if (!fixed.length) throw new CheckFailed("event.missing", "TermsFixed", this.tableEvents.map((event) => event.type), { kind: "TermsFixed" });
    return fixed;
  }

  get isLong() {
    return this.rules.shuffle === "shoe";
  }

  /** Whether the round draws its cards from what is left of a long shoe. */
  get drawsByRound() {
    return this.isLong && !this.rules.fixed_order;
  }

  /**
   * The table's event of a kind about this round's shoe, or undefined.
   * @param {string} kind
   */
  findShoeEvent(kind) {
    return this.tableEvents.find((event) => event.type === kind && event.data?.shoe === this.shoe.id);
  }

  /**
   * The event that committed to the shoe's seed, and the one that fixed its cut.
   * @returns {[announcement: LogEvent, fixed: LogEvent]}
   */
  findCommitment() {
    if (!this.isLong) return [this.findAnnouncingEvent(), this.requireTerms()[0]];
    const started = this.findShoeEvent("ShoeStarted");
    if (!started) throw new CheckFailed("shoe.unstarted", "ShoeStarted", this.tableEvents.map((event) => event.type));
    const announcement = this.findShoeEvent("ShoeCommitted");
    if (!announcement) throw new CheckFailed("event.missing", "ShoeCommitted", this.tableEvents.map((event) => event.type), { kind: "ShoeCommitted" });
    return [announcement, started];
  }

  /** The event that committed to the round's own shoe: the table's opening, or what was fixed a round ahead. */
  findAnnouncingEvent() {
    const { number, shoe } = this.opened;
    const first = this.tableEvents.find((event) => event.type === "TableOpened");
    if (!first) throw new CheckFailed("event.missing", "TableOpened", this.tableEvents.map((event) => event.type), { kind: "TableOpened" });
    const committing = (number === 1 ? [first] : this.termsEvents(number - 1)).filter((each) => each.data.next_shoe);
    if (committing.length !== 1) throw new CheckFailed("announcement.none", 1, committing.length, { number });
    const [event] = committing;
    const commitment = event.data.next_shoe;
    if (commitment.shoe !== shoe) throw new CheckFailed("announcement.shoe", commitment.shoe, shoe);
    return event;
  }

  /**
   * The commitment in an event, with the shape it is bound to.
   * @param {LogEvent} announcement
   */
  commitmentData(announcement) {
    return this.isLong ? announcement.data : announcement.data.next_shoe;
  }

  /** The confirmed wagers by seat. */
  confirmedWagers() {
    /** @type {Map<number, any>} */
    const bySeat = new Map();
    for (const wager of this.allData("WagerConfirmed")) {
      if (bySeat.has(wager.seat)) throw new CheckFailed("wagers.twice", 1, 2, { seat: wager.seat });
      bySeat.set(wager.seat, wager);
    }
    return bySeat;
  }
}
