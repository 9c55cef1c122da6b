// A spot's chips, and the panels on which the player bets.

/** @import { Available } from "../core/moves.js" */
/** @import { PendingChip } from "../core/table_state.js" */

import { oddsOf } from "../art/felt.js";
import { drawStack } from "../art/pieces.js";
import { h, put, say, set, tapped } from "../core/dom.js";
import { toDecimal, toMinor } from "../core/money.js";
import { spotKeys } from "../core/moves.js";
import { backedBy, currencyDigits, spotsOf, stakesOf } from "../core/table_state.js";
import { chipText, money, spotLetter, spotName, spotNames, t } from "../messages/index.js";

/** @typedef {{ units: bigint, coming?: bigint, won?: bigint, seed?: number, chips: bigint[], digits: number }} Pile */
/** @typedef {Api["SpotResult"]} SpotResult */

/** How many panels lie in a row at most, which is crowded by them. */
const IN_A_ROW = 4;

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
 * @param {string} spot
 */
function allStakes(round, spot) {
  const stakes = (round?.seats ?? []).map((seat) => stakesOf(seat)[spot] ?? 0n).filter((units) => units > 0n);
  return { units: stakes.reduce((total, each) => total + each, 0n), players: stakes.length };
}

/**
 * Whether a round went as a spot is bet on: a main spot's hand has won, or anybody has won on a side bet.
 * @param {Api["Spot"]} spot
 * @param {Api["Round"]} round
 */
function isWon(spot, round) {
  if (spot.kind === "main") return backedBy(spot) === round.outcome;
  return round.seats.some((seat) => seat.result?.spots.some((each) => each.spot === spot.name && each.result === "win"));
}

/** The panels of the table's spots: payout, own stake, everybody's stakes, and the result. */
export class Spots {
  /** @param {(spot: string) => void} place */
  constructor(place) {
    this.place = place;
    this.element = h("section", { class: "spots" });
    this.layout = "";
    /** @type {Map<string, { rules: Api["Spot"], element: HTMLElement, chips: SpotChips, all: HTMLElement, result: HTMLElement, odds: string }>} */
    this.panels = new Map();
  }

  /** @param {Api["Table"]} state */
  arrange(state) {
    const layout = `${state.id} ${Boolean(state.you)} ${document.documentElement.lang} ${JSON.stringify(state.rules)}`;
    if (layout === this.layout) return;
    this.layout = layout;
    set(this.element, { "aria-label": t("spot.yours") });
    this.panels.clear();
    const keys = new Map([...spotKeys(state.rules)].map(([key, spot]) => [spot, key]));
    const spots = spotsOf(state.rules);
    this.element.style.setProperty("--columns", String(Math.min(spots.length, IN_A_ROW)));
    set(this.element, { "data-crowded": spots.length >= IN_A_ROW });
    this.element.replaceChildren(...spots.map((spot) => this.panel(state, spot, keys.get(spot.name))));
  }

  /** @param {Api["Table"]} state @param {Api["Spot"]} spot @param {string} [key] */
  panel(state, spot, key) {
    const { name, kind, needs = [] } = spot;
    const chips = new SpotChips();
    const all = h("span", { class: "spot-all", "aria-hidden": "true" });
    const result = h("span", { class: "spot-result", "aria-hidden": "true" });
    set(chips.element, { "aria-hidden": "true" });
    const odds = oddsOf(spot);
    const needing = needs.length > 0 && t("spot.needs", { spots: spotNames(needs) });
    const looks = { "data-spot": name, "data-kind": kind, "data-backs": backedBy(spot), title: needing };
    const parts = [
      h("span", { class: "spot-letter", "aria-hidden": "true" }, spotLetter(name)), h("span", { class: "spot-name" }, spotName(name)),
      h("span", { class: "spot-pays" }, odds), chips.element, all, result,
    ];
    const element = state.you
      ? h("button", { type: "button", class: "spot panel-spot mine", ...looks, "aria-description": needing, "aria-keyshortcuts": key, onclick: tapped(() => this.place(name)) }, parts)
      : h("div", { class: "spot panel-spot", ...looks, role: "img" }, parts);
    this.panels.set(name, { rules: spot, element, chips, all, result, odds });
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
        "data-winner": paying && round?.outcome ? String(isWon(panel.rules, round)) : false,
        "aria-label": [t(units + coming > 0n ? "spot.with" : "spot.empty", { seat: state.you?.seat ?? "", spot: `${spotName(spot)} ${panel.odds}`, amount: label }), all, came].filter(Boolean).join(". "),
        "aria-disabled": state.you && !can.place ? "true" : false,
      });
    }
  }

  /** @param {string} spot */
  find(spot) {
    return this.panels.get(spot)?.element ?? null;
  }
}
