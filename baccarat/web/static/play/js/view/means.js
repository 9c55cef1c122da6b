// What a player has to bet with, and what is said about it.

import { digitsOf, partOf } from "../core/facts.js";
import { decimal, minor } from "../core/money.js";
import { money, t } from "../words/index.js";

/** Say by how much stakes were raised to the minimum. */
export function tellRaised(game, part) {
  const { currency } = game.picture;
  const words = part.raised.map((each) => t("raised.spot", { spot: t(`spot.${each.spot}`), amount: money(each.amount, currency) })).join(", ");
  game.notices.tell(t("raised", { what: words }), { key: "raised", kind: "info" });
}

/** Too little for a stake: shown with every way to more chips that is available. */
export function watchFunds(game) {
  const low = game.picture.you?.low_balance;
  if (!low || partOf(game.picture.round)?.wager || game.show.on) return game.notices.drop("funds");
  const options = low.funding_options.filter((option) => option.available && option.when === "now");
  game.notices.tell(t("funds.low", { minimum: money(low.minimum.amount, low.minimum.currency) }), {
    key: "funds", kind: "warning", stay: true,
    actions: options.map(({ type }) => [t(`funding.${type}`), () => game.actions.open("cash", type)]),
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

/** Show why nothing new starts at the table. */
export function watchStop(game) {
  const { stop } = game.picture;
  if (!stop) return game.notices.drop("stopped");
  game.notices.tell(t("stopped"), { key: "stopped", kind: "warning", stay: true, remedy: stop.player_message });
}
