// What this page says, in the language that the table page has chosen.

import { languageNow } from "../js/words/index.js";
import de from "./words-de.js";
import en from "./words-en.js";

const CATALOGUES = { en, de };

/** Minor units as money; a currency that nobody knows leaves them as they are. */
function money(minor, currency) {
  try {
    const format = new Intl.NumberFormat(languageNow(), { style: "currency", currency });
    const places = format.resolvedOptions().maximumFractionDigits;
    const digits = String(minor).padStart(places + 1, "0");
    return format.format(places ? `${digits.slice(0, -places)}.${digits.slice(-places)}` : digits);
  } catch {
    return `${minor} ${currency}`;
  }
}

/** This will say a sentence with its blanks filled in; `minor` and `currency` make an amount. */
export function w(key, given = {}) {
  const values = given.minor === undefined ? given : { ...given, amount: money(given.minor, given.currency) };
  const sentence = CATALOGUES[languageNow()][key] ?? en[key] ?? key;
  return sentence.replace(/\{(\w+)\}/g, (_, name) => values[name] ?? "");
}
