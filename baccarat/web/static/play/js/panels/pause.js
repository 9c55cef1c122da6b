// A break: cooling off for hours or weeks, or excluding oneself for months. Asked twice, since nobody can take it back.

import { command, get } from "../core/api.js";
import { serverNow } from "../core/clock.js";
import { h, put } from "../core/dom.js";
import { day, t } from "../words/index.js";
import { field, form, later, pinInput, Wrong } from "./parts.js";

const LENGTHS = [
  ["cooling_off", "hours", 24], ["cooling_off", "hours", 72], ["cooling_off", "hours", 168], ["cooling_off", "hours", 1008],
  ["self_exclusion", "months", 6], ["self_exclusion", "months", 12], ["self_exclusion", "months", 36], ["self_exclusion", "months", 60],
];

function until([, unit, length]) {
  const end = new Date(serverNow());
  if (unit === "hours") end.setTime(end.getTime() + length * 3_600_000);
  else end.setMonth(end.getMonth() + length);
  return day(end);
}

function choices() {
  return ["cooling_off", "self_exclusion"].map((kind) => h("fieldset", { class: "choices" },
    h("legend", {}, t(`pause.${kind}`)), h("p", { class: "quiet-words" }, t(`pause.${kind}.how`)),
    LENGTHS.map((length, i) => (length[0] === kind ? h("label", { class: "choice" }, h("input", { type: "radio", name: "length", value: i }), h("span", {}, t(`pause.length.${length[1]}.${length[2]}`))) : null))));
}

class Pause {
  constructor(game, { exclusion }) {
    this.game = game;
    this.element = h("div", { class: "bounds" });
    if (exclusion) this.holds(exclusion);
    else this.ask();
  }

  holds({ kind, set_by: by, until: end }) {
    put(this.element, h("p", { role: "status" }, h("strong", {}, t(`pause.holds.${kind}`, { until: day(end) }))),
      h("p", {}, t(by === "player" ? "pause.by.player" : "pause.by.operator")), h("p", { class: "quiet-words" }, t("pause.still")));
  }

  ask() {
    const next = (element) => {
      const picked = new FormData(element).get("length");
      if (picked === null) throw new Wrong(t("pause.choose"));
      this.confirm(LENGTHS[picked]);
    };
    put(this.element, h("p", {}, t("pause.how")), form(next, choices(), h("button", { class: "primary", type: "submit" }, t("pause.next"))));
  }

  confirm(length) {
    const [kind, unit, number] = length;
    const sure = h("input", { type: "checkbox", name: "sure", id: "pause-sure" });
    const pin = pinInput({ id: "pause-pin", required: false });
    const send = async () => {
      if (!sure.checked) throw new Wrong(t("pause.tick"));
      const given = pin.read();
      const { exclusion } = await command("me/exclusions", { kind, [unit]: number, ...(given ? { pin: given } : {}) });
      this.holds(exclusion);
      this.game.live.look();
      this.game.notices.tell(t(`pause.holds.${exclusion.kind}`, { until: day(exclusion.until) }), { key: "pause", kind: "warning", stay: true });
    };
    const title = h("h4", { tabindex: "-1" }, t(`pause.sure.${kind}`, { until: until(length) }));
    put(this.element, form(send, title, h("ul", { class: "plain-words" }, ["at_once", "chips", "money", "no_way_back"].map((each) => h("li", {}, t(`pause.${each}`)))),
      h("label", { class: "choice" }, sure, h("span", {}, t("pause.understood"))), field(t("pause.pin"), pin.element),
      h("button", { class: "primary danger", type: "submit" }, t("pause.do", { length: t(`pause.length.${unit}.${number}`) })),
      h("button", { class: "quiet", type: "button", onclick: () => this.ask() }, t("pause.back"))));
    title.focus();
  }
}

/** Show the break that holds, or the way to one. */
export function pause(game) {
  return later(get("me/limits"), (shown) => new Pause(game, shown).element);
}
