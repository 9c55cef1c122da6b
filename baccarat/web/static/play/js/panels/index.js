// The panels that open beside the table.

import { h, put } from "../core/dom.js";
import { t } from "../messages/index.js";
import { cash, sit } from "./cashier.js";
import { chat, report } from "./chat.js";
import { history } from "./history.js";
import { limit } from "./limits.js";
import { options } from "./options.js";
import { stats } from "./statistics.js";

/** @import { Children } from "../core/dom.js" */
/** @import { Game } from "../view/game.js" */

/** @typedef {{make: (game: Game) => Children, draw?: (game: Game) => void}} Panel made when it opens, drawn again with the game */

/**
 * A panel that few open, whose module is loaded when it opens.
 * @param {() => Promise<Panel>} load
 * @returns {Panel}
 */
function later(load) {
  /** @type {Panel | null} */
  let made = null;
  return {
    make: (game) => {
      const place = h("div");
      load().then((panel) => {
        if (!place.isConnected) return;
        place.replaceWith(...h("div", {}, panel.make(game)).childNodes);
        made = panel;
        game.panel.querySelector("h2")?.focus();
      }, () => {
        // Browsers remember a module that did not arrive, until the page is loaded again.
        put(place, h("p", { role: "alert" }, t("problem.no_answer.remedy")), h("button", { onclick: () => location.reload() }, t("lobby.again")));
      });
      return place;
    },
    draw: (game) => made?.draw?.(game),
  };
}

const fair = later(async () => (await import("./fairness.js")).fair);
const help = later(async () => (await import("./help.js")).help);

export const panels = { cash, chat, fair, help, history, limit, options, report, sit, stats };
