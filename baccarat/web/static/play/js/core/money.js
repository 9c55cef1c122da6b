// Amounts travel as decimal strings and are counted in whole minor units; no float ever holds money.

/** Count a decimal string in minor units: "12.50" is 1250n. */
export function minor(text) {
  return BigInt(String(text).replace(".", ""));
}

/** Tell how many decimals a currency's amounts carry, from one of them. */
export function decimals(text) {
  const [, part = ""] = String(text).split(".");
  return part.length;
}

/** Print minor units as the decimal string that the API reads. */
export function decimal(units, digits) {
  const sign = units < 0n ? "-" : "";
  const text = String(units < 0n ? -units : units).padStart(digits + 1, "0");
  return digits === 0 ? sign + text : `${sign}${text.slice(0, -digits)}.${text.slice(-digits)}`;
}

/** Add up the amounts of stakes, in minor units. */
export function sum(stakes) {
  return (stakes ?? []).reduce((total, stake) => total + minor(stake.amount), 0n);
}

/** Find the amount on one spot, in minor units. */
export function on(stakes, spot) {
  return sum((stakes ?? []).filter((stake) => stake.spot === spot));
}

/** Make up an amount from chips, the largest first; `chips` in minor units. */
export function pile(units, chips) {
  const found = [];
  let left = units;
  for (const chip of [...chips].sort((a, b) => (a < b ? 1 : -1))) {
    while (left >= chip && found.length < 60) {
      found.push(chip);
      left -= chip;
    }
  }
  return found;
}

/** Read what a person typed, in either way of writing decimals; null when it is no amount. */
export function typed(text, digits) {
  const match = /^\s*(\d{1,12})(?:[.,](\d+))?\s*$/.exec(text);
  if (!match || (match[2] ?? "").length > digits) return null;
  const units = BigInt(match[1] + (match[2] ?? "").padEnd(digits, "0"));
  return units > 0n ? units : null;
}
