// What the page says, in the player's language, and how it writes numbers, money and times there.

import { memory } from "../core/session.js";
import de from "./de.js";
import dePanels from "./de_panels.js";
import en from "./en.js";
import enPanels from "./en_panels.js";
import problemsDe from "./problems_de.js";

export const LANGUAGES = { en: "English", de: "Deutsch" };
const ENGLISH = { ...en, ...enPanels };
const CATALOGUES = { en: ENGLISH, de: { ...de, ...dePanels, ...problemsDe } };

let language = "en";
let locale = "en";

/** Choose the language: what was chosen before, else the browser's, else English. */
export function chooseLanguage(wanted = memory.get("language", null)) {
  const spoken = wanted ? [wanted] : navigator.languages ?? [navigator.language];
  const tag = spoken.find((each) => each.slice(0, 2).toLowerCase() in CATALOGUES) ?? "en";
  language = tag.slice(0, 2).toLowerCase();
  locale = (navigator.languages ?? []).find((each) => each.toLowerCase().startsWith(language)) ?? language;
  document.documentElement.lang = language;
  document.title = t("title");
}

export const languageNow = () => language;

/** Say a sentence of the catalogue with its blanks filled in. */
export function t(key, values = {}) {
  const form = typeof values.n === "number" ? `${key}.${new Intl.PluralRules(locale).select(values.n)}` : key;
  const sentence = CATALOGUES[language][form] ?? CATALOGUES[language][key] ?? ENGLISH[form] ?? ENGLISH[key] ?? key;
  return sentence.replace(/\{(\w+)\}/g, (_, name) => values[name] ?? "");
}

export const known = (key) => key in CATALOGUES[language];

/** Write an amount with its currency; the decimal string is never made a float. */
export function money(amount, currency) {
  return new Intl.NumberFormat(locale, { style: "currency", currency, currencyDisplay: "narrowSymbol" }).format(amount);
}

/** Write an amount of money as a signed change. */
export function change(amount, currency) {
  return new Intl.NumberFormat(locale, { style: "currency", currency, signDisplay: "exceptZero", currencyDisplay: "narrowSymbol" }).format(amount);
}

/** Write an amount as it stands on chips: without cents where there are none. */
export function short(amount) {
  const trimmed = amount.replace(/\.0+$/, "");
  if (/^\d+000$/.test(trimmed)) return `${trimmed.slice(0, -3)}K`;
  const places = trimmed.split(".")[1]?.length ?? 0;
  return new Intl.NumberFormat(locale, { minimumFractionDigits: places, maximumFractionDigits: places }).format(trimmed);
}

export const percent = (share) => new Intl.NumberFormat(locale, { style: "percent", maximumFractionDigits: 2 }).format(share);
export const count = (number) => new Intl.NumberFormat(locale).format(number);

export function time(moment) {
  return new Intl.DateTimeFormat(locale, { hour: "2-digit", minute: "2-digit" }).format(new Date(moment));
}

export function moment(when) {
  return new Intl.DateTimeFormat(locale, { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" }).format(new Date(when));
}

/** Write a day that may lie years ahead. */
export function day(when) {
  return new Intl.DateTimeFormat(locale, { day: "numeric", month: "long", year: "numeric", hour: "2-digit", minute: "2-digit" }).format(new Date(when));
}

/** Put a refusal into plain words: ours for its code in this language, else those that came with it. */
export function plainly(error) {
  const document = error.document ?? {};
  if (!error.code) return { title: t("problem.no_answer"), remedy: t("problem.no_answer.remedy") };
  const facts = factsOf(document);
  if (language !== "en" && known(`problem.${error.code}`)) {
    return { title: t(`problem.${error.code}`, facts), remedy: known(`problem.${error.code}.remedy`) ? t(`problem.${error.code}.remedy`, facts) : "" };
  }
  const detail = document.detail && document.detail !== document.title ? document.detail : document.title;
  return { title: detail ?? error.message, remedy: document.remedy ?? "" };
}

function factsOf(document) {
  const found = {};
  for (const [name, value] of Object.entries(document)) found[name] = typeof value === "object" ? "" : String(value);
  return found;
}
