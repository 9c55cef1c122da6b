// Chips: clay discs with edge spots, coloured by what they are worth, stacked with their sum beside them.

import { h, s } from "../core/dom.js";
import { decimal, pile } from "../core/money.js";
import { short } from "../words/index.js";

const WORN = [[1n, "one"], [5n, "five"], [25n, "green"], [100n, "black"], [500n, "purple"], [1000n, "gold"]];
const TALLEST = 7;

function colour(units, digits) {
  const whole = units / 10n ** BigInt(digits);
  return [...WORN].reverse().find(([value]) => whole >= value)?.[1] ?? "one";
}

/** Draw one chip seen from above. */
export function drawChip(units, digits) {
  const spots = [];
  for (let i = 0; i < 8; i++) {
    spots.push(s("path", { d: "M43.5 2.6A48 48 0 0 1 56.5 2.6L54.6 17A33 33 0 0 0 45.4 17z", transform: `rotate(${i * 45} 50 50)`, class: "chip-spot" }));
  }
  const text = short(decimal(units, digits));
  return s("svg", { viewBox: "0 0 100 100", class: `chip ${colour(units, digits)}`, "aria-hidden": "true" },
    s("circle", { cx: 50, cy: 50, r: 48.5, class: "chip-body" }), spots,
    s("circle", { cx: 50, cy: 50, r: 33, class: "chip-ring" }), s("circle", { cx: 50, cy: 50, r: 29, class: "chip-heart" }),
    s("text", { x: 50, y: 50, "text-anchor": "middle", "dominant-baseline": "central", class: `chip-text n${text.length}` }, text));
}

/** Draw a stack for an amount; the highest chips lie at the bottom, and what would topple is left out. */
export function drawStack(units, chips, digits, label) {
  const all = pile(units, chips);
  const shown = all.slice(-TALLEST);
  return h("span", { class: "stack" },
    shown.map((chip, i) => h("span", { class: "stack-chip", vars: { "--n": String(i) } }, drawChip(chip, digits))),
    label ? h("span", { class: "stack-sum", vars: { "--n": String(shown.length) } }, label) : null);
}
