// How the table has run: the columns of winners with their totals, and the roads that players read from them.

import { get, Problem } from "../core/api.js";
import { h, put, s } from "../core/dom.js";
import { count, t } from "../words/index.js";
import { inWords, panel } from "./parts.js";

const ROWS = 6;
const CELL = 18;
const ROADS = ["bead_plate", "big_road", "big_eye_boy", "small_road", "cockroach_pig"];

/** This will put outcomes into the printed columns: a new one when the winner changes, a tie in the winner's column. */
export function columns(outcomes) {
  const found = [];
  let winner = null;
  for (const outcome of outcomes) {
    if (!found.length || (outcome !== "tie" && winner !== null && outcome !== winner)) found.push([]);
    if (outcome !== "tie") winner = outcome;
    found.at(-1).push(outcome);
  }
  return found;
}

async function ask(game) {
  try {
    return await get(`tables/${game.table}/statistics`);
  } catch (error) {
    if (!(error instanceof Problem) || error.status !== 404) throw error;
    const { items } = await get(`tables/${game.table}/rounds?limit=100`);
    const outcomes = items.filter((round) => round.phase === "settled").map((round) => round.outcome).reverse();
    const of = (word) => outcomes.filter((each) => each === word).length;
    return { columns: columns(outcomes), totals: { banker: of("banker"), player: of("player"), tie: of("tie"), hands: outcomes.length }, roads: null };
  }
}

const word = (mark) => ({ B: "banker", P: "player", "-": "tie", T: "tie" }[mark] ?? mark);

function columnTable(statistics) {
  const all = (statistics.columns ?? []).map((column) => (Array.isArray(column) ? column : column.marks ?? [...column]).map(word)).slice(-24);
  const height = Math.max(ROWS, ...all.map((column) => column.length));
  const label = all.map((column) => column.map((mark) => t(`spot.${mark}`)).join(", ")).join("; ");
  return h("div", { class: "columns", role: "img", tabindex: "0", "aria-label": label || t("stats.none"), vars: { "--rows": String(height) } },
    all.map((column) => h("span", { class: "column", "aria-hidden": "true" }, column.map((mark) => h("span", { class: `letter ${mark}` }, t(`mark.${mark}`))))));
}

function totals({ totals: sums }) {
  const line = (name, value) => h("div", { class: `sum ${name}` }, h("dt", {}, t(`stats.${name}`)), h("dd", {}, count(value ?? 0)));
  return h("dl", { class: "sums" }, line("banker", sums.banker ?? sums.bankers), line("player", sums.player ?? sums.players), line("tie", sums.tie ?? sums.ties), line("hands", sums.hands));
}

function markOf(name, mark, column, row) {
  const [x, y] = [column * CELL + CELL / 2, row * CELL + CELL / 2];
  const colour = mark.colour ?? mark.color ?? word(mark.outcome ?? mark.mark);
  if (name === "bead_plate") return s("g", {}, s("circle", { cx: x, cy: y, r: 7.6, class: `bead ${colour}` }), s("text", { x, y: y + 3.4, "text-anchor": "middle", class: "bead-text" }, t(`mark.${colour}`)));
  if (name === "cockroach_pig") return s("path", { d: `M${x - 6} ${y + 6}L${x + 6} ${y - 6}`, class: `road-slash ${colour}` });
  const ties = Number(mark.ties ?? 0);
  return s("g", {}, s("circle", { cx: x, cy: y, r: name === "small_road" ? 5 : 6.5, class: `road-ring ${name} ${colour}` }),
    ties ? s("path", { d: `M${x - 6} ${y + 6}L${x + 6} ${y - 6}`, class: "road-tie" }) : null, ties > 1 ? s("text", { x: x + 3, y: y + 8, class: "road-ties" }, String(ties)) : null);
}

function road(name, marks) {
  const placed = (marks ?? []).map((mark, i) => ({ mark, column: mark.column ?? mark.display?.column ?? Math.floor(i / ROWS), row: mark.row ?? mark.display?.row ?? i % ROWS }));
  const width = Math.max(20, ...placed.map((each) => each.column + 1));
  const grid = [];
  for (let i = 0; i <= width; i++) grid.push(s("path", { d: `M${i * CELL} 0V${ROWS * CELL}` }));
  for (let i = 0; i <= ROWS; i++) grid.push(s("path", { d: `M0 ${i * CELL}H${width * CELL}` }));
  const drawing = s("svg", { viewBox: `-1 -1 ${width * CELL + 2} ${ROWS * CELL + 2}`, width: width * CELL + 2, height: ROWS * CELL + 2, class: "road", role: "img", "aria-label": t("stats.road", { name: t(`road.${name}`), count: placed.length }) },
    s("g", { class: "road-grid" }, grid), placed.map(({ mark, column, row }) => markOf(name, mark, column, row)));
  const frame = h("div", { class: "road-frame", tabindex: "0" }, drawing);
  requestAnimationFrame(() => { frame.scrollLeft = frame.scrollWidth; });
  return h("figure", { class: "road-figure" }, h("figcaption", {}, t(`road.${name}`)), frame);
}

function marksOf(roads, name) {
  const found = roads?.[name];
  return Array.isArray(found) ? found : found?.marks ?? null;
}

export const stats = {
  make(game) {
    this.place = h("div", { class: "stats-body" }, h("p", { class: "quiet-words" }, t("loading")));
    this.seen = null;
    this.draw(game);
    return panel(game, t("menu.stats"), this.place);
  },

  draw(game) {
    if (!this.place || this.seen === game.seen || game.show.on) return;
    this.seen = game.seen;
    ask(game).then((statistics) => {
      const roads = statistics.roads ?? statistics;
      put(this.place, columnTable(statistics), totals(statistics), ROADS.map((name) => marksOf(roads, name) && road(name, marksOf(roads, name))), asked(statistics));
    }, (error) => put(this.place, h("p", { class: "form-fault" }, inWords(error))));
  },
};

function asked(statistics) {
  const ask = statistics.ask;
  if (!ask) return null;
  const line = (side) => h("tr", {}, h("th", { scope: "row" }, t(`ask.${side}`)), ["big_eye_boy", "small_road", "cockroach_pig"].map((name) => {
    const colour = ask[side]?.[name];
    return h("td", {}, colour ? h("span", { class: `ask ${name} ${colour}`, role: "img", "aria-label": t(`colour.${colour}`) }) : "–");
  }));
  return h("table", { class: "asks" }, h("caption", {}, t("ask.title")), h("tbody", {}, line("banker"), line("player")));
}
