// The cashier at a table: buy-in, rebuy, play money, and the player's account.

import { command } from "../core/api.js";
import { h, put, say } from "../core/dom.js";
import { toDecimal, toMinor } from "../core/money.js";
import { findBalance, currencyDigits, setAsideOf, staysAtCasino } from "../core/table_state.js";
import { money, t, time } from "../messages/index.js";
import { depositPart, quickDepositPart, readAmount, statementPart, withdrawPart } from "./account.js";
import { amountInput, field, form, panel, presets } from "./widgets.js";

/** @import { Game } from "../view/game.js" */

/** Buy-ins that are offered: so many minimum stakes. */
const PRESETS = [1n, 20n, 100n];

/**
 * Return the buy-ins to offer for a balance, in minor units: the presets that it covers, and all of it.
 * @param {bigint} minimum
 * @param {bigint} balance
 */
const buyIns = (minimum, balance) => [...new Set([...PRESETS.map((times) => minimum * times).filter((units) => units <= balance), ...(balance >= minimum ? [balance] : [])])];

export const sit = {
  /** @param {Game} game */
  make(game) {
    const { state } = game;
    const digits = currencyDigits(state);
    const minimum = toMinor(state.rules.minimum);
    const money_types = [...state.money_types].sort();
    const amount = amountInput({ name: "amount", id: "buy-in" });
    const offered = presets(amount);
    const range = h("p", { class: "field-note" });
    const short = h("div");
    const brought = h("div", { class: "form" }, field(t("sit.amount"), amount), range, offered.element);
    /** @param {Api["MoneyType"]} money_type */
    const choose = (money_type) => {
      const stays = staysAtCasino(state, money_type);
      brought.hidden = stays;
      if (stays) return put(short, h("p", { class: "quiet-words" }, t("sit.stays")));
      const balance = toMinor(findBalance(game.balances, "account", money_type, state.currency)?.amount ?? "0");
      const units = buyIns(minimum, balance);
      amount.value = toDecimal(units.findLast((each) => each <= minimum * 20n) ?? minimum, digits);
      offered.offer(units.map((each) => toDecimal(each, digits)).map((each) => [each, money(each, state.currency)]));
      const amounts = { minimum: money(state.rules.minimum, state.currency), maximum: money(toDecimal(balance, digits), state.currency) };
      say(range, t(balance < minimum ? "sit.short" : "sit.range", amounts));
      put(short, balance < minimum && (money_type === "play" ? topUp(game, () => put(game.panel, sit.make(game))) : h("button", { type: "button", class: "quiet", onclick: () => game.actions.open("cash") }, t("menu.cash"))));
    };
    choose(money_types[0]);
    const choices = money_types.map((money_type, i) => h("label", { class: "choice" },
      h("input", { type: "radio", name: "money_type", value: money_type, checked: i === 0, onchange: () => choose(money_type) }),
      h("span", {}, t(`money_type.${money_type}`)), balanceText(game, money_type)));
    /** @param {HTMLFormElement} element */
    const submit = async (element) => {
      const bring = brought.hidden ? {} : { buy_in: readAmount(amount, digits) };
      const body = { seat: Number(game.detail ?? 1), ...bring, currency: state.currency, money_type: new FormData(element).get("money_type") };
      const seated = await game.actions.send("seat", body);
      if (seated && game.open === "sit") game.actions.close();
      game.refreshBalances();
    };
    return panel(game, t("sit.title", { seat: game.detail ?? 1 }), short, form(submit,
      h("fieldset", { class: "choices" }, h("legend", {}, t("sit.with")), choices),
      brought,
      h("p", { class: "quiet-words" }, t("sit.stakes", { minimum: money(state.rules.minimum, state.currency), maximum: money(state.rules.maximum, state.currency) })),
      h("button", { class: "primary", type: "submit" }, t("sit.do"))));
  },
};

/**
 * @param {Game} game
 * @param {Api["MoneyType"]} money_type
 */
function balanceText(game, money_type) {
  const held = findBalance(game.balances, "account", money_type, game.state.currency);
  const { balance_told_at: told } = game.state;
  if (!staysAtCasino(game.state, money_type)) return held ? h("span", { class: "choice-have" }, money(held.amount, held.currency)) : null;
  return held && told ? h("span", { class: "choice-have" }, t("balance.told", { when: time(told) }), " ", money(held.amount, held.currency)) : null;
}

/** @param {Game} game */
function rebuy(game) {
  const { state } = game;
  if (!state.you) return null;
  const digits = currencyDigits(state);
  const account = game.account();
  const suggestion = toMinor(state.rules.minimum) * 10n;
  const amount = amountInput({ name: "rebuy", id: "rebuy-amount", value: toDecimal(suggestion, digits) });
  const submit = async () => {
    const answer = await command(`tables/${game.table}/rebuy`, { amount: readAmount(amount, digits), currency: state.currency });
    game.updates.applyAnswer(answer);
    game.refreshBalances();
    game.notices.show(t("cash.rebought", { amount: money(answer.you.game_balance.amount, state.currency) }), { key: "cash" });
    game.actions.close();
  };
  const aside = setAsideOf(state);
  return h("section", { class: "cash-part" }, h("h3", {}, t("cash.rebuy")),
    toMinor(aside) > 0n && h("p", { class: "quiet-words" }, t("aside.how", { amount: money(aside, state.currency) })),
    h("p", { class: "quiet-words" }, t("cash.rebuy.how", { amount: account ? money(account.amount, account.currency) : "–" })),
    form(submit, field(t("amount"), amount), h("button", { class: "primary", type: "submit" }, t("cash.rebuy"))));
}

/**
 * Play money is free, up to the operator's cap.
 * @param {Game} game
 * @param {() => void} [done]
 */
function topUp(game, done) {
  const submit = async () => {
    const { amount, balance } = await command("me/play-money", { currency: game.state.currency });
    await game.refreshBalances();
    done?.();
    game.notices.show(t("cash.topped", { amount: money(amount.amount, amount.currency), balance: money(balance.amount, balance.currency) }), { key: "cash" });
  };
  return h("section", { class: "cash-part" }, h("h3", {}, t("cash.top_up")), h("p", { class: "quiet-words" }, t("cash.top_up.how")),
    form(submit, h("button", { class: "primary", type: "submit" }, t("cash.top_up"))));
}

export const cash = {
  /** @param {Game} game */
  make(game) {
    const { currency } = game.state;
    if (staysAtCasino(game.state)) return panel(game, t("menu.cash"), statementPart(game, currency));
    if (game.state.you?.money_type === "play") return panel(game, t("menu.cash"), rebuy(game), topUp(game));
    return panel(game, t("menu.cash"), rebuy(game), quickDepositPart(game, currency), depositPart(game, currency), withdrawPart(game, currency), statementPart(game, currency));
  },
};
