// What was decided while the line was down or the page was closed, told in a sentence.

import { get, NoAnswer, Problem } from "../core/api.js";
import { change, t } from "../words/index.js";

/** This will ask what happened since a position of the log, and tell of rounds settled and of a seat that was freed. */
export async function tellAway(game, after) {
  try {
    const { away } = await get(`restore?after=${after}`);
    for (const result of away?.results ?? []) tellResult(game, result);
    for (const freed of away?.seats_released ?? []) tellFreed(game, freed);
  } catch (error) {
    if (!(error instanceof Problem || error instanceof NoAnswer)) throw error;
  }
}

function tellResult(game, { rounds, net }) {
  if (rounds) game.notices.tell(t("away.rounds", { n: rounds, net: change(net.amount, net.currency) }), { key: "away" });
}

function tellFreed(game, { seat, returned }) {
  const amount = change(returned.amount, returned.currency);
  game.notices.tell(t("away.freed", { seat, amount }), { key: "freed", kind: "warning", stay: true });
  game.refreshPurse();
}
