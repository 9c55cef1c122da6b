// Confirms what the player placed in a round shortly before its betting closes, at tables whose rules say so. Only this
// page does it, by the same signed deal as the button: a page that is gone confirms nothing.

import { serverNow } from "../core/api.js";
import { ownPart } from "../core/table_state.js";

/** @import { Game } from "./game.js" */

const BEFORE_CLOSING = 2000;

export class AutoConfirm {
  /** @param {Game} game */
  constructor(game) {
    this.game = game;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    /** The round that was confirmed, or for which it was tried. @type {string | null} */
    this.round = null;
  }

  stop() {
    clearTimeout(this.timer);
  }

  /** Aim at the end of the betting that is open. */
  schedule() {
    this.stop();
    const { round, rules } = this.game.latest;
    if (!rules.auto_confirm || round?.phase !== "betting" || !round.deadline_at || round.id === this.round) return;
    const left = Date.parse(round.deadline_at) - BEFORE_CLOSING - serverNow();
    this.timer = setTimeout(() => this.confirm(round.id), Math.max(0, left));
  }

  /** Deal, if chips lie on the table in this round. @param {string} id */
  confirm(id) {
    const { round } = this.game.latest;
    if (round?.id !== id || !(this.game.actions.waiting || ownPart(round)?.placed?.length)) return;
    this.round = id;
    this.game.actions.run("deal");
  }
}
