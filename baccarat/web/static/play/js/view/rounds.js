// Settled rounds on the table: shown as they are settled, shown again from the history, and called.

import { digitsOf, netOf, partOf, statusOf } from "../core/facts.js";
import { decimal, minor } from "../core/money.js";
import { change, money, t } from "../words/index.js";
import { tellRaised, watchFunds } from "./means.js";
import { announce } from "./notices.js";

const FRESH = 25_000;

/** `replaying` is the past round that is shown instead of the game's own, or null. */
export class Rounds {
  constructor(game) {
    this.game = game;
    this.replaying = null;
  }

  /** A settled round is shown from its first card, or just laid out when it is old news. */
  async present(round) {
    const { game } = this;
    const { picture, preferences, notices } = game;
    this.stopReplay();
    const age = Date.parse(picture.server_time) - Date.parse(round.ended_at);
    const instant = preferences.values.instant || !preferences.animated || age > FRESH || document.hidden;
    const mine = partOf(round);
    if (mine?.raised && !notices.kept.has("raised")) tellRaised(game, mine);
    await game.show.run(round, { instant });
    if (mine?.status === "timed_out") notices.tell(t("message.timed_out"), { kind: "warning", key: "timed_out" });
    watchFunds(game);
    game.refreshPurse();
    game.draw();
  }

  async replay(round) {
    const { game } = this;
    if (statusOf(game.picture) === "deciding" && game.picture.rules.turn_seconds !== null) announce(t("replay.turn"));
    this.replaying = round;
    game.draw();
    await game.show.run(round, { instant: false });
    game.draw();
  }

  stopReplay() {
    const { game } = this;
    if (!this.replaying) return;
    this.replaying = null;
    game.show.hurry();
    const last = game.picture.last_round;
    if (last?.phase === "settled") game.hands.show(last);
    else game.hands.clear();
    game.callout.hide();
    game.draw();
  }

  call(round) {
    const { game } = this;
    const words = t(`call.${round.outcome}`, { player: round.player_hand.total, banker: round.banker_hand.total });
    const mine = partOf(round);
    const net = netOf(mine);
    const result = mine?.result ? change(decimal(net, digitsOf(game.picture)), round.currency) : "";
    if (!game.show.quiet) game.callout.show(round, words, result, net);
    game.sound.say(words);
    announce([words, result && t("result.net", { amount: result }), commissionWords(mine?.result, round.currency)].filter(Boolean).join(". "));
  }
}

function commissionWords(result, currency) {
  if (!result || minor(result.commission) === 0n) return "";
  return t(result.commission_deferred ? "result.owed" : "result.commission", { amount: money(result.commission, currency) });
}
