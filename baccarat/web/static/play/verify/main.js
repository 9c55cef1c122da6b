// The page that checks a round: a file that is dropped or chosen, or the round that the address names.

import { h, put, say } from "../js/core/dom.js";
import { Preferences } from "../js/core/preferences.js";
import { memory, takeToken, token } from "../js/core/session.js";
import { chooseLanguage, languageNow, LANGUAGES } from "../js/words/index.js";
import { verify } from "./checks.js";
import { Steps } from "./steps.js";
import { w } from "./words.js";

const API = new URL("../../api/v1/", document.baseURI);
const LARGEST = 8 * 1024 * 1024;
const root = document.getElementById("verify");
const state = { bytes: null, name: "", published: [] };
let busy = 0;

const keyField = h("input", { id: "key", type: "text", autocomplete: "off", spellcheck: "false", inputmode: "text", maxlength: "64" });
const fileField = h("input", { id: "file", type: "file", accept: ".json,application/json", class: "unseen" });
const steps = h("section", { class: "verify-steps", hidden: true });
const fault = h("p", { class: "verify-fault", role: "alert" });
keyField.addEventListener("change", () => check());
fileField.addEventListener("change", () => take(fileField.files[0]));

/** This will check what was read last, step by step; what began earlier says no more. */
async function check() {
  if (!state.bytes) return;
  if (!globalThis.crypto?.subtle) return refuse("page.insecure");
  busy += 1;
  const own = busy;
  const shown = new Steps(state.name);
  put(steps, shown.element);
  steps.hidden = false;
  const typed = keyField.value.trim().toLowerCase();
  const trusted = /^[0-9a-f]{64}$/.test(typed) ? [typed] : state.published;
  const result = await verify(state.bytes, { trusted, onCheck: (done) => own === busy && shown.add(done) });
  if (own !== busy) return;
  shown.end(result);
}

function refuse(code, values = {}) {
  say(fault, w(code, values));
  put(steps);
  steps.hidden = true;
}

async function take(file) {
  if (!file) return;
  say(fault, "");
  if (file.size > LARGEST) return refuse("page.large");
  [state.bytes, state.name] = [new Uint8Array(await file.arrayBuffer()), file.name];
  await check();
}

async function fetched(path) {
  const headers = { Accept: "application/json", Authorization: `Bearer ${token()}` };
  return fetch(new URL(path, API), { headers, cache: "no-store", credentials: "omit" });
}

/** The round that the address names, by the player's session in this tab. */
async function takeRound(round) {
  if (!token()) return refuse("page.session");
  try {
    const keys = await fetched("log/keys");
    if (keys.ok) state.published = publicKeys(await keys.json());
    const answer = await fetched(`rounds/${encodeURIComponent(round)}/proof`);
    if (!answer.ok) return refuse("page.refused", { why: (await answer.json()).title ?? answer.status });
    [state.bytes, state.name] = [new Uint8Array(await answer.arrayBuffer()), ""];
  } catch {
    return refuse("page.silent");
  }
  await check();
}

const publicKeys = (document) => document.items.map((key) => key.public_key);

function dropZone() {
  const zone = h("label", { class: "verify-drop", for: "file" },
    h("strong", {}, w("page.drop")), h("span", {}, w("page.choose")), fileField);
  const over = (event) => {
    event.preventDefault();
    zone.toggleAttribute("data-over", event.type === "dragover");
  };
  zone.addEventListener("dragover", over);
  zone.addEventListener("dragleave", over);
  zone.addEventListener("drop", (event) => {
    over(event);
    take(event.dataTransfer.files[0]);
  });
  return zone;
}

function languages() {
  const choice = h("select", { id: "language", "aria-label": w("page.language") },
    Object.entries(LANGUAGES).map(([code, name]) => h("option", { value: code, selected: code === languageNow() }, name)));
  choice.addEventListener("change", () => {
    memory.set("language", choice.value);
    draw();
    document.getElementById("language").focus();
    check();
  });
  return choice;
}

function draw() {
  chooseLanguage();
  document.title = w("page.title");
  put(root,
    h("header", { class: "verify-head" }, h("h1", {}, w("page.title")), languages()),
    h("p", { class: "verify-intro" }, w("page.intro")),
    dropZone(),
    h("p", { class: "verify-key" }, h("label", { for: "key" }, w("page.key")), keyField, h("small", {}, w("page.key.why"))),
    fault, steps,
    h("footer", { class: "verify-foot" }, h("p", {}, w("page.alone"), " ", h("a", { href: "verifier.py", download: "verifier.py" }, "verifier.py")),
      h("p", {}, h("a", { href: "../" }, w("page.back")))));
}

takeToken();
new Preferences().apply();
draw();
const round = new URLSearchParams(location.search).get("round");
if (round) takeRound(round);
