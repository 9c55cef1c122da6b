// The time since the login, and what the player has won or lost since then with real money: in the lobby and at each table.

import { NoResponse, Problem, serverNow } from "../core/api.js";
import { h, say, set } from "../core/dom.js";
import { ownPart } from "../core/table_state.js";
import { minutes, signedMoney, t } from "../messages/index.js";

/** @import { Host } from "../panels/widgets.js" */

const MINUTE = 60_000;
/** The shortest time between two readings: rounds can be faster. */
const PAUSE = 2000;

export class Position {
  /** @param {Host} host */
  constructor(host) {
    this.host = host;
    this.label = h("span", { class: "position-label" });
    this.time = h("span", { class: "position-time" });
    this.net = h("output", { class: "position-net" });
    this.element = h("p", { class: "position", hidden: true }, this.label, " ", this.time, " ", this.net);
    /** @type {Api["SessionActivity"] | null} */
    this.session = null;
    /** Whether a round was in play when it was read first: what came of its stakes is not known yet. */
    this.open = false;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.reading = undefined;
    /** @type {ReturnType<typeof setInterval> | undefined} */
    this.ticking = undefined;
  }

  start() {
    this.read();
    this.ticking = setInterval(() => this.draw(), MINUTE);
  }

  stop() {
    clearInterval(this.ticking);
    clearTimeout(this.reading);
  }

  /** Read it again soon: one request for all that happens until then. */
  refresh() {
    this.reading ??= setTimeout(() => this.read(), PAUSE);
  }

  /**
   * What is staked in a round counts as lost until its result, which reads it again: what was read meanwhile is not
   * shown, but to who comes in.
   */
  async read() {
    try {
      const last = this.host.game?.latest?.last_round?.id;
      const { session } = /** @type {Api["RealityCheck"]} */ (await this.host.read(`me/reality-check${this.host.currency ? `?currency=${this.host.currency}` : ""}`));
      const { round = null, last_round = null } = this.host.game?.latest ?? {};
      if (this.host.game && last !== last_round?.id) return void await this.read();
      const open = Boolean(ownPart(round)?.wager);
      if (open && this.session) return;
      Object.assign(this, { session, open });
      this.draw();
    } catch (error) {
      if (!(error instanceof Problem || error instanceof NoResponse)) throw error;
    } finally {
      this.reading = undefined;
    }
  }

  draw() {
    const { session } = this;
    set(this.element, { hidden: !session, title: t("played.real") });
    if (!session) return;
    const { amount, currency } = session.net;
    say(this.label, t("period.session"));
    say(this.time, minutes(Math.max(0, Math.floor((serverNow() - Date.parse(session.started_at)) / MINUTE))));
    say(this.net, this.open ? "…" : signedMoney(amount, currency));
    set(this.net, { class: `position-net net ${this.open ? "even" : amount.startsWith("-") ? "lost" : Number(amount) > 0 ? "won" : "even"}` });
  }
}
