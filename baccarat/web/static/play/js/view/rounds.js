// Settled rounds: presented when they end, announced, and replayed from the history.

import { serverNow } from "../core/api.js";
import { h, say, set } from "../core/dom.js";
import { toDecimal, toMinor } from "../core/money.js";
import { currencyDigits, netResult, ownPart, ownStatus } from "../core/table_state.js";
import { signedMoney, money, t } from "../messages/index.js";
import { announce, showRaisedStakes, updateLowBalance } from "./notices.js";

/** @import { Game } from "./game.js" */

/** The call in the middle of the table: the winner, and the player's net result. */
export class Callout {
  constructor() {
    this.words = h("p", { class: "callout-words" });
    this.net = h("p", { class: "callout-net" });
    this.element = h("div", { class: "callout", hidden: true, "aria-hidden": "true" }, this.words, this.net);
    /** @type {number | undefined} */
    this.timer = undefined;
  }

  /**
   * @param {Api["Round"]} round
   * @param {string} words
   * @param {string} net
   * @param {bigint} amount
   */
  show(round, words, net, amount) {
    clearTimeout(this.timer);
    say(this.words, words);
    say(this.net, net);
    set(this.element, { hidden: false, "data-outcome": round.outcome, "data-net": amount > 0n ? "won" : amount < 0n ? "lost" : "even" });
    this.timer = setTimeout(() => this.hide(), 4200);
  }

  /** @param {string} words */
  caption(words) {
    clearTimeout(this.timer);
    say(this.words, words);
    say(this.net, "");
    set(this.element, { hidden: false, "data-outcome": "none" });
    this.timer = setTimeout(() => this.hide(), 900);
  }

  hide() {
    clearTimeout(this.timer);
    set(this.element, { hidden: true });
  }
}

const ANIMATE_WITHIN = 25_000;

/** Presents settled rounds. `replaying` is the past round on the screen, or null. */
export class Rounds {
  /** @param {Game} game */
  constructor(game) {
    this.game = game;
    /** @type {Api["Round"] | null} */
    this.replaying = null;
  }

  /**
   * Show a settled round: animated, or at once if it ended a while ago.
   * @param {Api["Round"]} round
   */
  async present(round) {
    const { game } = this;
    const { state, preferences, notices } = game;
    this.stopReplay();
    const age = Date.parse(state.server_time) - Date.parse(round.ended_at ?? state.server_time);
    const within = state.betting_opens_at ? Date.parse(state.betting_opens_at) - serverNow() : Infinity;
    const late = age > ANIMATE_WITHIN || within <= 0 || document.hidden;
    const instant = late || (preferences.values.instant && state.rules.may_hurry) || !preferences.animated;
    const mine = ownPart(round);
    if (mine?.raised && !notices.has("raised")) showRaisedStakes(game, mine);
    await game.animation.run(round, { instant, within, squeeze: preferences.local.squeeze && !late && !round.ceremony?.you });
    if (mine?.status === "timed_out") notices.show(t("message.timed_out"), { kind: "warning", key: "timed_out" });
    updateLowBalance(game);
    if (!game.stream.streaming) game.refreshBalances();
    game.draw();
  }

  /** @param {Api["Round"]} round */
  async replay(round) {
    const { game } = this;
    if (ownStatus(game.state) === "deciding" && game.state.rules.turn_seconds !== null) announce(t("replay.turn"));
    this.replaying = round;
    game.draw();
    await game.animation.run(round, { instant: false });
    game.draw();
  }

  stopReplay() {
    const { game } = this;
    if (!this.replaying) return;
    this.replaying = null;
    game.animation.finish();
    const last = game.state.last_round;
    if (last?.phase === "settled" && !game.show.hides(last)) game.hands.show(last);
    else game.hands.clear();
    game.callout.hide();
    game.draw();
  }

  /** @param {Api["Round"]} round */
  call(round) {
    const { game } = this;
    const words = t(`call.${round.outcome}`, { player: round.player_hand.total, banker: round.banker_hand.total });
    const mine = ownPart(round);
    const net = netResult(mine);
    const result = mine?.result ? signedMoney(toDecimal(net, currencyDigits(game.state)), round.currency) : "";
    if (!game.animation.quiet) game.callout.show(round, words, result, net);
    if (net > 0n) game.sound.play("win");
    game.sound.say(words);
    announce([words, result && t("result.net", { amount: result }), commissionWords(mine?.result, round.currency)].filter(Boolean).join(". "));
  }
}

/**
 * @param {Api["WagerResult"] | null | undefined} result
 * @param {string} currency
 */
function commissionWords(result, currency) {
  if (!result || toMinor(result.commission) === 0n) return "";
  return t(result.commission_deferred ? "result.aside" : "result.commission", { amount: money(result.commission, currency) });
}
