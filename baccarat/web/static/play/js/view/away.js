// What was decided while the line was down or the page was closed, told in a sentence.

import { get, NoAnswer, Problem } from "../core/api.js";
import { change, t } from "../words/index.js";

/** Ask what happened since a position of the log, and report rounds that were settled and a seat that was released. */
export async function tellAway(game, after) {
  try {
    const { absence } = await get(`recovery?after=${after}`);
    for (const result of absence?.results ?? []) tellResult(game, result);
    for (const seat of absence?.seats_released ?? []) tellReleased(game, seat);
  } catch (error) {
    if (!(error instanceof Problem || error instanceof NoAnswer)) throw error;
  }
}

function tellResult(game, { rounds, net }) {
  if (rounds) game.notices.tell(t("away.rounds", { n: rounds, net: change(net.amount, net.currency) }), { key: "away" });
}

function tellReleased(game, { seat, returned }) {
  const amount = change(returned.amount, returned.currency);
  game.notices.tell(t("away.released", { seat, amount }), { key: "released", kind: "warning", stay: true });
  game.refreshPurse();
}
