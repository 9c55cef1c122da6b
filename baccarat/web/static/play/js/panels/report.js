// Telling the moderators about another player at the table, with a reason, and what happens then.

import { command } from "../core/api.js";
import { h, put } from "../core/dom.js";
import { t } from "../words/index.js";
import { field, form, panel, Wrong } from "./parts.js";

const LONGEST = 500;
const REASONS = ["language", "begging", "cheating", "other"];

function sent(game, place, seat) {
  const words = h("p", { tabindex: "-1" }, h("strong", {}, t("report.sent", { seat })));
  put(place, words, h("p", {}, t("report.then")), h("button", { type: "button", class: "primary", onclick: () => game.actions.close() }, t("report.done")));
  words.focus();
}

/** Reasons are sent in the player's own language, as the player saw them. */
function reasonIn(element) {
  const given = new FormData(element);
  const remark = given.get("remark").trim();
  if (given.get("why") === "other" && !remark) throw new Wrong(t("report.say"));
  return [given.get("why") === "other" ? "" : t(`report.why.${given.get("why")}`), remark].filter(Boolean).join(": ");
}

export const report = {
  make(game) {
    const others = game.picture.seats.filter((each) => !each.you).map((each) => each.seat).sort((a, b) => a - b);
    const place = h("div", { class: "bounds" });
    const seat = h("select", { name: "seat", id: "report-seat" }, others.map((each) => h("option", { value: each, selected: each === game.detail }, t("seat.label", { seat: each }))));
    const remark = h("textarea", { name: "remark", id: "report-remark", rows: 3, maxlength: LONGEST - 60 });
    const submit = async (element) => {
      await command(`tables/${game.table}/chat/report-player`, { seat: Number(seat.value), reason: reasonIn(element) });
      sent(game, place, seat.value);
    };
    if (others.length) {
      put(place, h("p", { class: "quiet-words" }, t("report.how")), form(submit, field(t("report.whom"), seat),
        h("fieldset", { class: "choices" }, h("legend", {}, t("report.why")), REASONS.map((why, i) => h("label", { class: "choice" }, h("input", { type: "radio", name: "why", value: why, checked: i === 0 }), h("span", {}, t(`report.why.${why}`))))),
        field(t("report.remark"), remark), h("button", { class: "primary", type: "submit" }, t("report.do"))));
    } else put(place, h("p", {}, t("report.nobody")));
    return panel(game, t("report.title"), place);
  },
};
