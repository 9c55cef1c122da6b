// "Check": one line that says by whose keys a round is proven, with details for whoever wants them.

import { icon } from "../art/pieces.js";
import { get, Problem, wait } from "../core/api.js";
import { h, put, set } from "../core/dom.js";
import { receiptOf, receiptsOf, saveFile } from "../core/kept_receipts.js";
import { namedKeys } from "../core/session.js";
import { loadVerifying, t } from "../messages/index.js";
import { errorText } from "../panels/widgets.js";
import { verify } from "../../verify/checks.js";
import { t as inVerifier } from "../../verify/messages.js";
import { keysOf } from "../../verify/public_reads.js";
import { aboutVerdict, drawStep } from "../../verify/steps.js";
import { tickOf } from "../../verify/tick.js";
import { namedReleaseKeys, publishedKeys } from "./named_witnesses.js";
import { fetchProof } from "./receipts.js";

/** @import { Verdict } from "../../verify/checks.js" */
/** @import { WitnessAddress } from "../../verify/public_reads.js" */
/** @import { Tick } from "../../verify/tick.js" */

/** @typedef {{key: string, by: string | null, words: string}} GivenKey a key, who gave it (null for the casino itself), and that in words */
/** @typedef {{bytes: Uint8Array<ArrayBuffer>, keys: GivenKey[], result: Verdict}} Found */

/** A checkpoint that is asked for is signed and cosigned within ten seconds. */
const AGAIN = 2000;

/**
 * The keys that the casino publishes, and those that witnesses show at the addresses that it names.
 * @param {readonly WitnessAddress[]} witnesses
 * @returns {Promise<GivenKey[]>}
 */
async function ownKeys(witnesses) {
  const shown = witnesses.map(async (witness) => (await keysOf(witness)).map((key) => ({ key, by: witness.name, words: t("check.given.witness", { name: witness.name }) })));
  const own = (await publishedKeys()).map((key) => ({ key, by: null, words: t("check.given.own") }));
  return [...own, ...(await Promise.all(shown)).flat()];
}

export class Check {
  /** @param {{id: string, number: number}} round */
  constructor({ id, number }) {
    this.round = id;
    this.number = number;
    this.running = false;
    /** @type {Tick | "busy" | "error" | null} */
    this.tick = null;
    /** @type {Found | null} */
    this.found = null;
    this.button = h("button", { type: "button", class: "quiet check", "aria-label": t("fair.check.long", { number }), onclick: () => this.run() }, t("fair.check"));
    this.line = h("p", { class: "check-line", role: "status", hidden: true });
  }

  /** Say what is known, and again until witnesses have cosigned it. */
  async run() {
    if (this.running) return;
    this.running = true;
    try {
      this.say("busy", t("check.busy"));
      await loadVerifying();
      while (await this.look() === "waiting" && this.line.isConnected) await wait(AGAIN);
    } catch (error) {
      this.say("error", errorText(error));
    } finally {
      this.running = false;
    }
  }

  /** Check the round as it is in the log now. */
  async look() {
    if (!crypto.subtle) return this.say("unable", inVerifier("page.insecure"));
    const response = await fetchProof(this.round, { soon: true });
    if (!response.ok) {
      const problem = new Problem(await response.json(), response.status);
      if (problem.code === "round_not_sealed") return this.say("waiting", t("check.waiting"));
      throw problem;
    }
    const bytes = new Uint8Array(await response.arrayBuffer());
    const { items: witnesses } = await get("log/witnesses");
    const named = namedKeys();
    const keys = named?.keys.map((key) => ({ key, by: named.by, words: t("check.given", { name: named.by }) })) ?? await ownKeys(witnesses);
    const oneOf = await namedReleaseKeys();
    const result = await verify(bytes, { trusted: keys.map((each) => each.key), oneOf, receipts: receiptsOf(receiptOf(this.round)), witnesses });
    this.found = { bytes, keys, result };
    const tick = tickOf(result, named !== null);
    const failed = result.checks.filter((check) => check.verdict === "failed").map((check) => inVerifier(`check.${check.name}`));
    return this.say(tick, tick === "unable" ? inVerifier("signature.browser") : tick === "forced" ? t("forced") : t(`check.${tick}`, { name: named?.by, checks: failed.join(", ") }));
  }

  /**
   * @param {Tick | "busy" | "error"} tick
   * @param {string} words
   */
  say(tick, words) {
    if (tick === this.tick) return tick;
    this.tick = tick;
    set(this.line, { hidden: false, "data-tick": tick });
    put(this.line, h("span", { class: "check-words" }, words),
      this.found && h("button", { type: "button", class: "quiet", onclick: () => this.open() }, t("check.details")));
    return tick;
  }

  /** Show what stands behind the line. */
  open() {
    if (!this.found) return;
    const { bytes, keys, result } = this.found;
    const files = /** @type {const} */ ([
      ["check.save.round", `round-${this.number}.json`, bytes],
      ["check.save.keys", `keys-${this.number}.json`, JSON.stringify({ keys: keys.map(({ key, by }) => ({ key, given_by: by ?? "casino" })) }, null, 2)],
    ]);
    const dialog = h("dialog", { class: "check-details", "aria-label": t("check.title", { number: this.number }), onclose: () => dialog.remove(), onkeydown: (/** @type {Event} */ event) => event.stopPropagation() },
      h("div", { class: "panel-head" }, h("h2", {}, t("check.title", { number: this.number })),
        h("button", { type: "button", class: "panel-close", "aria-label": t("close"), onclick: () => dialog.close() }, icon("close"))),
      h("p", { class: "check-line", "data-tick": this.tick }, h("span", { class: "check-words" }, this.line.querySelector(".check-words")?.textContent)),
      h("p", { class: "check-about quiet-words" }, aboutVerdict(result)),
      h("h3", {}, t("check.keys")), h("ul", { class: "check-keys" }, keys.map(({ key, words }) => h("li", {}, h("code", { class: "hash" }, key), h("small", {}, words)))),
      h("div", { class: "side-by-side" }, files.map(([label, name, content]) => h("button", { type: "button", class: "quiet", onclick: () => saveFile(name, content) }, t(label))),
        h("a", { class: "quiet check", href: "verify/", target: "_blank" }, t("check.elsewhere"))),
      h("ol", { class: "verify-list" }, result.checks.map(drawStep)));
    document.body.append(dialog);
    dialog.showModal();
  }
}
