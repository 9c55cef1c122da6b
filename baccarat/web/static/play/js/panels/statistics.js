// The statistics window: results in columns, and the whole scoreboard where the table shows only a part of it.

import { h, put } from "../core/dom.js";
import { t } from "../messages/index.js";
import { Scoreboard } from "../view/scoreboard.js";
import { panel } from "./widgets.js";

/** @import { Game } from "../view/game.js" */

const COLUMNS = 24;
/** @type {Record<string, string>} */
const MARKS = { B: "banker", P: "player", "-": "tie" };

/** @param {Api["Scoreboard"] | null} board */
function columnTable(board) {
  const columns = (board?.columns ?? []).map((column) => [...column].map((letter) => MARKS[letter])).slice(-COLUMNS);
  const label = columns.map((column) => column.map((mark) => t(`spots.${mark}`)).join(", ")).join("; ");
  if (!columns.length) return null;
  return h("div", { class: "columns", role: "img", tabindex: "0", "aria-label": label },
    columns.map((column) => h("span", { class: "column", "aria-hidden": "true" }, column.map((mark) => h("span", { class: `letter ${mark}` }, t(`mark.${mark}`))))));
}

/** @type {Scoreboard | null} */
let scoreboard = null;

export const stats = {
  /** @param {Game} game */
  make(game) {
    const place = h("div");
    scoreboard = new Scoreboard(game, (board) => {
      put(place, columnTable(board));
      place.firstElementChild?.scrollTo({ left: Number.MAX_SAFE_INTEGER });  // the last columns are those of now
    });
    scoreboard.draw();
    return panel(game, t("menu.stats"), place, scoreboard.element);
  },

  draw() {
    scoreboard?.draw();
  },
};
