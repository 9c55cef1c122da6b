// Time and result with reality checks, cooling-off and self-exclusion.

import { command, get, serverNow } from "../core/api.js";
import { h, put } from "../core/dom.js";
import { signedMoney, minutes, day, money, t, time } from "../messages/index.js";
import { field, form, whenLoaded, pinInput, InvalidInput } from "./widgets.js";

/** @import { Host } from "./widgets.js" */

const INTERVALS = [15, 30, 45, 60];

/** @param {Api["Money"]} money */
const amount = ({ amount: value, currency }) => money(value, currency);
/** @param {Api["Money"]} money */
const result = ({ amount: value, currency }) => signedMoney(value, currency);
/**
 * The time played in a session, which counts in steps of five minutes, but no more than has passed.
 * @param {Api["SessionActivity"]} session
 */
export const playedMinutes = (session) => Math.min(session.played_minutes, session.minutes);

/** @typedef {Omit<Api["WindowActivity"], "period" | "deposited"> & {period: string, deposited?: Api["Money"] | null}} Column the session, or a window */

/** @param {Api["RealityCheck"]} status */
function periods({ session, windows }) {
  /** @type {[name: string, read: (column: Column) => string][]} */
  const facts = [["time", (each) => minutes(each.played_minutes)], ["staked", (each) => amount(each.staked)], ["net", (each) => result(each.net)],
    ["deposited", (each) => (each.deposited ? amount(each.deposited) : "–")]];
  /** @type {Column[]} */
  const columns = [...windows];
  if (session) columns.unshift({ ...session, played_minutes: playedMinutes(session), period: "session" });
  return h("div", { class: "played" }, columns.map((each) => h("section", { class: "played-period" }, h("h4", {}, t(`period.${each.period}`)),
    h("dl", { class: "played-facts" }, facts.map(([name, read]) => h("div", {}, h("dt", {}, t(`played.${name}`)), h("dd", {}, read(each))))))));
}

/** @param {Api["RealityCheck"]} status */
function figures(status) {
  const { session, reminder } = status;
  return [
    session ? h("p", {}, t("played.since", { n: session.minutes, when: time(session.started_at) })) : null,
    periods(status),
    h("p", { class: "quiet-words" }, t("played.real")),
    reminder ? h("p", { class: "quiet-words" }, t("played.next", { when: time(reminder.due_at) })) : null,
  ];
}

/**
 * @param {Host} host
 * @param {HTMLElement} place
 * @param {number} [now]
 */
function intervalForm(host, place, now) {
  const choice = h("select", { name: "minutes", id: "remind-every" }, INTERVALS.map((n) => h("option", { value: n, selected: n === now }, minutes(n))));
  const submit = async () => {
    await command("me/reality-check", { minutes: Number(choice.value) });
    put(place, figures(await host.read(`me/reality-check?currency=${host.currency}`)));
    host.playerNotices.schedule();
    host.notices.show(t("played.set", { minutes: choice.value }), { key: "limit" });
  };
  return form(submit, h("div", { class: "side-by-side" }, h("label", { class: "field" }, h("span", { class: "field-label" }, t("played.every")), choice),
    h("button", { class: "quiet", type: "submit" }, t("played.do"))));
}

/**
 * Time and result so far, with the form that sets the interval of reality checks.
 * @param {Host} host
 */
export function realityCheck(host) {
  return whenLoaded(host.read(`me/reality-check?currency=${host.currency}`), (/** @type {Api["RealityCheck"]} */ status) => {
    const place = h("div", { class: "bounds" }, figures(status));
    return h("div", { class: "bounds" }, place, intervalForm(host, place, status.reminder?.minutes));
  });
}

/** @typedef {[kind: "cooling_off" | "self_exclusion", unit: "hours" | "months" | "permanent", length: number | true]} Length */

/** @type {readonly Length[]} */
const LENGTHS = [
  ["cooling_off", "hours", 24], ["cooling_off", "hours", 72], ["cooling_off", "hours", 168], ["cooling_off", "hours", 1008],
  ["self_exclusion", "months", 6], ["self_exclusion", "months", 12], ["self_exclusion", "months", 36], ["self_exclusion", "months", 60],
  ["self_exclusion", "permanent", true],
];

/** @param {Length} length */
function question([kind, unit, length]) {
  if (length === true) return t("pause.sure.permanent");
  const end = new Date(serverNow());
  if (unit === "hours") end.setTime(end.getTime() + length * 3_600_000);
  else end.setMonth(end.getMonth() + length);
  return t(`pause.sure.${kind}`, { until: day(end) });
}

/** @param {NonNullable<Api["Limits"]["exclusion"]>} exclusion */
function holds({ kind, set_by: by, until: end }) {
  const until = end === null ? "" : day(end);
  if (by === "operator") return t(end === null ? "notice.excluded_permanently" : kind === "cooling_off" ? "notice.cooling_off" : "notice.excluded", { until });
  return end === null ? t("pause.holds.permanent") : t(`pause.holds.${kind}`, { until });
}

function choices() {
  return ["cooling_off", "self_exclusion"].map((kind) => h("fieldset", { class: "choices" },
    h("legend", {}, t(`pause.${kind}`)), h("p", { class: "quiet-words" }, t(`pause.${kind}.how`)),
    LENGTHS.map((length, i) => (length[0] === kind ? h("label", { class: "choice" }, h("input", { type: "radio", name: "length", value: i }), h("span", {}, t(`pause.length.${length[1]}.${length[2]}`))) : null))));
}

class BreakForm {
  /**
   * @param {Host} host
   * @param {{exclusion: Api["Limits"]["exclusion"]}} limits
   */
  constructor(host, { exclusion }) {
    this.host = host;
    this.element = h("div", { class: "bounds" });
    if (exclusion) this.showExclusion(exclusion);
    else this.choose();
  }

  /** @param {NonNullable<Api["Limits"]["exclusion"]>} exclusion */
  showExclusion(exclusion) {
    put(this.element, h("p", { role: "status" }, h("strong", {}, holds(exclusion))),
      exclusion.set_by === "player" ? h("p", {}, t("pause.by.player")) : null, h("p", { class: "quiet-words" }, t("pause.still")));
  }

  choose() {
    /** @param {HTMLFormElement} element */
    const next = async (element) => {
      const index = new FormData(element).get("length");
      if (index === null) throw new InvalidInput(t("pause.choose"));
      this.confirm(LENGTHS[Number(index)]);
    };
    put(this.element, h("p", {}, t("pause.how")), form(next, choices(), h("button", { class: "primary", type: "submit" }, t("pause.next"))));
  }

  /** @param {Length} length */
  confirm(length) {
    const [kind, unit, number] = length;
    const sure = h("input", { type: "checkbox", name: "sure", id: "pause-sure" });
    const pin = pinInput({ id: "pause-pin", required: false });
    const send = async () => {
      if (!sure.checked) throw new InvalidInput(t("pause.tick"));
      const entered = pin.read();
      const { exclusion } = await command("me/exclusions", { kind, [unit]: number, ...(entered ? { pin: entered } : {}) });
      this.showExclusion(exclusion);
      this.host.refresh();
      this.host.notices.show(holds(exclusion), { key: "pause", kind: "warning", stay: true });
    };
    const title = h("h4", { tabindex: "-1" }, question(length));
    put(this.element, form(send, title, h("ul", { class: "plain-words" }, ["at_once", "chips", "money", "no_way_back"].map((each) => h("li", {}, t(`pause.${each}`)))),
      h("label", { class: "choice" }, sure, h("span", {}, t("pause.understood"))), field(t("pause.pin"), pin.element),
      h("button", { class: "primary danger", type: "submit" }, number === true ? t("pause.do.permanent") : t("pause.do", { length: t(`pause.length.${unit}.${number}`) })),
      h("button", { class: "quiet", type: "button", onclick: () => this.choose() }, t("pause.back"))));
    title.focus();
  }
}

/**
 * The cooling-off period or self-exclusion in force, or the form that starts one.
 * @param {Host} host
 */
export function takeBreak(host) {
  return whenLoaded(get("me/limits"), (/** @type {Api["Limits"]} */ status) => new BreakForm(host, status).element);
}
