// What opens beside the table.

import { cash } from "./cash.js";
import { chat } from "./chat.js";
import { fair } from "./fair.js";
import { help } from "./help.js";
import { history } from "./history.js";
import { limit } from "./limit.js";
import { options } from "./options.js";
import { report } from "./report.js";
import { sit } from "./sit.js";
import { stats } from "./stats.js";

export const panels = { cash, chat, fair, help, history, limit, options, report, sit, stats };
