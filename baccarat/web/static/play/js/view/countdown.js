// The turn: a ring that empties towards the deadline, by the server's time.

import { serverNow } from "../core/clock.js";
import { h, s, say, set } from "../core/dom.js";
import { t } from "../words/index.js";

const LENGTH = 2 * Math.PI * 20;
const LATE = 5;

export class Countdown {
  constructor(announce) {
    this.announce = announce;
    this.arc = s("circle", { cx: 24, cy: 24, r: 20, class: "timer-left", "stroke-dasharray": LENGTH });
    this.text = h("span", { class: "timer-text" });
    this.element = h("div", { class: "timer", role: "timer", "aria-live": "off" },
      s("svg", { viewBox: "0 0 48 48", "aria-hidden": "true" }, s("circle", { cx: 24, cy: 24, r: 20, class: "timer-all" }), this.arc), this.text);
    this.until = null;
    this.total = 15;
    this.warned = null;
    this.mine = false;
    this.timer = null;
  }

  stop() {
    clearTimeout(this.timer);
  }

  /** Count to a deadline (RFC 3339, or null for none); `mine` while the viewer still has to act. */
  aim(deadline, seconds, mine) {
    this.until = deadline ? Date.parse(deadline) : null;
    this.total = seconds || 15;
    this.mine = mine;
    this.tick();
  }

  /** Drawn once for each second; between them the ring moves on by itself. */
  tick() {
    this.stop();
    const left = this.until === null ? 0 : Math.max(0, (this.until - serverNow()) / 1000);
    set(this.element, { "data-on": this.until !== null, "data-late": this.mine && left > 0 && left <= LATE });
    if (this.until === null) return say(this.text, "");
    const whole = Math.ceil(left);
    const rest = Math.max(0, left - 1);
    this.arc.setAttribute("stroke-dashoffset", String(LENGTH * (1 - Math.min(1, rest / this.total))));
    say(this.text, String(whole));
    set(this.element, { "aria-label": t("turn.left", { n: whole }) });
    if (left > 0) this.timer = setTimeout(() => this.tick(), (left - whole + 1) * 1000 + 5);
    if (this.mine && whole === LATE && this.warned !== this.until) {
      this.warned = this.until;
      this.announce(t("turn.left", { n: whole }));
    }
  }
}
