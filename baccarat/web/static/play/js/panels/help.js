// How this table plays, in its own rules, and what the keys do.

import { oddsOf, percentOf } from "../art/felt.js";
import { h } from "../core/dom.js";
import { peculiar } from "../core/facts.js";
import { money, t } from "../words/index.js";
import { KEYS } from "../view/keys.js";
import { panel } from "./parts.js";

function pays(rules) {
  const rows = ["player", "banker", "tie"].map((spot) => h("tr", {}, h("th", { scope: "row" }, t(`spot.${spot}`)), h("td", {}, oddsOf(rules, spot))));
  return h("table", { class: "pays" }, h("caption", {}, t("help.pays")), h("tbody", {}, rows));
}

function keys() {
  return h("table", { class: "keys" }, h("caption", {}, t("help.keys")), h("tbody", {}, KEYS.map(([key, does]) =>
    h("tr", {}, h("th", { scope: "row" }, h("kbd", {}, key)), h("td", {}, t(`key.${does}`))))));
}

export const help = {
  make(game) {
    const { rules, currency } = game.picture;
    const own = peculiar(rules).map((each) => h("li", {}, t(`help.${each}`, { percent: percentOf(rules), minimum: money(rules.minimum, currency) })));
    const turn = rules.turn_seconds ? t("help.turn", { seconds: rules.turn_seconds }) : t("help.alone");
    const cards = t(rules.shuffle === "shoe" ? "help.shoe" : "help.each_round", { decks: rules.decks });
    return panel(game, t("menu.help"), h("p", {}, t("help.aim")), pays(rules), h("p", {}, t("help.push")),
      h("h3", {}, t("help.here")), h("ul", { class: "help-rules" }, h("li", {}, cards), h("li", {}, turn), own),
      h("details", {}, h("summary", {}, t("help.third")), h("p", {}, t("help.third.player")), h("p", {}, t("help.third.banker"))),
      keys(), h("p", { class: "quiet-words" }, t("help.mouse")), h("p", { class: "quiet-words" }, t("help.malfunction")));
  },
};
