// Time and result: of this session and of the last day, week and month; and how often one is reminded of them.

import { command, get } from "../core/api.js";
import { h, put } from "../core/dom.js";
import { change, count, money, t, time } from "../words/index.js";
import { form, later } from "./parts.js";

const EVERY = [15, 30, 45, 60];

const amount = ({ amount: value, currency }) => money(value, currency);
const result = ({ amount: value, currency }) => change(value, currency);
const minutes = (n) => t("played.minutes", { minutes: count(n) });

function line(label, values) {
  return h("tr", {}, h("th", { scope: "row" }, label), values.map((value) => h("td", {}, value)));
}

function table({ session, windows }) {
  const facts = [["time", (each) => minutes(each.played_minutes)], ["staked", (each) => amount(each.staked)], ["net", (each) => result(each.net)],
    ["deposited", (each) => (each.deposited ? amount(each.deposited) : "–")]];
  const columns = [...(session ? [{ ...session, period: "session" }] : []), ...windows];
  return h("div", { class: "wide-table", tabindex: "0", role: "group", "aria-label": t("played.title") }, h("table", { class: "figures" },
    h("thead", {}, h("tr", {}, h("td"), columns.map((each) => h("th", { scope: "col" }, t(`period.${each.period}`))))),
    h("tbody", {}, facts.map(([name, read]) => line(t(`played.${name}`), columns.map(read))))));
}

function figures(shown) {
  const { session, reminder } = shown;
  return [
    session ? h("p", {}, t("played.since", { minutes: count(session.minutes), when: time(session.started_at) })) : null,
    table(shown),
    h("p", { class: "quiet-words" }, t("played.real")),
    reminder ? h("p", { class: "quiet-words" }, t("played.next", { when: time(reminder.due_at) })) : null,
  ];
}

function everyForm(game, place, now) {
  const choice = h("select", { name: "minutes", id: "remind-every" }, EVERY.map((n) => h("option", { value: n, selected: n === now }, minutes(n))));
  const submit = async () => {
    put(place, figures(await command("me/reality-check", { minutes: Number(choice.value) })));
    game.care.schedule();
    game.notices.tell(t("played.set", { minutes: choice.value }), { key: "limit" });
  };
  return form(submit, h("div", { class: "side-by-side" }, h("label", { class: "field" }, h("span", { class: "field-label" }, t("played.every")), choice),
    h("button", { class: "quiet", type: "submit" }, t("played.do"))));
}

/** Show the figures as they are now. */
export function played(game) {
  return later(get("me/reality-check"), (shown) => {
    const place = h("div", { class: "bounds" }, figures(shown).filter(Boolean));
    return h("div", { class: "bounds" }, place, everyForm(game, place, shown.reminder?.minutes));
  });
}
