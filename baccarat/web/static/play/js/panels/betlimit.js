// The player's own limit on a spot: lower than the table's, confirmed with the PIN, once in a betting week.

import { command, get } from "../core/api.js";
import { h, put } from "../core/dom.js";
import { digitsOf } from "../core/facts.js";
import { decimal, typed } from "../core/money.js";
import { moment, money, t } from "../words/index.js";
import { amountInput, field, form, later, pinInput, Wrong } from "./parts.js";

function standing(shown) {
  const words = shown.limit ? t("limit.is", { amount: money(shown.limit.amount, shown.limit.currency) }) : t("limit.none");
  const next = shown.next_change_at ? t("limit.next", { when: moment(shown.next_change_at) }) : t("limit.once");
  return [h("p", { class: "limit-now" }, h("strong", {}, words)), h("p", { class: "quiet-words" }, next)];
}

/** Show the limit with the form that changes it. */
export function betLimit(game) {
  const { picture } = game;
  const digits = digitsOf(picture);
  const place = h("div");
  const amount = amountInput({ name: "limit", id: "limit-amount", placeholder: decimal(0n, digits), required: false });
  const pin = pinInput({ id: "limit-pin" });
  const submit = async () => {
    const empty = amount.value.trim() === "";
    const units = empty ? null : typed(amount.value, digits);
    if (!empty && units === null) throw new Wrong(t("form.amount"));
    const body = { limit: units === null ? null : decimal(units, digits), currency: picture.currency, pin: pin.read() };
    put(place, standing(await command("me/table-limit", body)));
    game.notices.tell(t("limit.set"), { key: "limit" });
  };
  place.append(later(get("me/table-limit"), standing));
  return h("div", { class: "bounds" }, place, h("p", { class: "quiet-words" }, t("limit.how")), form(submit,
    field(t("limit.amount"), amount, t("limit.lift")), field(t("limit.pin"), pin.element), h("button", { class: "primary", type: "submit" }, t("limit.do"))));
}
