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

/** @typedef {{make: (game: Game) => Children, draw?: (game: Game) => void}} Panel made when it opens, drawn again with the game */

/**
 * A panel that few open, whose module is loaded when it opens, and again as often as it did not arrive.
 * @param {"fair" | "help" | "history" | "limit"} name
 * @param {() => Promise<Panel>} load
 * @returns {Panel}
 */
function later(name, load) {
  /** @type {Panel | null} */
  let loaded = null;
  let again = false;
  return {
    make: (game) => {
      if (loaded) return loaded.make(game);
      const open = async () => {
        loaded = await load().catch(() => null);
        if (game.open !== name) return;
        const { title, remedy } = describeProblem(null);
        // Some browsers remember a module that did not arrive until the page is loaded again, which ends a launched session.
        const retry = again && !launch ? () => location.reload() : open;
        put(game.panel, loaded ? loaded.make(game) : panel(game, t(`menu.${name}`), h("p", { role: "alert" }, `${title} ${remedy}`), h("button", { type: "button", class: "quiet", onclick: retry }, t("again"))));
        again = true;
        game.panel.querySelector("h2")?.focus();
      };
      open();
      return h("div", { "aria-busy": "true" });
    },
    draw: (game) => loaded?.draw?.(game),
  };
}

const fair = later("fair", async () => (await import("./fairness.js")).fair);
const help = later("help", async () => (await import("./help.js")).help);
const history = later("history", async () => (await import("./history.js")).history);
const limit = later("limit", async () => (await import("./limits.js")).limit);

export const panels = { cash, chat, fair, help, history, limit, options, report, sit, stats };
