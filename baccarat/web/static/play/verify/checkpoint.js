// Checks of the checkpoint, which is a signed note of C2SP: what its tree holds, who has signed it, and who cosigned it.

import { bytes, hex, isSigned, leafOf, rootByPath, sha256, unhex } from "./hashes.js";
import { microsecondsOf } from "./log.js";
import { CannotCheck, CheckFailed, DoesNotApply } from "./proof.js";
import { openedChains } from "./witnesses.js";

/** @import { Finding, Proof } from "./proof.js" */
/** @typedef {{name: string, id: string, blob: Uint8Array<ArrayBuffer>}} NoteSignature */
/** @typedef {{name: string, time: string}} Cosignature */

const [NOTE, COSIGNER] = [1, 4];
const HEAD = /^([ -~]+)\n([1-9][0-9]{0,15})\n([A-Za-z0-9+/]{43}=)\n(?:[ -~]+\n)*$/;
const MAX_SIGNATURES = 64;
const MAX_TIME = 253_402_300_799n; // the last second of the year 9999
const LINE = /^\u2014 ([!-*,-~]+) ([A-Za-z0-9+/]+={0,2})$/;
const VKEY = /^([^\s+"]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]{44})$/;

/**
 * Whether a text is a cosigner's key: `NAME+ID+KEY`.
 * @param {string} text
 */
export const isCosigner = (text) => VKEY.test(text);

/** @param {string} text */
function unbase64(text) {
  const raw = atob(text);
  if (btoa(raw) !== text) throw new TypeError("not base64");
  return Uint8Array.from(raw, (each) => each.charCodeAt(0));
}

/**
 * The four bytes, in hex, that begin each signature of a key.
 * @param {string} name
 * @param {number} kind
 * @param {Uint8Array} key
 */
const keyId = async (name, kind, key) => hex((await sha256(bytes(`${name}\n`), Uint8Array.of(kind), key)).slice(0, 4));

/**
 * A signed checkpoint's text, origin, size and root, and its signatures.
 * @param {string} note
 */
export function parseNote(note) {
  const at = note.lastIndexOf("\n\n");
  const [text, lines] = [note.slice(0, at + 1), note.slice(at + 2)];
  const head = HEAD.exec(text);
  if (at < 0 || !head || !lines.endsWith("\n") || !Number.isSafeInteger(Number(head[2]))) throw new CheckFailed("cosignatures.note", "C2SP", note);
  const signatures = lines.slice(0, -1).split("\n").map((line) => {
    const match = LINE.exec(line);
    const raw = match && unbase64(match[2]);
    if (!raw || raw.length < 5) throw new CheckFailed("cosignatures.note", "C2SP", line);
    return { name: match[1], id: hex(raw.slice(0, 4)), blob: raw.slice(4) };
  });
  const keys = new Set(signatures.map(({ name, id }) => `${name} ${id}`));
  if (keys.size !== signatures.length || keys.size > MAX_SIGNATURES) throw new CheckFailed("cosignatures.note", keys.size, signatures.length);
  return { text, origin: head[1], size: Number(head[2]), root: unbase64(head[3]), signatures };
}

/**
 * @param {Uint8Array<ArrayBuffer>} key
 * @param {string} message
 * @param {Uint8Array<ArrayBuffer>} signature
 */
async function holds(key, message, signature) {
  const isValid = await isSigned(key, bytes(message), signature);
  if (isValid === null) throw new CannotCheck("signature.browser");
  return isValid;
}

/**
 * The cosignatures by keys that the reader trusts.
 * @param {ReturnType<typeof parseNote>} note
 * @param {readonly string[]} trusted
 */
export async function findCosignatures({ text, signatures }, trusted) {
  /** @type {Map<string, Uint8Array<ArrayBuffer>>} */
  const keys = new Map();
  for (const each of trusted) {
    const [, name, id, typed] = VKEY.exec(each) ?? [];
    const key = unbase64(typed).slice(1);
    if (await keyId(name, COSIGNER, key) === id) keys.set(`${name} ${id}`, key);
  }
  /** @type {Cosignature[]} */
  const found = [];
  for (const { name, id, blob } of signatures) {
    const key = keys.get(`${name} ${id}`);
    if (!key) continue;
    const time = new DataView(blob.buffer).getBigUint64(0);
    if (time < 1n || time > MAX_TIME || !await holds(key, `cosignature/v1\ntime ${time}\n${text}`, blob.slice(8))) throw new CheckFailed("cosignatures.forged", name, hex(blob), { name });
    found.push({ name, time: new Date(Number(time) * 1000).toISOString().replace(".000", "") });
  }
  return found;
}

/** @param {readonly Cosignature[]} cosigned */
export const describeCosignatures = (cosigned) => cosigned.map(({ name, time }) => `${name} (${time})`).join(", ");

/**
 * @param {Proof} proof
 * @returns {Promise<Finding>}
 */
export async function inclusion(proof) {
  const { size, root } = proof.checkpoint === null ? { size: 0, root: new Uint8Array() } : parseNote(proof.checkpoint);
  const within = new Set(proof.events.map((event) => event.position).filter((position) => position <= size));
  const listed = proof.inclusion_proofs.map((line) => line.position);
  if (listed.some((position) => !within.has(position)) || new Set(listed).size !== listed.length) throw new CheckFailed("inclusion.more", [...within], listed);
  if (proof.checkpoint === null) throw new CannotCheck("inclusion.none");
  const paths = new Map(proof.inclusion_proofs.map((line) => [line.position, line.path.map(unhex)]));
  for (const event of proof.events) {
    const { position } = event;
    if (position > size) continue;
    const path = paths.get(position);
    if (!path) throw new CheckFailed("inclusion.path", position, [...paths.keys()], { position });
    const computed = await rootByPath(await leafOf(unhex(event.digest)), position - 1, size, path);
    if (!computed || hex(computed) !== hex(root)) throw new CheckFailed("inclusion.root", hex(root), computed && hex(computed), { position });
  }
  const younger = proof.events.filter((event) => event.position > size);
  if (younger.length) throw new CannotCheck("inclusion.younger", { positions: younger.map((event) => event.position).join(", ") });
  return ["inclusion.ok", { count: proof.events.length, size }];
}

/**
 * The listed key that a line of the checkpoint names, that line's signature, and the checkpoint.
 * @param {Proof} proof
 */
async function signingKey(proof) {
  if (proof.checkpoint === null) throw new CannotCheck("signature.none");
  const note = parseNote(proof.checkpoint);
  const { origin, signatures } = note;
  const listed = new Map(await Promise.all(proof.keys.map(async (each) => /** @type {const} */ ([await keyId(origin, NOTE, unhex(each.public_key)), each]))));
  const own = signatures.flatMap(({ name, id, blob }) => {
    const key = name === origin && listed.get(id);
    return key ? [{ key, blob, note }] : [];
  });
  if (own.length !== 1) throw new CheckFailed("signature.unlisted", proof.keys.map((each) => each.id), own.length);
  return own[0];
}

/**
 * @param {Proof} proof
 * @returns {Promise<Finding>}
 */
export async function signature(proof) {
  const { key, blob, note: { text, size } } = await signingKey(proof);
  if (!await holds(unhex(key.public_key), text, blob)) throw new CheckFailed("signature.differs", "Ed25519", hex(blob), { key: key.id });
  const until = key.valid_until;
  const late = until !== null && proof.events.find((event) => event.position <= size && microsecondsOf(event.recorded_at) > microsecondsOf(until));
  if (late) throw new CheckFailed("signature.time", until, late.recorded_at, { key: key.id });
  return ["signature.ok", { size, key: key.id }];
}

/**
 * @param {Proof} proof
 * @returns {Promise<Finding>}
 */
export async function key(proof) {
  const used = (await signingKey(proof)).key;
  if (!proof.trusted.size) throw new CannotCheck("key.unknown");
  if (!proof.trusted.has(used.public_key)) throw new CheckFailed("key.other", [...proof.trusted], used.public_key);
  return ["key.ok"];
}

/**
 * @param {Proof} proof
 * @returns {Promise<Finding>}
 */
export async function cosignatures(proof) {
  const note = proof.checkpoint === null ? null : parseNote(proof.checkpoint);
  const names = [...new Set(note?.signatures.map((each) => each.name))].filter((name) => name !== note?.origin).join(", ");
  if (!note || !names) throw new DoesNotApply("cosignatures.none");
  const { origin, size } = note;
  const origins = [...(await openedChains(proof)).values()].map((chain) => chain.origin);
  if (origins.some((each) => each !== origin)) throw new CheckFailed("cosignatures.origin", origins, origin);
  proof.cosignedBy = await findCosignatures(note, proof.cosigners);
  if (!proof.cosignedBy.length) throw new CannotCheck("cosignatures.untrusted", { origin, names });
  return ["cosignatures.ok", { origin, size, names: describeCosignatures(proof.cosignedBy) }];
}
