// What the player asked for, done one after the other in the order it was asked for, each judged when its turn comes.

const ONCE = new Set(["deal", "rebetDeal", "pass", "newGame", "leave", "handBack"]);
const AT_RISK = new Set(["deal", "rebetDeal"]);

/** `join(name, act, coming)` waits for its turn; `coming` are the chips to show on their way until it is answered.

    Calls back: changed() when something joins or leaves, done() when nothing waits any more. */
export class Line {
  constructor({ changed, done }) {
    Object.assign(this, { changed, done });
    this.entries = [];
    this.last = Promise.resolve();
  }

  get coming() {
    return this.entries.flatMap((entry) => entry.coming);
  }

  get waiting() {
    return this.entries.length;
  }

  /** Do `act(entry)` in its turn. A second press of what is not answered yet is the first one, pressed twice. */
  join(name, act, coming = []) {
    if (ONCE.has(name) && this.entries.some((entry) => entry.name === name)) return Promise.resolve(null);
    const entry = { name, coming };
    this.entries.push(entry);
    this.last = this.last.then(() => this.turn(entry, act));
    this.changed();
    return this.last;
  }

  /** What puts money at risk is not done when something before it was refused: the player meant to have that, too. */
  refused() {
    this.entries = this.entries.filter((entry, i) => i === 0 || !AT_RISK.has(entry.name));
  }

  async turn(entry, act) {
    if (!this.entries.includes(entry)) return null;
    try {
      return await act(entry);
    } catch (error) {
      reportError(error);
      return null;
    } finally {
      this.entries.splice(this.entries.indexOf(entry), 1);
      this.changed();
      if (!this.entries.length) this.done();
    }
  }
}
