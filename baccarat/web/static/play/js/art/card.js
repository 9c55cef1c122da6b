// Playing cards, drawn: pips where a printed card has them, a court in a frame, a woven back.

import { h, s } from "../core/dom.js";
import { t } from "../words/index.js";

const SUITS = {
  s: "M50 6C58 30 92 44 92 66a20 20 0 0 1-36 12c0 9 4 13 10 18H34c6-5 10-9 10-18A20 20 0 0 1 8 66C8 44 42 30 50 6z",
  h: "M50 94C38 74 6 58 6 32A22 22 0 0 1 50 24 22 22 0 0 1 94 32C94 58 62 74 50 94z",
  d: "M50 4C60 24 74 38 90 50 74 62 60 76 50 96 40 76 26 62 10 50 26 38 40 24 50 4z",
  c: "M50 4a21 21 0 0 1 16 35A21 21 0 1 1 57 70c0 10 3 18 11 26H32c8-8 11-16 11-26A21 21 0 1 1 34 39 21 21 0 0 1 50 4z",
};
const COLUMNS = { l: 33, m: 50, r: 67 };
const PIPS = {
  A: [],
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
const CROWNS = {
  K: "M24 58l-6-26 14 12 18-24 18 24 14-12-6 26z",
  Q: "M26 58l-8-22 16 10 16-22 16 22 16-10-8 22z",
  J: "M28 58l-4-18c10 4 18-2 26-14 8 12 16 18 26 14l-4 18z",
};

function mark(suit, x, y, size) {
  const turned = y > 70 ? ` rotate(180 50 50)` : "";
  return s("path", { d: SUITS[suit], transform: `translate(${x - size / 2} ${y - size / 2}) scale(${size / 100})${turned}` });
}

function corner(rank, suit) {
  return s("g", {}, s("text", { x: 12, y: 22, "text-anchor": "middle", class: "card-index" }, rank === "T" ? "10" : rank), mark(suit, 12, 33, 14));
}

function court(rank, suit) {
  return s("g", {},
    s("rect", { x: 23, y: 17, width: 54, height: 106, rx: 3, class: "card-frame" }),
    s("path", { d: CROWNS[rank], transform: "translate(20 8) scale(.6)", class: "card-crown" }),
    s("path", { d: CROWNS[rank], transform: "rotate(180 50 70) translate(20 8) scale(.6)", class: "card-crown" }),
    s("path", { d: "M23 92L77 48", class: "card-sash" }),
    s("circle", { cx: 50, cy: 70, r: 23, class: "card-medal" }),
    s("text", { x: 50, y: 84, "text-anchor": "middle", class: "card-letter" }, rank),
    mark(suit, 33, 30, 13), mark(suit, 67, 110, 13));
}

function middle(rank, suit) {
  if (rank in CROWNS) return court(rank, suit);
  if (rank === "A") return mark(suit, 50, 69.9, 52);
  return s("g", {}, PIPS[rank].map((place) => mark(suit, COLUMNS[place[0]], Number(place.slice(1)), 18)));
}

/** Name a card in words: "9h" is "nine of hearts". */
export const cardName = (card) => t("card.name", { rank: t(`rank.${card[0]}`), suit: t(`suit.${card[1]}`) });

function face(card) {
  const [rank, suit] = card;
  const red = suit === "h" || suit === "d";
  return s("svg", { viewBox: "0 0 100 140", class: `card-face ${red ? "red" : "black"}`, "aria-hidden": "true" },
    s("rect", { x: 0.75, y: 0.75, width: 98.5, height: 138.5, rx: 9, class: "card-paper" }),
    corner(rank, suit), s("g", { transform: "rotate(180 50 70)" }, corner(rank, suit)), middle(rank, suit));
}

function back() {
  const weave = [];
  for (let i = -100; i < 160; i += 11) {
    weave.push(s("path", { d: `M${i} 8L${i + 124} 132M${i + 124} 8L${i} 132` }));
  }
  return s("svg", { viewBox: "0 0 100 140", class: "card-back", "aria-hidden": "true" },
    s("rect", { x: 0.75, y: 0.75, width: 98.5, height: 138.5, rx: 9, class: "card-paper" }),
    s("svg", { x: 7, y: 7, width: 86, height: 126, viewBox: "7 7 86 126" },
      s("rect", { x: 7, y: 7, width: 86, height: 126, rx: 5, class: "card-cloth" }), s("g", { class: "card-weave" }, weave)),
    s("circle", { cx: 50, cy: 70, r: 17, class: "card-seal" }),
    s("path", { d: SUITS.s, transform: "translate(39 59) scale(.22)", class: "card-seal-mark" }));
}

/** Draw a card lying face up, or face down for null; `turn(card)` on it shows it. A third lies sideways. */
export function drawCard(card, { sideways = false } = {}) {
  const inner = h("span", { class: "card-inner" }, back());
  const element = h("span", { class: `card${sideways ? " sideways" : ""}`, role: "img" }, inner);
  element.turn = (shown) => {
    inner.replaceChildren(back(), face(shown));
    element.classList.add("shown");
    element.setAttribute("aria-label", cardName(shown));
  };
  element.setAttribute("aria-label", t("card.down"));
  if (card) element.turn(card);
  return element;
}
