// How the table has run: the columns of winners with their totals, and the roads that players read from them.

import { get } from "../core/api.js";
import { h, put, s } from "../core/dom.js";
import { count, t } from "../words/index.js";
import { inWords, panel } from "./parts.js";

const ROWS = 6;
const CELL = 18;
const MARKS = { B: "banker", P: "player", "-": "tie" };
const ROADS = ["bead_plate", "big_road", "big_eye_boy", "small_road", "cockroach_pig"];


function columnTable(statistics) {
  const all = statistics.columns.map((column) => [...column].map((mark) => MARKS[mark])).slice(-24);
  const height = Math.max(ROWS, ...all.map((column) => column.length));
  const label = all.map((column) => column.map((mark) => t(`spot.${mark}`)).join(", ")).join("; ");
  return h("div", { class: "columns", role: "img", tabindex: "0", "aria-label": label || t("stats.none"), vars: { "--rows": String(height) } },
    all.length ? null : h("span", { class: "letter-none" }, t("stats.none")), all.map((column) => h("span", { class: "column", "aria-hidden": "true" }, column.map((mark) => h("span", { class: `letter ${mark}` }, t(`mark.${mark}`))))));
}

function totals({ totals: sums }) {
  const line = (name, value) => h("div", { class: "sum" }, h("dt", {}, t(`stats.${name}`)), h("dd", {}, count(value)));
  return h("dl", { class: "sums" }, ["banker", "player", "tie", "hands"].map((name) => line(name, sums[name])));
}

function markOf(name, mark) {
  const [x, y] = [(mark.column - 0.5) * CELL, (mark.row - 0.5) * CELL];
  if (name === "bead_plate") {
    return s("g", {}, s("circle", { cx: x, cy: y, r: 7.6, class: `bead ${mark.outcome}` }), s("text", { x, y: y + 3.4, "text-anchor": "middle", class: "bead-text" }, t(`mark.${mark.outcome}`)),
      mark.banker_pair ? s("circle", { cx: x - 6, cy: y - 6, r: 2, class: "pair banker" }) : null, mark.player_pair ? s("circle", { cx: x + 6, cy: y + 6, r: 2, class: "pair player" }) : null);
  }
  const colour = mark.colour ?? mark.winner;
  const slash = `M${x - 6} ${y + 6}L${x + 6} ${y - 6}`;
  if (name === "cockroach_pig") return s("path", { d: slash, class: `road-slash ${colour}` });
  return s("g", {}, s("circle", { cx: x, cy: y, r: name === "small_road" ? 5 : 6.5, class: `road-ring ${name} ${colour}` }),
    mark.ties ? s("path", { d: slash, class: "road-tie" }) : null, mark.ties > 1 ? s("text", { x: x + 3, y: y + 8, class: "road-ties" }, String(mark.ties)) : null);
}

function marksOf(statistics, name) {
  if (name !== "big_road") return statistics[name];
  const { cells, leading_ties: early } = statistics.big_road;
  return cells.map((cell, i) => (i === 0 ? { ...cell, ties: cell.ties + early } : cell));
}

function road(name, marks) {
  const width = Math.max(18, ...marks.map((mark) => mark.column));
  const grid = Array.from({ length: width + 1 }, (_, i) => s("path", { d: `M${i * CELL} 0V${ROWS * CELL}` }));
  for (let i = 0; i <= ROWS; i++) grid.push(s("path", { d: `M0 ${i * CELL}H${width * CELL}` }));
  const drawing = s("svg", { viewBox: `-1 -1 ${width * CELL + 2} ${ROWS * CELL + 2}`, width: width * CELL + 2, height: ROWS * CELL + 2, class: "road", role: "img", "aria-label": t("stats.road", { name: t(`road.${name}`), count: marks.length }) },
    s("g", { class: "road-grid" }, grid), marks.map((mark) => markOf(name, mark)));
  const frame = h("div", { class: "road-frame", tabindex: "0", role: "group", "aria-label": t(`road.${name}`) }, drawing);
  requestAnimationFrame(() => { frame.scrollLeft = Math.max(0, marks.reduce((most, mark) => Math.max(most, mark.column), 0) * CELL - frame.clientWidth); });
  return h("figure", { class: "road-figure" }, h("figcaption", {}, t(`road.${name}`)), frame);
}

export const stats = {
  make(game) {
    this.place = h("div", { class: "stats-body" }, h("p", { class: "quiet-words" }, t("loading")));
    this.seen = null;
    this.draw(game);
    return panel(game, t("menu.stats"), this.place);
  },

  draw(game) {
    if (!this.place || this.seen === game.sight.seen || game.show.on) return;
    this.seen = game.sight.seen;
    get(`tables/${game.table}/statistics`).then((statistics) => {
      put(this.place, columnTable(statistics), totals(statistics), ROADS.map((name) => road(name, marksOf(statistics, name))), asked(statistics));
    }, (error) => put(this.place, h("p", { class: "form-fault" }, inWords(error))));
  },
};

function asked(statistics) {
  const { ask } = statistics;
  const line = (side) => h("tr", {}, h("th", { scope: "row" }, t(`ask.${side}`)), ["big_eye_boy", "small_road", "cockroach_pig"].map((name) => {
    const colour = ask[side][name];
    return h("td", {}, colour ? h("span", { class: `ask ${name} ${colour}`, role: "img", "aria-label": t(`colour.${colour}`) }) : "–");
  }));
  return h("table", { class: "asks" }, h("caption", {}, t("ask.title")), h("tbody", {}, line("banker"), line("player")));
}
