// The session token, the table named in the address, and the browser's storage.

import { launch } from "./launch.js";

function readFragment() {
  return new URLSearchParams(location.hash.replace(/^#/, ""));
}

/** Return the token that the address offers, or null, and remove it there. Nobody is signed in by that. */
export function takeOfferedToken() {
  const parameters = readFragment();
  const offered = parameters.get("token");
  if (!offered) return null;
  const table = parameters.get("table");
  history.replaceState(null, "", location.pathname + location.search + (table ? `#table=${encodeURIComponent(table)}` : ""));
  return offered;
}

/** The token of a launched page, whose frame may share storage with others. */
let held = /** @type {string | null} */ (null);

/** @returns {string | null} */
export const token = () => (launch ? held : tabStorage.get("token", null));
/** @typedef {{by: string, keys: string[]}} NamedKeys keys that prove rounds, and who named them */
/**
 * @param {string | null} value null forgets it
 * @param {NamedKeys | null} [named]
 */
export function storeToken(value, named = null) {
  held = value;
  if (launch) return;
  tabStorage.set("token", value);
  tabStorage.set("named", named);
}

/**
 * The keys that the operator named as it let the player in; null if it named none.
 * @returns {NamedKeys | null}
 */
export function namedKeys() {
  if (!launch) return tabStorage.get("named", null);
  return launch.proof_keys.length ? { by: launch.casino, keys: launch.proof_keys } : null;
}

/** Return the table that the address names, or null for the lobby. */
export const tableInAddress = () => readFragment().get("table");

/**
 * Go to a table, or to the lobby with null; `silently` only names it in the address.
 * @param {string | null} table
 * @param {{silently?: boolean}} [how]
 */
export function goTo(table, { silently = false } = {}) {
  const hash = table ? `table=${encodeURIComponent(table)}` : "";
  if (silently) history.replaceState(null, "", `#${hash}`);
  else location.hash = hash;
}

/**
 * Storage of the browser; where that forbids it, as in some frames, nothing is remembered.
 * @param {() => Storage} place
 */
const storageIn = (place) => ({
  /**
   * @template T
   * @param {string} name
   * @param {T} fallback
   * @returns {T}
   */
  get(name, fallback) {
    try {
      return JSON.parse(place().getItem(`casino.${name}`) ?? "null") ?? fallback;
    } catch {
      return fallback;
    }
  },
  /**
   * @param {string} name
   * @param {unknown} value
   */
  set(name, value) {
    try {
      place().setItem(`casino.${name}`, JSON.stringify(value));
    } catch {
      return;
    }
  },
  /** @param {string} name */
  remove(name) {
    try {
      place().removeItem(`casino.${name}`);
    } catch {
      return;
    }
  },
  /**
   * Return the names that begin like this, in order.
   * @param {string} start
   */
  names(start) {
    try {
      return Object.keys(place()).filter((key) => key.startsWith(`casino.${start}`)).map((key) => key.slice("casino.".length)).sort();
    } catch {
      return [];
    }
  },
});

export const storage = storageIn(() => localStorage);
export const tabStorage = storageIn(() => sessionStorage);
