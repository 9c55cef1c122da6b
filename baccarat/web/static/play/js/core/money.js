// Amounts: decimal strings in the API, whole minor units (BigInt) in code, never floats.

/**
 * Convert a decimal string to minor units: "12.50" is 1250n.
 * @param {string} text
 */
export function toMinor(text) {
  return BigInt(String(text).replace(".", ""));
}

/**
 * Count the decimals of a currency from one of its amounts.
 * @param {string} text
 */
export function countDecimals(text) {
  const [, fraction = ""] = String(text).split(".");
  return fraction.length;
}

/**
 * Format minor units as the decimal string that the API reads.
 * @param {bigint} units
 * @param {number} digits
 */
export function toDecimal(units, digits) {
  const sign = units < 0n ? "-" : "";
  const text = String(units < 0n ? -units : units).padStart(digits + 1, "0");
  return digits === 0 ? sign + text : `${sign}${text.slice(0, -digits)}.${text.slice(-digits)}`;
}

/** @param {readonly Api["Stake"][]} stakes */
function sumStakes(stakes) {
  return stakes.reduce((total, stake) => total + toMinor(stake.amount), 0n);
}

/**
 * Add up the stakes on one spot, in minor units.
 * @param {readonly Api["Stake"][]} stakes
 * @param {string} spot
 */
export function stakeOn(stakes, spot) {
  return sumStakes(stakes.filter((stake) => stake.spot === spot));
}

/**
 * Split an amount into chips, the largest first; `chips` in minor units.
 * @param {bigint} units
 * @param {bigint[]} chips
 */
export function splitIntoChips(units, chips) {
  /** @type {bigint[]} */
  const pieces = [];
  let rest = units;
  for (const chip of [...chips].sort((a, b) => (a < b ? 1 : -1))) {
    while (rest >= chip && pieces.length < 60) {
      pieces.push(chip);
      rest -= chip;
    }
  }
  return pieces;
}

/**
 * Parse a typed amount with a decimal point or comma; null if it isn't one.
 * @param {string} text
 * @param {number} digits
 */
export function parseAmount(text, digits) {
  const match = /^\s*(\d{1,15})(?:[.,](\d+))?\s*$/.exec(text);
  if (!match || (match[2] ?? "").length > digits) return null;
  const units = BigInt(match[1] + (match[2] ?? "").padEnd(digits, "0"));
  return units > 0n ? units : null;
}
