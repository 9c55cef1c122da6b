// Money: from the account to the table, and into the account by a method, quickly by the last one.

import { command, get } from "../core/api.js";
import { h } from "../core/dom.js";
import { digitsOf } from "../core/facts.js";
import { decimal, minor, typed } from "../core/money.js";
import { moment, money, t } from "../words/index.js";
import { amountInput, field, form, later, panel, Wrong } from "./parts.js";

function amountOf(input, digits) {
  const units = typed(input.value, digits);
  if (units === null) throw new Wrong(t("form.amount"));
  return decimal(units, digits);
}

function rebuy(game) {
  const { picture } = game;
  if (!picture.you) return null;
  const digits = digitsOf(picture);
  const account = game.account();
  const wish = minor(picture.rules.minimum) * 10n;
  const amount = amountInput({ name: "rebuy", id: "rebuy-amount", value: decimal(wish, digits) });
  const submit = async () => {
    const done = await command(`tables/${game.table}/rebuy`, { amount: amountOf(amount, digits), currency: picture.currency });
    game.sight.answered(done);
    game.refreshPurse();
    game.notices.tell(t("cash.rebought", { amount: money(done.you.game_balance.amount, picture.currency) }), { key: "cash" });
    game.actions.close();
  };
  return h("section", { class: "cash-part" }, h("h3", {}, t("cash.rebuy")),
    h("p", { class: "quiet-words" }, t("cash.rebuy.how", { amount: account ? money(account.amount, account.currency) : "–" })),
    form(submit, field(t("amount"), amount), h("button", { class: "primary", type: "submit" }, t("cash.rebuy"))));
}

/** Play money comes for nothing, up to the operator's cap. */
function topUp(game) {
  const submit = async () => {
    const { amount, balance } = await command("me/play-money", {});
    game.refreshPurse();
    game.notices.tell(t("cash.topped", { amount: money(amount.amount, amount.currency), balance: money(balance.amount, balance.currency) }), { key: "cash" });
  };
  return h("section", { class: "cash-part" }, h("h3", {}, t("cash.top_up")), h("p", { class: "quiet-words" }, t("cash.top_up.how")),
    form(submit, h("button", { class: "primary", type: "submit" }, t("cash.top_up"))));
}

function quick(game) {
  const status = h("p", { class: "quiet-words", role: "status" });
  const submit = async () => {
    const made = await command("me/deposits/quick", {});
    follow(game, made, status);
  };
  return h("section", { class: "cash-part" }, h("h3", {}, t("cash.quick")), h("p", { class: "quiet-words" }, t("cash.quick.how")),
    form(submit, h("button", { class: "primary", type: "submit" }, t("cash.quick"))), status);
}

async function follow(game, deposit, status) {
  for (let tries = 0, made = deposit; ; tries++) {
    status.textContent = t(`deposit.${made.status}`, { amount: money(made.net_amount.amount, made.net_amount.currency), reason: made.reason });
    game.refreshPurse();
    if (made.status !== "pending" || tries > 40 || !status.isConnected) return;
    await new Promise((done) => setTimeout(done, 700));
    made = await get(`me/deposits/${deposit.id}`);
  }
}

function methodLine(method, currency) {
  const fee = [minor(method.fee_fixed.amount) > 0n ? money(method.fee_fixed.amount, currency) : null, method.fee_percent !== "0" ? `${method.fee_percent} %` : null].filter(Boolean).join(" + ");
  const takes = method.processing_seconds < 90 ? t("method.moments") : t("method.minutes", { n: Math.round(method.processing_seconds / 60) });
  return [fee ? t("method.fee", { fee }) : t("method.free"), takes].join(" · ");
}

function deposit(game, methods) {
  const { picture } = game;
  const digits = digitsOf(picture);
  if (!methods.length) return h("p", { class: "quiet-words" }, t("cash.none"));
  const amount = amountInput({ name: "deposit", id: "deposit-amount", value: decimal(minor(methods[0].minimum.amount) * 5n, digits) });
  const status = h("p", { class: "quiet-words", role: "status" });
  const choices = methods.map((method, i) => h("label", { class: "choice" },
    h("input", { type: "radio", name: "method", value: method.id, checked: i === 0 }), h("span", {}, method.name),
    h("span", { class: "choice-have" }, methodLine(method, picture.currency))));
  const submit = async (element) => {
    const body = { method: new FormData(element).get("method"), amount: amountOf(amount, digits), currency: picture.currency };
    const made = await command("me/deposits", body);
    follow(game, made, status);
  };
  return [form(submit, h("fieldset", { class: "choices" }, h("legend", {}, t("cash.method")), choices), field(t("amount"), amount),
    h("button", { class: "primary", type: "submit" }, t("cash.deposit"))), status];
}

function earlier(items) {
  if (!items.length) return null;
  return [h("h3", {}, t("cash.earlier")), h("ul", { class: "plain-list" }, items.slice(0, 6).map((each) => h("li", {},
    h("span", {}, money(each.amount.amount, each.amount.currency)), h("span", {}, t(`deposit.short.${each.status}`)), h("time", {}, moment(each.requested_at)))))];
}

export const cash = {
  make(game) {
    if (game.picture.you?.money_type === "play") return panel(game, t("menu.cash"), rebuy(game), topUp(game));
    const place = h("section", { class: "cash-part" }, h("h3", {}, t("cash.deposit")), later(get("deposit-methods"), ({ items }) => deposit(game, items)));
    const list = h("section", { class: "cash-part" }, later(get("me/deposits?limit=6"), ({ items }) => earlier(items)));
    return panel(game, t("menu.cash"), rebuy(game), quick(game), place, list);
  },
};
