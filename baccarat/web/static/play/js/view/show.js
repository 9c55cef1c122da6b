// What a result changes beside its cards, and the step of the presentation that releases it: nothing is told before.

import { toDecimal, toMinor } from "../core/money.js";
import { currencyDigits, ownPart } from "../core/table_state.js";
import { get } from "../core/api.js";

/** @import { Game } from "./game.js" */
/** @import { Step } from "./animation.js" */

/** @type {ReadonlySet<Step>} */
const CALLED = new Set(["called", "collecting", "paying", "paid"]);

/** Holds back what follows from the round that is being presented; what was fetched meanwhile is shown after `settled()`. */
export class Show {
  /** @param {Game} game */
  constructor(game) {
    this.game = game;
    /** The settled round whose presentation has not ended. @type {Api["Round"] | null} */
    this.round = null;
    /** The table before that round was settled. @type {Api["Table"] | null} */
    this.before = null;
    /** @type {(() => void)[]} */
    this.waiting = [];
    /** @type {{ key: unknown[], state: Api["Table"] } | null} */
    this.drawn = null;
  }

  /**
   * Hold back a round's result from now on.
   * @param {Api["Round"]} round
   * @param {Api["Table"]} before
   */
  begin(round, before) {
    this.round = round;
    this.before = before;
  }

  /** Release what is still held of a round. @param {Api["Round"]} round */
  end(round) {
    if (!this.hides(round)) return;
    this.round = null;
    this.before = null;
    for (const release of this.waiting.splice(0)) release();
  }

  /** How far the held round is presented. @returns {Step} */
  get step() {
    const { animation } = this.game;
    return this.round && animation.round?.id === this.round.id ? animation.step : "closing";
  }

  /** Whether winnings of the held round are not paid out yet. */
  get unpaid() {
    return this.round !== null && this.step !== "paid";
  }

  /** Whether a round's result may not be seen yet. @param {{ id: string }} round */
  hides(round) {
    return this.round?.id === round.id;
  }

  /**
   * Return the table as it is to be seen: before the call without the cards that are out, before the payment without money.
   * @param {Api["Table"]} state
   */
  seen(state) {
    const { round, before, step } = this;
    if (!round || !before || !this.unpaid) return state;
    const key = [state, round, step];
    if (this.drawn?.key.every((each, i) => each === key[i])) return this.drawn.state;
    const aside = new Map(before.seats.map((seat) => [seat.seat, seat.commission_set_aside]));
    const held = {
      ...state,
      shoe: CALLED.has(step) ? state.shoe : before.shoe,
      balance_told_at: before.balance_told_at,
      seats: state.seats.map((seat) => ({ ...seat, commission_set_aside: aside.get(seat.seat) ?? seat.commission_set_aside })),
      you: state.you && { ...state.you, ...balanceBefore(state, before, round), low_balance: null },
    };
    this.drawn = { key, state: held };
    return held;
  }

  /** Resolve once the page knows of every settlement that the service may have told of. */
  async known() {
    const { actions, stream } = this.game;
    do {
      await actions.queue.last;
      if (!this.game.latest || this.game.latest.round) await stream.refresh();
    } while (actions.busy());
  }

  /** Resolve once it is known what was settled, and its presentation is over. */
  async settled() {
    await this.known();
    if (this.round) await new Promise((done) => this.waiting.push(() => done(undefined)));
  }

  /** GET what may follow from a result, and return it once that is seen. @param {string} path */
  async get(path) {
    const answer = await get(path);
    await this.settled();
    return answer;
  }
}

/**
 * The player's balance without what the round returns. What the casino's own wallet
 * tells arrives by itself.
 * @param {Api["Table"]} state
 * @param {Api["Table"]} before
 * @param {Api["Round"]} round
 */
function balanceBefore(state, before, round) {
  const result = ownPart(round)?.result;
  if (!state.you || !result) return {};
  if (state.you.balance_told_at) return before.you && { game_balance: before.you.game_balance, balance_told_at: before.you.balance_told_at };
  return { game_balance: { ...state.you.game_balance, amount: toDecimal(toMinor(state.you.game_balance.amount) - toMinor(result.returned), currencyDigits(state)) } };
}
