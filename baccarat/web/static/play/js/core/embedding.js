// Messages to the operator's page that frames this one. `embedding.json` lists them, `launched.js` answers its messages.

import { serverNow } from "./api.js";
import { launch } from "./launch.js";

export const SOURCE = "baccarat";
export const VERSION = 1;

/** The framing page's origin, or null. */
export const origin = window.parent === window ? null : launch?.parent_origin ?? null;

/** Whether a page of the operator frames this one and exchanges messages with it. */
export const embedded = origin !== null;

/**
 * Send a message to the framing page, if there is one; only its exact origin receives it.
 * @param {string} type
 * @param {object} [data]
 */
export function tell(type, data = {}) {
  if (origin === null) return;
  window.parent.postMessage({ source: SOURCE, v: VERSION, id: crypto.getRandomValues(new Uint32Array(2)).join("-"), type, at: new Date(serverNow()).toISOString(), data }, origin);
}
