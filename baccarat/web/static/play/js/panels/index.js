// The panels that open beside the table.

import { cash, sit } from "./cashier.js";
import { chat, report } from "./chat.js";
import { fair } from "./fairness.js";
import { help } from "./help.js";
import { history } from "./history.js";
import { limit } from "./limits.js";
import { options } from "./options.js";
import { stats } from "./statistics.js";

/** @import { Children } from "../core/dom.js" */
/** @import { Game } from "../view/game.js" */

/** @typedef {{make: (game: Game) => Children, draw?: (game: Game) => void}} Panel made when it opens, drawn again with the game */

export const panels = { cash, chat, fair, help, history, limit, options, report, sit, stats };
