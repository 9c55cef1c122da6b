// The shape of exported files and receipts: every member that a check uses, so that no check reads anything else. A
// shape is the name of a kind, the members of an object, or a list of items: any, each once, or ascending. "?" after a
// member: it may be absent; before a kind: it may be null. Objects are listed by their first member.

import { FACTS } from "./facts.js";
import { CheckFailed } from "./proof.js";

/** @import { ProofDocument } from "./proof.js" */
/** @import { Condition, Spot } from "./spots.js" */
/** @typedef {{[name: string]: Shape}} Members */
/** @typedef {string | Members | List | OrNull} Shape */

class List {
  /**
   * @param {Shape} items
   * @param {"any" | "once" | "ascending"} [order]
   */
  constructor(items, order = "any") {
    this.items = items;
    this.order = order;
  }
}

class OrNull {
  /** @param {Shape} shape */
  constructor(shape) {
    this.shape = shape;
  }
}

/** @param {Shape} items */
const each = (items) => new List(items);
/** @param {Shape} items */
const once = (items) => new List(items, "once");
/** @param {Shape} items */
const ascending = (items) => new List(items, "ascending");
/** @param {Shape} shape */
const orNull = (shape) => new OrNull(shape);
/**
 * @param {string} kind
 * @param {...string} names
 * @returns {Members}
 */
const all = (kind, ...names) => Object.fromEntries(names.map((name) => [name, kind]));

const MAX = Number.MAX_SAFE_INTEGER;
/** @type {Map<string, [least: number, most: number]>} */
const NUMBERS = new Map([
  ["count", [0, MAX]], ["positive", [1, MAX]], ["seat", [1, 255]], ["u32", [1, 2 ** 32 - 1]], ["decks", [1, 8]], ["part", [1, 10_000]], ["hands", [0, 1]],
]);
const TEXTS = new Map([
  ["text", /^/], ["uuid", /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/], ["hash", /^[0-9a-f]{64}$/],
  ["signature", /^[0-9a-f]{128}$/], ["hex", /^(?:[0-9a-f]{2})*$/], ["contribution", /^(?:[0-9a-f]{2}){1,32}$/], ["card", /^[A23456789TJQK][cdhs]$/],
  ["spot", /^[a-z][a-z0-9_]{0,31}$/], ["outcome", /^(?:player|banker|tie)$/], ["kind", /^(?:main|side)$/], ["money", /^(?:real|play)$/], ["amount", /^(?:0|[1-9][0-9]{0,14})(?:\.[0-9]{1,8})?$/],
  ["shuffle", /^(?:each_round|shoe)$/], ["under_minimum", /^(?:raise|reject)$/], ["spots_per_round", /^(?:any|one)$/], ["timing", /^(?:settlement|deferred)$/],
  ["side", /^(?:player|banker)$/], ["reason", /^(?:malfunction|misdeal|wrong_rules|fraud|other)$/],
]);
const MOMENT = /^(?:19[7-9]\d|[2-9]\d{3})-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;

const RATIO = all("part", "numerator", "denominator");
const SHAPE = { decks: "decks", cut_cards_from_end: "?count", burn: "flag", fixed_order: "flag" };
const SPOT = {
  name: "spot", kind: "kind", lines: each({ when: once({ fact: "text", values: once("value") }), pays: orNull(RATIO) }),
  commission: orNull({ rate: RATIO, rounding: orNull(RATIO), timing: "timing" }), minimum: "?positive", maximum: "?positive", needs: once("spot"),
};
const [MOST_SPOTS, MOST_LINES] = [24, 32];
const RULES = {
  preset: "text", version: "count", currency: "text", ...SHAPE, shuffle: "shuffle", chips: ascending("positive"), minimum: "count", maximum: "count",
  under_minimum: "under_minimum", spots_per_round: "spots_per_round", play_money: "flag", hands_after_cut: "hands", spots: "spots",
};
const RECORDED_RULES = { digest: "hash", values: "rules" };
const NEXT_SHOE = { shoe: "uuid", commitment: "hash", shape: SHAPE };
const CUT = { contributions: ascending({ seat: "seat", contribution: "contribution", "public_key?": "hex" }), cut: "hash" };
const LINK = { chain: "hash", index: "count" };
const RELEASES = ascending({ chain: "hash", link: "hash", time_ms: "count", number: "positive", previous: "hash", signature: "signature", path: "hex" });
const CLOSING = { ...all("hash", "digest", "blind", "sealed_head", "before"), "cosigned?": orNull({ size: "count", root: "hash" }) };
const PLACE = { next_place: "count", cards: "hash", commitment: "hash", next_commitment: "hash" };
const TERMS = { number: "count", shoe: "uuid", ...PLACE, rules: "hash", cut: "hash" };
const PLAYER_SIGNATURE = { public_key: "hex", signature: "signature" };
const WAGER_SIGNATURE = { ...PLAYER_SIGNATURE, nonce: "hash" };
const PLAYER = { seat: "seat", player: "uuid", money_type: "money" };
const SETTLED = {
  ...PLAYER, wager: "uuid", results: once({ spot: "spot", stake: "positive", result: "text", ...all("count", "won", "commission", "returned") }),
  ...all("count", "staked", "won", "commission", "returned"), deferred: "flag",
};
const GIVEN_BACK = {
  ...PLAYER, wager: "uuid", ...all("count", "staked", "returned", "commission", "from_rack", "to_game", "to_account", "from_game", "from_account", "owed", "forgiven"),
};
const OPENED = {
  ...all("uuid", "round", "table", "operator", "shoe"), number: "positive", rules: "hash", rules_label: "text", commitment: "?hash", seats: ascending(PLAYER), opened_at: "time",
  "witnesses?": ascending(LINK), terms: "hash", contributions: CUT.contributions,
};
/** Which members of an event's data checks use. */
const EVENTS = new Map(Object.entries(/** @type {Record<string, Members>} */ ({
  TableOpened: { rules: RECORDED_RULES, next_shoe: orNull(NEXT_SHOE) },
  RulesTookEffect: { rules: RECORDED_RULES },
  TermsFixed: { number: "count", digest: "hash", place: orNull(PLACE), next_shoe: orNull(NEXT_SHOE) },
  ShoeCommitted: { ...NEXT_SHOE, number: "count" },
  ShoeCutContributed: { shoe: "uuid", seat: "seat", player: "uuid", contribution: "contribution", "signature?": orNull(PLAYER_SIGNATURE) },
  ShoeStarted: {
    shoe: "uuid", number: "count", commitment: "hash", turned_card: "?card", burned_count: "count", ...CUT, root: "?hash", first_round: "count",
    started_at: "time", closing: orNull(CLOSING),
  },
  ShoeCutClosed: { shoe: "uuid", closed_at: "time", witnesses: ascending(LINK), closing: CLOSING },
  ShoeLinksReleased: { shoe: "uuid", releases: RELEASES },
  ShoeEnded: { shoe: "uuid", seed: "hash" },
  TableClosed: { seeds: once({ shoe: "uuid", seed: "?hash" }) },
  WitnessChainOpened: { header: "hex", signature: "signature", house_signature: "signature" },
  WitnessChainsReplaced: { ended: once(LINK), successor: "hash" },
  RoundOpened: OPENED,
  WagerConfirmed: { ...PLAYER, wager: "uuid", stakes: "stakes", "raised?": "stakes", confirmed_at: "time", "signature?": orNull(WAGER_SIGNATURE) },
  SeatPassed: { seat: "seat" },
  SeatTimedOut: { seat: "seat" },
  SeatLeftRound: { seat: "seat" },
  CardsForced: { cards: each("card") },
  BettingClosed: { closed_at: "time", closing: CLOSING },
  LinksReleased: { round: "uuid", releases: RELEASES },
  HandTurned: { side: "side", cards: each("card") },
  CardsDealt: {
    shoe_position: "count", cards: each("card"), next_terms: orNull({ number: "count", shoe: "uuid", commitment: "hash", decks: "decks" }),
  },
  RoundSettled: {
    outcome: "outcome", player_total: "count", banker_total: "count", natural: "flag", wagers: ascending(SETTLED), settled_at: "time", seed: "?hash",
  },
  RoundVoided: { seats: ascending(GIVEN_BACK), seed: "?hash", reason: "reason", voided_at: "time", closing: orNull(CLOSING) },
})));
const EVENT = {
  position: "positive", id: "count", transaction: "positive", stream: "text", version: "u32", type: "text", schema: "u32", data: "?members",
  metadata: "?members", recorded_at: "moment", previous: "hash", digest: "hash",
};
const EXPORT = {
  format: "text", exported_at: "moment",
  round: {
    id: "uuid", table: "uuid", operator: "uuid", number: "positive", rules: "hash", rules_label: "text", currency: "text", phase: "text",
    opened_at: "time", settled_at: "?time", shoe_position: "?count", cards: each("card"), player_total: "?count", banker_total: "?count", natural: "?flag", outcome: "?outcome",
  },
  rules: "rules",
  shoe: {
    id: "uuid", decks: "decks", commitment: "hash", ...CUT, seed: "?hash", round_seed: "?hash", root: "?hash", shoe_position: "?count",
    dealt: each("card"),
    openings: ascending({ shoe_position: "count", card: "card", salt: "hash", path: each("hash") }),
  },
  events: each(EVENT),
  inclusion_proofs: ascending({ position: "positive", path: each("hash") }),
  checkpoint: "?text",
  keys: once({ id: "text", public_key: "hash", valid_from: "time", valid_until: "?time" }),
};
const STAKES = once({ spot: "spot", amount: "amount" });
const RECEIPT = {
  kind: "text", table: "uuid", round: "uuid", terms: { digest: "hash", ...TERMS, "witnesses?": ascending(LINK), ...CUT }, wager: "uuid", player: "uuid", seat: "seat", money_type: "money",
  currency: "text", place: "count", stakes: STAKES, raised: STAKES, wager_signature: orNull(WAGER_SIGNATURE), leaf: "hash", confirmed_at: "time", close_by: "?time",
  public_key: "hash", signature: "signature",
};
const PAYOUT = {
  kind: "text", table: "uuid", round: "uuid", terms: "hash", wager: "uuid", player: "uuid", leaf: "hash",
  results: once({ spot: "spot", stake: "amount", result: "text", returned: "amount", commission: "amount" }),
  currency: "text", settled_at: "time", public_key: "hash", signature: "signature",
};
const CONTRIBUTED = {
  kind: "text", table: "uuid", commitment: "hash", witnesses: ascending(LINK), seat: "seat", player: "uuid", contribution: "contribution",
  player_key: "hex", contributed_at: "time", public_key: "hash", signature: "signature",
};
/** What the house signs to a player, by its kind. */
const RECEIPTS = new Map(Object.entries({ wager: RECEIPT, payout: PAYOUT, contribution: CONTRIBUTED }));

/** @param {unknown} value */
const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * Whether a text is a time from 1970 on; only of a moment, microseconds that are none have to be written.
 * @param {string} text
 * @param {string} kind
 */
function isTime(text, kind) {
  const whole = kind === "time" && text.length === 20 ? text.replace("Z", ".000000Z") : text;
  const seconds = whole.slice(0, 19);
  const time = MOMENT.test(whole) ? Date.parse(`${seconds}Z`) : NaN;
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(seconds);
}

/**
 * Whether spots and their pay lines say of every coup what it pays. Another member might say otherwise.
 * @param {any} value
 * @param {string} at
 */
function areSpots(value, at) {
  /** @type {Spot[]} */
  const spots = shaped(value, once(SPOT), at, true);
  const names = spots.map(({ name }) => name);
  const timings = new Set(spots.flatMap(({ commission }) => commission?.timing ?? []));
  /** @param {Condition} condition */
  const isKnown = ({ fact, values }) => values.length > 0 && values.every((each) => FACTS.get(fact)?.includes(each));
  return spots.length > 0 && spots.length <= MOST_SPOTS && timings.size < 2 && spots.every(({ name, lines, needs }) => (
    lines.length > 0 && lines.length <= MOST_LINES && lines.every(({ when }) => when.every(isKnown)) && needs.every((each) => each !== name && names.includes(each))
  ));
}

/**
 * @param {any} value
 * @param {string} kind
 * @param {string} at
 * @returns {boolean}
 */
function isOfKind(value, kind, at) {
  if (kind === "flag") return typeof value === "boolean";
  const range = NUMBERS.get(kind);
  if (range) return typeof value === "number" && range[0] <= value && value <= range[1];
  if (kind === "rules") return shaped(value, RULES, at).chips.length > 0;
  if (kind === "spots") return areSpots(value, at);
  if (kind === "value") return ["boolean", "number", "string"].includes(typeof value);
  if (kind === "members") return isObject(value);
  if (kind === "stakes") return isObject(value) && Object.entries(value).every(([spot, stake]) => isOfKind(spot, "spot", at) && isOfKind(stake, "positive", at));
  if (typeof value !== "string") return false;
  return kind === "time" || kind === "moment" ? isTime(value, kind) : Boolean(TEXTS.get(kind)?.test(value));
}

/**
 * Check that items are listed once, or ascend, by their first member.
 * @param {any[]} items
 * @param {string} order
 * @param {string} at
 */
function requireOrder(items, order, at) {
  if (order === "any") return;
  const keys = items.map((item) => (isObject(item) ? Object.values(item)[0] : item));
  const unordered = order === "ascending" && keys.some((key, number) => number > 0 && !(keys[number - 1] < key));
  if (unordered || new Set(keys).size !== keys.length) throw new CheckFailed("file.field", order, keys, { name: at });
}

/**
 * Refuse a value of another shape; return it with the members of the shape only, which `closed` requires.
 * @param {any} value
 * @param {Shape} shape
 * @param {string} at
 * @param {boolean} [closed]
 * @returns {any}
 */
export function shaped(value, shape, at, closed = false) {
  if (shape instanceof OrNull) return value === null ? null : shaped(value, shape.shape, at, closed);
  if (typeof shape === "string") {
    const valid = (value === null && shape.startsWith("?")) || isOfKind(value, shape.replace("?", ""), at);
    if (!valid) throw new CheckFailed("file.field", shape, value ?? null, { name: at });
    return value;
  }
  if (shape instanceof List) {
    if (!Array.isArray(value)) throw new CheckFailed("file.field", "[]", value, { name: at });
    const items = value.map((item, place) => shaped(item, shape.items, `${at}/${place}`, closed));
    requireOrder(items, shape.order, at);
    return items;
  }
  if (!isObject(value)) throw new CheckFailed("file.field", "{}", value, { name: at });
  /** @type {Record<string, unknown>} */
  const found = {};
  for (const [name, of] of Object.entries(shape)) {
    const plain = name.replace("?", "");
    if (plain in value) found[plain] = shaped(value[plain], of, `${at}/${plain}`, closed);
    else if (plain === name) throw new CheckFailed("file.fields", Object.keys(shape), Object.keys(value));
  }
  if (closed && Object.keys(found).length !== Object.keys(value).length) throw new CheckFailed("file.fields", Object.keys(found), Object.keys(value));
  return found;
}

/**
 * An event with the members of its data that checks use; `sealed` has them all.
 * @param {any} event
 */
function shapeEvent(event) {
  const { type, schema, data, metadata, position } = event;
  const [members, at] = [EVENTS.get(type), `${position} ${type}`];
  if ((data === null) !== (metadata === null)) throw new CheckFailed("file.field", "data, metadata", null, { name: at });
  if (members && schema !== 1) throw new CheckFailed("file.field", 1, schema, { name: at });
  return { ...event, data: members && data ? shaped(data, members, at) : data, sealed: data };
}

/**
 * Check the structure of a file; return it with the members that checks use. Throws CheckFailed.
 * @param {any} document
 * @returns {ProofDocument}
 */
export function requireShape(document) {
  const format = isObject(document) ? document.format ?? null : null;
  if (format !== "casino.round.v1") throw new CheckFailed("file.format", "casino.round.v1", format);
  const found = shaped(document, EXPORT, "", true);
  if (!found.events.length) throw new CheckFailed("file.empty", "events", "none");
  return { ...found, events: found.events.map(shapeEvent) };
}

/**
 * Check the structure of a receipt of any kind. Throws CheckFailed.
 * @param {any} receipt
 */
export function requireReceipt(receipt) {
  const shape = RECEIPTS.get(receipt?.kind);
  if (!shape) throw new CheckFailed("receipt.kind", [...RECEIPTS.keys()], receipt?.kind ?? null);
  shaped(receipt, shape, "", true);
}
