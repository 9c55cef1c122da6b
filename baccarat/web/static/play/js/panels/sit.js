// Sitting down: with which money, and how much of it.

import { h } from "../core/dom.js";
import { balance, digitsOf } from "../core/facts.js";
import { decimal, minor, typed } from "../core/money.js";
import { money, t } from "../words/index.js";
import { amountInput, field, form, panel, Wrong } from "./parts.js";

const MINIMA = 20n;

/** What one sits down with unless told otherwise: twenty minimum stakes, or all there is. */
function suggested(game, money_type) {
  const have = balance(game.balances, "account", money_type);
  const wish = minor(game.picture.rules.minimum) * MINIMA;
  const most = have ? minor(have.amount) : wish;
  return decimal(most < wish ? most : wish, digitsOf(game.picture));
}

export const sit = {
  make(game) {
    const { picture } = game;
    const money_types = [...picture.money_types].sort();
    const amount = amountInput({ name: "amount", value: suggested(game, money_types[0]), id: "buy-in" });
    const choices = money_types.map((money_type, i) => h("label", { class: "choice" },
      h("input", { type: "radio", name: "money_type", value: money_type, checked: i === 0, onchange: () => { amount.value = suggested(game, money_type); } }),
      h("span", {}, t(`money_type.${money_type}`)), have(game, money_type)));
    const submit = async (element) => {
      const units = typed(amount.value, digitsOf(picture));
      if (units === null) throw new Wrong(t("form.amount"));
      const money_type = new FormData(element).get("money_type");
      const body = { seat: Number(game.detail ?? 1), buy_in: decimal(units, digitsOf(picture)), currency: picture.currency, money_type };
      const sat = await game.actions.send("seat", body);
      if (sat) game.actions.close();
      game.refreshPurse();
    };
    return panel(game, t("sit.title", { seat: game.detail ?? 1 }), form(submit,
      h("fieldset", { class: "choices" }, h("legend", {}, t("sit.with")), choices),
      field(t("sit.amount"), amount, t("table.limits", { minimum: money(picture.rules.minimum, picture.currency), maximum: money(picture.rules.maximum, picture.currency) })),
      h("button", { class: "primary", type: "submit" }, t("sit.do"))));
  },
};

function have(game, money_type) {
  const held = balance(game.balances, "account", money_type);
  return held ? h("span", { class: "choice-have" }, money(held.amount, held.currency)) : null;
}
