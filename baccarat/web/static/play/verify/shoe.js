// What is checked of the shoe: the commitment, the cut, and the cards at their places.

import { big, bytes, hex, hmac, joined, leafOf, rootByPath, rootOf, sha256, unhex } from "./hashes.js";
import { DECK, points } from "./hands.js";
import { same } from "./read.js";
import { Nothing, NotYet, Wrong } from "./results.js";

const tag = (name) => joined(bytes(`casino.baccarat.${name}.v1`), Uint8Array.of(0));
const [COMMITMENT, SHUFFLE, CUT, CARD, SALT] = ["commitment", "shuffle", "cut", "card", "salt"].map(tag);
const WORDS = 2 ** 32;

function revealed(proof) {
  for (const kind of ["RoundSettled", "RoundVoided"]) {
    const seed = proof.maybe(kind)?.data?.seed;
    if (seed) return seed;
  }
  const ended = proof.ofShoe("ShoeEnded");
  if (ended) return ended.data.seed;
  const seeds = proof.ofTable.filter((event) => event.type === "TableClosed" && event.data).flatMap((event) => event.data.seeds);
  return seeds.find((each) => each.shoe === proof.shoe.id)?.seed ?? null;
}

export async function commitment(proof) {
  const [promise, fixed] = proof.committed();
  const opened = proof.first("RoundOpened");
  const promised = proof.promised(promise);
  const told = promised.commitment;
  if (promise.position > opened.position) throw new Wrong("commitment.late", opened.position, promise.position);
  for (const event of [fixed, opened]) {
    const later = event?.data?.commitment ?? null;
    if (later !== null && later !== told) throw new Wrong("commitment.two", told, later);
  }
  if (proof.shoe.commitment !== told) throw new Wrong("commitment.summary", told, proof.shoe.commitment);
  const { decks, cut_cards_from_end, burn } = proof.rules;
  const played = { decks, cut_cards_from_end, burn };
  if (!same(promised.shape, played)) throw new Wrong("commitment.shape", promised.shape, played);
  const [seed, recorded] = [proof.shoe.seed, revealed(proof)];
  if (recorded !== null && seed !== recorded) throw new Wrong("commitment.seed", recorded, seed);
  if (seed === null) throw new NotYet("commitment.secret");
  const found = seed.length === 64 ? hex(await sha256(COMMITMENT, unhex(seed))) : seed;
  if (found !== told) throw new Wrong("commitment.differs", told, found);
  const seconds = untilWager(proof, promise);
  return [`commitment.${toldBy(proof, seconds)}`, { commitment: told, position: promise.position, seconds }];
}

/** Whole seconds from the event that committed to the first wager; null where nobody confirmed one. */
function untilWager(proof, promise) {
  const wager = proof.maybe("WagerConfirmed");
  return wager ? Math.floor((Date.parse(wager.recorded_at) - Date.parse(promise.recorded_at)) / 1000) : null;
}

function toldBy(proof, seconds) {
  if (proof.isLong) return "ok";
  return seconds === null ? "named" : "ahead";
}

export async function cut(proof) {
  const [promise, fixed] = proof.committed();
  if (!fixed) {
    if (proof.shoe.contributions.length || proof.shoe.cut) throw new Wrong("cut.differs", "", proof.shoe.cut);
    throw new Nothing("cut.none");
  }
  const given = contributions(proof, promise, fixed);
  const listed = [...given].sort(([one], [other]) => one - other).map(([seat, contribution]) => ({ seat, contribution }));
  const computed = listed.length ? hex(await cutOf(proof.shoe.id, listed)) : "";
  for (const found of [fixed.data, proof.shoe]) {
    if (!same(found.contributions, listed)) throw new Wrong("cut.contributions", listed, found.contributions);
    if (found.cut !== computed) throw new Wrong("cut.differs", computed, found.cut);
  }
  if (!listed.length) return ["cut.empty"];
  return ["cut.ok", { cut: computed, seats: listed.map((line) => line.seat).join(", ") }];
}

/** What each seat contributed last, between the commitment and the moment the cut was fixed. */
function contributions(proof, promise, fixed) {
  const given = new Map();
  const kind = proof.isLong ? "ShoeCutContributed" : "CutContributed";
  for (const event of proof.isLong ? proof.ofTable : proof.ofRound) {
    if (event.type !== kind || !event.data || (proof.isLong && event.data.shoe !== proof.shoe.id)) continue;
    if (!(promise.position < event.position && event.position < fixed.position)) throw new Wrong("cut.time", [promise.position, fixed.position], event.position);
    given.set(event.data.seat, hex(unhex(event.data.contribution)));
  }
  return given;
}

function cutOf(shoe, listed) {
  const lines = listed.flatMap((line) => {
    const data = unhex(line.contribution);
    return [big(line.seat, 8), big(data.length, 8), data];
  });
  return sha256(CUT, unhex(shoe.replaceAll("-", "")), big(listed.length, 8), ...lines);
}

export async function cards(proof) {
  const start = proof.isLong ? proof.committed()[1].data : {};
  if (!same(proof.shoe.root, start.root ?? null)) throw new Wrong("cards.roots", start.root ?? null, proof.shoe.root);
  if (!proof.maybe("CardsDealt")) {
    requireOpened(proof, new Map());
    throw new Nothing("cards.none");
  }
  const dealt = proof.first("CardsDealt").data;
  const wanted = new Map(dealt.cards.map((card, at) => [dealt.position + at, card]));
  if (start.turned_card) {
    wanted.set(0, start.turned_card);
    const burned = points(start.turned_card) || 10;
    if (start.burned_count !== burned) throw new Wrong("cards.burned", burned, start.burned_count);
    if (dealt.position <= burned) throw new Wrong("cards.place", burned + 1, dealt.position);
  }
  requireOpened(proof, wanted);
  const values = { cards: dealt.cards.join(" "), place: dealt.position };
  const opened = proof.shoe.openings.length > 0;
  if (opened) await opening(proof, wanted);
  if (proof.shoe.seed !== null) {
    await seeded(proof, wanted);
    return ["cards.seed", values];
  }
  if (!opened) throw new NotYet("cards.secret");
  return ["cards.root", values];
}

/** No card is opened that this round did not take, and none twice: what is shown is checked. */
function requireOpened(proof, wanted) {
  const places = proof.shoe.openings.map((each) => each.position);
  if (places.some((place) => !wanted.has(place)) || new Set(places).size !== places.length) throw new Wrong("cards.more", [...wanted.keys()], places);
}

async function opening(proof, wanted) {
  const { root } = proof.shoe;
  if (root === null) throw new Wrong("cards.rootless", "root", null);
  const opened = new Map(proof.shoe.openings.map((each) => [each.position, each]));
  for (const [place, card] of [...wanted].sort(([one], [other]) => one - other)) {
    const one = opened.get(place);
    if (!one) throw new Wrong("cards.unopened", place, [...opened.keys()], { place });
    if (one.card !== card) throw new Wrong("cards.other", card, one.card, { place });
    const leaf = await leafOf(CARD, big(place, 8), bytes(card), unhex(one.salt));
    const found = await rootByPath(leaf, place, 52 * proof.rules.decks, one.path.map(unhex));
    if (!found || hex(found) !== root) throw new Wrong("cards.tree", root, found && hex(found), { place });
  }
}

async function seeded(proof, wanted) {
  const seed = unhex(proof.shoe.seed);
  const order = await shuffled(seed, unhex(proof.shoe.cut), proof.rules.decks);
  for (const [place, card] of [...wanted].sort(([one], [other]) => one - other)) {
    if (order[place] !== card) throw new Wrong("cards.differ", order[place] ?? null, card, { place });
  }
  if (proof.shoe.root === null) return;
  const salt = await hmac(seed);
  const leaves = await Promise.all(order.map(async (card, place) => leafOf(CARD, big(place, 8), bytes(card), await salt(SALT, big(place, 8)))));
  const root = hex(await rootOf(leaves));
  if (root !== proof.shoe.root) throw new Wrong("cards.root.differs", root, proof.shoe.root);
}

/** The whole shoe: Fisher-Yates from the front, by unbiased words of HMAC-SHA-256. */
async function shuffled(seed, cutBytes, decks) {
  const order = Array.from({ length: 52 * decks }, (_, at) => DECK[at % 52]);
  const next = await words(seed, cutBytes);
  for (let place = 0; place < order.length; place += 1) {
    const left = order.length - place;
    let word = await next();
    while (word >= WORDS - (WORDS % left)) word = await next();
    const other = place + (word % left);
    [order[place], order[other]] = [order[other], order[place]];
  }
  return order;
}

async function words(seed, cutBytes) {
  const block = await hmac(seed);
  let [ready, counter] = [[], 0];
  return async () => {
    if (!ready.length) {
      const data = await block(SHUFFLE, big(cutBytes.length, 8), cutBytes, big(counter, 8));
      const view = new DataView(data.buffer);
      ready = Array.from({ length: 8 }, (_, at) => view.getUint32(4 * at));
      counter += 1;
    }
    return ready.shift();
  };
}
