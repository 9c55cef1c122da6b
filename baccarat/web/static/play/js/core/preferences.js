// Preferences: the service stores the player's, local storage those of this browser.

import { get, NoResponse, Problem, put } from "./api.js";
import { storage } from "./session.js";

/** @param {boolean} wanted */
function fillScreen(wanted) {
  const going = wanted ? document.documentElement.requestFullscreen?.() : document.fullscreenElement && document.exitFullscreen();
  // The page that frames this one may forbid it.
  if (going) going.catch(() => undefined);
}

/** @typedef {Omit<Api["PreferencesRequest"], "style"> & {style: Api["Style"]}} PlayerPreferences */
/** @typedef {{theme: "system" | "light" | "dark", keys: boolean, squeeze: boolean, volume: number, hint: boolean}} BrowserPreferences */

/** @type {PlayerPreferences} */
const DEFAULTS = { sound: true, voice: false, animation: true, full_screen: false, instant: false, show_nickname: false, style: "modern" };
/** @type {BrowserPreferences} */
const LOCAL = { theme: "dark", keys: true, squeeze: false, volume: 0.6, hint: true };

/** The preferences, loaded when a player enters a game: `animated` is the choice of then, and a change waits for the next entry. */
export class Preferences {
  constructor() {
    this.values = { ...DEFAULTS };
    this.local = { ...LOCAL, ...storage.get("local", {}) };
    this.animated = true;
    this.nickname = "";
  }

  get all() {
    return { ...this.values, ...this.local };
  }

  async load() {
    try {
      this.take(await get("preferences"));
      this.animated = this.values.animation;
    } catch (error) {
      if (!(error instanceof Problem || error instanceof NoResponse)) throw error;
    }
    this.apply();
    return this;
  }

  /** @param {Api["Preferences"]} document */
  take(document) {
    const names = /** @type {(keyof PlayerPreferences)[]} */ (Object.keys(DEFAULTS));
    this.values = /** @type {PlayerPreferences} */ (Object.fromEntries(names.map((name) => [name, document[name]])));
    this.nickname = document.nickname;
  }

  /**
   * @param {string} name
   * @param {string | boolean | number} value
   */
  async change(name, value) {
    if (name in LOCAL) {
      this.local = { ...this.local, [name]: value };
      storage.set("local", this.local);
    } else this.values = { ...this.values, [name]: value };
    this.apply();
    if (name === "full_screen") fillScreen(this.values.full_screen);
    if (name in DEFAULTS) this.take(await put("preferences", this.values));
  }

  apply() {
    const root = document.documentElement;
    root.dataset.style = this.values.style;
    root.dataset.animated = String(this.animated);
    root.dataset.theme = this.local.theme;
  }
}
