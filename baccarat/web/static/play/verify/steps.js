// The steps of a check as they are shown: each with its mark, what it says, and what was expected where it failed.

import { drawCard } from "../js/art/card.js";
import { h, put } from "../js/core/dom.js";
import { played } from "./hands.js";
import { w } from "./words.js";

const MARKS = { ok: "✓", open: "…", none: "–", failed: "✗" };

const written = (value) => (typeof value === "string" ? value : JSON.stringify(value));

function step(check) {
  const difference = check.verdict === "failed" && h("dl", { class: "verify-difference" },
    h("dt", {}, w("page.expected")), h("dd", {}, written(check.expected)), h("dt", {}, w("page.found")), h("dd", {}, written(check.found)));
  return h("li", { class: `verify-step ${check.verdict}`, "data-check": check.name, "data-verdict": check.verdict },
    h("span", { class: "verify-mark", "aria-hidden": "true" }, MARKS[check.verdict]),
    h("div", {}, h("h3", {}, w(`check.${check.name}`), h("small", {}, w(`verdict.${check.verdict}`))),
      h("p", {}, w(check.code, check.values)), difference));
}

function hand(side, cards) {
  return h("figure", { class: "verify-hand" }, h("figcaption", {}, w(`side.${side}`)),
    h("span", { class: "cards" }, cards.map((card) => drawCard(card))));
}

/** Both hands, as the rules lay them out; nothing where there are no cards or they make no hands. */
function hands(round) {
  if (!round?.cards?.length) return null;
  try {
    const { player, banker } = played(round.cards);
    return h("div", { class: "verify-hands" }, hand("player", player), hand("banker", banker));
  } catch {
    return null;
  }
}

export class Steps {
  constructor(name) {
    this.list = h("ol", { class: "verify-list" });
    this.verdict = h("p", { class: "verify-verdict", role: "status" }, w("page.busy"));
    this.about = h("div", { class: "verify-about" }, name && h("p", { class: "verify-file" }, name));
    this.element = h("div", {}, this.verdict, this.about, this.list);
  }

  add(check) {
    this.list.append(step(check));
  }

  end({ verdict, round, checks }) {
    this.verdict.className = `verify-verdict ${verdict}`;
    this.verdict.dataset.verdict = verdict;
    const failed = checks.filter((check) => check.verdict === "failed").map((check) => w(`check.${check.name}`));
    put(this.verdict, h("strong", {}, w(`end.${verdict}`)), h("span", {}, w(`end.${verdict}.why`, { checks: failed.join(", ") })));
    const title = round && h("h2", {}, w("page.round", { number: String(round.number), rules: String(round.rules) }));
    put(this.about, ...this.about.childNodes, title, hands(round));
  }
}
