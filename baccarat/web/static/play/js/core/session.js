// The session token, the table named in the address, and local storage.

const TOKEN_KEY = "casino.token";

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

export const token = () => sessionStorage.getItem(TOKEN_KEY);
/** @param {string} value */
export const storeToken = (value) => sessionStorage.setItem(TOKEN_KEY, value);
export const forgetToken = () => sessionStorage.removeItem(TOKEN_KEY);

/** Return the table that the address names, or null for the lobby. */
export const tableInAddress = () => readFragment().get("table");

/**
 * Go to a table, or to the lobby with null.
 * @param {string | null} table
 */
export function goTo(table) {
  location.hash = table ? `table=${encodeURIComponent(table)}` : "";
}

/** Local storage; where the browser forbids it, nothing is remembered. */
export const storage = {
  /**
   * @template T
   * @param {string} name
   * @param {T} fallback
   * @returns {T}
   */
  get(name, fallback) {
    try {
      return JSON.parse(localStorage.getItem(`casino.${name}`) ?? "null") ?? fallback;
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
      localStorage.setItem(`casino.${name}`, JSON.stringify(value));
    } catch {
      return;
    }
  },
};
