// The list of checks on the page: mark, message, and the expected and the actual value of a failed one.

import { drawCard } from "../js/art/cards.js";
import { h, put } from "../js/core/dom.js";
import { describeCosignatures } from "./checkpoint.js";
import { dealHands } from "./hands.js";
import { t } from "./messages.js";
import { rulesInWords } from "./words.js";

/** @import { Check, Verdict } from "./checks.js" */

const MARKS = { ok: "✓", open: "…", none: "–", failed: "✗" };

/** @param {unknown} value */
const formatValue = (value) => (typeof value === "string" ? value : JSON.stringify(value) ?? "");

/** @param {Check} check */
export function drawStep(check) {
  const difference = check.verdict === "failed" && h("dl", { class: "verify-difference" },
    h("dt", {}, t("page.expected")), h("dd", {}, formatValue(check.expected)), h("dt", {}, t("page.found")), h("dd", {}, formatValue(check.found)));
  const unchecked = /** @type {string[]} */ (check.verdict === "ok" && check.values.unchecked || []);
  return h("li", { class: `verify-step ${check.verdict}`, "data-check": check.name, "data-verdict": check.verdict },
    h("span", { class: "verify-mark", "aria-hidden": "true" }, MARKS[check.verdict]),
    h("div", {}, h("h2", {}, t(`check.${check.name}`), h("small", {}, t(`verdict.${check.verdict}`))),
      h("p", {}, t(check.code, check.values), unchecked.length ? ` ${t("unchecked", { names: unchecked.join(", ") })}` : ""), difference));
}

/**
 * @param {"player" | "banker"} side
 * @param {string[]} cards
 */
function hand(side, cards) {
  return h("figure", { class: "verify-hand" }, h("figcaption", {}, t(`side.${side}`)),
    h("span", { class: "cards" }, cards.map((card) => drawCard(card))));
}

/**
 * Both hands; null without cards, or if the cards make no hands.
 * @param {Api["ProofRound"] | null} round
 */
function hands(round) {
  if (!round?.cards?.length) return null;
  try {
    const { player, banker } = dealHands(round.cards);
    return h("div", { class: "verify-hands" }, hand("player", player), hand("banker", banker));
  } catch {
    return null;
  }
}

/**
 * What a verdict rests on and what its reader has to know.
 * @param {Verdict} verdict
 */
export const aboutVerdict = ({ asOf, couldChoose, rules, caveats }) => [
  couldChoose && h("strong", { "data-could-choose": couldChoose }, t(`chosen.${couldChoose}`)),
  asOf && h("span", {}, t("end.as_of", { size: String(asOf.size) }), " ",
    asOf.cosignedBy.length ? t("end.cosigned", { names: describeCosignatures(asOf.cosignedBy) }) : t("end.nobody_cosigned")),
  rules && h("span", { "data-rules": rules.published ? "published" : "own" },
    t(rules.published ? "rules.published" : "rules.own", { rules: `${rules.preset}@${rules.version}` })),
  rules && !rules.published && rulesInWords(rules).map((words) => h("span", {}, words)),
  caveats.map(({ code, values }) => h("span", { "data-caveat": code }, t(`caveat.${code}`, values))),
];

export class Steps {
  /** @param {string} name */
  constructor(name) {
    this.list = h("ol", { class: "verify-list" });
    this.verdict = h("p", { class: "verify-verdict", role: "status" }, t("page.busy"));
    this.about = h("div", { class: "verify-about" }, name && h("p", { class: "verify-file" }, name));
    this.element = h("div", {}, this.verdict, this.about, this.list);
  }

  /** @param {Check} check */
  add(check) {
    this.list.append(drawStep(check));
  }

  /** @param {Verdict} result */
  end(result) {
    const { verdict, round, checks } = result;
    this.verdict.className = `verify-verdict ${verdict}`;
    this.verdict.dataset.verdict = verdict;
    const failed = checks.filter((check) => check.verdict === "failed").map((check) => t(`check.${check.name}`));
    put(this.verdict, h("strong", {}, t(`end.${verdict}`)), h("span", {}, t(`end.${verdict}.why`, { checks: failed.join(", ") })),
      aboutVerdict(result));
    const title = round && h("h2", {}, t("page.round", { number: String(round.number), rules: String(round.rules_label) }));
    put(this.about, ...this.about.childNodes, title, hands(round));
  }
}
