// The controls below the table: countdown, chips, actions and total bet.

import { drawChip } from "../art/pieces.js";
import { serverNow } from "../core/api.js";
import { h, put, s, say, set } from "../core/dom.js";
import { toDecimal, toMinor } from "../core/money.js";
import { ACTIONS, hiddenActions, MOMENTS, turnComes } from "../core/moves.js";
import { currencyDigits, currentCeremony, offeredChips, ownPart, seatsOf, stakesOf, ownStatus, totalStake, withPending } from "../core/table_state.js";
import { money, t } from "../messages/index.js";

/** @import { ActionName, Available, Moment } from "../core/moves.js" */
/** @import { PendingChip } from "../core/table_state.js" */
/** @import { Actions } from "./actions.js" */
/** @import { RoundAnimation } from "./animation.js" */
/** @import { Sound } from "./sound.js" */

const CIRCUMFERENCE = 2 * Math.PI * 20;
const WARNING_SECONDS = 5;
/** What is said even while a round is shown. @type {ReadonlySet<Moment>} */
const OVER_THE_SHOW = new Set(["stopped", "sending", "unsure", "confirming"]);

export class Countdown {
  /**
   * @param {(words: string) => void} announce
   * @param {Sound} sound
   */
  constructor(announce, sound) {
    this.announce = announce;
    this.sound = sound;
    this.arc = s("circle", { cx: 24, cy: 24, r: 20, class: "timer-left", "stroke-dasharray": CIRCUMFERENCE });
    this.text = h("span", { class: "timer-text" });
    this.element = h("div", { class: "timer", role: "timer", "aria-live": "off" },
      s("svg", { viewBox: "0 0 48 48", "aria-hidden": "true" }, s("circle", { cx: 24, cy: 24, r: 20, class: "timer-all" }), this.arc), this.text);
    /** @type {number | null} */
    this.until = null;
    this.total = 15;
    /** @type {number | null} */
    this.warned = null;
    this.ticked = 0;
    this.mine = false;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
  }

  stop() {
    clearTimeout(this.timer);
  }

  /**
   * Count to a deadline (RFC 3339, or null for none); `mine` while the viewer still has to act.
   * @param {string | null} deadline
   * @param {number | null} seconds
   * @param {boolean} mine
   */
  aim(deadline, seconds, mine) {
    this.until = deadline ? Date.parse(deadline) : null;
    this.total = seconds || 15;
    this.mine = mine;
    this.tick();
  }

  /** Draw the remaining time and schedule the next second; in between CSS moves the ring. */
  tick() {
    this.stop();
    const left = this.until === null ? 0 : Math.max(0, (this.until - serverNow()) / 1000);
    set(this.element, { "data-on": this.until !== null, "data-late": this.mine && left > 0 && left <= WARNING_SECONDS });
    if (this.until === null) return say(this.text, "");
    const whole = Math.ceil(left);
    const rest = Math.max(0, left - 1);
    this.arc.setAttribute("stroke-dashoffset", String(CIRCUMFERENCE * (1 - Math.min(1, rest / this.total))));
    say(this.text, String(whole));
    set(this.element, { "aria-label": t("turn.left", { n: whole }) });
    if (left > 0) this.timer = setTimeout(() => this.tick(), (left - whole + 1) * 1000 + 5);
    if (this.mine && whole > 0 && whole <= WARNING_SECONDS && whole !== this.ticked) this.sound.play("tick");
    this.ticked = whole;
    if (this.mine && whole === WARNING_SECONDS && this.warned !== this.until) {
      this.warned = this.until;
      this.announce(t("turn.left", { n: whole }));
    }
  }
}

export class Controls {
  /**
   * @param {Actions} act
   * @param {(words: string) => void} announce
   */
  constructor(act, announce) {
    this.act = act;
    this.announce = announce;
    this.countdown = new Countdown(announce, act.game.sound);
    this.message = h("p", { class: "message" });
    this.free = 0;
    this.sit = h("button", { type: "button", class: "primary", onclick: () => this.act.seat(this.free) });
    this.chips = h("div", { class: "chip-row", role: "group" });
    this.name = h("p", { class: "player-name" });
    this.bet = h("output", { class: "bet-amount" });
    this.betLabel = h("span", { class: "bet-label" });
    this.buttons = /** @type {Record<ActionName, HTMLButtonElement>} */ (Object.fromEntries(Object.entries(ACTIONS).map(([name, [key]]) => [name, this.button(/** @type {ActionName} */ (name), key)])));
    /** @type {Moment | null} */
    this.moment = null;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    this.element = h("section", { class: "controls" }, h("div", { class: "bar" },
      h("div", { class: "turn" }, this.countdown.element, this.message, this.sit),
      h("div", { class: "wagering" }, this.chips, h("div", { class: "stake" }, this.name, h("p", { class: "bet" }, this.betLabel, this.bet))),
      h("div", { class: "actions", role: "group" }, Object.values(this.buttons))));
  }

  /**
   * @param {ActionName} name
   * @param {string} key
   */
  button(name, key) {
    return h("button", { type: "button", class: `action ${name}`, "data-act": name, "aria-keyshortcuts": key, onclick: () => this.act.run(name) });
  }

  /**
   * @param {Api["Table"]} state
   * @param {{ pending: PendingChip[], selected: bigint, animation: RoundAnimation, replaying: Api["Round"] | null }} shown
   */
  draw(state, { pending, selected, animation, replaying }) {
    const digits = currencyDigits(state);
    const can = this.act.available();
    const moment = this.act.moment();
    const status = ownStatus(state);
    set(this.element, { "aria-label": t("controls.label"), "data-watching": status === "out", "data-untimed": state.rules.turn_seconds === null });
    set(this.chips, { "aria-label": t("chips.label") });
    this.drawSit(state, status);
    this.follow(state, moment);
    this.drawChips(state, digits, selected, can.place);
    const part = ownPart(animation.round ?? state.round);
    const counts = part !== null && ["deciding", "confirmed"].includes(part.status);
    const shown = totalStake(withPending(counts ? stakesOf(part) : {}, animation.running ? [] : pending));
    const { nickname } = this.act.game.preferences;
    say(this.name, nickname);
    set(this.name, { hidden: nickname === "", title: nickname });
    say(this.betLabel, t("bet"));
    say(this.bet, money(toDecimal(shown, digits), state.currency));
    this.drawActions(state, can);
    this.aim(state, status, animation.running);
    say(this.message, replaying ? t("message.replay") : this.words(state, moment, can, animation));
  }

  /** Say aloud that a deal is on its way, and draw again once betting opens by time alone. @param {Api["Table"]} state @param {Moment} moment */
  follow(state, moment) {
    if (moment !== this.moment && (moment === "sending" || moment === "unsure")) this.announce(t(MOMENTS[moment].words));
    this.moment = moment;
    clearTimeout(this.timer);
    const left = moment === "show" ? turnComes(state) - serverNow() : 0;
    if (left > 0) this.timer = setTimeout(() => this.act.game.draw(), left + 20);
  }

  stop() {
    clearTimeout(this.timer);
    this.countdown.stop();
  }

  /** Offer the first free seat to a spectator. @param {Api["Table"]} state @param {string} status */
  drawSit(state, status) {
    this.free = seatsOf(state, null).find(({ taken }) => !taken)?.seat ?? 0;
    set(this.sit, { hidden: status !== "out" || !this.free || Boolean(state.stop) });
    say(this.sit, t("sit.title", { seat: this.free }));
  }

  /**
   * Count down to the end of the turn, or of the time that a seat has the Player's cards.
   * @param {Api["Table"]} state
   * @param {string} status
   * @param {boolean} animated while a round is shown nothing else counts down
   */
  aim(state, status, animated) {
    const { round, rules } = state;
    const ceremony = currentCeremony(state);
    if (animated) this.countdown.aim(null, null, false);
    else if (ceremony) this.countdown.aim(ceremony.until, ceremony.looked ? rules.hand_back_seconds : rules.look_seconds, ceremony.you);
    else this.countdown.aim(round?.phase === "betting" ? round.deadline_at : null, rules.turn_seconds, status === "deciding");
  }

  /**
   * @param {Api["Table"]} state
   * @param {number} digits
   * @param {bigint} selected
   * @param {boolean} enabled
   */
  drawChips(state, digits, selected, enabled) {
    const offered = offeredChips(state.rules), chips = state.rules.chips.map(toMinor);
    const wanted = `${document.documentElement.lang} ${state.currency} ${offered.join(" ")}`;
    if (this.chips.dataset.chips !== wanted) {
      this.chips.dataset.chips = wanted;
      put(this.chips, offered.map((text, i) => {
        const units = toMinor(text);
        return h("button", { type: "button", class: "chip-button", "data-chip": text, "aria-keyshortcuts": i + 1, "aria-label": t("chip.label", { amount: money(text, state.currency) }),
          onclick: () => this.act.select(units) }, drawChip(units, chips, digits));
      }));
    }
    for (const [i, chip] of offered.entries()) set(this.chips.children[i], { "aria-pressed": String(toMinor(chip) === selected), "aria-disabled": enabled ? false : "true" });
  }

  /**
   * @param {Api["Table"]} state
   * @param {Available} can
   */
  drawActions(state, can) {
    const hidden = hiddenActions(state, can);
    const why = this.act.confirming && t("wallet.locked");
    for (const name of /** @type {ActionName[]} */ (Object.keys(ACTIONS))) {
      say(this.buttons[name], t(`act.${name}`));
      set(this.buttons[name], { hidden: hidden[name] ?? false, disabled: !can[name], title: why, "aria-description": why });
    }
  }

  /**
   * @param {Api["Table"]} state
   * @param {Moment} moment
   * @param {Available} can
   * @param {RoundAnimation} animation
   */
  words(state, moment, can, animation) {
    if (animation.running && !OVER_THE_SHOW.has(moment)) return t(can.place && ["closing", "dealing"].includes(animation.step) ? "show.open" : `show.${animation.step}`);
    const ceremony = currentCeremony(state);
    return t(ceremony?.you ? "caller.you" : MOMENTS[moment].words, { seat: ceremony?.seat });
  }
}
