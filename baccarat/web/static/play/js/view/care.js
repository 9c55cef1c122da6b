// What the house owes a player besides the game: a look at time and result when it is due, and what it has to tell.

import { command, get, NoAnswer, Problem } from "../core/api.js";
import { serverNow } from "../core/clock.js";
import { change, count, known, money, t } from "../words/index.js";

const LONGEST = 2 ** 31 - 1;

async function ask(path) {
  try {
    return await get(path);
  } catch (error) {
    if (!(error instanceof Problem || error instanceof NoAnswer)) throw error;
    return null;
  }
}

/** What it is about in our words, and then in those of whoever wrote. */
function inWords({ kind, details, message }) {
  const what = known(`notice.${kind}`) ? t(`notice.${kind}`, { amount: details.amount ? money(details.amount.amount, details.amount.currency) : "" }) : "";
  return [what, message].filter(Boolean).join(" ");
}

/** Reality checks at their time, and notices that were not read yet, in the lines above one game's table. */
export class Care {
  constructor(game) {
    this.game = game;
    this.timer = null;
  }

  start() {
    this.schedule();
    this.tellNotices();
  }

  stop() {
    clearTimeout(this.timer);
  }

  /** The next reminder, `least` milliseconds away: one that was just shown is not due again by an unsure clock. */
  async schedule(least = 1000) {
    const found = await ask("me/reality-check");
    clearTimeout(this.timer);
    if (!found?.reminder) return;
    const left = Date.parse(found.reminder.due_at) - serverNow();
    this.timer = setTimeout(() => this.remind(), Math.min(LONGEST, Math.max(least, left)));
    this.game.element.dataset.reminder = found.reminder.due_at;
  }

  async remind() {
    const found = await ask("me/reality-check");
    this.schedule(60_000);
    if (!found?.session) return;
    const { session } = found;
    const facts = { minutes: count(session.minutes), played: count(session.played_minutes), net: change(session.net.amount, session.net.currency) };
    this.game.notices.tell(t("care.reality", facts), {
      key: "reality", kind: "warning", stay: true,
      actions: [[t("care.go_on"), () => this.game.notices.drop("reality")], [t("menu.limit"), () => this.game.actions.open("limit")], [t("menu.leave"), () => this.game.actions.run("leave")]],
    });
  }

  async tellNotices() {
    const found = await ask("notices?unread=true&limit=3");
    for (const notice of found?.items ?? []) {
      this.game.notices.tell(inWords(notice), {
        key: notice.id, stay: true, actions: [[t("care.read"), () => this.read(notice)]],
      });
    }
  }

  async read(notice) {
    this.game.notices.drop(notice.id);
    try {
      await command(`notices/${notice.id}/read`, {});
    } catch (error) {
      if (!(error instanceof Problem || error instanceof NoAnswer)) throw error;
      this.game.notices.problem(error);
    }
  }
}
