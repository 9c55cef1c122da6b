// The first bet explained in three steps, once in each browser.

import { ownPart, ownStatus, stakesOf, totalStake, withPending } from "../core/table_state.js";
import { t } from "../messages/index.js";

/** @import { Game } from "./game.js" */

const KEY = "hint";

/** Tells a new player's next step, until the first bet is confirmed or the player has closed it. */
export class Hint {
  /** @param {Game} game */
  constructor(game) {
    this.game = game;
  }

  draw() {
    const { actions, notices, preferences, state } = this.game;
    if (!preferences.local.hint) return;
    if (ownStatus(state) === "confirmed") return this.end();
    if (!actions.available().place) return notices.remove(KEY);
    notices.show(t(`hint.${this.step()}`), { key: KEY, stay: true, closed: () => this.end() });
  }

  step() {
    const { actions, state } = this.game;
    const placed = withPending(stakesOf(ownPart(state.round)), actions.pending);
    if (totalStake(placed) > 0n) return "deal";
    return actions.picked ? "place" : "choose";
  }

  end() {
    this.game.notices.remove(KEY);
    this.game.preferences.change("hint", false);
  }
}
