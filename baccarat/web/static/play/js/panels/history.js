// Rounds that were played: one's own, or all of this table; each can be seen again, card by card.

import { get } from "../core/api.js";
import { icon } from "../art/icons.js";
import { h, put } from "../core/dom.js";
import { digitsOf, netOf, partOf } from "../core/facts.js";
import { decimal } from "../core/money.js";
import { change, count, moment, t } from "../words/index.js";
import { checkLink, inWords, panel } from "./parts.js";

function line(game, round) {
  const mine = partOf(round);
  const net = netOf(mine);
  const result = mine?.result ? h("span", { class: `net ${net > 0n ? "won" : net < 0n ? "lost" : "even"}` }, change(decimal(net, digitsOf(game.picture)), round.currency)) : null;
  const score = round.outcome ? `${round.player_hand.total} : ${round.banker_hand.total}` : t(`phase.${round.phase}`);
  return h("li", { class: "round-line" }, h("span", { class: "round-number" }, `#${count(round.number)}`),
    round.outcome ? h("span", { class: `mark ${round.outcome}`, title: t(`spot.${round.outcome}`) }, t(`mark.${round.outcome}`)) : h("span", { class: "mark none" }, "·"),
    h("span", { class: "round-score" }, h("span", {}, score), h("time", {}, round.ended_at ? moment(round.ended_at) : "")), result,
    h("span", { class: "round-acts" }, round.phase === "settled" ? h("button", { type: "button", class: "quiet", "aria-label": t("history.replay.long", { number: round.number }), onclick: () => game.rounds.replay(round) }, icon("play"), t("history.replay")) : null,
      mine && round.phase !== "lapsed" ? checkLink(round.id, round.number) : null));
}

export const history = {
  make(game) {
    const list = h("ul", { class: "round-list" });
    const more = h("button", { type: "button", class: "quiet", hidden: true }, t("more"));
    const fault = h("p", { class: "form-fault", role: "alert" });
    let address = "rounds";
    let next = null;
    const load = async (fresh) => {
      try {
        const page = await get(`${address}?limit=15${!fresh && next ? `&cursor=${encodeURIComponent(next)}` : ""}`);
        if (fresh) put(list);
        list.append(...page.items.filter((round) => round.ended_at).map((round) => line(game, round)));
        if (!list.childElementCount) put(list, h("li", { class: "quiet-words" }, t("history.none")));
        next = page.next;
        more.hidden = !next;
      } catch (error) {
        fault.textContent = inWords(error);
      }
    };
    more.addEventListener("click", () => load(false));
    const pick = (value) => { address = value === "mine" ? "rounds" : `tables/${game.table}/rounds`; load(true); };
    load(true);
    return panel(game, t("menu.history"), h("fieldset", { class: "segments" }, h("legend", { class: "unseen" }, t("history.which")), ["mine", "table"].map((value) =>
      h("label", { class: "segment" }, h("input", { type: "radio", name: "rounds", value, checked: value === "mine", onchange: () => pick(value) }), h("span", {}, t(`history.${value}`))))),
      list, more, fault, h("button", { type: "button", class: "quiet", onclick: () => game.rounds.stopReplay() }, t("history.back")));
  },
};
