// Playing cards as SVG: pips on the standard grid, court cards as half-figures that are the same upside down.

import { h, s } from "../core/dom.js";
import { t } from "../messages/index.js";

/** @typedef {HTMLElement & { turn: (card: string) => void }} Card */

/** @type {Record<string, string>} */
export const SUITS = {
  s: "M50 6C58 30 92 44 92 66a20 20 0 0 1-36 12c0 9 4 13 10 18H34c6-5 10-9 10-18A20 20 0 0 1 8 66C8 44 42 30 50 6z",
  h: "M50 94C38 74 6 58 6 32A22 22 0 0 1 50 24 22 22 0 0 1 94 32C94 58 62 74 50 94z",
  d: "M50 4C60 24 74 38 90 50 74 62 60 76 50 96 40 76 26 62 10 50 26 38 40 24 50 4z",
  c: "M50 4a21 21 0 0 1 16 35A21 21 0 1 1 57 70c0 10 3 18 11 26H32c8-8 11-16 11-26A21 21 0 1 1 34 39 21 21 0 0 1 50 4z",
};
/** @type {Record<string, number>} */
const COLUMNS = { l: 35, m: 50, r: 65 };
/** @type {Record<string, string[]>} */
const PIPS = {
  2: ["m28", "m112"],
  3: ["m28", "m70", "m112"],
  4: ["l28", "r28", "l112", "r112"],
  5: ["l28", "r28", "m70", "l112", "r112"],
  6: ["l28", "r28", "l70", "r70", "l112", "r112"],
  7: ["l28", "r28", "m49", "l70", "r70", "l112", "r112"],
  8: ["l28", "r28", "m49", "l70", "r70", "m91", "l112", "r112"],
  9: ["l28", "r28", "l56", "r56", "m70", "l84", "r84", "l112", "r112"],
  T: ["l28", "r28", "m42", "l56", "r56", "l84", "r84", "m98", "l112", "r112"],
};

/** Each court's upper half as [path, fill]: robe, head, and what it is known by at a glance. */
/** @type {Record<string, [string, string][]>} */
const COURTS = {
  K: [
    ["M24 70V60C29 51 39 48 51 48S73 51 78 60V70z", "robe"], ["M44 49L51 70 58 49z", "gold"],
    ["M32 53C40 60 62 60 70 53L66 47C58 53 44 53 36 47z", "skin"],
    ["M39 30C36 42 38 49 42 51H60C64 49 66 42 63 30z", "hair"], ["M42 29H60V40C60 47 55 50 51 50S42 47 42 40z", "skin"],
    ["M41 40C42 52 47 56 51 57 55 56 60 52 61 40 57 45 54 44 51 43 48 44 45 45 41 40z", "hair"],
    ["M39 29L34 14 44 21 51 10 58 21 68 14 63 29z", "gold"], ["M39 29L38 25H64L63 29z", "robe"],
    ["M46 35h2M54 35h2M51 36v4", "line"], ["M70 70V40M66 44h8M70 36v8", "staff"],
  ],
  Q: [
    ["M39 30C34 44 36 54 33 62H69C66 54 68 44 63 30z", "hair"], ["M24 70C26 60 34 56 42 53L51 62 60 53C68 56 76 60 78 70z", "robe"],
    ["M45 53L51 62 57 53V48H45z", "skin"], ["M42 32C42 24 60 24 60 32V38C60 46 55 49 51 49S42 46 42 38z", "skin"],
    ["M41 31C42 22 60 22 61 31 56 26 46 26 41 31z", "hair"], ["M41 25L38 15 46 20 51 13 56 20 64 15 61 25C56 22 46 22 41 25z", "gold"],
    ["M46 35h2M54 35h2M51 36v4M49 44h4", "line"], ["M71 70C73 62 72 56 70 50M72 60l5-4", "stem"],
    ["M70 51C63 51 62 42 67 40 69 36 75 37 76 41 80 45 76 51 70 51zM70 47C67 46 67 42 70 42 73 41 74 45 72 46", "rose"],
    ["M44 58h1M48 61h1M53 61h1M57 58h1", "line"],
  ],
  J: [
    ["M24 70V62C30 54 40 50 51 50S72 54 78 62V70z", "robe"], ["M40 52L45 70H51L46 51zM57 51L52 70H58L63 53z", "gold"],
    ["M39 28C36 38 37 46 40 49H62C65 46 66 38 63 28z", "hair"], ["M43 29H59V39C59 46 55 49 51 49S43 46 43 39z", "skin"],
    ["M37 29C37 19 61 14 66 25L63 29C56 26 46 26 37 29z", "robe"], ["M58 20C62 10 72 9 78 13 72 15 68 20 65 25z", "gold"],
    ["M46 34h2M54 34h2M51 35v4M49 44h4", "line"], ["M70 56L70 32 72 27 74 32V56z", "steel"], ["M65 56H79M72 56V66", "hilt"],
  ],
};

/**
 * @param {string} suit
 * @param {number} x
 * @param {number} y
 * @param {number} size
 */
function mark(suit, x, y, size) {
  const turned = y > 70 ? " rotate(180 50 50)" : "";
  return s("path", { d: SUITS[suit], transform: `translate(${x - size / 2} ${y - size / 2}) scale(${size / 100})${turned}` });
}

/** @param {string} rank */
const rankText = (rank) => (rank === "T" ? "10" : rank);

/** @param {string} rank @param {string} suit */
function corner(rank, suit) {
  return s("g", { class: "card-corner" }, s("text", { x: 12.5, y: 23, "text-anchor": "middle", class: `card-index${rank === "T" ? " ten" : ""}` }, rankText(rank)), mark(suit, 12.5, 34, 14));
}

/** @param {string} rank @param {string} suit */
function court(rank, suit) {
  const half = s("g", {}, COURTS[rank].map(([d, fill]) => s("path", { d, class: `court-${fill}` })), mark(suit, 30, 26, 11));
  return s("g", {}, s("rect", { x: 23, y: 12, width: 56, height: 116, rx: 3, class: "card-frame" }),
    half, s("g", { transform: "rotate(180 51 70)" }, half.cloneNode(true)), s("path", { d: "M23 70H79", class: "court-line" }));
}

/** @param {string} rank @param {string} suit */
function middle(rank, suit) {
  if (rank in COURTS) return court(rank, suit);
  if (rank === "A") return mark(suit, 50, 69.9, 50);
  return s("g", {}, PIPS[rank].map((place) => mark(suit, COLUMNS[place[0]], Number(place.slice(1)), 17)));
}

/** Draw rank and suit as large as they fit, for cards too small for pips. @param {string} rank @param {string} suit */
function large(rank, suit) {
  return s("g", { class: "card-large" }, s("text", { x: 50, y: 66, "text-anchor": "middle", class: `card-rank${rank === "T" ? " ten" : ""}` }, rankText(rank)),
    s("path", { d: SUITS[suit], transform: "translate(24 76) scale(.52)" }));
}

/** Return the name of a card: "9h" is "nine of hearts". @param {string} card */
export const cardName = (card) => t("card.name", { rank: t(`rank.${card[0]}`), suit: t(`suit.${card[1]}`) });

/** Draw the face of a card. @param {string} card */
export function drawFace(card) {
  const [rank, suit] = card;
  const red = suit === "h" || suit === "d";
  const index = corner(rank, suit);
  return s("svg", { viewBox: "0 0 100 140", class: `card-face ${red ? "red" : "black"}`, "aria-hidden": "true" },
    s("rect", { x: 0.75, y: 0.75, width: 98.5, height: 138.5, rx: 9, class: "card-paper" }),
    s("g", { class: "card-full" }, index, s("g", { transform: "rotate(180 50 70)" }, index.cloneNode(true)), middle(rank, suit)),
    large(rank, suit));
}

/** Draw a card's back. */
function drawBack() {
  const weave = [];
  for (let i = -100; i < 160; i += 11) weave.push(`M${i} 8L${i + 124} 132M${i + 124} 8L${i} 132`);
  return s("svg", { viewBox: "0 0 100 140", class: "card-back", "aria-hidden": "true" },
    s("rect", { x: 0.75, y: 0.75, width: 98.5, height: 138.5, rx: 9, class: "card-paper" }),
    s("svg", { x: 7, y: 7, width: 86, height: 126, viewBox: "7 7 86 126" },
      s("rect", { x: 7, y: 7, width: 86, height: 126, rx: 5, class: "card-cloth" }), s("path", { d: weave.join(""), class: "card-weave" })),
    s("circle", { cx: 50, cy: 70, r: 17, class: "card-seal" }),
    s("path", { d: SUITS.s, transform: "translate(39 59) scale(.22)", class: "card-seal-mark" }));
}

const back = drawBack();

/**
 * Draw a card face up, or face down for null; the element's `turn(card)` turns it face up.
 *
 * The element itself is never rotated, so that it can be moved along the screen's axes; what lies sideways is inside.
 * @param {string | null} card
 * @param {{ sideways?: boolean }} [pose]
 * @returns {Card}
 */
export function drawCard(card, { sideways = false } = {}) {
  const inner = h("span", { class: "card-inner" }, back.cloneNode(true));
  const element = /** @type {Card} */ (h("span", { class: `card${sideways ? " sideways" : ""}`, role: "img" }, h("span", { class: "card-pose" }, inner)));
  element.turn = (shown) => {
    inner.append(drawFace(shown));
    element.classList.add("shown");
    element.setAttribute("aria-label", cardName(shown));
  };
  element.setAttribute("aria-label", t("card.down"));
  if (card) element.turn(card);
  return element;
}
