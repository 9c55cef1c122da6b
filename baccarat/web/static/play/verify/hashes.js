// Hashes, signatures and Merkle trees with the browser's cryptography (WebCrypto). Bytes are Uint8Array.

const ascii = new TextEncoder();
/** @param {string} text */
export const bytes = (text) => ascii.encode(text);
/** @param {Uint8Array} data */
export const hex = (data) => Array.from(data, (byte) => byte.toString(16).padStart(2, "0")).join("");

/**
 * Decode hex. Throws TypeError for anything else.
 * @param {string} text
 */
export function unhex(text) {
  if (!/^(?:[0-9a-f]{2})*$/.test(text)) throw new TypeError("not hex");
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

/** @param {...Uint8Array} parts */
export function joined(...parts) {
  const whole = new Uint8Array(parts.reduce((size, part) => size + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/**
 * Encode a whole number in `size` big-endian bytes.
 * @param {number | bigint} number
 * @param {number} size
 */
export function big(number, size) {
  let left = BigInt(number);
  if (left < 0n || left >= 1n << BigInt(8 * size)) throw new RangeError("a number is out of range");
  const encoded = new Uint8Array(size);
  for (let at = size - 1; at >= 0; at -= 1) {
    encoded[at] = Number(left & 255n);
    left >>= 8n;
  }
  return encoded;
}

/**
 * Decode a UUID.
 * @param {string} id
 */
export const uuid = (id) => unhex(id.replaceAll("-", ""));

/**
 * Return the tag with which bytes begin, with its end.
 * @param {string} name
 */
export const tag = (name) => joined(bytes(`casino.baccarat.${name}`), Uint8Array.of(0));

/**
 * Return bytes behind their length.
 * @param {Uint8Array} data
 */
export const prefixed = (data) => joined(big(data.length, 8), data);

/** @param {...Uint8Array} parts */
export const sha256 = async (...parts) => new Uint8Array(await crypto.subtle.digest("SHA-256", joined(...parts)));

/**
 * Return a function that computes HMAC-SHA-256 with a key.
 * @param {Uint8Array<ArrayBuffer>} secret
 * @returns {Promise<(...parts: Uint8Array[]) => Promise<Uint8Array<ArrayBuffer>>>}
 */
export async function hmac(secret) {
  const key = await crypto.subtle.importKey("raw", secret, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  return async (...parts) => new Uint8Array(await crypto.subtle.sign("HMAC", key, joined(...parts)));
}

const PRIME = 2n ** 255n - 19n;
const ORDER_EIGHT = 0x7a03ac9277fdc74ec6cc392cfa53202a0f67100d760b3cba4fd84d3d706a17c7n;

/**
 * Whether all verifiers read a point alike: some refuse those of small order, and other spellings.
 * @param {Uint8Array} point
 */
function isOfLargeOrder(point) {
  const y = BigInt(`0x0${hex(point.slice(0, 32).reverse())}`) & (2n ** 255n - 1n);
  return y > 1n && y < PRIME - 1n && y !== ORDER_EIGHT && y !== PRIME - ORDER_EIGHT;
}

/**
 * Return whether an Ed25519 signature is valid; null if this browser can't verify it.
 * @param {Uint8Array<ArrayBuffer>} publicKey
 * @param {Uint8Array<ArrayBuffer>} message
 * @param {Uint8Array<ArrayBuffer>} signature
 */
export async function isSigned(publicKey, message, signature) {
  if (![publicKey, signature].every(isOfLargeOrder)) return false;
  let key;
  try {
    key = await crypto.subtle.importKey("raw", publicKey, { name: "Ed25519" }, false, ["verify"]);
  } catch (error) {
    return error instanceof DOMException && error.name === "NotSupportedError" ? null : false;
  }
  return crypto.subtle.verify({ name: "Ed25519" }, key, signature, message);
}

const LEAF = Uint8Array.of(0);
const NODE = Uint8Array.of(1);
/** @param {...Uint8Array} parts */
export const leafOf = (...parts) => sha256(LEAF, ...parts);

/**
 * Return the root from a leaf's hash and its path; null for a path of the wrong length (RFC 9162).
 * @param {Uint8Array} leaf
 * @param {number} index
 * @param {number} size
 * @param {readonly Uint8Array[]} path
 */
export async function rootByPath(leaf, index, size, path) {
  if (!(index >= 0 && index < size)) return null;
  let [node, last, root] = [index, size - 1, leaf];
  /** @param {number} number */
  const half = (number) => Math.floor(number / 2);
  for (const step of path) {
    if (last === 0) return null;
    if (node % 2 === 1 || node === last) {
      root = await sha256(NODE, step, root);
      while (node % 2 === 0 && node !== 0) [node, last] = [half(node), half(last)];
    } else root = await sha256(NODE, root, step);
    [node, last] = [half(node), half(last)];
  }
  return last === 0 ? root : null;
}

/**
 * Return the root of a whole tree of leaf hashes.
 * @param {Uint8Array[]} leaves
 * @returns {Promise<Uint8Array>}
 */
export async function rootOf(leaves) {
  if (leaves.length === 1) return leaves[0];
  let half = 1;
  while (2 * half < leaves.length) half *= 2;
  const sides = await Promise.all([rootOf(leaves.slice(0, half)), rootOf(leaves.slice(half))]);
  return sha256(NODE, ...sides);
}
