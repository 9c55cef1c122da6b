// Chips and icons, drawn as SVG.

import { h, s } from "../core/dom.js";
import { toDecimal, splitIntoChips } from "../core/money.js";
import { chipText } from "../messages/index.js";

/** @type {Record<string, string>} */
const PATHS = {
  stats: "M4 20V10M10 20V4M16 20v-8M22 20H2",
  chat: "M4 5h16v11H10l-5 4v-4H4z",
  chat_off: "M4 5h16v11H10l-5 4v-4H4zM9 8l6 5M15 8l-6 5",
  history: "M12 7v5l4 2M4.5 9a8 8 0 1 1-.5 4M4 4v5h5",
  options: "M4 7h10M18 7h2M4 17h2M10 17h10M14 4v6M8 14v6",
  help: "M9 9a3 3 0 1 1 4.5 2.6c-1 .6-1.5 1.2-1.5 2.4M12 17.6v.4",
  cash: "M3 7h18v10H3zM12 14.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM6 10v4M18 10v4",
  more: "M4 7h16M4 12h16M4 17h16",
  lobby: "M4 11l8-7 8 7M6 10v10h12V10",
  close: "M6 6l12 12M18 6L6 18",
  plus: "M12 5v14M5 12h14",
  limit: "M12 3l8 3v6c0 5-4 8-8 9-4-1-8-4-8-9V6zM8.5 12l2.5 2.5 4.5-5",
  leave: "M14 4h5v16h-5M10 8l-4 4 4 4M6 12h9",
  fair: "M12 4v16M7 20h10M5 7h14M5 7l-3 7h6zM19 7l-3 7h6z",
  flag: "M6 21V4h11l-2 4 2 4H6",
  play: "M8 5l11 7-11 7z",
  sound: "M4 9v6h4l5 4V5L8 9zM16 9a4 4 0 0 1 0 6M18.5 6.5a8 8 0 0 1 0 11",
  muted: "M4 9v6h4l5 4V5L8 9zM17 9.5l5 5M22 9.5l-5 5",
  full_screen: "M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5",
  instant: "M13 3L5 14h6l-1 7 8-11h-6z",
  squeeze: "M6 3h12v11l-5 7H6zM18 14h-5v7",
  style: "M4 4h7v16H4zM13 4h7v16h-7zM4 12h7",
};

/**
 * Draw an icon. Its button carries the accessible label.
 * @param {string} name
 */
export function icon(name) {
  return s("svg", { viewBox: "0 0 24 24", class: "icon", "aria-hidden": "true" }, s("path", { d: PATHS[name] }));
}

/** @type {[bigint, string][]} */
const COLOURS = [[1n, "one"], [5n, "five"], [25n, "green"], [100n, "black"], [500n, "purple"], [1000n, "gold"]];
const TOWER = 8;
/** How much of each lower chip's edge is seen, in hundredths of a chip's diameter. */
const EDGE = 12;
const TILT = 6;

/**
 * The colour of a chip: that of its value or, at a table where two would then look alike, that of its rank.
 * @param {bigint} chip
 * @param {bigint[]} chips
 * @param {number} digits
 */
function colour(chip, chips, digits) {
  const one = 10n ** BigInt(digits);
  const names = chips.map((units) => [...COLOURS].reverse().find(([value]) => units >= value * one)?.[1] ?? "one");
  const rank = Math.max(0, chips.indexOf(chip));
  return new Set(names).size === names.length ? names[rank] : COLOURS[rank % COLOURS.length][1];
}

/** @type {Map<string, SVGElement>} */
const faces = new Map();

/**
 * Draw a chip from above: each face once, and copies of it.
 * @param {bigint} units
 * @param {number} digits
 */
function chipFace(units, digits) {
  const text = chipText(toDecimal(units, digits));
  const face = faces.get(text) ?? s("g", {}, s("circle", { cx: 50, cy: 50, r: 48.5, class: "chip-body" }), s("circle", { cx: 50, cy: 50, r: 41, class: "chip-spots" }),
    s("circle", { cx: 50, cy: 50, r: 33, class: "chip-ring" }), s("circle", { cx: 50, cy: 50, r: 29, class: "chip-heart" }),
    s("text", { x: 50, y: 50, "text-anchor": "middle", "dominant-baseline": "central", class: `chip-text n${text.length}` }, text));
  faces.set(text, face);
  return face.cloneNode(true);
}

/**
 * Draw one of a table's chips seen from above.
 * @param {bigint} units
 * @param {bigint[]} chips
 * @param {number} digits
 */
export function drawChip(units, chips, digits) {
  return s("svg", { viewBox: "0 0 100 100", class: `chip ${colour(units, chips, digits)}`, "aria-hidden": "true" }, chipFace(units, digits));
}

/**
 * Draw a tower of chips for an amount, the largest at the bottom: at most eight, or its largest chip alone. The label says how
 * much it is.
 * @param {bigint} units
 * @param {bigint[]} chips
 * @param {number} digits
 * @param {string} label
 * @param {{ seed?: number, single?: boolean }} [look] `seed` turns the chips a little, as if placed by hand
 */
export function drawStack(units, chips, digits, label, { seed = 0, single = false } = {}) {
  const split = splitIntoChips(units, chips);
  const shown = single ? split.slice(0, 1) : split.slice(-TOWER);
  const high = 100 + EDGE * (shown.length - 1);
  const tower = s("svg", { viewBox: `0 0 100 ${high}`, class: "tower", "aria-hidden": "true" }, shown.map((chip, i) => {
    const turn = ((seed * 7 + i * 5) % (2 * TILT + 1)) - TILT;
    const place = `translate(0 ${high - 100 - i * EDGE})`;
    const top = i === shown.length - 1;
    return s("g", { class: colour(chip, chips, digits), transform: `${place} rotate(${turn} 50 50)` }, top ? chipFace(chip, digits) : edge.cloneNode(true));
  }));
  return h("span", { class: "stack", vars: { "--high": String(high / 100) } }, tower, label ? h("span", { class: "stack-sum" }, label) : null);
}

/** What is seen of a chip under another: its side, a little below its rim. */
const edge = s("g", {}, s("circle", { cx: 50, cy: 50, r: 48.5, class: "chip-side" }), s("circle", { cx: 50, cy: 50, r: 42, class: "chip-stripes" }));
