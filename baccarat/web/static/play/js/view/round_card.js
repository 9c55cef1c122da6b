// The round behind a mark of the scoreboard: shown by hovering, a long press, or arrow keys.

import { get, NoResponse, Problem } from "../core/api.js";
import { h, put } from "../core/dom.js";
import { ownPart } from "../core/table_state.js";
import { moment, t } from "../messages/index.js";
import { Check } from "./check.js";

/** @import { Game } from "./game.js" */

/** @type {Record<string, string>} */
const SUITS = { s: "♠", h: "♥", d: "♦", c: "♣" };
const HOVER = 180;
const LONG_PRESS = 450;

/** @param {string} card */
const cardText = (card) => card.slice(0, -1).replace("T", "10") + SUITS[card.slice(-1)];

export class RoundCard {
  /** @param {Game} game */
  constructor(game) {
    this.game = game;
    this.element = h("div", { class: "round-card", popover: "manual", role: "dialog", "aria-label": t("score.round") });
    /** @type {Map<number, Promise<Api["Round"] | null>>} */
    this.rounds = new Map();
    /** @type {number | null} */
    this.number = null;
    this.timer = 0;
  }

  /**
   * Show the rounds of the marks in an element: those with `data-number`.
   * @param {HTMLElement} track
   */
  follow(track) {
    this.track = track;
    const mark = (/** @type {Event} */ event) => (event.target instanceof Element ? event.target.closest("[data-number]") : null);
    const later = (/** @type {Event} */ event, /** @type {number} */ wait) => {
      clearTimeout(this.timer);
      const found = mark(event);
      if (found) this.timer = setTimeout(() => this.show(Number(found.getAttribute("data-number"))), wait);
      return found;
    };
    const hideLater = () => {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.hide(), HOVER * 2);
    };
    track.addEventListener("pointerover", (event) => event.pointerType === "mouse" && later(event, HOVER));
    track.addEventListener("pointerleave", (event) => event.pointerType === "mouse" && hideLater());
    track.addEventListener("pointerdown", (event) => event.pointerType !== "mouse" && (later(event, LONG_PRESS) || this.hide()));
    for (const end of ["pointerup", "pointercancel", "scroll"]) track.addEventListener(end, () => this.number === null && clearTimeout(this.timer));
    track.addEventListener("contextmenu", (event) => mark(event) && event.preventDefault());
    track.addEventListener("click", (event) => mark(event) && later(event, 0));
    track.addEventListener("keydown", (event) => this.key(event));
    this.element.addEventListener("pointerenter", () => clearTimeout(this.timer));
    this.element.addEventListener("pointerleave", hideLater);
    this.element.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      event.stopPropagation();
      this.hide();
      track.focus();
    });
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const numbers = this.numbers();
    const at = this.number === null ? numbers.length : numbers.indexOf(this.number);
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: numbers.length - 1 }[event.key];
    if (event.key === "Escape" && this.number !== null) this.hide();
    else if (event.key === "Enter" && this.number !== null) /** @type {HTMLElement | null} */ (this.element.querySelector("a, button"))?.focus();
    else if (to !== undefined && numbers.length) this.show(numbers[Math.min(Math.max(to, 0), numbers.length - 1)]);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  numbers() {
    const marks = [...(this.track?.querySelectorAll("[data-number]") ?? [])].map((each) => Number(each.getAttribute("data-number")));
    return [...new Set(marks)].sort((a, b) => a - b);
  }

  /** @param {number} number */
  async show(number) {
    this.number = number;
    for (const each of this.track?.querySelectorAll("[data-number]") ?? []) each.classList.toggle("chosen", each.getAttribute("data-number") === String(number));
    const round = await this.load(number);
    if (this.number !== number || !this.track?.isConnected) return;
    put(this.element, round ? this.content(round) : h("p", {}, t("score.round.unknown", { number })));
    this.element.showPopover();
    this.place();
  }

  hide() {
    clearTimeout(this.timer);
    this.number = null;
    for (const each of this.track?.querySelectorAll(".chosen") ?? []) each.classList.remove("chosen");
    if (this.element.isConnected) this.element.hidePopover();
  }

  /** Put the card beside the chosen mark that can be seen, inside the window. */
  place() {
    const marks = [...(this.track?.querySelectorAll(".chosen") ?? [])].map((each) => each.getBoundingClientRect());
    const mark = marks.find((each) => each.width > 0 && each.right > 0 && each.left < innerWidth);
    if (!mark) return;
    const { offsetWidth: width, offsetHeight: height } = this.element;
    const left = Math.min(Math.max(mark.left + mark.width / 2 - width / 2, 8), innerWidth - width - 8);
    const above = mark.top - height - 8;
    this.element.style.left = `${left}px`;
    this.element.style.top = `${above > 8 ? above : Math.min(mark.bottom + 8, innerHeight - height - 8)}px`;
  }

  /**
   * Load a round of the table by its number; null if it cannot be had now.
   * @param {number} number
   */
  load(number) {
    const cached = this.rounds.get(number);
    if (cached) return cached;
    const loading = get(`tables/${this.game.table}/rounds?number=${number}`).then((page) => page.items[0] ?? null, (error) => {
      this.rounds.delete(number);
      if (error instanceof Problem || error instanceof NoResponse) return null;
      throw error;
    });
    this.rounds.set(number, loading);
    return loading;
  }

  /** @param {Api["Round"]} round */
  content(round) {
    const hands = /** @type {const} */ (["player", "banker"]).map((side) => {
      const hand = round[`${side}_hand`];
      return hand && h("p", { class: `round-card-hand ${side}` }, h("strong", {}, t(`spots.${side}`)), h("span", {}, hand.cards.map(cardText).join(" ")), h("span", {}, String(hand.total)));
    });
    const check = ownPart(round) && round.phase !== "lapsed" ? new Check(round) : null;
    return [h("p", { class: "round-card-title" }, h("strong", {}, t("score.round.title", { number: round.number })), h("time", {}, round.ended_at ? moment(round.ended_at) : "")), hands,
      round.forced && h("p", {}, t("forced")),
      h("p", { class: "round-card-acts" },
        round.phase === "settled" ? h("button", { type: "button", class: "quiet", onclick: () => { this.hide(); this.game.rounds.replay(round); } }, t("history.replay")) : null,
        check?.button ?? h("small", {}, t("score.proof.players"))), check?.line];
  }
}
