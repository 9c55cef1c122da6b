// The limits panel: limits on deposits, stakes, losses and time, and the player's own limit on a spot.

import { command, get, serverNow } from "../core/api.js";
import { h, put } from "../core/dom.js";
import { toDecimal, parseAmount } from "../core/money.js";
import { limitAmount, limitName, moment, money, t } from "../messages/index.js";
import { takeBreak, realityCheck } from "./responsible_gaming.js";
import { amountInput, field, form, errorText, whenLoaded, panel, pinInput, InvalidInput } from "./widgets.js";

/** @import { Children } from "../core/dom.js" */
/** @import { Host } from "./widgets.js" */

/**
 * The casino's request of a new PIN, with the form that keeps the old one; nothing without a request.
 * @param {Host} host
 */
function pinRequest(host) {
  const place = h("div", { class: "pin-request" });
  /** @param {Api["PinStatus"]} status */
  const draw = ({ replaced_at }) => put(place, replaced_at ? keepPin(replaced_at) : null);
  /** @param {string} when */
  const keepPin = (when) => {
    const pin = pinInput({ id: "keep-pin" });
    const submit = async () => {
      draw(await command("me/pin/keep", { pin: pin.read() }));
      host.notices.remove("pin");
      host.notices.show(t("pin.kept"), { key: "pin" });
    };
    return part(t("pin.title"), h("div", { class: "bounds" }, h("p", {}, t("pin.waits", { when: moment(when) })), h("p", { class: "quiet-words" }, t("pin.waits.how")),
      form(submit, field(t("limit.pin"), pin.element), h("button", { class: "primary", type: "submit" }, t("pin.keep")))), true);
  };
  get("me/pin").then(draw).catch((error) => put(place, h("p", { class: "form-fault", role: "alert" }, errorText(error))));
  return place;
}

/** @param {Api["TableLimit"]} limit */
function limitText(limit) {
  const words = limit.limit ? t("limit.is", { amount: money(limit.limit.amount, limit.limit.currency) }) : t("limit.none");
  const next = limit.next_change_at ? t("limit.next", { when: moment(limit.next_change_at) }) : t("limit.once");
  return [h("p", { class: "limit-now" }, h("strong", {}, words)), h("p", { class: "quiet-words" }, next)];
}

/**
 * The player's own limit on a spot, with the form that changes it.
 * @param {Host} host
 */
function tableLimit(host) {
  const { currency, digits } = host;
  const place = h("div");
  const amount = amountInput({ name: "limit", id: "limit-amount", placeholder: toDecimal(0n, digits), required: false });
  const pin = pinInput({ id: "limit-pin" });
  const submit = async () => {
    const empty = amount.value.trim() === "";
    const units = empty ? null : parseAmount(amount.value, digits);
    if (!empty && units === null) throw new InvalidInput(t("form.amount"));
    const body = { limit: units === null ? null : toDecimal(units, digits), currency, pin: pin.read() };
    const set = await command("me/table-limit", body);
    put(place, limitText(set));
    host.game?.actions.takeLimit(set);
    host.notices.show(t("limit.set"), { key: "limit" });
  };
  place.append(whenLoaded(get(`me/table-limit?currency=${currency}`), limitText));
  return h("div", { class: "bounds" }, place, h("p", { class: "quiet-words" }, t("limit.how")), form(submit,
    field(t("limit.amount"), amount, t("limit.lift")), field(t("limit.pin"), pin.element), h("button", { class: "primary", type: "submit" }, t("limit.do"))));
}

const LIMIT_TYPES = ["deposit", "stake", "loss", "time"];
const PERIODS = ["day", "week", "month"];

/**
 * Return the words for who set the limit that applies: the lowest of three.
 * @param {Api["Limit"]} line
 */
function limitSetter(line) {
  if (line.player_limit === line.limit) return "limits.by.player";
  return line.operator_limit === line.limit ? "limits.by.operator" : "limits.by.operator_wide";
}

class Limits {
  /**
   * @param {Host} host
   * @param {Api["Limits"]} shown
   */
  constructor(host, shown) {
    this.currency = host.currency;
    this.digits = host.digits;
    this.items = shown.items;
    this.list = h("ul", { class: "limit-lines" });
    this.limitType = this.select("limit_type", LIMIT_TYPES);
    this.period = this.select("period", PERIODS);
    this.amount = amountInput({ name: "most", id: "play-limit", required: false });
    this.status = h("p", { class: "quiet-words", role: "status" });
    this.form = form(() => this.set(), h("div", { class: "side-by-side" },
      h("label", { class: "field" }, h("span", { class: "field-label" }, t("limits.what")), this.limitType),
      h("label", { class: "field" }, h("span", { class: "field-label" }, t("limits.period")), this.period)),
      field(t("limits.most"), this.amount, t("limits.most.note")), h("button", { class: "primary", type: "submit" }, t("limits.do")), this.status);
    this.element = h("div", { class: "bounds" }, this.list, h("p", { class: "quiet-words" }, t("limits.how")), this.form);
    this.draw(shown);
  }

  /**
   * @param {string} name
   * @param {readonly string[]} values
   */
  select(name, values) {
    return h("select", { name, id: `play-limit-${name}` }, values.map((value) => h("option", { value }, t(`${name}.${value}`))));
  }

  /** @param {Api["Limits"]} shown */
  draw({ items }) {
    this.items = items;
    const lines = items.filter((line) => line.limit !== null || line.pending);
    put(this.list, lines.length ? lines.map((line) => this.line(line)) : h("li", { class: "quiet-words" }, t("limits.none")));
  }

  /** @param {Api["Limit"]} line */
  line(line) {
    const { limit, used, remaining, unit, pending } = line;
    const holds = limit === null ? null : [
      h("p", {}, t("limits.used", { used: limitAmount(used, unit), left: limitAmount(remaining ?? "0", unit) })),
      h("p", { class: "quiet-words" }, t(limitSetter(line))),
    ];
    return h("li", { class: "limit-line", "data-limit": `${line.limit_type} ${line.period}` },
      h("p", { class: "limit-name" }, h("strong", {}, limitName(line)), h("span", {}, limit === null ? t("limits.open") : limitAmount(limit, unit))),
      holds, pending ? this.pendingLimit(line, pending) : null,
      h("button", { type: "button", class: "quiet", "aria-label": t("limits.change.long", { name: limitName(line) }), onclick: () => this.change(line) }, t("limits.change")));
  }

  /**
   * Draw a requested increase: it can be confirmed a day later, and cancelled at any time.
   * @param {Api["Limit"]} line
   * @param {Api["PendingLimitIncrease"]} pending
   */
  pendingLimit(line, pending) {
    const { unit } = line;
    const confirmable = Date.parse(pending.confirm_from) <= serverNow();
    const wanted = pending.limit === null ? t("limits.no_limit") : limitAmount(pending.limit, unit);
    const fault = h("p", { class: "form-fault", role: "alert" });
    /**
     * @param {string} word
     * @param {string} path
     * @param {string} kind
     */
    const button = (word, path, kind) => h("button", { type: "button", class: kind, onclick: () => this.answer(path, line, fault) }, t(word));
    return h("div", { class: "limit-wish" }, h("p", {}, t(confirmable ? "limits.ripe" : "limits.wish", { amount: wanted, when: moment(pending.confirm_from) })),
      h("div", { class: "side-by-side" }, confirmable ? button("limits.confirm", "confirm", "primary") : null, button("limits.cancel", "cancel", "quiet")), fault);
  }

  /** @param {Api["Limit"]} line */
  change(line) {
    this.limitType.value = line.limit_type;
    this.period.value = line.period;
    this.amount.value = line.player_limit ?? "";
    this.amount.focus();
  }

  /**
   * @param {string} path
   * @param {Api["Limit"]} line
   * @param {HTMLElement} fault
   */
  async answer(path, { limit_type, period, unit }, fault) {
    try {
      this.draw(await command(`me/limits/${path}`, { limit_type, period, ...(unit === "minutes" ? {} : { currency: unit }) }));
      this.showStatus(t(`limits.${path}ed`));
    } catch (error) {
      fault.textContent = errorText(error);
    }
  }

  async set() {
    const [limit_type, period] = [this.limitType.value, this.period.value];
    this.status.textContent = "";
    this.draw(await command("me/limits", { limit_type, period, ...this.enteredLimit(limit_type) }));
    const line = /** @type {Api["Limit"]} */ (this.items.find((each) => each.limit_type === limit_type && each.period === period && ["minutes", this.currency].includes(each.unit)));
    this.amount.value = "";
    if (line.pending) this.showStatus(t("limits.asked", { name: limitName(line), when: moment(line.pending.confirm_from) }));
    else this.showStatus(t("limits.set", { name: limitName(line), amount: line.player_limit === null ? t("limits.no_limit") : limitAmount(line.player_limit, line.unit) }));
  }

  /** @param {string} limit_type */
  enteredLimit(limit_type) {
    const { currency } = this;
    const digits = limit_type === "time" ? 0 : this.digits;
    const empty = this.amount.value.trim() === "";
    const units = empty ? null : parseAmount(this.amount.value, digits);
    if (!empty && units === null) throw new InvalidInput(t(limit_type === "time" ? "form.minutes" : "form.amount"));
    if (limit_type === "time") return { minutes: units === null ? null : Number(units) };
    return { amount: units === null ? null : toDecimal(units, digits), currency };
  }

  /** @param {string} words */
  showStatus(words) {
    this.status.textContent = words;
  }
}

/**
 * All limits in force or requested, with the form that sets one.
 * @param {Host} host
 */
function playLimits(host) {
  return whenLoaded(host.read("me/limits"), (/** @type {Api["Limits"]} */ shown) => new Limits(host, shown).element);
}

/**
 * @param {string} title
 * @param {Children} content
 * @param {boolean} [open]
 */
const part = (title, content, open = false) => h("details", { class: "bounds-part", open }, h("summary", {}, h("h3", {}, title)), content);

export const limit = {
  /** @param {Host} host */
  make(host) {
    return panel(host, t("menu.limit"), pinRequest(host),
      part(t("played.title"), realityCheck(host), true),
      part(t("limits.title"), playLimits(host), true),
      part(t("limit.title"), tableLimit(host)),
      part(t("pause.title"), takeBreak(host)));
  },
};
