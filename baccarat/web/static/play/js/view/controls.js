// The player's rail: the turn, the chips, what can be done, and how much is bet.

import { drawChip } from "../art/chip.js";
import { h, put, say, set } from "../core/dom.js";
import { digitsOf, possible, statusOf, stakesOf, partOf, totalOf, withPending } from "../core/facts.js";
import { decimal, minor } from "../core/money.js";
import { money, t } from "../words/index.js";
import { underWay } from "./caller.js";
import { Countdown } from "./countdown.js";

const ACTIONS = [
  ["clear", "c"], ["undo", "u"], ["rebet", "0"], ["pass", "s"], ["newGame", "n"], ["rebetDeal", "r"], ["deal", "Enter"],
];

export class Controls {
  constructor(act, announce) {
    this.act = act;
    this.countdown = new Countdown(announce);
    this.message = h("p", { class: "message" });
    this.chips = h("div", { class: "chip-row", role: "group" });
    this.bet = h("output", { class: "bet-amount" });
    this.betLabel = h("span", { class: "bet-label" });
    this.buttons = Object.fromEntries(ACTIONS.map(([name, key]) => [name, this.button(name, key)]));
    this.element = h("section", { class: "controls" },
      h("div", { class: "turn" }, this.countdown.element, this.message),
      h("div", { class: "wagering" }, this.chips, h("p", { class: "bet" }, this.betLabel, this.bet)),
      h("div", { class: "actions", role: "group" }, Object.values(this.buttons)));
  }

  button(name, key) {
    return h("button", { type: "button", class: `action ${name}`, "data-act": name, "aria-keyshortcuts": key, onclick: () => this.act.run(name) });
  }

  draw(picture, { pending, selected, show, replaying }) {
    const digits = digitsOf(picture);
    const can = possible(picture, pending);
    const how = statusOf(picture);
    set(this.element, { "aria-label": t("controls.label"), hidden: how === "out" });
    set(this.chips, { "aria-label": t("chips.label") });
    this.drawChips(picture, digits, selected, can.place);
    const part = partOf(show.round ?? picture.round);
    const counts = ["deciding", "confirmed"].includes(part?.status);
    const shown = totalOf(withPending(counts ? stakesOf(part) : {}, show.on ? [] : pending));
    say(this.betLabel, t("bet"));
    say(this.bet, money(decimal(shown, digits), picture.currency));
    this.drawActions(picture, can);
    this.aim(picture, how);
    say(this.message, replaying ? t("message.replay") : this.words(picture, how, shown, show));
  }

  /** The ring counts to the end of the turn, and of the time that a seat has the Player's cards. */
  aim(picture, how) {
    const { round, rules } = picture;
    const ceremony = underWay(picture);
    if (ceremony) this.countdown.aim(ceremony.until, ceremony.looked ? rules.hand_back_seconds : rules.look_seconds, ceremony.you);
    else this.countdown.aim(round?.phase === "betting" ? round.deadline_at : null, rules.turn_seconds, how === "deciding");
  }

  drawChips(picture, digits, selected, enabled) {
    const wanted = picture.rules.chips.join(" ");
    if (this.chips.dataset.chips !== wanted) {
      this.chips.dataset.chips = wanted;
      put(this.chips, picture.rules.chips.map((text) => {
        const units = minor(text);
        return h("button", { type: "button", class: "chip-button", "data-chip": text, onclick: () => this.act.select(units) }, drawChip(units, digits), h("span", { class: "chip-mark", "aria-hidden": "true" }));
      }));
    }
    [...this.chips.children].forEach((button, i) => set(button, {
      "aria-pressed": String(minor(button.dataset.chip) === selected), "aria-keyshortcuts": String(i + 1),
      "aria-label": t("chip.label", { amount: money(button.dataset.chip, picture.currency) }), "aria-disabled": !enabled,
    }));
  }

  drawActions(picture, can) {
    const turns = picture.rules.turn_seconds !== null;
    const hidden = { pass: !turns, newGame: turns };
    for (const [name, button] of Object.entries(this.buttons)) {
      say(button, t(`act.${name}`));
      set(button, { hidden: hidden[name] ?? false, disabled: !can[name] });
    }
  }

  words(picture, how, bet, show) {
    if (show.on) return t(`show.${show.step}`);
    const ceremony = underWay(picture);
    if (ceremony) return t(ceremony.you ? "caller.you" : "caller.seat", { seat: ceremony.seat });
    if (picture.round?.suspended) return t("message.suspended");
    if (how === "deciding") return t(bet > 0n ? (picture.rules.turn_seconds === null ? "message.deal_alone" : "message.deal") : "message.bet");
    if (how === "idle") return t(picture.rules.turn_seconds === null ? "message.idle_alone" : "message.idle");
    return t(`message.${how}`);
  }
}
