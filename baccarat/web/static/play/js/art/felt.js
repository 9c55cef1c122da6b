// The table itself: rail, cloth and what is printed on the cloth. Wide for screens that lie, tall for those that stand.

import { s } from "../core/dom.js";
import { percent, t } from "../words/index.js";

export const WIDE = { width: 1200, height: 640 };
export const TALL = { width: 600, height: 620 };

function wideShape(inset) {
  const [l, r, top] = [inset, WIDE.width - inset, inset];
  const bottom = WIDE.height - inset;
  return `M${l + 90} ${top}H${r - 90}Q${r} ${top} ${r} ${top + 110}C${r} ${bottom * 0.72} ${r - 190} ${bottom} ${WIDE.width / 2} ${bottom}` +
    `S${l} ${bottom * 0.72} ${l} ${top + 110}Q${l} ${top} ${l + 90} ${top}z`;
}

function tallShape(inset) {
  const [l, r, top, bottom] = [inset, TALL.width - inset, inset, TALL.height - inset];
  return `M${l + 40} ${top}H${r - 40}Q${r} ${top} ${r} ${top + 60}V${bottom - 150}Q${r} ${bottom} ${TALL.width / 2} ${bottom}` +
    `Q${l} ${bottom} ${l} ${bottom - 150}V${top + 60}Q${l} ${top} ${l + 40} ${top}z`;
}

function tray(x, width) {
  const slots = [];
  const colours = ["one", "five", "green", "black", "purple", "gold"];
  for (let i = 0; i < 12; i++) {
    slots.push(s("rect", { x: x + 8 + (i * (width - 16)) / 12, y: 20, width: (width - 16) / 12 - 3, height: 26, rx: 4, class: `tray-chip ${colours[i % 6]}` }));
  }
  return s("g", { class: "tray" }, s("rect", { x, y: 14, width, height: 38, rx: 8, class: "tray-box" }), slots);
}

function shoe(x) {
  return s("g", { class: "shoe", transform: `translate(${x} 8)` },
    s("path", { d: "M8 6h84l16 58H0z", class: "shoe-box" }), s("path", { d: "M14 12h70l10 36H8z", class: "shoe-lid" }),
    s("path", { d: "M10 54h82l3 14H7z", class: "shoe-card" }));
}

function discard(x) {
  return s("g", { class: "discard", transform: `translate(${x} 12)` },
    s("rect", { x: 0, y: 0, width: 74, height: 52, rx: 6, class: "shoe-box" }), s("rect", { x: 8, y: 6, width: 58, height: 38, rx: 4, class: "shoe-lid" }));
}

function printed(words) {
  const path = "M330 518C460 566 740 566 870 518";
  return s("g", { class: "print" }, s("path", { id: "felt-line", d: path, fill: "none", class: "unprinted" }),
    s("text", { class: "print-line small" }, s("textPath", { href: "#felt-line", startOffset: "50%", "text-anchor": "middle" }, words)));
}

/** Draw the table for these rules; `words` are printed on the cloth between dealer and seats. */
export function drawFelt({ wide, words, arcs }) {
  const size = wide ? WIDE : TALL;
  const shape = wide ? wideShape : tallShape;
  const middle = size.width / 2;
  return s("svg", { viewBox: `0 0 ${size.width} ${size.height}`, class: "felt-art", "aria-hidden": "true", focusable: "false" },
    s("defs", {},
      s("radialGradient", { id: "cloth", cx: "50%", cy: wide ? "32%" : "30%", r: "75%" },
        s("stop", { offset: "0", class: "cloth-light" }), s("stop", { offset: "0.55", class: "cloth-mid" }), s("stop", { offset: "1", class: "cloth-deep" })),
      s("linearGradient", { id: "rail", x1: 0, y1: 0, x2: 0, y2: 1 },
        s("stop", { offset: "0", class: "rail-high" }), s("stop", { offset: "0.5", class: "rail-mid" }), s("stop", { offset: "1", class: "rail-low" })),
      s("filter", { id: "weave", x: 0, y: 0, width: "100%", height: "100%" },
        s("feTurbulence", { type: "fractalNoise", baseFrequency: "0.9", numOctaves: 2, seed: 4, result: "noise" }),
        s("feColorMatrix", { in: "noise", type: "matrix", values: "0 0 0 0 0  0 0 0 0 0  0 0 0 0 0  0 0 0 0.26 0" }),
        s("feComposite", { in2: "SourceGraphic", operator: "in" }))),
    s("path", { d: shape(2), fill: "url(#rail)", class: "rail-shape" }),
    s("path", { d: shape(8), class: "rail-shine" }),
    s("path", { d: shape(wide ? 26 : 15), class: "rail-edge" }),
    s("path", { d: shape(wide ? 30 : 18), fill: "url(#cloth)" }),
    s("path", { d: shape(wide ? 30 : 18), fill: "#000", filter: "url(#weave)", class: "weave" }),
    s("path", { d: shape(wide ? 42 : 26), class: "print-border" }),
    wide ? tray(middle - 150, 300) : null, wide ? shoe(middle + 176) : null, wide ? discard(middle - 250) : null,
    arcs ?? null, wide && words ? printed(words) : null);
}

/** Tell in two lines what the cloth promises: what each spot pays here. */
export function clothWords(rules) {
  const pays = t("felt.pays", { tie: rules.tie_pays.replace(":", ` ${t("felt.to")} `) });
  return [pays, t(rules.commission ? "felt.commission" : "felt.no_commission", { percent: percentOf(rules) })];
}

/** Write a table's commission as people say it: "5%". */
export function percentOf(rules) {
  if (!rules.commission) return "";
  const [part, whole] = rules.commission.rate.split("/").map(Number);
  return percent(part / whole);
}

/** Write what a spot pays: "8:1", or "1:1 − 5%" where the house takes its share. */
export function oddsOf(rules, spot) {
  const odds = rules[`${spot}_pays`];
  return spot === "banker" && rules.commission ? `${odds} − ${percentOf(rules)}` : odds;
}
