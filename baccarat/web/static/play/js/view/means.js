// What a player has to bet with, and what is said about it.

import { digitsOf, partOf } from "../core/facts.js";
import { decimal, minor } from "../core/money.js";
import { money, t } from "../words/index.js";

/** This will say by how much stakes were raised to the minimum. */
export function tellRaised(game, part) {
  const { currency } = game.picture;
  const words = part.raised.map((each) => t("raised.spot", { spot: t(`spot.${each.spot}`), amount: money(each.amount, currency) })).join(", ");
  game.notices.tell(t("raised", { what: words }), { key: "raised", kind: "info" });
}

/** Too little for a stake: said with every way out that is open. */
export function watchFunds(game) {
  const notice = game.picture.you?.notice;
  if (!notice || partOf(game.picture.round)?.wager || game.show.on) return game.notices.drop("funds");
  const ways = notice.ways.filter((way) => way.possible && way.when === "now");
  game.notices.tell(t("funds.low", { minimum: money(notice.minimum.amount, notice.minimum.currency) }), {
    key: "funds", kind: "warning", stay: true,
    actions: ways.map(({ way }) => [t(`way.${way}`), () => game.actions.open("cash", way)]),
  });
}

/** Until the winnings have come home they are not in the balance that is shown. */
export function heldBalance(game) {
  const { you } = game.picture;
  const shown = game.show.round;
  if (!you || !shown || game.rounds.replaying || game.show.step === "paid") return null;
  const result = partOf(shown)?.result;
  if (!result) return null;
  return decimal(minor(you.game_balance.amount) - minor(result.returned), digitsOf(game.picture));
}

/** Where nothing new starts at the table it is said why, in the words that the house has for it. */
export function watchStop(game) {
  const { stopped } = game.picture;
  if (!stopped) return game.notices.drop("stopped");
  game.notices.tell(t("stopped"), { key: "stopped", kind: "warning", stay: true, remedy: stopped.says });
}
