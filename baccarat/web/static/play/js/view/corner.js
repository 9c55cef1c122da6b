// The top right corner: how the session goes, and the icons that customize the game.

import { icon } from "../art/pieces.js";
import { NoResponse, Problem } from "../core/api.js";
import { h, put, set } from "../core/dom.js";
import { t } from "../messages/index.js";

/** @import { Game } from "./game.js" */

/** The preference that each icon switches, if it can be switched here. */
const SWITCHES = /** @type {const} */ (["sound", "full_screen", "instant", "squeeze", "style"]);

export class Corner {
  /** @param {Game} game */
  constructor(game) {
    this.game = game;
    this.buttons = SWITCHES.filter((name) => name !== "full_screen" || document.fullscreenEnabled).map((name) => ({
      name, element: h("button", { type: "button", class: `menu-button corner-button to-${name}`, "data-switch": name, onclick: () => this.change(name) }),
    }));
    this.group = h("div", { class: "corner-buttons", role: "group" }, this.buttons.map((button) => button.element));
    this.element = h("div", { class: "corner" }, game.position.element, this.group);
  }

  draw() {
    const values = this.game.preferences.all;
    set(this.group, { "aria-label": t("corner.label") });
    for (const { name, element } of this.buttons) {
      const on = name === "style" ? values.style === "classic" : values[name];
      const label = name === "style" ? t(`option.style.${values.style}`) : t(`option.${name}`);
      const picture = name === "sound" && !on ? "muted" : name;
      set(element, { hidden: name === "instant" && !this.game.state.rules.may_hurry });
      if (element.dataset.icon !== picture) put(element, icon(picture));
      set(element, { "data-icon": picture, "aria-pressed": String(on), "aria-label": name === "style" ? t("option.style") : label, title: label });
    }
  }

  /** @param {typeof SWITCHES[number]} name */
  async change(name) {
    const { game } = this;
    const { preferences } = game;
    const other = preferences.values.style === "classic" ? "modern" : "classic";
    try {
      await preferences.change(name, name === "style" ? other : !preferences.all[name]);
    } catch (error) {
      if (!(error instanceof Problem || error instanceof NoResponse)) throw error;
      game.notices.showProblem(error);
    }
    game.draw();
  }
}
