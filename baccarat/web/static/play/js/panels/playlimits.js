// Limits on what is deposited, staked, lost or played: a lower one holds at once, a higher one a day later if it is confirmed.

import { command, get } from "../core/api.js";
import { serverNow } from "../core/clock.js";
import { h, put } from "../core/dom.js";
import { digitsOf } from "../core/facts.js";
import { decimal, typed } from "../core/money.js";
import { count, moment, money, t } from "../words/index.js";
import { amountInput, field, form, inWords, later, Wrong } from "./parts.js";

const LIMIT_TYPES = ["deposit", "stake", "loss", "time"];
const PERIODS = ["day", "week", "month"];
const SETTERS = { player_limit: "limits.by.player", operator_limit: "limits.by.operator", operator_wide_limit: "limits.by.operator_wide" };

const amountOf = (value, unit) => (unit === "minutes" ? t("played.minutes", { minutes: count(Number(value)) }) : money(value, unit));
const nameOf = ({ limit_type, period }) => t("limits.name", { what: t(`limit_type.${limit_type}`), period: t(`period.${period}`) });

/** Whose limit it is that holds: the lowest of the three. */
function holder(line) {
  return Object.keys(SETTERS).find((name) => line[name] === line.limit);
}

class Limits {
  constructor(game, shown) {
    this.game = game;
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

  select(name, values) {
    return h("select", { name, id: `play-limit-${name}` }, values.map((value) => h("option", { value }, t(`${name}.${value}`))));
  }

  draw({ items }) {
    this.items = items;
    const lines = items.filter((line) => line.limit !== null || line.pending);
    put(this.list, lines.length ? lines.map((line) => this.line(line)) : h("li", { class: "quiet-words" }, t("limits.none")));
  }

  line(line) {
    const { limit, used, remaining, unit, pending } = line;
    const holds = limit === null ? null : [
      h("p", {}, t("limits.used", { used: amountOf(used, unit), left: amountOf(remaining, unit) })),
      h("p", { class: "quiet-words" }, t(SETTERS[holder(line)])),
    ];
    return h("li", { class: "limit-line", "data-limit": `${line.limit_type} ${line.period}` },
      h("p", { class: "limit-name" }, h("strong", {}, nameOf(line)), h("span", {}, limit === null ? t("limits.open") : amountOf(limit, unit))),
      holds, pending ? this.wish(line) : null,
      h("button", { type: "button", class: "quiet", "aria-label": t("limits.change.long", { name: nameOf(line) }), onclick: () => this.change(line) }, t("limits.change")));
  }

  /** A higher limit that was asked for: it can be confirmed when its day has passed, and taken back at any time. */
  wish(line) {
    const { pending, unit } = line;
    const ripe = Date.parse(pending.confirm_from) <= serverNow();
    const wanted = pending.limit === null ? t("limits.no_limit") : amountOf(pending.limit, unit);
    const fault = h("p", { class: "form-fault", role: "alert" });
    const button = (word, path, kind) => h("button", { type: "button", class: kind, onclick: () => this.answer(path, line, fault) }, t(word));
    return h("div", { class: "limit-wish" }, h("p", {}, t(ripe ? "limits.ripe" : "limits.wish", { amount: wanted, when: moment(pending.confirm_from) })),
      h("div", { class: "side-by-side" }, ripe ? button("limits.confirm", "confirm", "primary") : null, button("limits.cancel", "cancel", "quiet")), fault);
  }

  change(line) {
    this.limitType.value = line.limit_type;
    this.period.value = line.period;
    this.amount.value = line.player_limit ?? "";
    this.amount.focus();
  }

  async answer(path, { limit_type, period }, fault) {
    try {
      this.draw(await command(`me/limits/${path}`, { limit_type, period }));
      this.tell(t(`limits.${path}ed`));
    } catch (error) {
      fault.textContent = inWords(error);
    }
  }

  async set() {
    const [limit_type, period] = [this.limitType.value, this.period.value];
    this.status.textContent = "";
    this.draw(await command("me/limits", { limit_type, period, ...this.most(limit_type) }));
    const line = this.items.find((each) => each.limit_type === limit_type && each.period === period);
    this.amount.value = "";
    this.tell(line.pending ? t("limits.asked", { name: nameOf(line), when: moment(line.pending.confirm_from) }) : t("limits.set", { name: nameOf(line), amount: amountOf(line.player_limit, line.unit) }));
  }

  most(limit_type) {
    const { currency } = this.game.picture;
    const digits = limit_type === "time" ? 0 : digitsOf(this.game.picture);
    const empty = this.amount.value.trim() === "";
    const units = empty ? null : typed(this.amount.value, digits);
    if (!empty && units === null) throw new Wrong(t(limit_type === "time" ? "form.minutes" : "form.amount"));
    if (limit_type === "time") return { minutes: empty ? null : Number(units) };
    return empty ? { amount: null, currency } : { amount: decimal(units, digits), currency };
  }

  tell(words) {
    this.status.textContent = words;
  }
}

/** Show all limits that hold or were asked for, with the form that sets one. */
export function playLimits(game) {
  return later(get("me/limits"), (shown) => new Limits(game, shown).element);
}
