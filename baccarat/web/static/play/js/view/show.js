// A settled round, shown: cards from the shoe, the call, chips to and fro. It can be hurried to its end at any time.

import { drawStack } from "../art/chip.js";
import { minor } from "../core/money.js";
import { wait } from "../core/signals.js";
import { short, t } from "../words/index.js";
import { calm, carry } from "./motion.js";

const PACE = { fly: 430, gap: 190, third: 520, call: 900, pay: 760, hold: 1100 };
const NONE = { fly: 0, gap: 0, third: 0, call: 0, pay: 0, hold: 0 };

/** One showing at a time: `run(round)` resolves when it is over; `hurry()` ends it now. */
export class Show {
  constructor(stage) {
    this.stage = stage;
    this.round = null;
    this.step = "over";
    this.pace = NONE;
    this.running = null;
    this.release = [];
    this.quiet = false;
  }

  get on() {
    return this.round !== null;
  }

  /** Show a round from its first card; one that is being shown is hurried to its end before. */
  async run(round, options) {
    while (this.running) {
      this.hurry();
      await this.running;
    }
    this.running = this.play(round, options).finally(() => {
      this.running = null;
      this.round = null;
      this.enter("over");
    });
    return this.running;
  }

  /** Be over as soon as can be, without the call in the middle of the table: something else begins there. */
  async cut() {
    this.quiet = true;
    this.hurry();
    await this.running;
  }

  hurry() {
    this.pace = NONE;
    for (const done of this.release.splice(0)) done();
    for (const moving of this.stage.root.getAnimations({ subtree: true })) {
      if (moving.effect?.getComputedTiming().endTime !== Infinity) moving.finish();
    }
  }

  pause(name) {
    const time = this.pace[name];
    return time ? Promise.race([wait(time), new Promise((done) => this.release.push(done))]) : Promise.resolve();
  }

  async play(round, { instant }) {
    const { hands, sound } = this.stage;
    this.pace = instant || calm() ? NONE : PACE;
    this.round = round;
    this.quiet = false;
    this.enter("dealing");
    hands.clear();
    hands.shown = round.id;
    sound.say(t("call.no_more_bets"));
    await this.cards(round);
    this.enter("called");
    hands.crown(round.outcome);
    this.stage.call(round);
    await this.pause("call");
    this.enter("paying");
    await this.chips(round);
    await this.pause("hold");
  }

  enter(step) {
    this.step = step;
    this.stage.changed();
  }

  async cards(round) {
    const { hands, board, sound } = this.stage;
    const shoe = board.element.querySelector(".shoe") ?? board.element;
    const [player, banker] = [[...round.player_hand.cards], [...round.banker_hand.cards]];
    const order = [["player", player[0]], ["banker", banker[0]], ["player", player[1]], ["banker", banker[1]]];
    if (player[2]) order.push(["player", player[2]]);
    if (banker[2]) order.push(["banker", banker[2]]);
    const down = [];
    for (const [i, [side, card]] of order.entries()) {
      if (i === 4) await this.turnOver(down);
      if (i === 4) await this.pause("third");
      if (i >= 4) this.stage.caption(t(`draws.${side}`));
      sound.card();
      const drawn = await hands.deal(side, round.ceremony && i < 4 ? null : card, shoe, this.pace);
      if (round.ceremony && i < 4) down.push([side, drawn, card]);
      await this.pause("gap");
    }
    await this.turnOver(down);
  }

  /** Where a Caller turns the cards they lie face down first: the Player's hand is turned, then the Banker's. */
  async turnOver(down) {
    for (const side of ["player", "banker"]) {
      for (const [of, drawn, card] of down) if (of === side) this.stage.hands.turn(side, drawn, card);
      if (down.length) await this.pause("third");
    }
    down.length = 0;
  }

  /** Losing chips go to the dealer, winnings come from there and go home with their stakes. */
  async chips(round) {
    const { board, layer, chips, digits, sound } = this.stage;
    const bank = board.element.querySelector(".tray") ?? board.element.querySelector(".shoe") ?? board.element;
    const parts = round.seats.filter((seat) => seat.result);
    const spots = parts.flatMap((seat) => seat.result.spots.map((spot) => ({ ...spot, seat: seat.seat })));
    const fly = (amount, from, to) => carry(layer, drawStack(minor(amount), chips(), digits(), short(amount)), from, to, this.pace.pay);
    await Promise.all(spots.filter((spot) => spot.result === "lose").map((spot) => fly(spot.stake, board.find(spot.seat, spot.spot), bank)));
    const won = spots.filter((spot) => spot.result === "win");
    if (won.length) sound.chips();
    await Promise.all(won.map((spot) => fly(spot.win, bank, board.find(spot.seat, spot.spot))));
    await this.pause("gap");
    this.enter("paid");
    const back = spots.filter((spot) => minor(spot.returned) > 0n);
    await Promise.all(back.map((spot) => fly(spot.returned, board.find(spot.seat, spot.spot), board.home(spot.seat))));
  }
}
