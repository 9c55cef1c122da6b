// Talk at the table. What players write is put on the page as text alone.

import { command, get, Problem } from "../core/api.js";
import { icon } from "../art/icons.js";
import { h, put } from "../core/dom.js";
import { t, time } from "../words/index.js";
import { form, inWords, panel, Wrong } from "./parts.js";

const LONGEST = 200;
const EVERY = 4000;

const textOf = (message) => message.text ?? message.body ?? "";

function line(game, message) {
  const who = message.you ? t("chat.you") : message.seat ? t("seat.label", { seat: message.seat }) : message.nickname ?? t("chat.house");
  const report = message.you ? null : h("button", { type: "button", class: "chat-report", title: t("chat.report"), "aria-label": t("chat.report.long", { who }), onclick: (event) => tell(game, message, event.currentTarget) }, icon("flag"));
  return h("li", { class: message.you ? "chat-line mine" : "chat-line" }, h("span", { class: "chat-who" }, who), h("time", {}, time(message.sent_at ?? message.recorded_at)), h("p", {}, textOf(message)), report);
}

async function tell(game, message, button) {
  button.disabled = true;
  try {
    await command(`tables/${game.table}/chat/${message.id}/report`, {});
    game.notices.tell(t("chat.reported"), { key: "chat" });
  } catch (error) {
    button.disabled = false;
    game.notices.tell(inWords(error), { key: "chat", kind: "problem" });
  }
}

export const chat = {
  make(game) {
    const list = h("ol", { class: "chat-list", tabindex: "0", "aria-live": "polite", "aria-label": t("menu.chat") });
    const input = h("input", { type: "text", name: "text", maxlength: LONGEST, autocomplete: "off", "aria-label": t("chat.write"), placeholder: t("chat.write") });
    const status = h("p", { class: "quiet-words", role: "status" });
    const look = async () => {
      try {
        const { items } = await get(`tables/${game.table}/chat?limit=50`);
        const ordered = [...items].sort((a, b) => (String(a.sent_at ?? a.id) < String(b.sent_at ?? b.id) ? -1 : 1));
        const signature = ordered.map((each) => `${each.id}${textOf(each)}`).join();
        if (signature === list.dataset.signature) return;
        list.dataset.signature = signature;
        put(list, ordered.map((message) => line(game, message)));
        list.scrollTop = list.scrollHeight;
        status.textContent = ordered.length ? "" : t("chat.none");
      } catch (error) {
        status.textContent = error instanceof Problem && error.status === 404 ? t("chat.absent") : inWords(error);
      }
    };
    const submit = async () => {
      const text = input.value.trim();
      if (!text) throw new Wrong(t("chat.empty"));
      await command(`tables/${game.table}/chat`, { text });
      input.value = "";
      await look();
    };
    game.chatLook = look;
    look();
    const timer = setInterval(() => (list.isConnected ? document.hidden || look() : clearInterval(timer)), EVERY);
    return panel(game, t("menu.chat"), list, status, form(submit, h("div", { class: "chat-write" }, input, h("button", { class: "primary", type: "submit" }, t("chat.send")))), h("p", { class: "quiet-words" }, t("chat.rules")));
  },

  heard(game, event) {
    if (/chat|message/i.test(event.type ?? "")) game.chatLook?.();
  },
};
