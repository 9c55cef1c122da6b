// What this page says, in the language that the table page has chosen.

import { languageNow } from "../js/words/index.js";
import de from "./words-de.js";
import en from "./words-en.js";

const CATALOGUES = { en, de };

/** This will say a sentence with its blanks filled in. */
export function w(key, values = {}) {
  const sentence = CATALOGUES[languageNow()][key] ?? en[key] ?? key;
  return sentence.replace(/\{(\w+)\}/g, (_, name) => values[name] ?? "");
}
