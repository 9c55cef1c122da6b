// Roads as SVG: one cell is 10 units, colours and sizes are the style sheet's.

import { elementCache, put, s, set } from "../core/dom.js";
import { t } from "../messages/index.js";

/** @typedef {"bead_plate" | "big_road" | "big_eye_boy" | "small_road" | "cockroach_pig"} RoadName */
/**
 * A mark of any road, with the round that it stands for; `ghost` is one that is only asked for.
 * @typedef {{column: number, row: number, number: number, ghost?: boolean, outcome?: string, winner?: string, colour?: string, ties?: number,
 *   banker_pair?: boolean, player_pair?: boolean, natural?: boolean}} Mark
 */

export const ROWS = 6;
export const CELL = 10;
/** How many columns of each road fit on the board; older ones are cut off. */
export const COLUMNS = { bead_plate: 12, big_road: 24, big_eye_boy: 24, small_road: 24, cockroach_pig: 24 };
/** @typedef {Exclude<RoadName, "bead_plate" | "big_road">} DerivedName */
/** @type {DerivedName[]} */
export const DERIVED = ["big_eye_boy", "small_road", "cockroach_pig"];

const SLASH = `M-3 3L3 -3`;

/**
 * @param {RoadName} name
 * @param {Mark} mark
 */
function shape(name, mark) {
  if (name === "bead_plate") {
    return [s("circle", { r: 4.3, class: `bead ${mark.outcome}` }), s("text", { y: 2, "text-anchor": "middle", class: "bead-text" }, t(`mark.${mark.outcome}`)),
      mark.banker_pair && s("circle", { cx: -3.4, cy: -3.4, r: 1.3, class: "pair banker" }), mark.player_pair && s("circle", { cx: 3.4, cy: 3.4, r: 1.3, class: "pair player" })];
  }
  if (name === "cockroach_pig") return [s("path", { d: SLASH, class: `road-slash ${mark.colour}` })];
  if (name === "small_road") return [s("circle", { r: 3.6, class: `road-dot ${mark.colour}` })];
  if (name === "big_eye_boy") return [s("circle", { r: 3.2, class: `road-ring ${mark.colour}` })];
  return [s("circle", { r: 3.7, class: `road-ring ${mark.winner}` }), mark.natural && s("circle", { r: 1.1, class: `road-natural ${mark.winner}` }),
    mark.ties ? s("path", { d: SLASH, class: "road-tie" }) : null,
    (mark.ties ?? 0) > 1 ? s("text", { y: 1.9, "text-anchor": "middle", class: "road-ties" }, String(mark.ties)) : null];
}

/** A road's last columns. Marks stay when others are added: a shoe has many. */
export class Road {
  /** @param {RoadName} name */
  constructor(name) {
    this.name = name;
    const [columns, width, height] = [COLUMNS[name], COLUMNS[name] * CELL, ROWS * CELL];
    const rules = [...Array(columns + 1).keys()].map((i) => `M${i * CELL} 0V${height}`).concat([...Array(ROWS + 1).keys()].map((i) => `M0 ${i * CELL}H${width}`));
    this.marks = s("g");
    this.cached = elementCache();
    this.element = s("svg", { viewBox: `-.5 -.5 ${width + 1} ${height + 1}`, class: `road ${name}`, role: "img", "aria-label": t(`road.${name}`) }, s("path", { d: rules.join(""), class: "road-grid" }), this.marks);
  }

  /**
   * Draw marks. Each has its round's number in `data-number`; those above `after` are new.
   * @param {readonly Mark[]} marks
   * @param {number} [after]
   */
  draw(marks, after = Infinity) {
    const first = Math.max(0, marks.reduce((last, mark) => Math.max(last, mark.column), 0) - COLUMNS[this.name]);
    set(this.element, { "aria-label": t("stats.road", { name: t(`road.${this.name}`), count: marks.length }) });
    set(this.marks, { transform: `translate(${-first * CELL} 0)` });
    put(this.marks, marks.filter((mark) => mark.column > first).map((mark) => this.mark(mark, mark.ghost ? "ghost" : mark.number > after ? "new" : "")));
    return this.element;
  }

  /** @param {Mark} mark @param {string} look */
  mark(mark, look) {
    return this.cached(`${mark.column} ${mark.row}`, `${document.documentElement.lang} ${look} ${JSON.stringify(mark)}`, () =>
      s("g", { transform: `translate(${(mark.column - 0.5) * CELL} ${(mark.row - 0.5) * CELL})`, "data-number": mark.ghost ? null : mark.number },
        s("g", { class: `road-mark ${look}` }, shape(this.name, mark))));
  }
}

/**
 * Return the marks of a road of the scoreboard. A derived road has one for each of the last wins.
 * @param {Api["Scoreboard"]} board
 * @param {RoadName} name
 * @returns {Mark[]}
 */
export function marksOf(board, name) {
  if (name === "bead_plate") return board.bead_plate;
  if (name === "big_road") return bigRoadMarks(board.big_road, new Set(board.bead_plate.filter((bead) => bead.natural).map((bead) => bead.number)));
  const wins = board.big_road.cells.slice(-board[name].length);
  return board[name].map((cell, i) => ({ ...cell, number: wins[i].number }));
}

/**
 * Return the wins of a big road; ties before the first win are drawn on it.
 * @param {Api["BigRoad"]} road
 * @param {Set<number>} [naturals] numbers of the rounds that a natural won
 * @returns {Mark[]}
 */
export function bigRoadMarks({ cells, leading_ties }, naturals = new Set()) {
  return cells.map((cell, i) => ({ ...cell, natural: naturals.has(cell.number), ties: cell.ties + (i === 0 && cell.streak === 1 ? leading_ties : 0) }));
}

/**
 * Return the mark that a win of `side` would add to a road, null if none.
 * @param {Api["Scoreboard"]} board
 * @param {RoadName} name
 * @param {"banker" | "player"} side
 * @returns {Mark | null}
 */
export function askedMark(board, name, side) {
  if (name === "bead_plate") {
    const count = board.bead_plate.length;
    return { number: 0, outcome: side, column: Math.floor(count / ROWS) + 1, row: (count % ROWS) + 1, ghost: true };
  }
  const asked = board.ask[side];
  const cell = name === "big_road" ? asked.big_road : asked[name];
  return cell && { number: 0, ...cell, ghost: true };
}
