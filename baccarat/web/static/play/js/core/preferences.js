// What the player likes: kept by the service where it can, and by this browser for what is this browser's.

import { get, NoAnswer, Problem, put } from "./api.js";
import { memory } from "./session.js";

const DEFAULTS = { sound: true, voice: false, animation: true, full_screen: false, instant: false, style: "modern" };
const LOCAL = { theme: "system", keys: true };

/** The preferences as they stand; whether cards move is settled when the game is entered, and holds till it is left. */
export class Preferences {
  constructor() {
    this.values = { ...DEFAULTS };
    this.local = { ...LOCAL, ...memory.get("local", {}) };
    this.animated = true;
  }

  async load() {
    try {
      this.take(await get("preferences"));
    } catch (error) {
      if (!(error instanceof Problem || error instanceof NoAnswer)) throw error;
    }
    this.apply();
    return this;
  }

  take(document) {
    this.values = Object.fromEntries(Object.keys(DEFAULTS).map((name) => [name, document[name]]));
    this.animated = document.animation_in_session;
  }

  async change(name, value) {
    if (name in LOCAL) {
      this.local[name] = value;
      memory.set("local", this.local);
    } else this.values[name] = value;
    this.apply();
    if (name in DEFAULTS) this.take(await put("preferences", this.values));
  }

  apply() {
    const root = document.documentElement;
    root.dataset.style = this.values.style;
    if (this.local.theme === "system") delete root.dataset.theme;
    else root.dataset.theme = this.local.theme;
  }
}
