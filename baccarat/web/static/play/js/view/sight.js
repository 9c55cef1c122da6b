// What the service says of the table: looks at it and answers, in the order in which they can be true, and what is new in them.

import { partOf, statusOf } from "../core/facts.js";
import { t } from "../words/index.js";
import { tellRaised, watchFunds, watchStop } from "./means.js";
import { announce } from "./notices.js";

/** The latest picture of one game's table is `game.picture`, which this alone sets; `seen` is the last round that was shown. */
export class Sight {
  constructor(game) {
    this.game = game;
    this.knownAt = 0;
    this.seen = null;
  }

  /** Take what a look at the table showed, unless it was asked for before something that is known by now. */
  looked(picture, askedAt) {
    if (this.game.actions.busy()) return;
    if (askedAt < this.knownAt) return void this.game.live.look();
    this.knownAt = askedAt;
    this.take(picture);
  }

  /** Take the table as a command's answer draws it; false for an old answer, given again. */
  answered(picture) {
    this.knownAt = Date.now();
    if (Date.parse(picture.server_time) < Date.parse(this.game.picture.server_time)) return false;
    this.take(picture);
    return true;
  }

  take(picture) {
    const { game } = this;
    const before = game.picture;
    game.picture = { ...before, ...picture };
    if (!before) this.enter();
    else this.follow(before);
    watchFunds(game);
    watchStop(game);
    game.cutting.watch();
    game.draw();
  }

  /** The first sight of the table: the last round lies there as it ended, and is not called again. */
  enter() {
    const { picture, hands, tellEntered } = this.game;
    const last = picture.last_round;
    this.seen = last?.id ?? "none";
    if (last?.phase === "settled" && !partOf(picture.round)?.wager) {
      hands.show(last);
      hands.past(t("hands.last"));
    }
    if (statusOf(picture) === "confirmed") announce(t("restored.wager"));
    tellEntered();
  }

  follow(before) {
    const { game } = this;
    const { last_round: last, round, rules } = game.picture;
    if (last && last.id !== this.seen) this.ended(last);
    if (round && round.id !== before.round?.id && statusOf(game.picture) === "deciding") {
      announce(t("announce.open", { number: round.number }));
      if (!game.show.on && rules.turn_seconds === null) game.hands.clear();
    }
    const mine = partOf(round);
    if (mine?.raised && !partOf(before.round)?.raised) tellRaised(game, mine);
    if (mine?.status === "timed_out" && partOf(before.round)?.status === "deciding") game.notices.tell(t("message.timed_out"), { kind: "warning" });
  }

  ended(round) {
    this.seen = round.id;
    if (round.phase === "settled") this.game.rounds.present(round);
    else if (round.phase === "voided") this.game.notices.tell(t("round.voided", { number: round.number }), { kind: "warning", stay: true, key: "void" });
  }
}
