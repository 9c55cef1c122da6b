// The scoreboard: bead plate, big road, the three derived roads, counts, and what Banker or Player would add.

import { askedMark, DERIVED, marksOf, Road } from "../art/roads.js";
import { NoResponse, Problem } from "../core/api.js";
import { h, put, say, set } from "../core/dom.js";
import { toDecimal } from "../core/money.js";
import { currencyDigits, netResult } from "../core/table_state.js";
import { formatNumber, money, percent, t } from "../messages/index.js";
import { RoundCard } from "./round_card.js";
import { nameOfSeat } from "./people.js";

/** @import { RoadName } from "../art/roads.js" */
/** @import { Game } from "./game.js" */

/** @typedef {"banker" | "player"} Side */

const LAST = 12;
/** @type {RoadName[]} */
const ROADS = ["bead_plate", "big_road", ...DERIVED];
/** @type {("banker" | "player" | "tie")[]} */
const OUTCOMES = ["banker", "player", "tie"];
/** @type {Side[]} */
const SIDES = ["banker", "player"];

export class Scoreboard {
  /**
   * @param {Game} game
   * @param {(board: Api["Scoreboard"]) => void} [shown] is called with each board that is shown
   */
  constructor(game, shown = () => undefined) {
    this.game = game;
    this.shown = shown;
    /** @type {Api["Scoreboard"] | null} */
    this.board = null;
    /** @type {Side | null} */
    this.asked = null;
    /** @type {string | null} */
    this.lastRound = null;
    this.lastNumber = Infinity;
    this.card = new RoundCard(game);
    this.last = h("ol", { class: "score-last", "aria-label": t("score.last") });
    this.roads = ROADS.map((name) => new Road(name));
    this.sums = h("dl", { class: "score-sums" });
    this.asks = new Map(SIDES.map((side) => [side, this.askButton(side)]));
    this.ticker = h("p", { class: "score-ticker" });
    this.status = h("p", { class: "score-status", role: "status" }, t("loading"));
    this.track = h("div", { class: "score-track", tabindex: "0", role: "group", "aria-label": t("score.label") }, this.last,
      this.roads.map((road) => h("figure", { class: `score-road ${road.name}` }, h("figcaption", { class: "unseen" }, t(`road.${road.name}`)), road.element)),
      this.sums, h("div", { class: "score-asks", role: "group", "aria-label": t("ask.title") }, [...this.asks.values()]), this.ticker, this.status);
    this.element = h("section", { class: "scoreboard", "aria-label": t("score.label") }, this.track, this.card.element);
    this.card.follow(this.track);
  }

  /** @param {Side} side */
  askButton(side) {
    const ask = (/** @type {Side | null} */ wanted) => { this.asked = wanted; this.drawRoads(); };
    return h("button", { type: "button", class: `score-ask ${side}`, "aria-label": t(`ask.${side}.long`), "aria-pressed": "false", onclick: () => ask(this.asked === side ? null : side),
      onpointerenter: (/** @type {PointerEvent} */ event) => event.pointerType === "mouse" && ask(side), onpointerleave: (/** @type {PointerEvent} */ event) => event.pointerType === "mouse" && ask(null) });
  }

  /** Read the board again when a round has been shown to its end, so that no mark is ahead of its cards. */
  draw() {
    const { updates, show } = this.game;
    if (this.lastRound === updates.lastRound || show.round) return;
    this.lastRound = updates.lastRound;
    this.drawTicker();
    this.refresh();
  }

  async refresh() {
    try {
      this.show(await this.game.show.get(`tables/${this.game.table}/statistics`));
    } catch (error) {
      if (!(error instanceof Problem || error instanceof NoResponse)) throw error;
      this.lastRound = null;
      if (!this.board) say(this.status, t("score.unavailable"));
    }
  }

  /** @param {Api["Scoreboard"]} board */
  show(board) {
    const first = this.board === null;
    this.board = board;
    this.shown(board);
    say(this.status, board.totals.hands ? "" : t("stats.none"));
    this.drawRoads();
    this.lastNumber = board.bead_plate.at(-1)?.number ?? 0;
    put(this.sums, OUTCOMES.map((name) => {
      const share = board.totals.hands ? percent(Math.round((100 * board.totals[name]) / board.totals.hands) / 100) : "–";
      return h("div", { class: `score-sum ${name}` }, h("dt", {}, t(`stats.${name}`)), h("dd", {}, h("strong", {}, formatNumber(board.totals[name])), " ", h("small", {}, share)));
    }), h("div", { class: "score-sum hands" }, h("dt", {}, t("stats.hands")), h("dd", {}, h("strong", {}, formatNumber(board.totals.hands)))));
    put(this.last, board.bead_plate.slice(-LAST).map((bead) => h("li", { class: `mark ${bead.outcome}`, "data-number": bead.number, title: t(`spots.${bead.outcome}`) }, t(`mark.${bead.outcome}`))));
    if (first) this.track.scrollLeft = 0;  // what came first while the roads were empty would stay in view
  }

  drawRoads() {
    const { board, asked } = this;
    if (!board) return;
    for (const road of this.roads) {
      const ghost = asked && askedMark(board, road.name, asked);
      road.draw(ghost ? [...marksOf(board, road.name), ghost] : marksOf(board, road.name), this.lastNumber);
    }
    for (const [side, button] of this.asks) {
      set(button, { "aria-pressed": String(asked === side), "aria-label": t(`ask.${side}.long`) });
      const words = h("span", {}, t(`spots.${side}`));
      put(button, words, DERIVED.map((name) => {
        const colour = board.ask[side][name]?.colour ?? "none";
        return h("span", { class: `ask ${name} ${colour}`, role: "img", "aria-label": `${t(`road.${name}`)}: ${t(`colour.${colour}`)}` });
      }));
    }
  }

  /** Tell who won the last round, of the players who show their nickname. */
  drawTicker() {
    const { state } = this.game;
    const round = state.last_round;
    const winners = round?.phase === "settled" ? round.seats.filter((seat) => nameOfSeat(state, seat.seat) && netResult(seat) > 0n) : [];
    say(this.ticker, winners.map((seat) => t("score.wins", { name: nameOfSeat(state, seat.seat), amount: money(toDecimal(netResult(seat), currencyDigits(state)), state.currency) })).join(" · "));
  }
}
