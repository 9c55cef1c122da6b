// Checks of the shoe: the commitment, the cut, and the order of the cards.

import { big, bytes, hex, hmac, isSigned, joined, leafOf, prefixed, rootByPath, rootOf, sha256, tag, unhex, uuid } from "./hashes.js";
import { checkShoeClosing } from "./closing.js";
import { DECK, points } from "./hands.js";
import { CannotCheck, CheckFailed, DoesNotApply } from "./proof.js";
import { canonical, isSame } from "./read.js";
import { indexesOf, linksOf, linksOfRound } from "./witnesses.js";

/** @import { Finding, LogEvent, Proof } from "./proof.js" */

const [TERMS, CARD, SALT, CONTRIBUTION, ROUND_SEED] = ["terms", "card", "salt", "contribution", "round-seed"].map((name) => tag(`${name}.v1`));
const [COMMITMENT, DRAW, CUT] = ["commitment", "draw", "cut"].map((name) => tag(`${name}.v2`));
const WORD_RANGE = 2 ** 32;
const ED25519 = 1;

/**
 * Check that seeds are those that events reveal, which may be withheld; and that none reveals a secret one.
 * @param {Proof} proof
 */
function requireRevealed(proof) {
  const { seed, round_seed: own, id } = proof.shoe;
  const closed = proof.tableEvents.filter((event) => event.type === "TableClosed").flatMap((event) => event.data.seeds);
  const byRound = [proof.findEvent("RoundSettled"), proof.findEvent("RoundVoided")].map((event) => event?.data?.seed);
  const byTable = [proof.findShoeEvent("ShoeEnded")?.data.seed, ...closed.filter((each) => each.shoe === id).map((each) => each.seed)];
  /** @type {[string | null, (string | null | undefined)[]][]} */
  const revealed = proof.drawsByRound ? [[seed, byTable], [own, byRound]] : [[seed, [...byTable, ...byRound]]];
  for (const [given, all] of revealed) {
    const seeds = all.filter(Boolean);
    const known = given === null || seeds.length || proof.events.some((event) => !event.data);
    if (!known || seeds.some((each) => each !== given)) throw new CheckFailed("commitment.seed", seeds, given);
  }
}

/**
 * @param {Proof} proof
 * @param {string} seed
 * @param {number} number
 */
const commit = async (proof, seed, number) => hex(await sha256(COMMITMENT, unhex(seed), uuid(/** @type {string} */ (proof.round.table)), uuid(proof.shoe.id), big(number, 8)));

/**
 * Check that the seed by which a round draws its cards opens its commitment, and follows from its shoe's.
 * @param {Proof} proof
 */
async function checkRoundSeed(proof) {
  const { seed, round_seed: own } = proof.shoe;
  if (own === null) return;
  const { number } = proof.opened;
  const [expected, computed] = [proof.requireTerms().at(-1)?.data.place?.commitment ?? null, await commit(proof, own, number)];
  if (computed !== expected) throw new CheckFailed("commitment.round.differs", expected, computed);
  if (seed === null) return;
  const due = hex(await (await hmac(unhex(seed)))(ROUND_SEED, big(number, 8)));
  if (due !== own) throw new CheckFailed("commitment.derived", due, own);
}

/**
 * @param {Proof} proof
 * @returns {Promise<Finding>}
 */
export async function commitment(proof) {
  const [announcement, fixed] = proof.findCommitment();
  const opened = proof.requireEvent("RoundOpened");
  const committed = proof.commitmentData(announcement);
  const expected = committed.commitment;
  if (announcement.position > opened.position) throw new CheckFailed("commitment.late", opened.position, announcement.position);
  for (const event of [fixed, opened]) {
    const later = event.data.commitment ?? null;
    if (later !== null && later !== expected) throw new CheckFailed("commitment.two", expected, later);
  }
  if (proof.shoe.commitment !== expected) throw new CheckFailed("commitment.summary", expected, proof.shoe.commitment);
  const { decks, cut_cards_from_end, burn, fixed_order } = proof.rules;
  const played = { decks, cut_cards_from_end, burn, fixed_order };
  if (!isSame(committed.shape, played)) throw new CheckFailed("commitment.shape", committed.shape, played);
  const { seed } = proof.shoe;
  requireRevealed(proof);
  if (proof.drawsByRound) await checkRoundSeed(proof);
  if (seed === null) throw new CannotCheck(proof.shoe.round_seed === null ? "commitment.secret" : "commitment.round");
  const computed = await commit(proof, seed, proof.isLong ? committed.number : opened.data.number);
  if (computed !== expected) throw new CheckFailed("commitment.differs", expected, computed);
  const seconds = secondsToWager(proof, announcement);
  return [`commitment.${resultCode(proof, seconds)}`, { commitment: expected, position: announcement.position, seconds }];
}

/**
 * Whole seconds from the commitment to the first confirmed wager; null without one.
 * @param {Proof} proof
 * @param {LogEvent} announcement
 */
function secondsToWager(proof, announcement) {
  const wager = proof.findEvent("WagerConfirmed");
  return wager ? Math.floor((Date.parse(wager.recorded_at) - Date.parse(announcement.recorded_at)) / 1000) : null;
}

/**
 * @param {Proof} proof
 * @param {number | null} seconds
 */
function resultCode(proof, seconds) {
  if (proof.isLong) return "ok";
  return seconds === null ? "announced" : "ahead";
}

/**
 * @param {Proof} proof
 * @returns {Promise<Finding>}
 */
export async function cut(proof) {
  const [announcement, fixed] = proof.findCommitment();
  const listed = await contributions(proof, announcement, fixed);
  const computed = hex(await cutOf(proof, announcement, listed));
  for (const recorded of [proof.shoe, ...(proof.isLong ? [fixed.data] : [])]) {
    requireContributions(listed, recorded.contributions);
    if (recorded.cut !== computed) throw new CheckFailed("cut.differs", computed, recorded.cut);
  }
  requireContributions(proof.isLong ? [] : listed, proof.opened.contributions); // a round's events repeat none of a long shoe
  if (proof.isLong) await checkShoeClosing(proof, fixed.data, async () => sha256(...await termsOfShoe(proof, fixed)));
  if (!listed.length) return ["cut.nobody", { cut: computed }];
  return ["cut.ok", { cut: computed, seats: listed.map((line) => line.seat).join(", ") }];
}

/**
 * @param {Api["Contribution"][]} listed
 * @param {Api["Contribution"][]} given
 */
function requireContributions(listed, given) {
  if (!isSame(given.map(withKey), listed)) throw new CheckFailed("cut.contributions", listed, given);
}

/**
 * Whether the round opened on terms fixed before it, that name its table, rules, shoe and cut.
 * @param {Proof} proof
 * @returns {Promise<Finding>}
 */
export async function terms(proof) {
  const opened = proof.requireEvent("RoundOpened");
  const fixed = proof.requireTerms();
  const [first, last] = [fixed[0], fixed[fixed.length - 1]];
  if (last.position > opened.position) throw new CheckFailed("terms.late", opened.position, last.position);
  const rules = Object.fromEntries(Object.entries(proof.rules).filter(([name]) => name !== "third_cards"));
  const { number, shoe } = opened.data;
  const { commitment: committed, cut: closed } = proof.shoe;
  /** @type {Record<string, unknown>} */
  const wanted = { table: proof.round.table, number, shoe, rules: hex(await sha256(bytes(canonical(rules)))), commitment: committed, cut: closed, witnesses: proof.witnesses };
  const dealt = proof.findEvent("CardsDealt");
  if (dealt) wanted.next_place = dealt.data.shoe_position;
  if (!proof.isLong) {
    if (fixed.some((event) => event.data.place)) throw new CheckFailed("terms.differ", null, last.data.place ?? null, { name: "place" });
    Object.assign(wanted, { next_place: 0, cards: hex(await sha256()), next_commitment: first.data.next_shoe?.commitment ?? null });
  }
  if (proof.drawsByRound) { // its commitment is to a seed of the round's own
    delete wanted.commitment;
    wanted.cards = hex(await sha256(bytes(proof.shoe.dealt.join(""))));
  }
  if (!isSame(first.data.place, last.data.place)) throw new CheckFailed("terms.differ", first.data.place, last.data.place, { name: "place" });
  const recorded = { ...wanted, ...last.data.place };
  const digest = hex(await sha256(...encodeTerms(recorded)));
  for (const value of [last.data.digest ?? digest, opened.data.terms]) if (value !== digest) throw new CheckFailed("terms.digest", digest, value);
  for (const [name, value] of Object.entries(wanted)) if (!isSame(recorded[name], value)) throw new CheckFailed("terms.differ", value, recorded[name], { name });
  return ["terms.ok", { terms: digest, position: last.position }];
}

/**
 * The terms of a long shoe's drawing: of its first round, before a card is out or the next shoe is named.
 * @param {Proof} proof
 * @param {LogEvent} started
 */
async function termsOfShoe(proof, { data, position }) {
  const end = proof.findShoeEvent("ShoeCutClosed")?.position ?? position;
  const rules = proof.tableEvents.filter((event) => event.position < end && event.data?.rules).at(-1)?.data.rules.values;
  return encodeTerms({
    table: proof.round.table, number: data.first_round, shoe: data.shoe, next_place: 0, cards: hex(await sha256()), rules: hex(await sha256(bytes(canonical(rules)))),
    commitment: data.commitment, cut: data.cut, witnesses: proof.shoeWitnesses, next_commitment: "00".repeat(32),
  });
}

/** @param {any} recorded */
export function encodeTerms({ table, number, shoe, next_place: place, cards: dealt, rules, commitment: committed, cut: closed, witnesses, next_commitment: following }) {
  const [uuids, digests] = [[table, shoe].map(uuid), [dealt, rules, committed, closed, following].map(unhex)];
  if (digests.some((each) => each.length !== 32)) throw new TypeError("a digest of another length");
  return [TERMS, uuids[0], big(number, 8), uuids[1], big(place, 8), ...digests.slice(0, 4), indexesOf(witnesses), digests[4]];
}

/**
 * Each seat's last contribution between the commitment and the fixing of the cut.
 * @param {Proof} proof
 * @param {LogEvent} announcement
 * @param {LogEvent} fixed
 */
async function contributions(proof, announcement, fixed) {
  /** @type {Map<number, Api["Contribution"]>} */
  const bySeat = new Map();
  const { commitment: committed } = proof.commitmentData(announcement);
  const end = (proof.isLong && proof.findShoeEvent("ShoeCutClosed") || fixed).position;
  for (const event of [...proof.roundEvents, ...proof.tableEvents]) {
    if (event.type !== "ShoeCutContributed") continue;
    if (!(announcement.position < event.position && event.position < end)) throw new CheckFailed("cut.time", [announcement.position, end], event.position);
    const { seat, signature } = event.data;
    if (signature) await checkSignature(proof, committed, event.data);
    bySeat.set(seat, { seat, contribution: hex(unhex(event.data.contribution)), public_key: signature?.public_key ?? "" });
  }
  return [...bySeat.values()].sort((one, other) => one.seat - other.seat);
}

/** @param {Api["Contribution"]} line */
const withKey = (line) => ({ public_key: "", ...line });

/**
 * Check that a contribution is signed by its player.
 * @param {Proof} proof
 * @param {string} committed
 * @param {any} contributed
 */
export async function checkSignature(proof, committed, { seat, contribution, signature }) {
  const key = unhex(signature.public_key);
  const signed = joined(CONTRIBUTION, uuid(/** @type {string} */ (proof.round.table)), unhex(committed), indexesOf(proof.isLong ? [] : proof.witnesses), Uint8Array.of(seat), prefixed(unhex(contribution)));
  const isValid = key.length === 33 && key[0] === ED25519 && await isSigned(key.slice(1), signed, unhex(signature.signature));
  if (isValid === null) throw new CannotCheck("signature.browser");
  if (!isValid) throw new CheckFailed("cut.unsigned", seat, signature.signature, { seat });
}

/**
 * @param {Proof} proof
 * @param {LogEvent} announcement
 * @param {Api["Contribution"][]} listed
 */
export function cutOf(proof, announcement, listed) {
  const lines = listed.flatMap((line) => [big(line.seat, 1), prefixed(unhex(line.public_key ?? "")), prefixed(unhex(line.contribution))]);
  return sha256(CUT, unhex(proof.commitmentData(announcement).commitment), indexesOf(proof.shoeWitnesses), big(listed.length, 4), ...lines);
}

/**
 * @param {Proof} proof
 * @returns {Promise<Finding>}
 */
export async function cards(proof) {
  const start = proof.isLong ? proof.findCommitment()[1]?.data : {};
  if (!isSame(proof.shoe.root, start.root ?? null)) throw new CheckFailed("cards.roots", start.root ?? null, proof.shoe.root);
  if (proof.isLong && (proof.shoe.root === null) !== proof.drawsByRound) throw new CheckFailed("cards.roots", proof.rules.fixed_order, proof.shoe.root);
  if (!proof.findEvent("CardsDealt")) {
    requireExactOpenings(proof, new Map());
    throw new DoesNotApply("cards.none");
  }
  const dealt = proof.requireEvent("CardsDealt").data;
  if (proof.isForced) {
    requireExactOpenings(proof, new Map());
    const chosen = proof.requireEvent("CardsForced").data.cards;
    if (!isSame(chosen, dealt.cards)) throw new CheckFailed("cards.chosen", chosen, dealt.cards);
    throw new DoesNotApply("cards.forced", { cards: dealt.cards.join(" ") });
  }
  /** @type {Map<number, string>} */
  const wanted = new Map(dealt.cards.map((/** @type {string} */ card, /** @type {number} */ at) => [dealt.shoe_position + at, card]));
  const burning = start && [start.turned_card !== null, start.burned_count > 0].every((each) => each === proof.rules.burn);
  if (proof.isLong && !burning) throw new CheckFailed("cards.burned", proof.rules.burn, start.burned_count);
  if (start.turned_card) {
    wanted.set(0, start.turned_card);
    const burned = points(start.turned_card) || 10;
    if (start.burned_count !== burned) throw new CheckFailed("cards.burned", burned, start.burned_count);
    if (dealt.shoe_position <= burned) throw new CheckFailed("cards.place", burned + 1, dealt.shoe_position);
  }
  if (proof.drawsByRound) return checkDrawn(proof, start, dealt);
  requireExactOpenings(proof, wanted);
  const values = { cards: dealt.cards.join(" "), place: dealt.shoe_position };
  const opened = proof.shoe.openings.length > 0 || (proof.isLong && proof.shoe.seed === null);
  if (opened) await checkOpenings(proof, wanted);
  if (proof.shoe.seed !== null) {
    await checkAgainstSeed(proof, proof.shoe.seed, wanted);
    return ["cards.seed", values];
  }
  if (!opened) throw new CannotCheck("cards.secret");
  return ["cards.root", values];
}

/**
 * Recompute what the round drew from the cards left, by its own seed and links; and the card turned over before.
 * @param {Proof} proof
 * @param {any} start
 * @param {any} dealt
 * @returns {Promise<Finding>}
 */
async function checkDrawn(proof, start, { cards: drawn, shoe_position: place }) {
  requireExactOpenings(proof, new Map());
  const { seed, round_seed: own, dealt: out } = proof.shoe;
  const [closed, { decks }] = [unhex(proof.shoe.cut), proof.rules];
  if (place < out.length + start.burned_count) throw new CheckFailed("cards.out", place, out.length + start.burned_count);
  if (start.turned_card && out[0] !== start.turned_card) throw new CheckFailed("cards.out", start.turned_card, out[0] ?? null);
  if (start.turned_card && seed !== null) {
    const [first] = await shuffle(await randomWords(unhex(seed), closed, linksOf(proof)), decks, { count: 1 });
    if (first !== start.turned_card) throw new CheckFailed("cards.turned", first, start.turned_card);
  }
  if (own === null) throw new CannotCheck("cards.secret");
  const due = await shuffle(await randomWords(unhex(own), closed, linksOfRound(proof)), decks, { count: drawn.length, out });
  if (!isSame(due, drawn)) throw new CheckFailed("cards.drawn.differ", due, drawn);
  return ["cards.drawn", { cards: drawn.join(" "), place }];
}

/**
 * Check that the file opens only cards of this round, each once.
 * @param {Proof} proof
 * @param {Map<number, string>} wanted
 */
function requireExactOpenings(proof, wanted) {
  const places = proof.shoe.openings.map((each) => each.shoe_position);
  if (places.some((place) => !wanted.has(place)) || new Set(places).size !== places.length) throw new CheckFailed("cards.more", [...wanted.keys()], places);
}

/**
 * @param {Proof} proof
 * @param {Map<number, string>} wanted
 */
async function checkOpenings(proof, wanted) {
  const { root } = proof.shoe;
  if (root === null) throw new CheckFailed("cards.rootless", "root", null);
  const opened = new Map(proof.shoe.openings.map((each) => [each.shoe_position, each]));
  for (const [place, card] of [...wanted].sort(([one], [other]) => one - other)) {
    const opening = opened.get(place);
    if (!opening) throw new CheckFailed("cards.unopened", place, [...opened.keys()], { place });
    if (opening.card !== card) throw new CheckFailed("cards.other", card, opening.card, { place });
    const leaf = await leafOf(CARD, big(place, 8), bytes(card), unhex(opening.salt));
    const computed = await rootByPath(leaf, place, 52 * proof.rules.decks, opening.path.map(unhex));
    if (!computed || hex(computed) !== root) throw new CheckFailed("cards.tree", root, computed && hex(computed), { place });
  }
}

/**
 * @param {Proof} proof
 * @param {string} seedHex
 * @param {Map<number, string>} wanted
 */
async function checkAgainstSeed(proof, seedHex, wanted) {
  const seed = unhex(seedHex);
  const next = await randomWords(seed, unhex(proof.shoe.cut), linksOf(proof));
  const order = await shuffle(next, proof.rules.decks);
  for (const [place, card] of [...wanted].sort(([one], [other]) => one - other)) {
    if (order[place] !== card) throw new CheckFailed("cards.differ", order[place] ?? null, card, { place });
  }
  if (proof.shoe.root === null) return;
  const salt = await hmac(seed);
  const leaves = await Promise.all(order.map(async (card, place) => leafOf(CARD, big(place, 8), bytes(card), await salt(SALT, big(place, 8)))));
  const root = hex(await rootOf(leaves));
  if (root !== proof.shoe.root) throw new CheckFailed("cards.root.differs", root, proof.shoe.root);
}

/**
 * The whole shoe, or its first cards: Fisher-Yates from the front, by unbiased 32-bit words of HMAC-SHA-256. Of equal
 * cards, the first ones are out.
 * @param {() => Promise<number>} next
 * @param {number} decks
 * @param {{count?: number, out?: readonly string[]}} [options]
 */
export async function shuffle(next, decks, { count = Infinity, out = [] } = {}) {
  const order = Array.from({ length: 52 * decks }, (_, at) => DECK[at % 52]);
  for (const card of out) {
    if (!order.includes(card)) throw new CheckFailed("cards.out", decks, card);
    order.splice(order.indexOf(card), 1);
  }
  for (let place = 0; place < Math.min(count, order.length); place += 1) {
    const left = order.length - place;
    let word = await next();
    while (word >= WORD_RANGE - (WORD_RANGE % left)) word = await next();
    const other = place + (word % left);
    [order[place], order[other]] = [order[other], order[place]];
  }
  return order.slice(0, count);
}

/**
 * The words of a drawing, under a key of its own. `links` are those of the witnesses, behind their count.
 * @param {Uint8Array<ArrayBuffer>} seed
 * @param {Uint8Array} cutBytes
 * @param {Uint8Array} links
 * @returns {Promise<() => Promise<number>>}
 */
export async function randomWords(seed, cutBytes, links) {
  const bySeed = await hmac(seed);
  const block = await hmac(await bySeed(DRAW, cutBytes, links));
  /** @type {number[]} */
  let ready = [];
  let counter = 0;
  return async () => {
    if (!ready.length) {
      const data = await block(big(counter, 8));
      const view = new DataView(data.buffer);
      ready = Array.from({ length: 8 }, (_, at) => view.getUint32(4 * at));
      counter += 1;
    }
    return /** @type {number} */ (ready.shift());
  };
}
