// A spot's chips, and the three panels on which the player bets.

/** @import { Available } from "../core/moves.js" */
/** @import { PendingChip } from "../core/table_state.js" */

import { oddsOf } from "../art/felt.js";
import { drawStack } from "../art/pieces.js";
import { h, put, say, set, tapped } from "../core/dom.js";
import { toDecimal, toMinor } from "../core/money.js";
import { spotKeys } from "../core/moves.js";
import { currencyDigits, spotsOf, stakesOf } from "../core/table_state.js";
import { chipText, money, t } from "../messages/index.js";

/** @typedef {{ units: bigint, coming?: bigint, won?: bigint, seed?: number, chips: bigint[], digits: number }} Pile */
/** @typedef {Api["SpotResult"]} SpotResult */

/** The chips on one spot: the stake as a tower, what it won beside it. */
export class SpotChips {
  /** @param {{ single?: boolean }} [look] one chip in place of a tower, where there is no room for more */
  constructor({ single = false } = {}) {
    this.single = single;
    this.element = h("span", { class: "spot-chips" });
    this.drawn = "";
  }

  /** @param {Pile} pile */
  draw({ units, coming = 0n, won = 0n, seed = 0, chips, digits }) {
    const all = units + coming;
    const wanted = `${all} ${won} ${chips.join(" ")}`;
    set(this.element, { "data-coming": coming > 0n, "data-beside": won > 0n });
    if (wanted === this.drawn) return;
    this.drawn = wanted;
    const text = chipText(toDecimal(all, digits));
    put(this.element, all > 0n ? drawStack(all, chips, digits, text, { seed, single: this.single }) : null, won > 0n ? this.winnings(won, chips, digits, seed) : null);
  }

  /** @param {bigint} won @param {bigint[]} chips @param {number} digits @param {number} seed */
  winnings(won, chips, digits, seed) {
    const stack = drawStack(won, chips, digits, "", { seed: seed + 3 });
    stack.classList.add("winnings");
    return stack;
  }
}

/**
 * Return the words of a spot's result: what it won and the commission taken of it, or "push".
 * @param {SpotResult} result
 */
export function resultWords(result) {
  if (result.result === "win") {
    const taken = toMinor(result.commission) > 0n ? ` − ${chipText(result.commission)}` : "";
    return `+${chipText(result.won)}${taken}`;
  }
  return result.result === "push" ? t("result.push") : "";
}

/**
 * Add up what all seats staked on each spot, and count them.
 * @param {Api["Round"] | null | undefined} round
 * @param {Api["Spot"]} spot
 */
function allStakes(round, spot) {
  const stakes = (round?.seats ?? []).map((seat) => stakesOf(seat)[spot] ?? 0n).filter((units) => units > 0n);
  return { units: stakes.reduce((total, each) => total + each, 0n), players: stakes.length };
}

/** The panels of the table's spots: payout, own stake, everybody's stakes, and the result. */
export class Spots {
  /** @param {(spot: Api["Spot"]) => void} place */
  constructor(place) {
    this.place = place;
    this.element = h("section", { class: "spots" });
    this.layout = "";
    /** @type {Map<Api["Spot"], { element: HTMLElement, chips: SpotChips, all: HTMLElement, result: HTMLElement, odds: string }>} */
    this.panels = new Map();
  }

  /** @param {Api["Table"]} state */
  arrange(state) {
    const layout = `${state.id} ${Boolean(state.you)} ${document.documentElement.lang} ${JSON.stringify(state.rules)}`;
    if (layout === this.layout) return;
    this.layout = layout;
    set(this.element, { "aria-label": t("spots.yours") });
    this.panels.clear();
    const keys = new Map([...spotKeys(state.rules)].map(([key, spot]) => [spot, key]));
    this.element.replaceChildren(...spotsOf(state.rules).map((spot) => this.panel(state, spot, keys.get(spot))));
  }

  /** @param {Api["Table"]} state @param {Api["Spot"]} spot @param {string} [key] */
  panel(state, spot, key) {
    const chips = new SpotChips();
    const all = h("span", { class: "spot-all", "aria-hidden": "true" });
    const result = h("span", { class: "spot-result", "aria-hidden": "true" });
    set(chips.element, { "aria-hidden": "true" });
    const odds = oddsOf(state.rules, spot);
    const parts = [
      h("span", { class: "spot-letter", "aria-hidden": "true" }, t(`letter.${spot}`)), h("span", { class: "spot-name" }, t(`spot.${spot}`)),
      h("span", { class: "spot-pays" }, odds), chips.element, all, result,
    ];
    const element = state.you
      ? h("button", { type: "button", class: `spot panel-spot mine ${spot}`, "data-spot": spot, "aria-keyshortcuts": key, onclick: tapped(() => this.place(spot)) }, parts)
      : h("div", { class: `spot panel-spot ${spot}`, role: "img" }, parts);
    this.panels.set(spot, { element, chips, all, result, odds });
    return element;
  }

  /**
   * @param {Api["Table"]} state
   * @param {Api["Round"] | null | undefined} round whose chips are on the table
   * @param {{ part: Api["RoundSeat"] | null, stakes: Record<string, bigint>, pending: PendingChip[], can: Available, paying: boolean, winnings: boolean }} own
   */
  draw(state, round, { part, stakes, pending, can, paying, winnings }) {
    this.arrange(state);
    const digits = currencyDigits(state);
    const chips = state.rules.chips.map(toMinor);
    for (const [i, [spot, panel]] of [...this.panels].entries()) {
      const coming = pending.filter((chip) => chip.spot === spot).reduce((total, chip) => total + chip.units, 0n);
      const units = stakes[spot] ?? 0n;
      const result = (paying && part?.result?.spots.find((each) => each.spot === spot)) || null;
      panel.chips.draw({ units, coming, won: winnings && result?.result === "win" ? toMinor(result.won) : 0n, seed: i, chips, digits });
      const came = result ? resultWords(result) : "";
      say(panel.result, came);
      const everybody = allStakes(round, spot);
      const sum = chipText(toDecimal(everybody.units, digits));
      const all = everybody.players && state.rules.seats > 1 ? t("spot.all", { n: everybody.players, amount: sum }) : "";
      say(panel.all, all);
      const label = money(toDecimal(units + coming, digits), state.currency);
      set(panel.element, {
        "data-status": part?.status ?? false, "data-result": result?.result ?? false,
        "data-winner": paying && round?.outcome ? String(round.outcome === spot) : false,
        "aria-label": [t(units + coming > 0n ? "spot.with" : "spot.empty", { seat: state.you?.seat ?? "", spot: `${t(`spot.${spot}`)} ${panel.odds}`, amount: label }), all, came].filter(Boolean).join(". "),
        "aria-disabled": state.you && !can.place ? "true" : false,
      });
    }
  }

  /** @param {string} spot */
  find(spot) {
    return this.panels.get(/** @type {Api["Spot"]} */ (spot))?.element ?? null;
  }
}
