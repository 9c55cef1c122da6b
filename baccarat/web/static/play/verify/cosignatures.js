// The check of cosignatures: which witnesses have cosigned a log that continues the checkpoint's (signed notes of C2SP).

import { bytes, hex, isContinued, isSigned, sha256, unhex } from "./hashes.js";
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
export async function cosignatures(proof) {
  const { checkpoint, cosigned } = proof;
  if (!cosigned) throw new DoesNotApply("cosignatures.none");
  if (!checkpoint) throw new CheckFailed("cosignatures.checkpoint", null, cosigned.note);
  const note = parseNote(cosigned.note);
  const { text, origin, size, root, signatures } = note;
  if (!await isContinued(checkpoint.position, size, unhex(checkpoint.root), root, cosigned.consistency.map(unhex))) throw new CheckFailed("cosignatures.continued", checkpoint.root, hex(root));
  const origins = [...(await openedChains(proof)).values()].map((chain) => chain.origin);
  if (origins.some((each) => each !== origin)) throw new CheckFailed("cosignatures.origin", origins, origin);
  const ids = new Map(await Promise.all(proof.keys.map(async ({ public_key: key }) => /** @type {const} */ ([await keyId(origin, NOTE, unhex(key)), unhex(key)]))));
  const own = signatures.flatMap(({ name, id, blob }) => (name === origin && ids.has(id) ? [holds(/** @type {Uint8Array<ArrayBuffer>} */ (ids.get(id)), text, blob)] : []));
  const signed = await Promise.all(own);
  if (!signed.length || signed.includes(false)) throw new CheckFailed("cosignatures.unsigned", origin, cosigned.note);
  proof.cosignedBy = await findCosignatures(note, proof.cosigners);
  if (!proof.cosignedBy.length) throw new CannotCheck("cosignatures.untrusted", { origin, names: [...new Set(signatures.map((each) => each.name))].filter((name) => name !== origin).join(", ") });
  return ["cosignatures.ok", { origin, size, names: describeCosignatures(proof.cosignedBy) }];
}
