// The launch by which the operator's site opened this page.

import { h } from "./dom.js";

/**
 * @typedef {object} Launch what the service names in the page before the code is traded
 * @property {string} id
 * @property {string | null} language
 * @property {string} currency that of the launch
 * @property {string | null} return_url
 * @property {string | null} cashier_url
 * @property {string | null} parent_origin
 * @property {string} casino the name of the operator or its brand
 * @property {string | null} logo the address of its picture
 * @property {string[]} proof_keys those that prove rounds, as the operator named them
 * @property {{player: string, nickname: string} | null} player whom it signs in, while the address has its code
 */

const named = document.querySelector("meta[name=launch]")?.getAttribute("content");

/** @type {Launch | null} */
export const launch = named ? JSON.parse(named) : null;

/** Return the casino's logo, or null. */
export const logo = () => (launch?.logo ? h("img", { class: "logo", src: launch.logo, alt: launch.casino }) : null);

/** Return the launch's one-time code, or null, and leave in the address only the launch's id, which opens nothing. */
export function takeLaunchCode() {
  const code = new URLSearchParams(location.search).get("launch");
  if (!code || code === launch?.id) return null;
  history.replaceState(null, "", location.pathname + (launch ? `?launch=${launch.id}` : "") + location.hash);
  return code;
}
