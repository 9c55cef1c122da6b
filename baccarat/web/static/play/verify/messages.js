// Messages of this page, in the language chosen on the table page.

import { currentLanguage, t as translate } from "../js/messages/index.js";

/**
 * Format minor units as money; without decimals for an unknown currency.
 * @param {unknown} minor
 * @param {unknown} currency
 */
export function money(minor, currency) {
  try {
    const format = new Intl.NumberFormat(currentLanguage(), { style: "currency", currency: String(currency) });
    const places = format.resolvedOptions().maximumFractionDigits ?? 0;
    const digits = String(minor).padStart(places + 1, "0");
    const amount = places ? `${digits.slice(0, -places)}.${digits.slice(-places)}` : digits;
    return format.format(/** @type {`${number}`} */ (amount));
  } catch {
    return `${minor} ${currency}`;
  }
}

/**
 * Return a message with its placeholders filled in; `minor` and `currency` become `amount`.
 * @param {string} key
 * @param {Record<string, any>} [values] `n` selects the plural form
 */
export function t(key, values = {}) {
  const { minor, currency } = values;
  return translate(`verify.${key}`, minor === undefined ? values : { ...values, amount: money(minor, currency) });
}
