// A player's account: deposits, withdrawals and the statement, in the lobby and in the cashier at a table.

import { command, get } from "../core/api.js";
import { h, put, say } from "../core/dom.js";
import { countDecimals, parseAmount, toDecimal, toMinor } from "../core/money.js";
import { findBalance } from "../core/table_state.js";
import { hasMessage, moment, money, signedMoney, t } from "../messages/index.js";
import { amountInput, errorText, field, form, InvalidInput, presets, whenLoaded } from "./widgets.js";

/** @typedef {{refreshBalances: () => void, show?: { get: (path: string) => Promise<any> }}} BalanceView what shows the account, and its balances when money has moved; `show` gets what a table may not tell yet */

const TRIES = 40;
const PAUSE = 700;
const LINES = 15;
const QUOTE_AFTER = 300;
/** Deposits that are offered: so many times the method's minimum. */
const TIMES = [1n, 5n, 10n, 25n];

/** @param {Api["Money"]} amount */
const text = (amount) => money(amount.amount, amount.currency);

/**
 * Read an amount as the API takes it.
 * @param {HTMLInputElement} input
 * @param {number} digits
 */
export function readAmount(input, digits) {
  const units = parseAmount(input.value, digits);
  if (units === null) throw new InvalidInput(t("form.amount"));
  return toDecimal(units, digits);
}

/** @param {Api["DepositMethod"]} method */
const duration = (method) => (method.processing_seconds < 90 ? t("method.moments") : t("method.minutes", { n: Math.round(method.processing_seconds / 60) }));

/** @param {Api["DepositMethod"]} method */
function depositTerms(method) {
  const fee = [toMinor(method.fee_fixed.amount) > 0n ? text(method.fee_fixed) : null, method.fee_percent !== "0" ? `${method.fee_percent} %` : null].filter(Boolean).join(" + ");
  return [fee ? t("method.fee", { fee }) : t("method.free"), duration(method), t("method.bounds", { minimum: text(method.minimum), maximum: text(method.maximum) })].join(" · ");
}

/**
 * @param {Api["DepositMethod"][]} methods
 * @param {(method: Api["DepositMethod"]) => string} terms
 * @param {(method: Api["DepositMethod"]) => void} [chosen]
 */
const methodChoices = (methods, terms, chosen = () => undefined) => h("fieldset", { class: "choices" }, h("legend", {}, t("cash.method")), methods.map((method, i) => h("label", { class: "choice" },
  h("input", { type: "radio", name: "method", value: method.id, checked: i === 0, onchange: () => chosen(method) }), h("span", {}, method.name), h("span", { class: "choice-have" }, terms(method)))));

/**
 * Follow a payment until it has ended, or the player has closed it.
 * @template {{id: string, status: string}} P
 * @param {BalanceView} view
 * @param {P} payment
 * @param {{path: string, status: HTMLElement, words: (payment: P) => string, open: readonly string[]}} options
 */
async function follow(view, payment, { path, status, words, open }) {
  for (let tries = 0, current = payment; ; tries++) {
    say(status, words(current));
    view.refreshBalances();
    if (!open.includes(current.status) || tries > TRIES || !status.isConnected) return;
    await new Promise((done) => setTimeout(done, PAUSE));
    current = await get(`${path}/${payment.id}`);
  }
}

/**
 * @param {BalanceView} view
 * @param {Api["Deposit"]} payment
 * @param {HTMLElement} status
 */
const followDeposit = (view, payment, status) => follow(view, payment, {
  path: "me/deposits", status, open: ["pending"],
  words: (current) => t(`deposit.${current.status}`, { amount: text(current.net_amount), reason: current.reason }),
});

/**
 * Repeat the last deposit in a currency.
 * @param {BalanceView} view
 * @param {string} currency
 */
export function quickDepositPart(view, currency) {
  const status = h("p", { class: "quiet-words", role: "status" });
  const submit = async () => followDeposit(view, await command("me/deposits/quick", { currency }), status);
  return h("section", { class: "cash-part" }, h("h3", {}, t("cash.quick")), h("p", { class: "quiet-words" }, t("cash.quick.how")),
    form(submit, h("button", { class: "primary", type: "submit" }, t("cash.quick"))), status);
}

/**
 * @param {BalanceView} view
 * @param {Api["DepositMethod"][]} methods
 */
function depositForm(view, methods) {
  if (!methods.length) return h("p", { class: "quiet-words" }, t("cash.none"));
  const { minimum } = methods[0];
  const digits = countDecimals(minimum.amount);
  const amount = amountInput({ name: "deposit", id: "deposit-amount", value: toDecimal(toMinor(minimum.amount) * 5n, digits) });
  const offered = presets(amount);
  /** @param {Api["DepositMethod"]} method */
  const offer = (method) => offered.offer(TIMES.map((times) => toMinor(method.minimum.amount) * times).filter((units) => units <= toMinor(method.maximum.amount))
    .map((units) => toDecimal(units, digits)).map((each) => [each, money(each, minimum.currency)]));
  offer(methods[0]);
  const status = h("p", { class: "quiet-words", role: "status" });
  /** @param {HTMLFormElement} element */
  const submit = async (element) => {
    const body = { method: new FormData(element).get("method"), amount: readAmount(amount, digits), currency: minimum.currency };
    await followDeposit(view, await command("me/deposits", body), status);
  };
  return [form(submit, methodChoices(methods, depositTerms, offer), field(t("amount"), amount), offered.element, h("button", { class: "primary", type: "submit" }, t("cash.deposit"))), status];
}

/**
 * @param {Api["DepositMethod"][]} methods
 * @param {{method: string, amount: Api["Money"], fee: Api["Money"], status: string, requested_at: string}[]} payments
 * @param {string} kind
 */
const pastPayments = (methods, payments, kind) => h("ul", { class: "plain-list" }, payments.map((each) => h("li", {},
  h("span", {}, text(each.amount), toMinor(each.fee.amount) > 0n ? h("small", {}, ` ${t("method.fee", { fee: text(each.fee) })}`) : null),
  h("span", {}, t(`${kind}.short.${each.status}`), h("small", {}, ` ${methods.find((method) => method.id === each.method)?.name ?? ""}`)), h("time", {}, moment(each.requested_at)))));

/**
 * Deposit by a method, with its fee, its time and its bounds, above the earlier deposits.
 * @param {BalanceView} view
 * @param {string} currency
 */
export function depositPart(view, currency) {
  return h("section", { class: "cash-part" }, h("h3", {}, t("cash.deposit")),
    whenLoaded(Promise.all([get(`deposit-methods?currency=${currency}`), get("me/deposits?limit=6")]), ([methods, past]) => [
      depositForm(view, methods.items.filter((/** @type {Api["DepositMethod"]} */ method) => method.enabled)),
      past.items.length ? [h("h4", {}, t("cash.earlier")), pastPayments(methods.items, past.items, "deposit")] : null]));
}

/** The form that requests a withdrawal of what is in the account, with its cost before it is sent. */
class WithdrawalForm {
  /**
   * @param {BalanceView} view
   * @param {Api["DepositMethod"][]} methods
   * @param {Api["WithdrawalQuote"]} least the quote of the least amount, with the bounds
   */
  constructor(view, methods, { minimum, maximum }) {
    this.view = view;
    this.minimum = minimum;
    /** The least amount; where there is none, the smallest coin, of which nothing is said. */
    this.least = toMinor(minimum.amount);
    this.maximum = maximum;
    this.digits = countDecimals(minimum.amount);
    this.held = { ...minimum, amount: toDecimal(0n, this.digits) };
    this.bounds = maximum ? t("method.bounds", { minimum: text(minimum), maximum: text(maximum) }) : this.least > 1n ? t("method.from", { minimum: text(minimum) }) : null;
    this.amount = amountInput({ name: "withdrawal", id: "withdrawal-amount" });
    this.presets = presets(this.amount);
    this.have = h("p", { class: "quiet-words" });
    this.quoted = h("p", { class: "quiet-words", role: "status" });
    this.status = h("p", { class: "quiet-words", role: "status" });
    let timer = 0;
    this.amount.addEventListener("input", () => {
      clearTimeout(timer);
      timer = setTimeout(() => this.quote(), QUOTE_AFTER);
    });
    this.element = [this.have, form((element) => this.submit(element), methodChoices(methods, duration), field(t("amount"), this.amount, this.bounds), this.presets.element,
      this.quoted, h("button", { class: "primary", type: "submit" }, t("withdraw.do"))), this.status];
  }

  /** Offer the least amount and all that is in the account. @param {Api["Money"]} held */
  take(held) {
    this.held = held;
    const balance = toMinor(held.amount);
    const most = this.maximum && toMinor(this.maximum.amount) < balance ? this.maximum : held;
    say(this.have, t("withdraw.have", { amount: text(held) }));
    this.presets.offer(balance < this.least ? [] : [
      ...(this.least > 1n ? [this.preset(this.minimum)] : []),
      most === held ? this.preset(held, t("withdraw.all", { amount: text(held) })) : this.preset(most),
    ]);
  }

  /**
   * @param {Api["Money"]} each
   * @param {string} [words]
   * @returns {[string, string]}
   */
  preset(each, words = text(each)) {
    return [each.amount, words];
  }

  /** @param {bigint} units */
  isTooMuch(units) {
    return units > toMinor(this.held.amount);
  }

  async quote() {
    const units = parseAmount(this.amount.value, this.digits);
    if (units === null) return say(this.quoted, "");
    if (this.isTooMuch(units)) return say(this.quoted, t("withdraw.over", { amount: text(this.held) }));
    try {
      const { fee, net_amount: net, approvals_required: approvals } = await get(`me/withdrawal-quote?amount=${toDecimal(units, this.digits)}&currency=${this.minimum.currency}`);
      const words = fee && net ? [t("withdraw.quote", { net: text(net), fee: text(fee) }), approvals ? t("withdraw.approval") : ""] : [t("withdraw.refused"), this.bounds];
      say(this.quoted, words.filter(Boolean).join(" "));
    } catch (error) {
      say(this.quoted, errorText(error));
    }
  }

  /** @param {HTMLFormElement} element */
  async submit(element) {
    const amount = readAmount(this.amount, this.digits);
    if (this.isTooMuch(toMinor(amount))) throw new InvalidInput(t("withdraw.over", { amount: text(this.held) }));
    const body = { method: new FormData(element).get("method"), amount, currency: this.minimum.currency };
    await follow(this.view, /** @type {Api["Withdrawal"]} */ (await command("me/withdrawals", body)), {
      path: "me/withdrawals", status: this.status, open: ["approved", "sent"],
      words: (current) => t(`withdraw.${current.status}`, { amount: text(current.net_amount), reason: current.reason }),
    });
  }
}

/**
 * Withdraw by a method, with what it costs, above the earlier withdrawals.
 * @param {BalanceView} view
 * @param {string} currency
 */
export function withdrawPart(view, currency) {
  const past = h("div");
  /** @type {WithdrawalForm | null} */
  let open = null;
  const load = async () => {
    const [methods, page, balances] = await Promise.all([get(`deposit-methods?currency=${currency}`), get("me/withdrawals?limit=6"), get("me/balances")]);
    put(past, page.items.length ? [h("h4", {}, t("withdraw.earlier")), pastPayments(methods.items, page.items, "withdraw"),
      page.items.filter((/** @type {Api["Withdrawal"]} */ each) => each.can_cancel).map((/** @type {Api["Withdrawal"]} */ each) => form(async () => {
        await command(`me/withdrawals/${each.id}/cancel`, {});
        both.refreshBalances();
      }, h("button", { type: "submit", class: "quiet" }, t("withdraw.cancel", { amount: text(each.amount) }))))] : null);
    const held = findBalance(balances, "account", "real", currency);
    if (held) open?.take(held);
    return { methods, held };
  };
  const both = { refreshBalances: () => { view.refreshBalances(); load().catch(() => undefined); } };
  return h("section", { class: "cash-part" }, h("h3", {}, t("withdraw.title")),
    whenLoaded(Promise.all([load(), get(`me/withdrawal-quote?amount=1&currency=${currency}`)]), ([{ methods, held }, quote]) => {
      const paying = methods.items.filter((/** @type {Api["DepositMethod"]} */ method) => method.enabled && method.supports_withdrawals);
      if (!paying.length) return [h("p", { class: "quiet-words" }, t("withdraw.none")), past];
      open = new WithdrawalForm(both, paying, quote);
      if (held) open.take(held);
      return [open.element, past];
    }));
}

/** @param {string} kind */
const entryWords = (kind) => (hasMessage(`entry.${kind}`) ? t(`entry.${kind}`) : kind.replaceAll("_", " "));

/**
 * All movements on the account in a currency, newest first, in real or play money.
 * @param {BalanceView} view
 * @param {string} currency
 */
export function statementPart(view, currency) {
  const list = h("ul", { class: "statement-lines" });
  const more = h("button", { type: "button", class: "quiet", hidden: true, onclick: () => load(false) }, t("more"));
  const fault = h("p", { class: "form-fault", role: "alert" });
  const read = view.show ? (/** @type {string} */ path) => view.show?.get(path) : get;
  let moneyType = "real";
  /** @type {string | null} */
  let next = null;
  /** @param {boolean} fresh */
  const load = async (fresh) => {
    const wanted = moneyType;
    try {
      const page = /** @type {Api["Statement"]} */ (await read(`me/statement?money_type=${wanted}&currency=${currency}&limit=${LINES}${fresh || !next ? "" : `&cursor=${encodeURIComponent(next)}`}`));
      if (wanted !== moneyType) return;
      if (fresh) put(list);
      list.append(...page.items.map((line) => h("li", {}, h("span", { class: "statement-kind" }, entryWords(line.kind)), h("time", {}, moment(line.recorded_at)),
        h("strong", { class: line.amount.amount.startsWith("-") ? "lost" : "won" }, signedMoney(line.amount.amount, line.amount.currency)), h("span", {}, text(line.balance)))));
      if (!list.childElementCount) put(list, h("li", { class: "quiet-words" }, t("statement.none")));
      next = page.next;
      more.hidden = !next;
    } catch (error) {
      say(fault, errorText(error));
    }
  };
  load(true);
  return h("section", { class: "cash-part" }, h("h3", {}, t("statement.title")),
    h("fieldset", { class: "segments" }, h("legend", { class: "unseen" }, t("statement.which")), ["real", "play"].map((each) => h("label", { class: "segment" },
      h("input", { type: "radio", name: "statement", value: each, checked: each === moneyType, onchange: () => { moneyType = each; load(true); } }), h("span", {}, t(`money_type.${each}`))))),
    list, more, fault);
}
