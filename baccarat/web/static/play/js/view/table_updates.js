// Applies table states from the stream and from answers in order, and presents what is new.

import { serverNow } from "../core/api.js";
import { ownPart, ownStatus } from "../core/table_state.js";
import { t } from "../messages/index.js";
import { announce, showRaisedStakes, updateForced, updateLowBalance, updateStop } from "./notices.js";

/** @import { Game } from "./game.js" */

/** The only writer of `game.latest`. `lastRound` is the id of the last round shown. */
export class TableUpdates {
  /** @param {Game} game */
  constructor(game) {
    this.game = game;
    this.appliedAt = 0;
    this.lastRound = null;
  }

  /**
   * Apply a fetched or streamed state, unless it was requested before a state that is already applied.
   * @param {Partial<Api["Table"]>} state
   * @param {number} askedAt
   */
  applyFetched(state, askedAt) {
    if (this.game.actions.busy()) return;
    if (askedAt < this.appliedAt) return void this.game.stream.refresh();
    this.appliedAt = askedAt;
    this.apply(state);
    this.game.actions.settleUnanswered();
  }

  /**
   * Apply the state in a command's answer; return false if it is older than the current one (a repeated answer).
   * @param {Api["Table"]} state
   */
  applyAnswer(state) {
    this.appliedAt = Date.now();
    if (Date.parse(state.server_time) < Date.parse(this.game.latest.server_time)) return false;
    this.apply(state);
    return true;
  }

  /** @param {Partial<Api["Table"]>} state what a fetch, a snapshot or an answer holds of the table */
  apply(state) {
    const { game } = this;
    const before = game.latest;
    game.latest = { ...before, ...state };
    game.knownAt = new Date(serverNow());
    if (!before) this.showFirst();
    else this.showChanges(before);
    updateLowBalance(game);
    updateStop(game);
    updateForced(game);
    game.takeContribution();
    game.cut.contributeAutomatically();
    game.autoConfirm.schedule();
    game.draw();
  }

  /** Show the table for the first time: with the last round's final hands, without announcing it again. */
  showFirst() {
    const { state, hands, resolveEntered } = this.game;
    const last = state.last_round;
    this.lastRound = last?.id ?? "none";
    if (last) this.game.takePayout(last);
    if (last?.phase === "settled" && !ownPart(state.round)?.wager) {
      hands.show(last);
      hands.dim(t("hands.last"));
    }
    if (ownStatus(state) === "confirmed") announce(t("restored.wager"));
    resolveEntered();
  }

  /** @param {Api["Table"]} before */
  showChanges(before) {
    const { game } = this;
    const { last_round: last, round, rules } = game.state;
    if (last && last.id !== this.lastRound) this.showEnded(last, before);
    if (round && round.id !== before.round?.id && ownStatus(game.state) === "deciding") {
      game.animation.finish();
      announce(t("announce.open", { number: round.number }));
      if (rules.turn_seconds !== null) game.hands.dim(game.hands.shown && t("hands.last"));
      else if (!game.animation.running) game.hands.clear();
    }
    const mine = ownPart(round);
    if (mine?.raised && !ownPart(before.round)?.raised) showRaisedStakes(game, mine);
    if (mine?.status === "timed_out" && ownPart(before.round)?.status === "deciding") game.notices.show(t("message.timed_out"), { kind: "warning" });
  }

  /**
   * @param {Api["Round"]} round
   * @param {Api["Table"]} before
   */
  showEnded(round, before) {
    this.lastRound = round.id;
    this.game.takePayout(round);
    if (round.phase === "settled") {
      this.game.show.begin(round, before);
      this.game.rounds.present(round);
    } else if (round.phase === "voided") this.game.tellVoid(round.number, Boolean(ownPart(round)?.wager));
  }
}
