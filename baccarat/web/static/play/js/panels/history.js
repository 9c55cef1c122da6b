// Past rounds: the player's at all tables, with what became of them, and at a table those of everybody, with replay.

import { icon } from "../art/pieces.js";
import { get, NoResponse, Problem } from "../core/api.js";
import { h, put } from "../core/dom.js";
import { receiptOf, save } from "../core/kept_receipts.js";
import { countDecimals, toDecimal } from "../core/money.js";
import { netResult, ownPart } from "../core/table_state.js";
import { signedMoney, formatNumber, moment, t } from "../messages/index.js";
import { Check } from "../view/check.js";
import { errorText, panel } from "./widgets.js";

/** @import { Host } from "./widgets.js" */

/** The names of tables, by their ids. @type {Map<string, string>} */
const names = new Map();

/** Read the names of the rounds' tables; one that can't be read stays without. @param {Api["Round"][]} rounds */
async function readNames(rounds) {
  const unknown = [...new Set(rounds.map((round) => round.table))].filter((table) => !names.has(table));
  await Promise.all(unknown.map(async (table) => {
    try {
      names.set(table, (await get(`tables/${table}`)).name);
    } catch (error) {
      if (!(error instanceof Problem || error instanceof NoResponse)) throw error;
    }
  }));
}

/** @param {Api["Round"]} round */
function receiptButton(round) {
  const kept = receiptOf(round.id);
  if (!kept) return null;
  return h("button", { type: "button", class: `quiet receipt ${kept.status}`, "aria-label": t("receipt.save.long", { number: round.number }), onclick: () => save(kept) }, t("receipt.save"));
}

/** What a round brought its player: nothing any more once it is voided. @param {Api["Round"]} round */
function netOf(round) {
  const mine = ownPart(round);
  if (!mine?.result || round.void) return null;
  const net = netResult(mine);
  const amount = toDecimal(net, countDecimals(mine.result.staked));
  return h("span", { class: `net ${net > 0n ? "won" : net < 0n ? "lost" : "even"}` }, signedMoney(amount, round.currency));
}

/**
 * @param {Host} host
 * @param {Api["Round"]} round
 */
function roundLine({ game }, round) {
  const score = round.outcome ? `${round.player_hand.total} : ${round.banker_hand.total}` : t(`phase.${round.phase}`);
  const elsewhere = round.table !== game?.table;
  const check = ownPart(round) && round.phase !== "lapsed" ? new Check(round) : null;
  return h("li", { class: "round-line", "data-voided": round.void !== null }, h("span", { class: "round-number" }, `#${formatNumber(round.number)}`),
    round.outcome ? h("span", { class: `mark ${round.outcome}`, title: t(`spots.${round.outcome}`) }, t(`mark.${round.outcome}`)) : h("span", { class: "mark none" }, "·"),
    h("span", { class: "round-score" }, h("span", {}, h("span", { class: "round-result" }, score), round.void && round.outcome ? [" ", h("strong", {}, t("phase.voided"))] : null),
      elsewhere ? h("small", {}, names.get(round.table)) : null, h("time", {}, round.ended_at ? moment(round.ended_at) : ""), round.forced && h("small", {}, t("forced"))), netOf(round),
    h("span", { class: "round-acts" }, game && !elsewhere && round.phase === "settled" ? h("button", { type: "button", class: "quiet", "aria-label": t("history.replay.long", { number: round.number }), onclick: () => game.rounds.replay(round) }, icon("play"), t("history.replay")) : null,
      check?.button, receiptButton(round)), check?.line);
}

/**
 * The choice between the player's rounds at all tables and everybody's at this one.
 * @param {(value: string) => void} select
 */
const whose = (select) => h("fieldset", { class: "segments" }, h("legend", { class: "unseen" }, t("history.which")), ["mine", "table"].map((value) =>
  h("label", { class: "segment" }, h("input", { type: "radio", name: "rounds", value, checked: value === "mine", onchange: () => select(value) }), h("span", {}, t(`history.${value}`)))));

export const history = {
  /** @param {Host} host */
  make(host) {
    const { game } = host;
    const list = h("ul", { class: "round-list" });
    const more = h("button", { type: "button", class: "quiet", hidden: true }, t("more"));
    const fault = h("p", { class: "form-fault", role: "alert" });
    let path = "rounds";
    /** @type {string | null} */
    let next = null;
    /** @param {boolean} fresh */
    const load = async (fresh) => {
      try {
        const page = /** @type {Api["RoundPage"]} */ (await get(`${path}?limit=15${!fresh && next ? `&cursor=${encodeURIComponent(next)}` : ""}`));
        await readNames(page.items.filter((round) => round.table !== game?.table));
        await game?.show.known();
        const seen = page.items.filter((round) => round.ended_at && !game?.show.hides(round));
        if (fresh) put(list);
        list.append(...seen.map((round) => roundLine(host, round)));
        if (fresh && page.items.some((round) => game?.show.hides(round))) game?.show.settled().then(() => { if (list.isConnected) load(true); });
        if (!list.childElementCount) put(list, h("li", { class: "quiet-words" }, t("history.none")));
        next = page.next;
        more.hidden = !next;
      } catch (error) {
        fault.textContent = errorText(error);
      }
    };
    more.addEventListener("click", () => load(false));
    /** @param {string} value */
    const select = (value) => { path = value === "mine" ? "rounds" : `tables/${game?.table}/rounds`; load(true); };
    load(true);
    return panel(host, t("menu.history"), game ? whose(select) : null, list, more, fault,
      game ? h("button", { type: "button", class: "quiet", onclick: () => game.rounds.stopReplay() }, t("history.back")) : null);
  },
};
