// Settles stakes as the page's verifier does: reads {"rules", "rounds"}, each round with "cards" and "stakes", and prints an array of what
// becomes of each stake, by its spot.

import { readFileSync } from "node:fs";
import { factsOf } from "../../baccarat/web/static/play/verify/facts.js";
import { resultOf } from "../../baccarat/web/static/play/verify/spots.js";

const { rules, rounds } = JSON.parse(readFileSync(0, "utf8"));
const settled = rounds.map(({ cards, stakes }) => {
  const facts = factsOf(cards);
  return Object.fromEntries(Object.entries(stakes).map(([spot, stake]) => [spot, resultOf(rules, spot, stake, facts)]));
});
process.stdout.write(JSON.stringify(settled));
