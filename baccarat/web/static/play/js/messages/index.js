// Translation, and numbers, money and times in the player's locale. Each language is one data file beside this module, and
// one more with the refusals that a player can meet, which is loaded with the first of them.

import { NoResponse, Problem, prepareForProblems } from "../core/api.js";
import { launch } from "../core/launch.js";
import { countDecimals } from "../core/money.js";
import { storage } from "../core/session.js";

/** @typedef {Record<string, string | number | null | undefined>} MessageValues */

/** The link of each language, as the service lists them: the addresses of its messages, of more for this page, and of its refusals. */
const LINKS = new Map(
  [.../** @type {NodeListOf<HTMLLinkElement>} */ (document.querySelectorAll("link[hreflang]"))].map((link) => [link.hreflang, link]),
);

export const LANGUAGES = [...LINKS.keys()];

let language = "en";
let locale = "en";
/** @type {Record<string, string>} */
let messages = {};
/** @type {Promise<Record<string, string>> | null} */
let loadingProblems = null;
/** @type {Record<string, string>} */
let problems = {};

/** @param {string} tag */
const primary = (tag) => tag.slice(0, 2).toLowerCase();

/**
 * Load a language: the one wanted, else the launch's, the one chosen here before, the first of the browser's that there
 * is, or English.
 * @param {string | null} [wanted]
 */
export async function loadLanguage(wanted = null) {
  const tags = [wanted ?? launch?.language ?? "", storage.get("language", ""), ...navigator.languages];
  const next = primary(tags.find((tag) => LANGUAGES.includes(primary(tag))) ?? "en");
  const link = LINKS.get(next);
  messages = await readMessages(link?.href);
  if (link?.dataset.more) messages = { ...messages, ...(await readMessages(link.dataset.more)) };
  language = next;
  loadingProblems = null;
  problems = {};
  locale = tags.find((tag) => primary(tag) === language && tag.length > language.length) ?? language;
  document.documentElement.lang = language;
  document.documentElement.dir = t("language.direction");
  document.title = t("title");
}

/** Load the sentences of verifying, which few need. */
export async function loadVerifying() {
  const address = LINKS.get(language)?.dataset.verify;
  if (!hasMessage("verify.page.busy")) messages = { ...messages, ...(await readMessages(address)) };
}

/**
 * @param {string} [address]
 * @returns {Promise<Record<string, string>>}
 */
async function readMessages(address = "") {
  try {
    const response = await fetch(address);
    if (response.ok) return await response.json();
    throw new NoResponse(response.statusText);
  } catch (error) {
    throw new NoResponse(String(error));
  }
}

// Without its sentence a refusal is shown by the service's title, and the sentences are asked for again at the next one.
prepareForProblems(async () => {
  const address = LINKS.get(language)?.dataset.problems;
  if (!address) return;
  loadingProblems ??= readMessages(address);
  try {
    problems = await loadingProblems;
  } catch {
    loadingProblems = null;
  }
});

export const currentLanguage = () => language;

/** @type {Map<string, any>} */
const formats = new Map();

/**
 * Return a formatter for the player's locale. Browsers take long to make one, and each frame of a deal needs several.
 * @template F, O
 * @param {new (locale: string, options?: O) => F} Format
 * @param {O} [options]
 * @returns {F}
 */
function formatter(Format, options) {
  const key = JSON.stringify([Format.name, locale, options]);
  const format = formats.get(key) ?? new Format(locale, options);
  formats.set(key, format);
  return format;
}

/**
 * Return a language's name in that language.
 * @param {string} tag
 */
export const languageName = (tag) => new Intl.DisplayNames([tag], { type: "language" }).of(tag) ?? tag;

/**
 * Translate a message and fill in its placeholders. `n` selects the plural form.
 * @param {string} key
 * @param {MessageValues} [values]
 */
export function t(key, values = {}) {
  const form = typeof values.n === "number" ? `${key}.${formatter(Intl.PluralRules).select(values.n)}` : key;
  return fill(messages[form] ?? messages[key] ?? key, values);
}

/**
 * Keep a name that is written from right to left in an order of its own.
 * @param {string} text
 */
const isolate = (text) => (/[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/u.test(text) ? `\u2068${text}\u2069` : text);

/**
 * @param {string} sentence
 * @param {MessageValues} values
 */
const fill = (sentence, values) => sentence.replace(/\{(\w+)\}/g, (_, name) => isolate(String(values[name] ?? "")));

/**
 * Fill in a sentence; a part in brackets is left out where a value of it is missing.
 * @param {string} sentence
 * @param {MessageValues} values
 */
const fillKnown = (sentence, values) => fill(sentence.replace(/\[([^\]]*)\]/g, (_, part) => ([...part.matchAll(/\{(\w+)\}/g)].every(([, name]) => values[name]) ? part : "")), values);

/** @param {string} key */
export const hasMessage = (key) => key in messages;

/**
 * Return a spot's name, without one in this language its own made readable.
 * @param {string} spot
 */
export const spotName = (spot) => messages[`spots.${spot}`] ?? spot[0].toUpperCase() + spot.slice(1).replaceAll("_", " ");

/**
 * Return what marks a spot: a letter, or the first ones of two words.
 * @param {string} spot
 */
export const spotLetter = (spot) => messages[`letter.${spot}`] ?? spotName(spot).split(" ", 2).map(([first]) => first.toUpperCase()).join("");

/** Join what is one or the other: "6 or 7". @param {string[]} items */
export const oneOf = (items) => formatter(Intl.ListFormat, { type: "disjunction" }).format(items);

/** Join what holds together: "6, 7, and 8". @param {string[]} items */
export const allOf = (items) => formatter(Intl.ListFormat, { type: "conjunction" }).format(items);

/**
 * Say when a pay line decides, who wins first; "" if it always does.
 * @param {[fact: string, values: unknown][]} conditions
 */
export function conditionWords(conditions) {
  const winner = conditions.filter(([fact]) => fact === "winner");
  return allOf([...winner, ...conditions.filter((each) => !winner.includes(each))].map(([fact, values]) => {
    const all = [values].flat().map(String);
    return hasMessage(`fact.${fact}`) ? t(`fact.${fact}`, { values: oneOf(all) }) : oneOf(all.map((value) => t(`fact.${fact}.${value}`)));
  }));
}

/** @param {string[]} spots */
export const spotNames = (spots) => oneOf(spots.map(spotName));

/**
 * Format an amount with its currency, from the decimal string: never through a float, and with all its decimals.
 * @param {string} amount
 * @param {string} currency
 * @param {Intl.NumberFormatOptions} [options]
 */
export function money(amount, currency, options = {}) {
  const places = countDecimals(amount);
  const digits = { minimumFractionDigits: places, maximumFractionDigits: places, ...options };
  // Browsers format codes of three letters only; others that an operator has declared follow their amount.
  const known = /^[A-Z]{3}$/.test(currency);
  const text = formatter(Intl.NumberFormat, known ? { style: "currency", currency, currencyDisplay: "narrowSymbol", ...digits } : digits).format(/** @type {`${number}`} */ (amount));
  return known ? text : `${text}\u00a0${currency}`;
}

/**
 * Format an amount with its currency and sign.
 * @param {string} amount
 * @param {string} currency
 */
export const signedMoney = (amount, currency) => money(amount, currency, { signDisplay: "exceptZero" });

/**
 * Format an amount as printed on chips: no zero cents, no zeros at the end of small fractions, K for thousands.
 * @param {string} amount
 */
export function chipText(amount) {
  const trimmed = amount.replace(countDecimals(amount) > 2 ? /\.?0+$/ : /\.0+$/, "");
  if (/^\d+000$/.test(trimmed)) return `${trimmed.slice(0, -3)}K`;
  const places = trimmed.split(".")[1]?.length ?? 0;
  return formatter(Intl.NumberFormat, { minimumFractionDigits: places, maximumFractionDigits: places }).format(/** @type {`${number}`} */ (trimmed));
}

/** @param {number} share */
export const percent = (share) => formatter(Intl.NumberFormat, { style: "percent", maximumFractionDigits: 2 }).format(share);

/** @param {number} number */
export const formatNumber = (number) => formatter(Intl.NumberFormat).format(number);

/** @param {string} when */
export function time(when) {
  return formatter(Intl.DateTimeFormat, { hour: "2-digit", minute: "2-digit" }).format(new Date(when));
}

/** @param {Date} when */
export function second(when) {
  return formatter(Intl.DateTimeFormat, { hour: "2-digit", minute: "2-digit", second: "2-digit" }).format(when);
}

/** @param {string} when */
export function moment(when) {
  return formatter(Intl.DateTimeFormat, { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" }).format(new Date(when));
}

/**
 * Format a moment with its year.
 * @param {string | Date} when
 */
export function day(when) {
  return formatter(Intl.DateTimeFormat, { day: "numeric", month: "long", year: "numeric", hour: "2-digit", minute: "2-digit" }).format(new Date(when));
}

/** @param {number} n */
export const minutes = (n) => t("played.minutes", { minutes: formatNumber(n) });

/**
 * @param {string} value
 * @param {string} unit
 */
export const limitAmount = (value, unit) => (unit === "minutes" ? minutes(Number(value)) : money(value, unit));

/** @param {Pick<Api["Limit"], "limit_type" | "period">} limit */
export const limitName = ({ limit_type, period }) => t("limits.name", { what: t(`limit_type.${limit_type}`), period: t(`period.${period}`) });

/**
 * Return title and remedy of a problem: this language's sentences for its code, else the service's title.
 * @param {unknown} error a Problem, or NoResponse
 */
export function describeProblem(error) {
  if (!(error instanceof Problem)) return { title: t("problem.no_answer"), remedy: t("problem.no_answer.remedy") };
  const { code, document } = error;
  const values = valuesOf(document);
  const why = hasMessage(`wallet.reason.${values.reason}`) ? `${t(`wallet.reason.${values.reason}`)} ` : "";
  return { title: fillKnown(problems[code] ?? error.message, values), remedy: why + fillKnown(problems[`${code}.remedy`] ?? "", values) };
}

/** The facts of problems that name spots. */
const SPOTS = new Set(["spot", "spots", "needs", "unknown"]);

/**
 * Return a problem's facts as a player reads them.
 * @param {Record<string, any>} document
 * @returns {MessageValues}
 */
function valuesOf(document) {
  const { currency, unit = currency, limit_type, period } = document;
  /** @param {unknown} value */
  const text = (value) => {
    if (typeof value !== "string") return typeof value === "number" ? formatNumber(value) : "";
    if (unit && /^-?\d+(\.\d+)?$/.test(value)) return limitAmount(value, unit);
    return /^\d{4}-\d\d-\d\dT/.test(value) ? day(value) : value;
  };
  const values = Object.fromEntries(Object.entries(document).map(([name, value]) => [name, SPOTS.has(name) ? spotNames([value].flat()) : text(value)]));
  return limit_type ? { ...values, name: limitName({ limit_type, period }) } : values;
}
