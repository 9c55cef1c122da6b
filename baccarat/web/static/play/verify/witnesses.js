// The witnesses of a drawing: their indexes, the links that the cards follow from, and the statements that gave these out.

import { microsecondsOf } from "./log.js";
import { big, bytes, hex, isSigned, joined, leafOf, rootByPath, sha256, unhex } from "./hashes.js";
import { CannotCheck, CheckFailed, DoesNotApply } from "./proof.js";
import { isSame } from "./read.js";

/** @import { Finding, LogEvent, Proof } from "./proof.js" */
/** @typedef {{chain: string, index: number}} WitnessIndex */
/** @typedef {{listed: readonly WitnessIndex[], kind: number, closed?: LogEvent, released: LogEvent, before?: LogEvent}} Drawing */

/** @param {string} name */
const tag = (name) => joined(bytes(`casino.witness.${name}.v1`), Uint8Array.of(0));
const [CHAIN, LEAF, RELEASE] = ["chain", "leaf", "release"].map(tag);
const MAX_WITNESSES = 4;
/** By how many milliseconds clocks may differ. */
const MAX_EARLY = 1000;
const NO_DIGEST = "00".repeat(32);
const TABLE_BYTES = 16;
const KEY_BYTES = 32;
const [MIN_HEIGHT, MAX_HEIGHT] = [8, 20];

/** @param {string} text */
function digestBytes(text) {
  const data = unhex(text);
  if (data.length !== KEY_BYTES) throw new TypeError("a digest of another length");
  return data;
}

/** @param {WitnessIndex} place */
const placeOf = ({ chain, index }) => joined(digestBytes(chain), big(index, 8));

/**
 * What terms, cuts and closings say of witnesses: their count, then each chain's id and index.
 * @param {readonly WitnessIndex[]} listed
 */
export function indexesOf(listed) {
  const sorted = [...listed].sort((one, other) => (one.chain < other.chain ? -1 : 1));
  if (sorted.length > MAX_WITNESSES || new Set(sorted.map((each) => each.chain)).size !== sorted.length) throw new TypeError("too many witnesses");
  return joined(big(sorted.length, 1), ...sorted.map(placeOf));
}

/**
 * The links that the cards follow from, each after its chain's id and its index, behind their count.
 * @param {Proof} proof
 */
export function linksOf(proof) {
  return joinedLinks(proof.shoeWitnesses, () => proof.isLong ? requireShoeLinks(proof) : proof.requireEvent("LinksReleased"));
}

/** @param {Proof} proof */
export function linksOfRound(proof) {
  return joinedLinks(proof.witnesses, () => proof.requireEvent("LinksReleased"));
}

/**
 * @param {readonly WitnessIndex[]} listed
 * @param {() => LogEvent} released
 */
function joinedLinks(listed, released) {
  if (!listed.length) return big(0, 1);
  const releases = releasesOf(listed, released());
  return joined(big(listed.length, 1), ...listed.map((place, at) => joined(placeOf(place), digestBytes(releases[at].link))));
}

/** @param {Proof} proof */
function requireShoeLinks(proof) {
  const released = proof.findShoeEvent("ShoeLinksReleased");
  if (!released) throw new CheckFailed("event.missing", "ShoeLinksReleased", proof.tableEvents.map((event) => event.type), { kind: "ShoeLinksReleased" });
  return released;
}

/**
 * The statements that gave out the links of a drawing: one of each witness, by chain.
 * @param {readonly WitnessIndex[]} listed
 * @param {LogEvent} released
 * @returns {any[]}
 */
export function releasesOf(listed, { data: { releases } }) {
  const [wanted, found] = [listed, releases].map((each) => each.map((/** @type {{chain: string}} */ { chain }) => chain));
  if (!isSame(wanted, found) || !isSame(wanted, [...wanted].sort())) throw new CheckFailed("witnesses.missing", wanted, found);
  return releases;
}

/**
 * Whether each witness gave out its links for the closings of this round and its shoe, on the table's chains.
 * A round of a long shoe uses links, too, which pin its wagers.
 * @param {Proof} proof
 * @returns {Promise<Finding>}
 */
export async function witnesses(proof) {
  const ofShoe = proof.isLong && proof.shoeWitnesses.length > 0;
  const given = proof.findEvent("LinksReleased")?.data;
  if (given && (given.round !== proof.round?.id || !proof.witnesses.length)) throw new CheckFailed("witnesses.missing", [proof.round?.id, proof.witnesses], given);
  if (!proof.witnesses.length && !ofShoe) {
    requireWitnesses(proof, [[]]);
    throw new DoesNotApply("witnesses.none");
  }
  const drawings = drawingsOf(proof);
  if (!drawings.length) throw new DoesNotApply("witnesses.waiting");
  const chains = await openedChains(proof);
  checkInUse(proof, chains);
  const said = await Promise.all(drawings.map((drawing) => checkDrawing(proof, chains, drawing)));
  const unchecked = await checkNumbers(said.flat());
  const signers = said.map((each) => each.map(({ chain }) => hex(chain.key)));
  const keys = signers.flat();
  const links = drawings.flatMap(({ listed }) => listed.map(({ chain, index }) => `${chain} ${index}`)).join(", ");
  const values = { links, keys: [...new Set(keys)].join(", "), unchecked };
  if (keys.some((key) => !proof.trusted.has(key))) throw new CannotCheck("witnesses.untrusted", { ...values, unchecked: [] });
  requireWitnesses(proof, [...signers, ...(proof.witnesses.length && proof.shoeWitnesses.length ? [] : [[]])]);
  return ["witnesses.ok", values];
}

/**
 * The drawings that links were given out for: that of the long shoe, and that of the round. A voided round may wait.
 * @param {Proof} proof
 */
export function drawingsOf(proof) {
  /** @type {Drawing[]} */
  const drawings = [];
  if (proof.isLong && proof.shoeWitnesses.length) drawings.push({ listed: proof.shoeWitnesses, kind: 4, closed: proof.findShoeEvent("ShoeCutClosed"), released: requireShoeLinks(proof), before: proof.findShoeEvent("ShoeStarted") });
  const dealt = proof.findEvent("CardsDealt");
  if (proof.witnesses.length && (dealt || proof.findEvent("LinksReleased"))) {
    const played = proof.findEvent("BettingClosed");
    drawings.push({ listed: proof.witnesses, kind: played ? 1 : 2, closed: played ?? proof.findEvent("RoundVoided"), released: proof.requireEvent("LinksReleased"), before: dealt });
  }
  return drawings;
}

/**
 * Check that each witness whom the reader names gave out one of the links of each drawing.
 * @param {Proof} proof
 * @param {string[][]} signers
 */
function requireWitnesses({ required, oneOf }, signers) {
  if (oneOf.length && signers.some((keys) => !oneOf.some((key) => keys.includes(key)))) throw new CannotCheck("witnesses.required", { keys: oneOf.join(", ") });
  const missing = required.filter((key) => signers.some((keys) => !keys.includes(key))).sort();
  if (missing.length) throw new CannotCheck("witnesses.required", { keys: [...new Set(missing)].join(", ") });
}

/**
 * Check that a link was given out after times that are signed or pinned by its closing, as clocks may differ.
 * @param {any} release
 * @param {readonly string[]} times
 */
function requireLateLink({ time_ms: given }, times) {
  const latest = Math.max(...times.map((time) => Number(microsecondsOf(time) / 1000n)));
  if (given + MAX_EARLY < latest) throw new CheckFailed("witnesses.early", `>= ${latest} ms`, given);
}

/**
 * Check that the round's links were given out after a receipt's wager was confirmed.
 * @param {Proof} proof
 * @param {string} confirmedAt
 */
export function requireLinksAfter(proof, confirmedAt) {
  for (const release of proof.findEvent("LinksReleased")?.data.releases ?? []) requireLateLink(release, [confirmedAt]);
}

/**
 * Check that statements of one witness follow one another; return the names of what the file does not hold.
 * @param {Awaited<ReturnType<typeof checkDrawing>>} given
 */
async function checkNumbers(given) {
  /** @type {string[]} */
  const rest = [];
  const last = new Map();
  for (const { chain, release, statement } of given) {
    const witness = `${hex(chain.key)} ${chain.generation}`;
    const before = last.get(witness);
    last.set(witness, { release, statement });
    if ((release.number === 1) !== (release.previous === NO_DIGEST)) throw new CheckFailed("witnesses.numbers", release.number, release.previous);
    if (!before) rest.push(...(release.number === 1 ? [] : ["number", "previous"]));
    else if (before.release.number >= release.number || before.release.time_ms > release.time_ms) throw new CheckFailed("witnesses.numbers", before.release, release);
    else if (before.release.number + 1 < release.number) rest.push("previous");
    else {
      const wanted = hex(await sha256(before.statement));
      if (release.previous !== wanted) throw new CheckFailed("witnesses.numbers", wanted, release.previous);
    }
  }
  return [...new Set(rest)];
}

/**
 * Check each link of a drawing, and that they came after its closing and before its cards; return what was signed.
 * @param {Proof} proof
 * @param {Awaited<ReturnType<typeof openedChains>>} chains
 * @param {Drawing} drawing
 */
async function checkDrawing(proof, chains, { listed, kind, closed, released, before }) {
  const releases = releasesOf(listed, released);
  if (!closed?.data) throw new CannotCheck("witnesses.withheld");
  const positions = [closed, released, ...(before ? [before] : [])].map((event) => event.position);
  if (!isSame(positions, [...positions].sort((one, other) => one - other))) throw new CheckFailed("witnesses.order", [...positions].sort((one, other) => one - other), positions);
  const bets = kind === 4 ? [] : proof.allData("WagerConfirmed").map((wager) => wager.confirmed_at);
  const given = [];
  for (const [at, place] of listed.entries()) {
    const chain = chains.get(place.chain);
    if (!chain) throw new CheckFailed("witnesses.chain", place.chain, [...chains.keys()]);
    await checkRelease(place, chain, releases[at], kind, closed.data.closing.digest);
    requireLateLink(releases[at], [closed.data.closed_at ?? closed.data.voided_at, ...bets]);
    given.push({ chain, release: releases[at], statement: encodeStatement(place, releases[at], kind, closed.data.closing.digest) });
  }
  return given;
}

/**
 * The bytes by which a witness gave out a link.
 * @param {WitnessIndex} place
 * @param {any} release
 * @param {number} kind
 * @param {string} digest
 */
export const encodeStatement = (place, release, kind, digest) => joined(
  RELEASE, placeOf(place), big(kind, 1), digestBytes(digest), digestBytes(release.link), big(release.time_ms, 8), big(release.number, 8), digestBytes(release.previous),
);

/**
 * The digest of the closing that a statement, in hex, gave out a link for.
 * @param {string} statement
 */
export function digestIn(statement) {
  const at = RELEASE.length + KEY_BYTES + 8 + 1;
  return statement.slice(2 * at, 2 * (at + KEY_BYTES));
}

/**
 * @param {WitnessIndex} place
 * @param {{height: number, root: Uint8Array<ArrayBuffer>, key: Uint8Array<ArrayBuffer>}} chain
 * @param {any} release
 * @param {number} kind
 * @param {string} digest
 */
async function checkRelease(place, { height, root, key }, release, kind, digest) {
  const link = digestBytes(release.link);
  await requireSigned(key, encodeStatement(place, release, kind, digest), release.signature, "witnesses.unsigned");
  const path = release.path.match(/.{1,64}/g)?.map(digestBytes) ?? [];
  const computed = await rootByPath(await leafOf(LEAF, big(place.index, 8), link), place.index, 2 ** height, path);
  if (!computed || hex(computed) !== hex(root)) throw new CheckFailed("witnesses.link", hex(root), computed && hex(computed));
}

/**
 * @param {Uint8Array<ArrayBuffer>} key
 * @param {Uint8Array<ArrayBuffer>} message
 * @param {string} signature
 * @param {string} code
 */
export async function requireSigned(key, message, signature, code) {
  const isValid = await isSigned(key, message, unhex(signature));
  if (isValid === null) throw new CannotCheck("signature.browser");
  if (!isValid) throw new CheckFailed(code, hex(key), signature);
}

/**
 * Height, root, release key and origin of each chain that was opened for the table before the round.
 * @param {Proof} proof
 */
export async function openedChains(proof) {
  /** @type {Map<string, {height: number, root: Uint8Array<ArrayBuffer>, key: Uint8Array<ArrayBuffer>, origin: string, generation: bigint, event: LogEvent}>} */
  const chains = new Map();
  for (const event of eventsBefore(proof, "WitnessChainOpened")) {
    const { data } = event;
    const header = unhex(data.header);
    const { origin, table, number, generation, height, root, house, key } = parseHeader(header);
    if (number !== chains.size + 1) throw new CheckFailed("witnesses.used", chains.size + 1, number);
    if (table !== String(proof.round.table).replaceAll("-", "")) throw new CheckFailed("witnesses.table", proof.round.table, table);
    await requireSigned(key, header, data.signature, "witnesses.header");
    await requireSigned(house, header, data.house_signature, "witnesses.header");
    chains.set(hex(await sha256(header)), { height, root, key, origin, generation, event });
  }
  return chains;
}

/**
 * The table's events of a kind before the round.
 * @param {Proof} proof
 * @param {string} kind
 */
function eventsBefore(proof, kind) {
  const start = proof.requireEvent("RoundOpened").position;
  return proof.tableEvents.filter((event) => event.type === kind && event.position < start);
}

/**
 * That no witness was left out or swapped unseen: of each in use there is one link, and of an ended chain none.
 * @param {Proof} proof
 * @param {Awaited<ReturnType<typeof openedChains>>} chains
 */
function checkInUse(proof, chains) {
  const ended = endedChains(proof, chains);
  const closed = proof.isLong ? proof.findShoeEvent("ShoeCutClosed") : undefined;
  // The shoe of a table's first round is committed to before the table can have chains.
  const ofRound = proof.isLong || proof.opened.number === 1 ? proof.requireTerms()[0] : proof.findAnnouncingEvent();
  /** @type {[readonly WitnessIndex[], LogEvent][]} */
  const taken = [[proof.witnesses, ofRound], ...(closed ? [/** @type {[readonly WitnessIndex[], LogEvent]} */ ([proof.shoeWitnesses, closed])] : [])];
  for (const [listed, { position }] of taken) {
    const inUse = [...chains].filter(([chain, { event }]) => event.position < position && (ended.get(chain)?.position ?? Infinity) > position);
    const wanted = [...new Set(inUse.map(([, { key }]) => hex(key)))].sort();
    const found = listed.flatMap(({ chain }) => chains.get(chain) ?? []).map(({ key }) => hex(key)).sort();
    if (!isSame(wanted, found)) throw new CheckFailed("witnesses.used", wanted, found);
    const late = listed.find(({ chain, index }) => index >= (ended.get(chain)?.index ?? Infinity));
    if (late) throw new CheckFailed("witnesses.ended", `< ${ended.get(late.chain)?.index}`, late.index);
  }
  if (proof.witnesses.some(({ chain }) => ended.has(chain)) && proof.findEvent("BettingClosed")) throw new CheckFailed("witnesses.ended", "RoundVoided", "BettingClosed");
}

/**
 * Where chains ended before the round: their first unused index, and the position of the event.
 * @param {Proof} proof
 * @param {Awaited<ReturnType<typeof openedChains>>} chains
 */
function endedChains(proof, chains) {
  /** @type {Map<string, {index: number, position: number}>} */
  const ended = new Map();
  for (const { data, version, position } of eventsBefore(proof, "WitnessChainsReplaced")) {
    const follows = [...chains].filter(([, { event }]) => event.version === version + 1).map(([chain]) => chain);
    if (!isSame(follows, [data.successor])) throw new CheckFailed("witnesses.used", data.successor, follows);
    const before = [...chains].filter(([chain, { event }]) => event.position < position && !ended.has(chain)).map(([chain]) => chain);
    const lost = data.ended.map((/** @type {WitnessIndex} */ { chain }) => chain);
    const keys = new Set(lost.map((/** @type {string} */ chain) => hex(chains.get(chain)?.key ?? Uint8Array.of())));
    if (!lost.every((/** @type {string} */ chain) => before.includes(chain)) || keys.size !== 1) throw new CheckFailed("witnesses.used", before, lost);
    for (const { chain, index } of data.ended) ended.set(chain, { index, position });
  }
  return ended;
}

/** @param {Uint8Array<ArrayBuffer>} header */
function parseHeader(header) {
  const length = new DataView(header.buffer, header.byteOffset).getBigUint64(CHAIN.length);
  const at = CHAIN.length + 8 + Number(length);
  const [numbers, keys] = [at + TABLE_BYTES, at + TABLE_BYTES + 17];
  const height = header[keys - 1];
  const [root, house, key] = [0, 1, 2].map((place) => header.slice(keys + KEY_BYTES * place, keys + KEY_BYTES * (place + 1)));
  const valid = hex(header.slice(0, CHAIN.length)) === hex(CHAIN) && header.length === keys + 3 * KEY_BYTES + 12 && MIN_HEIGHT <= height && height <= MAX_HEIGHT;
  if (!valid) throw new CheckFailed("witnesses.header", "header", hex(header));
  const origin = new TextDecoder("utf-8", { fatal: true }).decode(header.slice(CHAIN.length + 8, at));
  const number = Number(new DataView(header.buffer, header.byteOffset).getBigUint64(numbers));
  const generation = new DataView(header.buffer, header.byteOffset).getBigUint64(numbers + 8);
  return { origin, table: hex(header.slice(at, numbers)), number, generation, height, root, house, key };
}
