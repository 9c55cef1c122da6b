// Follows one table: server-sent events where the service offers them, polling elsewhere.

import { get, syncClock, NoResponse, post, Problem, streamUrl, wait } from "./api.js";
import { tabStorage } from "./session.js";

const KINDS = ["snapshot", "event", "balances", "reset", "end"];

/**
 * @typedef {object} StreamHandlers
 * @property {(state: Partial<Api["Table"]>, askedAt: number) => void} table
 * @property {(event: Api["LiveEvent"]) => void} event
 * @property {(balances: Api["Balances"]) => void} balances
 * @property {(status: "streaming" | "polling" | "offline") => void} connection
 * @property {(position: string) => void} resumed
 * @property {(problem: Problem) => void} refused
 * @property {(code: string) => void} end
 * @property {() => boolean} isUrgent whether to poll often
 */

/** Follows a table until `stop()`. */
export class TableStream {
  /**
   * @param {string} table
   * @param {StreamHandlers} handlers
   */
  constructor(table, handlers) {
    this.table = table;
    this.handlers = handlers;
    /** @type {string | null} */
    this.position = tabStorage.get(`position.${table}`, null);
    this.stopped = false;
    this.streaming = false;
    this.askedAt = 0;
    /** @type {Promise<void> | null} */
    this.currentFetch = null;
    /** @type {Promise<void> | null} */
    this.nextFetch = null;
    /** @type {() => void} */
    this.closeStream = () => undefined;
    this.onWake = () => this.refresh();
    addEventListener("online", this.onWake);
    document.addEventListener("visibilitychange", this.onWake);
  }

  start() {
    this.holdStream();
    this.poll();
  }

  stop() {
    this.stopped = true;
    this.closeStream();
    removeEventListener("online", this.onWake);
    document.removeEventListener("visibilitychange", this.onWake);
  }

  /**
   * Fetch the table. Calls during a fetch share one more fetch after it.
   * @returns {Promise<void>}
   */
  refresh() {
    if (this.stopped) return Promise.resolve();
    if (this.currentFetch) {
      this.nextFetch ??= this.currentFetch.then(() => {
        this.nextFetch = null;
        return this.refresh();
      });
      return this.nextFetch;
    }
    this.currentFetch = this.fetch().finally(() => { this.currentFetch = null; });
    return this.currentFetch;
  }

  async fetch() {
    const sentAt = Date.now();
    try {
      const state = await get(`tables/${this.table}`);
      syncClock(state.server_time, sentAt);
      if (!this.stopped) {
        this.handlers.table(state, sentAt);
        this.handlers.connection(this.streaming ? "streaming" : "polling");
      }
    } catch (error) {
      if (this.stopped) return;
      if (error instanceof Problem && error.status < 500) this.handlers.refused(error);
      else this.handlers.connection("offline");
    }
  }

  async poll() {
    while (!this.stopped) {
      if (!document.hidden || !this.streaming) await this.refresh();
      await wait(this.streaming ? 10_000 : this.handlers.isUrgent() ? 300 : 1000);
    }
  }

  /** Keep a stream open as long as the service offers one. */
  async holdStream() {
    for (let pause = 400; !this.stopped; pause = Math.min(pause * 1.7, 6000)) {
      try {
        if (await this.openStream()) pause = 400;
      } catch (error) {
        if (error instanceof Problem && [404, 405].includes(error.status)) return;
        if (error instanceof Problem && error.status === 401) return;
        if (!(error instanceof Problem) && !(error instanceof NoResponse)) throw error;
      }
      this.streaming = false;
      if (!this.stopped) this.handlers.connection("offline");
      await Promise.race([wait(pause), new Promise((done) => addEventListener("online", done, { once: true }))]);
    }
  }

  async openStream() {
    this.askedAt = Date.now();
    const { ticket } = await post("stream/tickets", {});
    /** @type {Record<string, string>} */
    const query = { ticket, table: this.table };
    if (this.position !== null) {
      query.after = this.position;
      this.handlers.resumed(this.position);
    }
    return new Promise((done) => {
      let opened = false;
      const source = new EventSource(streamUrl(query));
      source.onopen = () => {
        opened = true;
        this.streaming = true;
        this.handlers.connection("streaming");
      };
      const stop = () => {
        source.close();
        removeEventListener("offline", stop);
        done(opened);
      };
      source.onerror = stop;
      this.closeStream = stop;
      addEventListener("offline", stop);
      for (const kind of KINDS) source.addEventListener(kind, (message) => this.handleMessage(kind, message));
    });
  }

  /**
   * @param {string} kind
   * @param {MessageEvent<string>} message
   */
  handleMessage(kind, message) {
    if (this.stopped) return;
    if (message.lastEventId) this.storePosition(message.lastEventId);
    const data = message.data ? JSON.parse(message.data) : {};
    if (kind === "end") this.handlers.end(data.code);
    else if (kind === "balances") this.handlers.balances(data);
    else if (kind === "event") this.handlers.event(data);
    else if (kind === "reset") this.refresh();
    else this.applySnapshot(data);
    if (kind === "event" && data.table === this.table) this.refresh();
  }

  /** @param {string} position */
  storePosition(position) {
    this.position = position;
    tabStorage.set(`position.${this.table}`, position);
  }

  /** @param {{balances?: Api["Balances"], tables?: Api["TableState"][]}} data */
  applySnapshot(data) {
    if (data.balances) this.handlers.balances(data.balances);
    const state = (data.tables ?? []).find((table) => table.id === this.table);
    if (state) this.handlers.table(state, this.askedAt);
    else this.refresh();
  }
}
