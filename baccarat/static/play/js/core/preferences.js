// What the player likes: kept by the service where it can, and by this browser for what is this browser's.

import { get, put } from "./api.js";
import { memory } from "./session.js";

const DEFAULTS = { sound: true, voice: false, animation: true, full_screen: false, instant: false, style: "modern" };
const LOCAL = { theme: "system", keys: true };

/** The preferences as they stand; `animation` counts from the next entry to the game, as it always has. */
export class Preferences {
  constructor() {
    this.values = { ...DEFAULTS, ...memory.get("preferences", {}) };
    this.local = { ...LOCAL, ...memory.get("local", {}) };
    this.animated = this.values.animation;
    this.served = false;
  }

  async load() {
    try {
      this.values = { ...this.values, ...this.pick(await get("preferences")) };
      this.served = true;
      this.animated = this.values.animation;
    } catch {
      this.served = false;
    }
    this.apply();
    return this;
  }

  pick(document) {
    return Object.fromEntries(Object.keys(DEFAULTS).filter((name) => name in document).map((name) => [name, document[name]]));
  }

  async change(name, value) {
    if (name in LOCAL) this.local[name] = value;
    else this.values[name] = value;
    memory.set("local", this.local);
    memory.set("preferences", this.values);
    this.apply();
    if (name in DEFAULTS && this.served) await put("preferences", this.values);
  }

  apply() {
    const root = document.documentElement;
    root.dataset.style = this.values.style;
    if (this.local.theme === "system") delete root.dataset.theme;
    else root.dataset.theme = this.local.theme;
  }
}
