// The table as SVG: rail, cloth and what is printed on it. Its seats and spots are HTML on top of it.

/** @import { Scene } from "../view/scene.js" */

import { s } from "../core/dom.js";
import { commissionKey, roundingStep, spotsOf } from "../core/table_state.js";
import { money, percent, spotName, t } from "../messages/index.js";

const RACK = { width: 34, y: 1.6, height: 6 };
const TRAY = ["one", "five", "green", "black", "purple", "gold"];

/**
 * The outline of the table, `inset` units inside the rail's outer edge.
 * @param {Scene} scene
 * @param {number} inset
 */
function outline({ rim, width }, inset) {
  const [rx, ry] = [rim.rx + 2.6 - inset, rim.ry + 2.6 - inset];
  const [left, right, top] = [width / 2 - rx, width / 2 + rx, 1.5 + inset];
  const corner = Math.max(0.5, rim.y - top);
  return `M${left + corner} ${top}H${right - corner}Q${right} ${top} ${right} ${top + corner}` +
    `A${rx} ${ry} 0 0 1 ${left} ${top + corner}Q${left} ${top} ${left + corner} ${top}z`;
}

/** @param {number} x @param {number} width */
function tray(x, width) {
  const slots = [];
  const each = (width - 2.4) / 12;
  for (let i = 0; i < 12; i++) slots.push(s("rect", { x: x + 1.2 + i * each, y: 2.6, width: each - 0.4, height: 4, rx: 0.6, class: `tray-chip ${TRAY[i % 6]}` }));
  return s("g", { class: "tray" }, s("rect", { x, y: RACK.y, width, height: RACK.height, rx: 1.2, class: "tray-box" }), slots);
}

/** Where the dealer's rack lies on a scene's felt. @param {Scene} scene */
export const rackOf = ({ width }) => ({ x: width / 2, y: RACK.y + RACK.height / 2, width: RACK.width, height: RACK.height });

/** The shoe: cards leave it from the white edge. @param {number} x */
function shoe(x) {
  return s("g", { class: "shoe", transform: `translate(${x} .8)` },
    s("path", { d: "M1.2 .8h11.6l2.2 7H-1z", class: "shoe-box" }), s("path", { d: "M2.4 1.6h9l1.4 4.6H1z", class: "shoe-lid" }),
    s("path", { d: "M.4 7.6h13.2l.4 1.6H0z", class: "shoe-card" }));
}

/** @param {number} x */
function discard(x) {
  return s("g", { class: "discard", transform: `translate(${x} 1.4)` },
    s("rect", { x: 0, y: 0, width: 10, height: 6.6, rx: 0.9, class: "shoe-box" }), s("rect", { x: 1.2, y: 0.9, width: 7.6, height: 4.6, rx: 0.5, class: "shoe-lid" }));
}

/** The dealer's side: the rack of chips between the cards dealt before and the shoe. @param {number} middle */
const dealer = (middle) => [tray(middle - RACK.width / 2, RACK.width), shoe(middle + 21), discard(middle - 31)];

/** Both rooms' cloth: a damask and a fine twill, small tiles that the style chooses from. */
function textures() {
  return [
    s("pattern", { id: "damask", width: 9, height: 14, patternUnits: "userSpaceOnUse" },
      s("path", { d: "M4.5 1C6 3 6.6 4.6 4.5 6.4 2.4 4.6 3 3 4.5 1zM4.5 6.4C7 5.6 8 7.4 6.6 9 5.4 8.6 5 7.6 4.5 6.4zM4.5 6.4C2 5.6 1 7.4 2.4 9 3.6 8.6 4 7.6 4.5 6.4zM4.5 7.4V11M0 8C1.5 10 2.1 11.6 0 13.4M9 8C7.5 10 6.9 11.6 9 13.4", class: "damask" })),
    s("pattern", { id: "twill", width: 1.2, height: 1.2, patternUnits: "userSpaceOnUse", patternTransform: "rotate(35)" }, s("path", { d: "M0 0V1.2", class: "twill" })),
  ];
}

/** @param {Scene} scene @param {string[]} words */
function printed(scene, words) {
  const { width, hands, lines } = scene;
  const half = hands.width / 2;
  const top = hands.y - hands.height / 2;
  const size = 2.6;
  const text = lines.slice(0, words.length).map((y, i) => {
    const bend = `M${width / 2 - 34} ${y}Q${width / 2} ${y + 5} ${width / 2 + 34} ${y}`;
    return [s("path", { id: `felt-words-${i}`, d: bend, class: "unprinted" }),
      s("text", { class: "print-line", "font-size": size }, s("textPath", { href: `#felt-words-${i}`, startOffset: "50%", "text-anchor": "middle" }, words[i]))];
  });
  return s("g", { class: "print" }, s("path", { d: outline(scene, 8), class: "print-border" }),
    s("rect", { x: width / 2 - half, y: top, width: 2 * half, height: hands.height, rx: 2.4, class: "print-hands" }), text);
}

/**
 * Draw the table of a scene; `words` are printed on the cloth where there is room.
 * @param {Scene} scene
 * @param {string[]} words
 */
export function drawFelt(scene, words) {
  const { width } = scene;
  const cloth = outline(scene, 5.6);
  return s("svg", { viewBox: `0 0 ${width} 100`, class: "felt-art", "aria-hidden": "true", focusable: "false" },
    s("defs", {},
      s("radialGradient", { id: "cloth", cx: "50%", cy: "26%", r: "78%" },
        s("stop", { offset: "0", class: "cloth-light" }), s("stop", { offset: "0.55", class: "cloth-mid" }), s("stop", { offset: "1", class: "cloth-deep" })),
      s("linearGradient", { id: "rail", x1: 0, y1: 0, x2: 0, y2: 1 },
        s("stop", { offset: "0", class: "rail-high" }), s("stop", { offset: "0.5", class: "rail-mid" }), s("stop", { offset: "1", class: "rail-low" })),
      textures()),
    s("path", { d: outline(scene, 0), fill: "url(#rail)", class: "rail-shape" }),
    s("path", { d: outline(scene, 0.7), class: "rail-shine" }),
    s("path", { d: outline(scene, 5.3), class: "rail-edge" }),
    s("path", { d: cloth, fill: "url(#cloth)" }),
    s("path", { d: cloth, class: "texture" }),
    printed(scene, words), dealer(width / 2));
}

/** Draw only the dealer's side, for screens without a table. */
export function drawDealer() {
  return s("svg", { viewBox: "0 0 80 10", class: "dealer-art", "aria-hidden": "true", focusable: "false" }, dealer(40));
}

/**
 * Return the lines printed on the cloth: what the spots pay, but for the first one's even money.
 * @param {Api["TableRules"]} rules
 */
export const clothWords = (rules) => spotsOf(rules).slice(1).map((spot) => {
  const values = { spot: spotName(spot.name), odds: oddsRange(spot).replaceAll(":", ` ${t("felt.to")} `), percent: percentOf(spot.commission) };
  return t(spot.commission ? "felt.pays.less" : "felt.pays", values);
});

/**
 * Format the share that commission takes: "5%".
 * @param {Api["Spot"]["commission"]} commission
 */
function percentOf(commission) {
  if (!commission) return "";
  const [part, whole] = commission.rate.split("/").map(Number);
  return percent(part / whole);
}

/**
 * Say how commission is taken, by the messages that begin with `key`.
 * @param {"badge" | "help"} key
 * @param {Api["TableRules"]} rules
 * @param {Api["Commission"]} commission
 */
export function chargedWords(key, rules, commission) {
  const step = roundingStep(rules, commission);
  return t(`${key}.${commissionKey(commission)}`, { percent: percentOf(commission), step: step && money(step, rules.currency) });
}

/**
 * Format what a spot pays, from its lowest odds to its highest: "8:1", "1:2–1:1".
 * @param {Api["Spot"]} spot
 */
function oddsRange({ lines }) {
  const size = (/** @type {string} */ odds) => odds.split(":").map(Number).reduce((over, under) => over / under);
  const all = lines.flatMap(({ pays }) => pays ?? []).sort((one, other) => size(one) - size(other));
  return [...new Set([all[0], all[all.length - 1]])].join("–");
}

/**
 * Format a spot's odds, with its commission: "1:1 − 5%".
 * @param {Api["Spot"]} spot
 */
export const oddsOf = (spot) => (spot.commission ? `${oddsRange(spot)} − ${percentOf(spot.commission)}` : oddsRange(spot));
