// Hashes, signatures and trees, by the browser's own cryptography (WebCrypto). Bytes are Uint8Array.

const ascii = new TextEncoder();
export const bytes = (text) => ascii.encode(text);
export const hex = (data) => Array.from(data, (byte) => byte.toString(16).padStart(2, "0")).join("");

/** This will read bytes from hex, as long as it is hex and nothing else. */
export function unhex(text) {
  if (!/^(?:[0-9a-fA-F]{2})*$/.test(text)) throw new TypeError("not hex");
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

export function joined(...parts) {
  const whole = new Uint8Array(parts.reduce((size, part) => size + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** This will write a whole number in so many big-endian bytes. */
export function big(number, size) {
  let left = BigInt(number);
  if (left < 0n || left >= 1n << BigInt(8 * size)) throw new RangeError("a number does not fit its place");
  const written = new Uint8Array(size);
  for (let at = size - 1; at >= 0; at -= 1) {
    written[at] = Number(left & 255n);
    left >>= 8n;
  }
  return written;
}

export const sha256 = async (...parts) => new Uint8Array(await crypto.subtle.digest("SHA-256", joined(...parts)));

/** This will return a function that makes HMAC-SHA-256 under a key. */
export async function hmac(secret) {
  const key = await crypto.subtle.importKey("raw", secret, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  return async (...parts) => new Uint8Array(await crypto.subtle.sign("HMAC", key, joined(...parts)));
}

/** This will tell whether an Ed25519 signature holds; null where this browser can't tell. */
export async function isSigned(publicKey, message, signature) {
  let key;
  try {
    key = await crypto.subtle.importKey("raw", publicKey, { name: "Ed25519" }, false, ["verify"]);
  } catch (error) {
    if (error.name === "NotSupportedError") return null;
    return false;
  }
  return crypto.subtle.verify({ name: "Ed25519" }, key, signature, message);
}

const LEAF = Uint8Array.of(0);
const NODE = Uint8Array.of(1);
export const leafOf = (...parts) => sha256(LEAF, ...parts);

/** This will return the root that a leaf's hash and its path lead to; null for a path of the wrong length (RFC 9162). */
export async function rootByPath(leaf, index, size, path) {
  if (!(index >= 0 && index < size)) return null;
  let [node, last, found] = [index, size - 1, leaf];
  const half = (number) => Math.floor(number / 2);
  for (const step of path) {
    if (last === 0) return null;
    if (node % 2 === 1 || node === last) {
      found = await sha256(NODE, step, found);
      while (node % 2 === 0 && node !== 0) [node, last] = [half(node), half(last)];
    } else found = await sha256(NODE, found, step);
    [node, last] = [half(node), half(last)];
  }
  return last === 0 ? found : null;
}

/** This will return the root of a whole tree of leaf hashes. */
export async function rootOf(leaves) {
  if (leaves.length === 1) return leaves[0];
  let half = 1;
  while (2 * half < leaves.length) half *= 2;
  const sides = await Promise.all([rootOf(leaves.slice(0, half)), rootOf(leaves.slice(half))]);
  return sha256(NODE, ...sides);
}
