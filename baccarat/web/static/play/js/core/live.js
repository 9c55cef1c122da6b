// What happens at the table: server-sent events where the service has them, asking again and again where not.

import { get, news, NoAnswer, plainPost, Problem, streamAddress } from "./api.js";
import { learn } from "./clock.js";
import { wait } from "./signals.js";

const KEPT = "casino.position";
const KINDS = ["snapshot", "event", "balances", "reset", "end"];

/** A table followed until `stop()`. Calls back: table(picture, asked at), event(message), balances(balances), state(word), end(code). */
export class Live {
  constructor(table, handlers) {
    this.table = table;
    this.handlers = handlers;
    this.position = sessionStorage.getItem(`${KEPT}.${table}`);
    this.stopped = false;
    this.streaming = false;
    this.fetching = null;
    this.next = null;
    this.hangUp = () => undefined;
    this.nudged = () => this.look();
    addEventListener("online", this.nudged);
    document.addEventListener("visibilitychange", this.nudged);
  }

  start() {
    this.follow();
    this.watch();
  }

  stop() {
    this.stopped = true;
    this.hangUp();
    removeEventListener("online", this.nudged);
    document.removeEventListener("visibilitychange", this.nudged);
  }

  /** Fetch the table; while that is under way once more after it, for all who ask meanwhile. */
  look() {
    if (this.stopped) return Promise.resolve();
    if (this.fetching) {
      this.next ??= this.fetching.then(() => {
        this.next = null;
        return this.look();
      });
      return this.next;
    }
    this.fetching = this.fetch().finally(() => { this.fetching = null; });
    return this.fetching;
  }

  async fetch() {
    const sentAt = Date.now();
    try {
      const picture = await get(`tables/${this.table}`);
      learn(picture.server_time, sentAt);
      if (!this.stopped) {
        this.handlers.table(picture, sentAt);
        this.handlers.state(this.streaming ? "live" : "asking");
      }
    } catch (error) {
      if (this.stopped) return;
      if (error instanceof Problem && error.status < 500) this.handlers.refused(error);
      else this.handlers.state("away");
    }
  }

  async watch() {
    while (!this.stopped) {
      if (!document.hidden || !this.streaming) await this.look();
      await wait(this.streaming ? 10_000 : this.handlers.hurry() ? 300 : 1000);
    }
  }

  /** Hold a stream open as long as the service offers one. */
  async follow() {
    for (let pause = 400; !this.stopped; pause = Math.min(pause * 1.7, 6000)) {
      try {
        if (await this.stream()) pause = 400;
      } catch (error) {
        if (error instanceof Problem && [404, 405].includes(error.status)) return;
        if (error instanceof Problem && error.status === 401) return;
        if (!(error instanceof Problem) && !(error instanceof NoAnswer)) throw error;
      }
      this.streaming = false;
      if (!this.stopped) this.handlers.state("away");
      await Promise.race([wait(pause), new Promise((done) => addEventListener("online", done, { once: true }))]);
    }
  }

  async stream() {
    this.askedAt = Date.now();
    const { ticket } = await plainPost("stream/tickets", {});
    const query = { ticket, table: this.table };
    if (this.position !== null) {
      query.after = this.position;
      this.handlers.back(this.position);
    }
    return new Promise((done) => {
      let opened = false;
      const source = new EventSource(streamAddress(query));
      source.onopen = () => {
        opened = true;
        this.streaming = true;
        this.handlers.state("live");
      };
      const stop = () => {
        source.close();
        removeEventListener("offline", stop);
        done(opened);
      };
      source.onerror = stop;
      this.hangUp = stop;
      addEventListener("offline", stop);
      for (const kind of KINDS) source.addEventListener(kind, (message) => this.heard(kind, message));
    });
  }

  heard(kind, message) {
    if (this.stopped) return;
    news.emit("answered");
    if (message.lastEventId) this.keep(message.lastEventId);
    const data = message.data ? JSON.parse(message.data) : {};
    if (kind === "end") this.handlers.end(data.code);
    else if (kind === "balances") this.handlers.balances(data);
    else if (kind === "event") this.handlers.event(data);
    else if (kind === "reset") this.look();
    else this.snapshot(data);
    if (kind === "event" && data.table === this.table) this.look();
  }

  keep(position) {
    this.position = position;
    sessionStorage.setItem(`${KEPT}.${this.table}`, position);
  }

  snapshot(data) {
    if (data.balances) this.handlers.balances(data.balances);
    const picture = (data.tables ?? []).find((table) => table.id === this.table);
    if (picture) this.handlers.table(picture, this.askedAt);
    else this.look();
  }
}
