// Who plays: the token comes in the address's fragment, leaves the address at once, and lives as long as the tab.

const KEPT = "casino.token";

function fragment() {
  return new URLSearchParams(location.hash.replace(/^#/, ""));
}

/** Take the token and, if given, the table out of the address. */
export function takeToken() {
  const given = fragment();
  const token = given.get("token");
  if (!token) return;
  sessionStorage.setItem(KEPT, token);
  const table = given.get("table");
  history.replaceState(null, "", location.pathname + location.search + (table ? `#table=${encodeURIComponent(table)}` : ""));
}

export const token = () => sessionStorage.getItem(KEPT);
export const keepToken = (value) => sessionStorage.setItem(KEPT, value);
export const forgetToken = () => sessionStorage.removeItem(KEPT);

/** Tell which table the address names, or null for the lobby. */
export const tableInAddress = () => fragment().get("table");

/** Go to a table, or to the lobby with null. */
export function goTo(table) {
  location.hash = table ? `table=${encodeURIComponent(table)}` : "";
}

/** Read and write what this browser remembers for its user; a browser that forbids it forgets. */
export const memory = {
  get(name, otherwise) {
    try {
      return JSON.parse(localStorage.getItem(`casino.${name}`)) ?? otherwise;
    } catch {
      return otherwise;
    }
  },
  set(name, value) {
    try {
      localStorage.setItem(`casino.${name}`, JSON.stringify(value));
    } catch {
      return;
    }
  },
};
