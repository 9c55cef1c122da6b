// What a player adds to the shuffle: 1 to 32 bytes, travelling as hex.

const MOST = 32;
const DIGITS = /^([0-9a-f]{2}){1,32}$/i;

const hex = (bytes) => [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");

/** Draw 16 bytes that nobody else can know. */
export const drawn = () => hex(crypto.getRandomValues(new Uint8Array(16)));

/** Read what was typed: hex digits as they are, anything else as its letters; null for nothing or too much. */
export function contributionOf(text) {
  const typed = text.trim();
  if (DIGITS.test(typed)) return typed.toLowerCase();
  const bytes = new TextEncoder().encode(typed);
  return bytes.length > 0 && bytes.length <= MOST ? hex(bytes) : null;
}
