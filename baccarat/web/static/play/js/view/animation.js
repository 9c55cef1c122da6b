// Animates a settled round: cards from the shoe, the call, chips to and from the dealer.

/** @import { Board } from "./board.js" */
/** @import { Hands, LaidCard } from "./hands.js" */
/** @import { Sound } from "./sound.js" */
/** @import { LastCard } from "./squeeze.js" */

import { drawStack } from "../art/pieces.js";
import { wait } from "../core/api.js";
import { toMinor } from "../core/money.js";
import { chipText, t } from "../messages/index.js";
import { points } from "./hands.js";

/** @typedef {"player" | "banker"} Side */
/** @typedef {"over" | "closing" | "dealing" | "called" | "collecting" | "paying" | "paid"} Step */
/** @typedef {{ round: Api["Round"], spots: (Api["SpotResult"] & { seat: number })[] }} Payout */

/**
 * What the animation moves, and what it tells.
 * @typedef {object} Stage
 * @property {Hands} hands
 * @property {Board} board
 * @property {LastCard} lastCard
 * @property {HTMLElement} layer
 * @property {Sound} sound
 * @property {() => bigint[]} chips
 * @property {() => number} digits
 * @property {() => Api["TableRules"]["show_milliseconds"]} lengths
 * @property {(round: Api["Round"]) => void} call
 * @property {(words: string) => void} caption
 * @property {() => boolean} closed whether nobody can bet meanwhile
 * @property {() => void} changed
 * @property {(round: Api["Round"]) => void} ended
 */

const still = matchMedia("(prefers-reduced-motion: reduce)");

export const prefersReducedMotion = () => still.matches;

/** @typedef {{ x: number, y: number }} Point the middle of an element on the screen */

/** @param {Element | null} element @returns {Point | null} */
function middle(element) {
  if (!element?.isConnected) return null;
  const box = element.getBoundingClientRect();
  return { x: box.left + box.width / 2, y: box.top + box.height / 2 };
}

/** Milliseconds of each part at its usual pace. */
const PACE = { closed: 400, slide: 260, turn: 220, rest: 180, natural: 700, third: 320, call: 900, net: 500, collect: 350, pay: 350, take: 400, mark: 250 };
/** @typedef {typeof PACE} Pace */
const NONE = scaled(0);

/** @param {number} factor @returns {Pace} */
function scaled(factor) {
  return /** @type {Pace} */ (Object.fromEntries(Object.entries(PACE).map(([name, time]) => [name, Math.round(time * factor)])));
}

/** @param {Api["Round"]} round */
const isNatural = (round) => round.player_hand.cards.length === 2 && round.banker_hand.cards.length === 2 && Math.max(round.player_hand.total ?? 0, round.banker_hand.total ?? 0) >= 8;

/** How long the call and the payment take at the usual pace. */
const RESULT = PACE.call + PACE.net + PACE.collect + PACE.pay + PACE.take + PACE.mark;
/** How long the last card may be squeezed where no betting waits for it. */
const SQUEEZE = 10_000;
/** Where a card is to be squeezed, the others are dealt this much faster: the show does not become longer. */
const BEFORE_SQUEEZE = 0.5;

const CARD = PACE.slide + PACE.turn + PACE.rest;
const TWO_CARDS = PACE.closed + 4 * CARD + RESULT;
/** How long each kind of deal takes at the usual pace. */
const USUAL = { two_cards: TWO_CARDS, natural: TWO_CARDS + PACE.natural, one_third_card: TWO_CARDS + CARD + PACE.third, two_third_cards: TWO_CARDS + 2 * (CARD + PACE.third) };
/** @type {(keyof typeof USUAL)[]} */
const BY_CARDS = ["two_cards", "one_third_card", "two_third_cards"];

/** @param {Api["Round"]} round */
const kindOf = (round) => (isNatural(round) ? "natural" : BY_CARDS[round.player_hand.cards.length + round.banker_hand.cards.length - 4]);

/** @param {number} available @param {number} usual */
const paceWithin = (available, usual) => Math.max(0.2, Math.min(1, available / usual));

/**
 * Return the pace, and the time until all must be shown, that fit whatever is dealt: neither may tell which cards come.
 * @param {Api["Round"]} round
 * @param {number} within
 * @param {Api["TableRules"]["show_milliseconds"]} lengths
 */
function timeOf(round, within, lengths) {
  const times = Object.entries(USUAL).map(([kind, usual]) => ({ usual, time: within + lengths[/** @type {keyof typeof USUAL} */ (kind)] - lengths[kindOf(round)] }));
  return { pace: Math.min(...times.map(({ usual, time }) => paceWithin(time, usual))), left: Math.min(...times.map(({ time }) => time)) };
}

/**
 * The cards that may be the last by those that are seen before them: which ones are squeezed must not tell what follows.
 * @param {Record<Side, LaidCard[]>} cards
 */
const mayBeLast = ({ player, banker }) => [banker[1], points(banker.slice(0, 2).map(({ card }) => card)) > 2 ? player[2] : undefined, banker[2]];

/** @typedef {{ instant: boolean, within?: number, squeeze?: boolean }} Show `within`: milliseconds it has, if it has to hurry; `squeeze`: whether the player peels each card that may be the last */

/** Animates one round at a time: `run(round)` resolves at the end, `finish()` skips to it. */
export class RoundAnimation {
  /** @param {Stage} stage */
  constructor(stage) {
    this.stage = stage;
    /** @type {Api["Round"] | null} */
    this.round = null;
    /** @type {Step} */
    this.step = "over";
    this.pace = NONE;
    /** @type {Promise<void> | null} */
    this.current = null;
    /** @type {(() => void)[]} */
    this.pauses = [];
    /** @type {Set<Animation>} */
    this.moving = new Set();
    /** @type {Set<LaidCard | undefined>} */
    this.squeezed = new Set();
    this.end = Infinity;
    this.quiet = false;
  }

  get running() {
    return this.round !== null;
  }

  /**
   * Animate a round from its first card, after finishing the one that is running.
   * @param {Api["Round"]} round
   * @param {Show} options
   */
  async run(round, options) {
    while (this.current) {
      this.finish();
      await this.current;
    }
    this.current = this.play(round, options).finally(() => {
      this.current = null;
      this.round = null;
      this.stage.ended(round);
      this.enter("over");
    });
    return this.current;
  }

  /** Finish without the call in the middle of the table. */
  async finishQuietly() {
    this.quiet = true;
    this.finish();
    await this.current;
  }

  finish() {
    if (!this.running) return;
    this.setPace(NONE);
    for (const done of this.pauses.splice(0)) done();
    for (const animation of this.moving) animation.finish();
  }

  /** @param {Pace} pace */
  setPace(pace) {
    this.pace = pace;
    this.stage.hands.element.style.setProperty("--turn", `${pace.turn}ms`);
  }

  /** @param {keyof Pace} name */
  async pause(name) {
    const time = this.pace[name];
    if (time) await Promise.race([wait(time), new Promise((done) => this.pauses.push(() => done(undefined)))]);
  }

  /**
   * @param {Api["Round"]} round
   * @param {Show} options
   */
  async play(round, { instant, within = Infinity, squeeze = false }) {
    const { hands, sound } = this.stage;
    const { pace, left } = timeOf(round, within, this.stage.lengths());
    this.setPace(instant || prefersReducedMotion() ? NONE : scaled(pace * (squeeze ? BEFORE_SQUEEZE : 1)));
    this.end = performance.now() + left;
    this.round = round;
    this.quiet = false;
    this.enter("closing");
    const cards = hands.lay(round);
    this.squeezed = new Set(squeeze ? mayBeLast(cards) : []);
    sound.play("closed");
    if (this.stage.closed()) sound.say(t("call.no_more_bets"));
    await this.pause("closed");
    this.enter("dealing");
    await this.dealCards(round, cards);
    hands.clearUnused();
    this.enter("called");
    hands.markWinner(round.outcome);
    this.stage.call(round);
    await this.pause("call");
    await this.payChips(round);
    await this.pause("mark");
  }

  /** @param {Step} step */
  enter(step) {
    this.step = step;
    this.stage.changed();
  }

  /**
   * Move an element along the screen until it has arrived, or is skipped.
   * @param {HTMLElement} element
   * @param {Keyframe[]} frames
   * @param {KeyframeAnimationOptions} options
   */
  async move(element, frames, options) {
    const animation = element.animate(frames, options);
    this.moving.add(animation);
    try {
      await animation.finished;
    } catch (error) {
      if (!(error instanceof DOMException && error.name === "AbortError")) throw error;
    }
    this.moving.delete(animation);
  }

  /**
   * @param {Api["Round"]} round
   * @param {Record<Side, LaidCard[]>} laid
   */
  async dealCards(round, { player, banker }) {
    const { hands } = this.stage;
    this.measureSlides([...player, ...banker]);
    const four = [player[0], banker[0], player[1], banker[1]];
    for (const card of four) {
      await this.slide(card);
      if (!round.ceremony) await this.turn(card);
    }
    if (round.ceremony) for (const card of [player[0], player[1], banker[0], banker[1]]) await this.turn(card);
    if (isNatural(round)) {
      this.stage.caption(t("hand.natural"));
      await this.pause("natural");
    }
    for (const card of [player[2], banker[2]]) {
      if (!card) continue;
      this.stage.caption(t(`draws.${card.side}`));
      await this.slide(card);
      hands.element.style.setProperty("--turn", `${this.pace.third}ms`);
      await this.turn(card);
      await this.pause("third");
    }
  }

  /** Measure the ways of all cards before anything moves: later, each would make the browser lay out the page. @param {LaidCard[]} cards */
  measureSlides(cards) {
    if (!this.pace.slide) return;
    const shoe = middle(this.stage.board.element.querySelector(".shoe-card"));
    for (const card of cards) {
      const end = middle(card.drawn);
      if (shoe && end) card.away = { x: shoe.x - end.x, y: shoe.y - end.y };
    }
  }

  /** Slide a card from the shoe to its hand, face down. @param {LaidCard} card */
  async slide({ drawn, away }) {
    this.stage.sound.play("card");
    drawn.classList.remove("coming");
    if (!this.pace.slide || !away) return;
    const start = { transform: `translate(${away.x}px, ${away.y}px) scale(.4)` };
    await this.move(drawn, [start, { transform: "none" }], { duration: this.pace.slide, easing: "ease-out" });
  }

  /** @param {LaidCard} card */
  async turn(card) {
    if (this.squeezed.has(card)) await this.squeeze(card);
    this.stage.sound.play("turn");
    this.stage.hands.turn(card);
    await this.pause("turn");
    await this.pause("rest");
  }

  /** Let the player peel a card until it is turned, its time is over or the show is skipped. @param {LaidCard} card */
  async squeeze(card) {
    const { lastCard } = this.stage;
    const left = Math.min(SQUEEZE, this.end - performance.now());
    await Promise.race([lastCard.show(card, left), wait(left), new Promise((done) => this.pauses.push(() => done(undefined)))]);
    lastCard.hide();
    if (this.pace === NONE) return;
    this.setPace(this.end > performance.now() ? scaled(paceWithin(this.end - performance.now(), RESULT)) : NONE);
  }

  /**
   * Move losing chips to the dealer, winnings beside their stakes, then both to their seats.
   * @param {Api["Round"]} round
   */
  async payChips(round) {
    const { board, sound } = this.stage;
    const rack = middle(board.element.querySelector(".tray"));
    const spots = round.seats.flatMap((seat) => (seat.result?.spots ?? []).map((spot) => ({
      ...spot, at: middle(board.find(seat.seat, spot.spot)), home: middle(board.home(seat.seat)),
    })));
    this.enter("collecting");
    const lost = spots.filter((spot) => spot.result === "lose");
    await this.send(lost.map((spot) => ({ amount: spot.stake, from: spot.at, to: rack })), this.pace.collect);
    const won = spots.filter((spot) => spot.result === "win");
    if (won.length) sound.play("chips");
    await this.send(won.map((spot) => ({ amount: spot.won, from: rack, to: spot.at })), this.pace.pay);
    this.enter("paying");
    await this.pause("net");
    this.enter("paid");
    const back = spots.filter((spot) => toMinor(spot.returned) > 0n);
    await this.send(back.map((spot) => ({ amount: spot.returned, from: spot.at, to: spot.home })), this.pace.take);
  }

  /**
   * Move chips over the table. All are drawn before the first moves: for each move the browser works out what is new.
   * @param {{ amount: string, from: Point | null, to: Point | null }[]} stacks
   * @param {number} milliseconds
   */
  async send(stacks, milliseconds) {
    if (!milliseconds) return;
    const { layer, chips, digits } = this.stage;
    /** @param {Point} point */
    const at = (point) => `translate(${point.x}px, ${point.y}px) translate(-50%, -50%)`;
    const flights = stacks.flatMap(({ amount, from, to }) => {
      if (!from || !to) return [];
      const stack = layer.appendChild(drawStack(toMinor(amount), chips(), digits(), chipText(amount)));
      stack.classList.add("flying");
      return [{ stack, frames: [{ transform: at(from) }, { transform: at(to), opacity: 1, offset: 0.94 }, { transform: at(to), opacity: 0 }] }];
    });
    await Promise.all(flights.map(({ stack, frames }) => this.move(stack, frames, { duration: milliseconds, easing: "ease-in-out", fill: "both" })));
    layer.replaceChildren();
  }
}
