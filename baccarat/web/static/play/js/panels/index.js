// The panels that open beside the table.

import { h, put } from "../core/dom.js";
import { launch } from "../core/launch.js";
import { describeProblem, t } from "../messages/index.js";
import { cash, sit } from "./cashier.js";
import { chat, report } from "./chat.js";
import { options } from "./options.js";
import { stats } from "./statistics.js";
import { panel } from "./widgets.js";

/** @import { Children } from "../core/dom.js" */
/** @import { Game } from "../view/game.js" */
/** @import { Host } from "./widgets.js" */

/**
 * A panel: made when it opens, drawn again with what it opens beside.
 * @template [H=Game]
 * @typedef {{make: (host: H) => Children, draw?: (host: H) => void}} Panel
 */

/**
 * A panel that few open, whose module is loaded when it opens, and again as often as it did not arrive.
 * @template {Host} H
 * @param {"fair" | "help" | "history" | "limit"} name
 * @param {() => Promise<Panel<H>>} load
 * @returns {Panel<H>}
 */
function later(name, load) {
  /** @type {Panel<H> | null} */
  let loaded = null;
  let again = false;
  return {
    make: (host) => {
      if (loaded) return loaded.make(host);
      const open = async () => {
        loaded = await load().catch(() => null);
        if (host.open !== name) return;
        const { title, remedy } = describeProblem(null);
        // Some browsers remember a module that did not arrive until the page is loaded again, which ends a launched session.
        const retry = again && !launch ? () => location.reload() : open;
        put(host.panel, loaded ? loaded.make(host) : panel(host, t(`menu.${name}`), h("p", { role: "alert" }, `${title} ${remedy}`), h("button", { type: "button", class: "quiet", onclick: retry }, t("again"))));
        again = true;
        host.panel.querySelector("h2")?.focus();
      };
      open();
      return h("div", { "aria-busy": "true" });
    },
    draw: (host) => loaded?.draw?.(host),
  };
}

/** @type {Panel} */
const fair = later("fair", async () => (await import("./fairness.js")).fair);
/** @type {Panel<Host>} */
const help = later("help", async () => (await import("./help.js")).help);
/** @type {Panel<Host>} */
const history = later("history", async () => (await import("./history.js")).history);
/** @type {Panel<Host>} */
const limit = later("limit", async () => (await import("./limits.js")).limit);

export const panels = { cash, chat, fair, help, history, limit, options, report, sit, stats };
