// What the player has to be told: in a line on the screen, and to those who listen.

import { icon } from "../art/icons.js";
import { h } from "../core/dom.js";
import { plainly, t } from "../words/index.js";

const STAYS = 9000;

export const announce = (words) => {
  const live = document.getElementById("live");
  live.textContent = "";
  requestAnimationFrame(() => {
    live.textContent = words;
  });
};

/** Lines above the table; those of the same `key` replace one another. */
export class Notices {
  constructor() {
    this.element = h("div", { class: "notices" });
    this.kept = new Map();
  }

  /** Show a line: kind info, warning or problem; `actions` are [words, function]; it stays with `stay`. */
  tell(words, { key = words, kind = "info", remedy = "", actions = [], stay = false } = {}) {
    const old = this.kept.get(key);
    if (old?.words === words && stay) return;
    this.drop(key);
    const close = h("button", { type: "button", class: "notice-close", "aria-label": t("close"), onclick: () => this.drop(key) }, icon("close"));
    const line = h("div", { class: `notice ${kind}` },
      h("p", {}, h("strong", {}, words), remedy ? h("span", {}, ` ${remedy}`) : null),
      actions.map(([label, run]) => h("button", { type: "button", class: "notice-act", onclick: run }, label)), close);
    this.element.append(line);
    const timer = stay ? null : setTimeout(() => this.drop(key), STAYS);
    this.kept.set(key, { line, words, timer });
    if (kind === "problem") document.getElementById("alert").textContent = `${words} ${remedy}`;
    else announce(`${words} ${remedy}`);
  }

  /** Show why something was refused, in plain words. */
  problem(error, actions = []) {
    const { title, remedy } = plainly(error);
    this.tell(title, { key: "problem", kind: "problem", remedy, actions });
  }

  drop(key) {
    const old = this.kept.get(key);
    if (!old) return;
    clearTimeout(old.timer);
    old.line.remove();
    this.kept.delete(key);
  }
}
