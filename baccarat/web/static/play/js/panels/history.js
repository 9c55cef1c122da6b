// Past rounds, with replay.

import { icon } from "../art/pieces.js";
import { get } from "../core/api.js";
import { h, put } from "../core/dom.js";
import { receiptOf, save } from "../core/kept_receipts.js";
import { toDecimal } from "../core/money.js";
import { currencyDigits, netResult, ownPart } from "../core/table_state.js";
import { signedMoney, formatNumber, moment, t } from "../messages/index.js";
import { Check } from "../view/check.js";
import { errorText, panel } from "./widgets.js";

/** @import { Game } from "../view/game.js" */

/** @param {Api["Round"]} round */
function receiptButton(round) {
  const kept = receiptOf(round.id);
  if (!kept) return null;
  return h("button", { type: "button", class: `quiet receipt ${kept.status}`, "aria-label": t("receipt.save.long", { number: round.number }), onclick: () => save(kept.receipt) }, t("receipt.save"));
}

/**
 * @param {Game} game
 * @param {Api["Round"]} round
 */
function roundLine(game, round) {
  const mine = ownPart(round);
  const check = mine && round.phase !== "lapsed" ? new Check(round) : null;
  const net = netResult(mine);
  const result = mine?.result ? h("span", { class: `net ${net > 0n ? "won" : net < 0n ? "lost" : "even"}` }, signedMoney(toDecimal(net, currencyDigits(game.state)), round.currency)) : null;
  const score = round.outcome ? `${round.player_hand.total} : ${round.banker_hand.total}` : t(`phase.${round.phase}`);
  return h("li", { class: "round-line" }, h("span", { class: "round-number" }, `#${formatNumber(round.number)}`),
    round.outcome ? h("span", { class: `mark ${round.outcome}`, title: t(`spot.${round.outcome}`) }, t(`mark.${round.outcome}`)) : h("span", { class: "mark none" }, "·"),
    h("span", { class: "round-score" }, h("span", {}, score), h("time", {}, round.ended_at ? moment(round.ended_at) : ""), round.forced && h("small", {}, t("forced"))), result,
    h("span", { class: "round-acts" }, round.phase === "settled" ? h("button", { type: "button", class: "quiet", "aria-label": t("history.replay.long", { number: round.number }), onclick: () => game.rounds.replay(round) }, icon("play"), t("history.replay")) : null,
      check?.button, receiptButton(round)), check?.line);
}

export const history = {
  /** @param {Game} game */
  make(game) {
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
        await game.show.known();
        if (fresh) put(list);
        list.append(...page.items.filter((round) => round.ended_at && !game.show.hides(round)).map((round) => roundLine(game, round)));
        if (fresh && page.items.some((round) => game.show.hides(round))) game.show.settled().then(() => { if (list.isConnected) load(true); });
        if (!list.childElementCount) put(list, h("li", { class: "quiet-words" }, t("history.none")));
        next = page.next;
        more.hidden = !next;
      } catch (error) {
        fault.textContent = errorText(error);
      }
    };
    more.addEventListener("click", () => load(false));
    /** @param {string} value */
    const select = (value) => { path = value === "mine" ? "rounds" : `tables/${game.table}/rounds`; load(true); };
    load(true);
    return panel(game, t("menu.history"), h("fieldset", { class: "segments" }, h("legend", { class: "unseen" }, t("history.which")), ["mine", "table"].map((value) =>
      h("label", { class: "segment" }, h("input", { type: "radio", name: "rounds", value, checked: value === "mine", onchange: () => select(value) }), h("span", {}, t(`history.${value}`))))),
      list, more, fault, h("button", { type: "button", class: "quiet", onclick: () => game.rounds.stopReplay() }, t("history.back")));
  },
};
