// What is checked of the log: digests, links, the tree and its signature.

import { big, bytes, hex, isSigned, joined, leafOf, rootByPath, sha256, unhex } from "./hashes.js";
import { canonical, isSignature } from "./read.js";
import { NotYet, Wrong } from "./results.js";

const SEAL_TAG = joined(bytes("casino.events.seal/1"), new Uint8Array(4));
const MAY_BE_WITHHELD = new Set(["RoundSuspended", "RoundResumed", "RoundVoidRequested", "RoundVoidDeclined", "RoundVoided", "ShoeEnded"]);

function microseconds(text) {
  const whole = Date.parse(`${text.slice(0, 19)}Z`);
  if (Number.isNaN(whole)) throw new TypeError("no such time");
  return BigInt(whole) * 1000n + BigInt(text.slice(20, 26));
}

const signed64 = (number) => big(number < 0n ? (1n << 64n) + number : number, 8);

async function sealOf(event) {
  const texts = [event.stream, event.type, canonical(event.data), canonical(event.metadata)].map(bytes);
  const digest = await sha256(
    SEAL_TAG, big(event.position, 8), big(event.id, 8), big(event.version, 4), big(event.schema, 4),
    signed64(microseconds(event.recorded_at)), ...texts.map((text) => big(text.length, 4)), unhex(event.previous), ...texts,
  );
  return hex(digest);
}

export async function digests(proof) {
  const withheld = proof.events.filter((event) => !event.data);
  for (const event of proof.events) {
    const values = { position: event.position, type: event.type };
    if (!event.data) {
      if (event.metadata || !MAY_BE_WITHHELD.has(event.type)) throw new Wrong("event.withheld", event.type, null, { kind: event.type });
      continue;
    }
    const computed = await sealOf(event);
    if (computed !== event.digest) throw new Wrong("digests.differ", event.digest, computed, values);
  }
  const count = proof.events.length;
  if (withheld.length) throw new NotYet("digests.withheld", { done: count - withheld.length, count, kinds: withheld.map((event) => event.type).join(", ") });
  return ["digests.ok", { count }];
}

export function chain(proof) {
  proof.others.forEach((event, at) => {
    if (at || !isOpeningOfTable(event, proof)) throw new Wrong("chain.stream", [proof.stream, proof.tableStream], event.stream);
  });
  for (const events of [proof.ofRound, proof.ofTable]) {
    events.slice(1).forEach((after, at) => {
      const before = events[at];
      if (after.position <= before.position || after.version <= before.version) throw new Wrong("chain.order", before.version + 1, after.version, { stream: after.stream });
    });
  }
  const versions = proof.ofRound.map((event) => event.version);
  if (versions.some((version, at) => version !== at + 1)) throw new Wrong("chain.gap", versions.map((_, at) => at + 1), versions);
  return ["chain.ok", { count: versions.length, links: links(proof) }];
}

/** Whether an event opens another round of the same table: one before may name this round's shoe. */
function isOpeningOfTable({ type, version, stream, data }, proof) {
  return type === "RoundOpened" && version === 1 && stream === `round-${data?.round}` && data.table === proof.round.table && !proof.isLong;
}

function links(proof) {
  const ordered = [...proof.events].sort((one, other) => one.position - other.position);
  let count = 0;
  ordered.slice(1).forEach((after, at) => {
    const before = ordered[at];
    if (after.position === before.position) throw new Wrong("chain.twice", 1, 2, { position: after.position });
    if (after.position !== before.position + 1) return;
    count += 1;
    if (before.digest !== after.previous) throw new Wrong("chain.link", before.digest, after.previous, { position: before.position });
  });
  return count;
}

export async function inclusion(proof) {
  const { checkpoint } = proof;
  const within = new Set(proof.events.map((event) => event.position).filter((position) => position <= (checkpoint?.position ?? 0)));
  const listed = proof.inclusion.map((line) => line.position);
  if (listed.some((position) => !within.has(position)) || new Set(listed).size !== listed.length) throw new Wrong("inclusion.more", [...within], listed);
  if (!checkpoint) throw new NotYet("inclusion.none");
  const paths = new Map(proof.inclusion.map((line) => [line.position, line.path.map(unhex)]));
  for (const event of proof.events) {
    const { position } = event;
    if (position > checkpoint.position) continue;
    if (!paths.has(position)) throw new Wrong("inclusion.path", position, [...paths.keys()], { position });
    const found = await rootByPath(await leafOf(unhex(event.digest)), position - 1, checkpoint.position, paths.get(position));
    if (!found || hex(found) !== checkpoint.root) throw new Wrong("inclusion.root", checkpoint.root, found && hex(found), { position });
  }
  const younger = proof.events.filter((event) => event.position > checkpoint.position);
  if (younger.length) throw new NotYet("inclusion.younger", { positions: younger.map((event) => event.position).join(", ") });
  return ["inclusion.ok", { count: proof.events.length, number: checkpoint.number, size: checkpoint.position }];
}

function signingKey(proof) {
  if (!proof.checkpoint) throw new NotYet("signature.none");
  const key = proof.keys.find((each) => each.id === proof.checkpoint.key);
  if (!key) throw new Wrong("signature.unlisted", proof.checkpoint.key, proof.keys.map((each) => each.id));
  return key;
}

export async function signature(proof) {
  const key = signingKey(proof);
  const { signature: given, ...signed } = proof.checkpoint;
  if (signed.format !== "casino.checkpoint.v1") throw new Wrong("signature.format", "casino.checkpoint.v1", signed.format ?? null);
  if (!isSignature(given)) throw new Wrong("signature.differs", "Ed25519", given ?? null, { key: key.id });
  const message = joined(bytes("casino.checkpoint.v1\n"), bytes(canonical(signed)));
  const holds = await isSigned(unhex(key.public), message, unhex(given));
  if (holds === null) throw new NotYet("signature.browser");
  if (!holds) throw new Wrong("signature.differs", "Ed25519", given, { key: key.id });
  if (moment(key.from) > moment(signed.made_at) || (key.until !== null && moment(key.until) < moment(signed.made_at))) {
    throw new Wrong("signature.time", [key.from, key.until], signed.made_at, { key: key.id });
  }
  return ["signature.ok", { number: signed.number, time: signed.made_at, key: key.id }];
}

/** A time of a key or a checkpoint as a text that sorts; their fractions may be of any length. */
function moment(text) {
  const found = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?Z$/.exec(text);
  if (!found) throw new TypeError("no such time");
  return `${found[1]}.${(found[2] ?? "").padEnd(6, "0")}`;
}

export function key(proof) {
  const used = signingKey(proof);
  if (!proof.trusted.size) throw new NotYet("key.unknown");
  if (!proof.trusted.has(used.public)) throw new Wrong("key.other", [...proof.trusted], used.public);
  return ["key.ok"];
}
