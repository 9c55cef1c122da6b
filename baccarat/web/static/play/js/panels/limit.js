// What keeps play within bounds: time and result so far, limits on play, the limit on a spot, and a break from it all.

import { h } from "../core/dom.js";
import { t } from "../words/index.js";
import { betLimit } from "./betlimit.js";
import { panel } from "./parts.js";
import { pause } from "./pause.js";
import { played } from "./played.js";
import { playLimits } from "./playlimits.js";

const part = (title, content, open = false) => h("details", { class: "bounds-part", open }, h("summary", {}, h("h3", {}, title)), content);

export const limit = {
  make(game) {
    return panel(game, t("menu.limit"),
      part(t("played.title"), played(game), true),
      part(t("limits.title"), playLimits(game), true),
      part(t("limit.title"), betLimit(game)),
      part(t("pause.title"), pause(game)));
  },
};
