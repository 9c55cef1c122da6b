// Animates a settled round: cards from the shoe, the call, chips to and from the dealer.

/** @import { Card } from "../art/cards.js" */
/** @import { Board } from "./board.js" */
/** @import { Hands } from "./hands.js" */
/** @import { Sound } from "./sound.js" */

import { drawStack } from "../art/pieces.js";
import { wait } from "../core/api.js";
import { toMinor } from "../core/money.js";
import { chipText, t } from "../messages/index.js";

/** @typedef {"player" | "banker"} Side */
/** @typedef {"over" | "closing" | "dealing" | "called" | "collecting" | "paying" | "paid"} Step */
/** @typedef {{ round: Api["Round"], spots: (Api["SpotResult"] & { seat: number })[] }} Payout */

/**
 * What the animation moves, and what it tells.
 * @typedef {object} Stage
 * @property {HTMLElement} root
 * @property {Hands} hands
 * @property {Board} board
 * @property {HTMLElement} layer
 * @property {Sound} sound
 * @property {() => bigint[]} chips
 * @property {() => number} digits
 * @property {(round: Api["Round"]) => void} call
 * @property {(words: string) => void} caption
 * @property {() => void} changed
 */

const still = matchMedia("(prefers-reduced-motion: reduce)");

export const prefersReducedMotion = () => still.matches;

/** @param {Element} element */
function middle(element) {
  const box = element.getBoundingClientRect();
  return { x: box.left + box.width / 2, y: box.top + box.height / 2 };
}

/**
 * Move an element to its place from that of another element; at once if `milliseconds` is 0.
 * @param {HTMLElement} element
 * @param {Element | null} from
 * @param {number} milliseconds
 */
export async function moveFrom(element, from, milliseconds) {
  if (!milliseconds || !from?.isConnected) return;
  const [start, end] = [middle(from), middle(element)];
  const away = `translate(${start.x - end.x}px, ${start.y - end.y}px) scale(.4)`;
  await ended(element.animate([{ transform: away }, { transform: "none" }], { duration: milliseconds, easing: "ease-out" }));
}

/**
 * Move a copy from one element to another, then remove it.
 * @param {HTMLElement} layer
 * @param {HTMLElement} copy
 * @param {Element | null} from
 * @param {Element | null} to
 * @param {number} milliseconds
 */
export async function fly(layer, copy, from, to, milliseconds) {
  if (!milliseconds || !from?.isConnected || !to?.isConnected) return;
  const base = layer.getBoundingClientRect();
  const [start, end] = [middle(from), middle(to)];
  copy.classList.add("flying");
  layer.append(copy);
  /** @param {{ x: number, y: number }} point */
  const at = (point) => `translate(${point.x - base.left}px, ${point.y - base.top}px) translate(-50%, -50%)`;
  await ended(copy.animate(
    [{ transform: at(start), opacity: 1 }, { transform: at(end), opacity: 1, offset: 0.94 }, { transform: at(end), opacity: 0 }],
    { duration: milliseconds, easing: "ease-in-out", fill: "both" },
  ));
  copy.remove();
}

/** @param {Animation} animation */
async function ended(animation) {
  try {
    await animation.finished;
  } catch (error) {
    if (!(error instanceof DOMException && error.name === "AbortError")) throw error;
  }
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

/** How long a round takes at the usual pace. @param {Api["Round"]} round */
function usualLength(round) {
  const cards = round.player_hand.cards.length + round.banker_hand.cards.length;
  const each = PACE.slide + PACE.turn + PACE.rest;
  const thirds = (cards - 4) * PACE.third;
  return PACE.closed + cards * each + thirds + (isNatural(round) ? PACE.natural : 0) + PACE.call + PACE.net + PACE.collect + PACE.pay + PACE.take + PACE.mark;
}

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
    this.quiet = false;
  }

  get running() {
    return this.round !== null;
  }

  /**
   * Animate a round from its first card, after finishing the one that is running.
   * @param {Api["Round"]} round
   * @param {{ instant: boolean, within?: number }} options `within`: milliseconds it has, if it has to hurry
   */
  async run(round, options) {
    while (this.current) {
      this.finish();
      await this.current;
    }
    this.current = this.play(round, options).finally(() => {
      this.current = null;
      this.round = null;
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
    this.setPace(NONE);
    for (const done of this.pauses.splice(0)) done();
    for (const animation of this.stage.root.getAnimations({ subtree: true })) {
      if (animation.effect?.getComputedTiming().endTime !== Infinity) animation.finish();
    }
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
   * @param {{ instant: boolean, within?: number }} options
   */
  async play(round, { instant, within = Infinity }) {
    const { hands, sound } = this.stage;
    this.setPace(instant || prefersReducedMotion() ? NONE : scaled(Math.max(0.2, Math.min(1, within / usualLength(round)))));
    this.round = round;
    this.quiet = false;
    this.enter("closing");
    hands.clear();
    hands.shown = round.id;
    sound.play("closed");
    sound.say(t("call.no_more_bets"));
    await this.pause("closed");
    this.enter("dealing");
    await this.dealCards(round);
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

  /** @param {Api["Round"]} round */
  async dealCards(round) {
    const { hands } = this.stage;
    const [player, banker] = [round.player_hand.cards, round.banker_hand.cards];
    /** @type {[Side, Card, string][]} */
    const down = [];
    for (const [side, card] of /** @type {[Side, string][]} */ ([["player", player[0]], ["banker", banker[0]], ["player", player[1]], ["banker", banker[1]]])) {
      const drawn = await this.slide(side);
      if (round.ceremony) down.push([side, drawn, card]);
      else await this.turn(side, drawn, card);
    }
    for (const of of /** @type {Side[]} */ (["player", "banker"])) for (const [side, drawn, card] of down) if (side === of) await this.turn(side, drawn, card);
    if (isNatural(round)) {
      this.stage.caption(t("hand.natural"));
      await this.pause("natural");
    }
    for (const [side, card] of /** @type {[Side, string | undefined][]} */ ([["player", player[2]], ["banker", banker[2]]])) {
      if (!card) continue;
      this.stage.caption(t(`draws.${side}`));
      const drawn = await this.slide(side);
      hands.element.style.setProperty("--turn", `${this.pace.third}ms`);
      await this.turn(side, drawn, card);
      await this.pause("third");
    }
  }

  /** Slide a card from the shoe to a hand, face down. @param {Side} side */
  async slide(side) {
    const { hands, board, sound } = this.stage;
    sound.play("card");
    const drawn = hands.lay(side);
    await moveFrom(drawn, board.element.querySelector(".shoe-card"), this.pace.slide);
    return drawn;
  }

  /** @param {Side} side @param {Card} drawn @param {string} card */
  async turn(side, drawn, card) {
    this.stage.sound.play("turn");
    this.stage.hands.turn(side, drawn, card);
    await this.pause("turn");
    await this.pause("rest");
  }

  /**
   * Move losing chips to the dealer, winnings beside their stakes, then both to their seats.
   * @param {Api["Round"]} round
   */
  async payChips(round) {
    const { board, layer, chips, digits, sound } = this.stage;
    const rack = board.element.querySelector(".tray");
    const spots = round.seats.flatMap((seat) => (seat.result?.spots ?? []).map((spot) => ({ ...spot, seat: seat.seat })));
    /**
     * @param {string} amount
     * @param {Element | null} from
     * @param {Element | null} to
     * @param {number} time
     */
    const send = (amount, from, to, time) => fly(layer, drawStack(toMinor(amount), chips(), digits(), chipText(amount)), from, to, time);
    this.enter("collecting");
    const lost = spots.filter((spot) => spot.result === "lose");
    await Promise.all(lost.map((spot) => send(spot.stake, board.find(spot.seat, spot.spot), rack, this.pace.collect)));
    const won = spots.filter((spot) => spot.result === "win");
    if (won.length) sound.play("chips");
    await Promise.all(won.map((spot) => send(spot.win, rack, board.find(spot.seat, spot.spot), this.pace.pay)));
    this.enter("paying");
    await this.pause("net");
    this.enter("paid");
    const back = spots.filter((spot) => toMinor(spot.returned) > 0n);
    await Promise.all(back.map((spot) => send(spot.returned, board.find(spot.seat, spot.spot), board.home(spot.seat), this.pace.take)));
  }
}
