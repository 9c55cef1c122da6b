// Follows the lobby: server-sent events where the service offers them, polling elsewhere.

import { get, NoResponse, post, Problem, streamUrl, syncClock, wait } from "./api.js";

const POLL = 4000;
const FIRST_PAUSE = 400;
const LONGEST_PAUSE = 6000;

/** Tells what has changed until `stop()`. */
export class LobbyStream {
  /** @param {{changed: () => void, balances: (balances: Api["Balances"]) => void, event: (event: Api["LiveEvent"]) => void}} handlers */
  constructor(handlers) {
    this.handlers = handlers;
    this.stopped = false;
    this.resumed = false;
    /** @type {() => void} */
    this.close = () => undefined;
  }

  async start() {
    for (let pause = FIRST_PAUSE; !this.stopped; pause = Math.min(pause * 1.7, LONGEST_PAUSE)) {
      try {
        if (await this.open()) pause = FIRST_PAUSE;
      } catch (error) {
        if (!(error instanceof Problem || error instanceof NoResponse)) throw error;
        if (error instanceof Problem && error.status === 401) return;
        if (error instanceof Problem && [404, 405].includes(error.status)) return this.poll();
      }
      await wait(pause);
    }
  }

  stop() {
    this.stopped = true;
    this.close();
  }

  async poll() {
    for (; !this.stopped; await wait(POLL)) {
      if (document.hidden) continue;
      this.handlers.changed();
      try {
        this.handlers.balances(await get("me/balances"));
      } catch (error) {
        if (!(error instanceof Problem || error instanceof NoResponse)) throw error;
      }
    }
  }

  /** Hold one stream; resolves when it ends, with whether it had opened. */
  async open() {
    const askedAt = Date.now();
    const { ticket } = await post("stream/tickets", {});
    if (this.stopped) return false;
    return new Promise((/** @type {(opened: boolean) => void} */ done) => {
      let opened = false;
      const source = new EventSource(streamUrl({ ticket, lobby: "true" }));
      this.close = () => {
        source.close();
        done(opened);
      };
      source.onopen = () => { opened = true; };
      source.onerror = this.close;
      source.addEventListener("snapshot", ({ data }) => {
        const { balances, server_time: time } = JSON.parse(data);
        syncClock(time, askedAt);
        this.handlers.balances(balances);
        if (this.resumed) this.handlers.changed();
        this.resumed = true;
      });
      source.addEventListener("balances", ({ data }) => this.handlers.balances(JSON.parse(data)));
      source.addEventListener("event", ({ data }) => this.handlers.event(JSON.parse(data)));
      source.addEventListener("lobby", () => this.handlers.changed());
    });
  }
}
