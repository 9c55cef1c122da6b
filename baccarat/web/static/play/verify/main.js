// The page that checks a round: from a dropped or chosen file, or the round in the address.

import { h, put, say } from "../js/core/dom.js";
import { Preferences } from "../js/core/preferences.js";
import { storage, takeOfferedToken, token } from "../js/core/session.js";
import { currentLanguage, languageName, LANGUAGES, loadLanguage } from "../js/messages/index.js";
import { verify } from "./checks.js";
import { Steps } from "./steps.js";
import { t } from "./messages.js";

/** @import { Values } from "./proof.js" */

const API = new URL("../../api/v1/", document.baseURI);
const MAX_FILE_BYTES = 8 * 1024 * 1024;
const root = /** @type {HTMLElement} */ (document.getElementById("verify"));
/** @type {{bytes: Uint8Array | null, name: string, publishedKeys: string[]}} */
const state = { bytes: null, name: "", publishedKeys: [] };
let checkNumber = 0;
/** The token in the address serves this page only: it signs nobody in. */
const session = takeOfferedToken() ?? token();

const keyField = h("input", { id: "key", type: "text", autocomplete: "off", spellcheck: "false", inputmode: "text", maxlength: "64" });
const fileField = h("input", { id: "file", type: "file", accept: ".json,application/json", class: "unseen" });
const steps = h("section", { class: "verify-steps", hidden: true });
const errorLine = h("p", { class: "verify-fault", role: "alert" });
keyField.addEventListener("change", () => check());
fileField.addEventListener("change", () => openFile(fileField.files?.[0]));

/** Check the file that was read last, step by step; cancels an earlier check. */
async function check() {
  if (!state.bytes) return;
  if (!globalThis.crypto?.subtle) return showError("page.insecure");
  checkNumber += 1;
  const number = checkNumber;
  const list = new Steps(state.name);
  put(steps, list.element);
  steps.hidden = false;
  const typed = keyField.value.trim().toLowerCase();
  const trusted = /^[0-9a-f]{64}$/.test(typed) ? [typed] : state.publishedKeys;
  const result = await verify(state.bytes, { trusted, onCheck: (done) => number === checkNumber && list.add(done) });
  if (number !== checkNumber) return;
  list.end(result);
}

/**
 * @param {string} code
 * @param {Values} [values]
 */
function showError(code, values = {}) {
  say(errorLine, t(code, values));
  put(steps);
  steps.hidden = true;
}

/** @param {File | undefined} file */
async function openFile(file) {
  if (!file) return;
  say(errorLine, "");
  if (file.size > MAX_FILE_BYTES) return showError("page.large");
  [state.bytes, state.name] = [new Uint8Array(await file.arrayBuffer()), file.name];
  await check();
}

/** @param {string} path */
async function get(path) {
  const headers = { Accept: "application/json", Authorization: `Bearer ${session}` };
  return fetch(new URL(path, API), { headers, cache: "no-store", credentials: "omit" });
}

/**
 * Fetch the round in the address, with the player's session in this tab.
 * @param {string} round
 */
async function openRound(round) {
  if (!session) return showError("page.session");
  try {
    const keys = await get("log/keys");
    if (keys.ok) state.publishedKeys = publicKeys(await keys.json());
    const response = await get(`rounds/${encodeURIComponent(round)}/proof`);
    if (!response.ok) return showError("page.refused", { why: (await response.json()).title ?? response.status });
    [state.bytes, state.name] = [new Uint8Array(await response.arrayBuffer()), ""];
  } catch {
    return showError("page.silent");
  }
  await check();
}

/** @param {Api["LogKeyList"]} document */
const publicKeys = (document) => document.items.map((key) => key.public_key);

function dropZone() {
  const zone = h("label", { class: "verify-drop", for: "file" },
    h("strong", {}, t("page.drop")), h("span", {}, t("page.choose")), fileField);
  /** @param {DragEvent} event */
  const over = (event) => {
    event.preventDefault();
    zone.toggleAttribute("data-over", event.type === "dragover");
  };
  zone.addEventListener("dragover", over);
  zone.addEventListener("dragleave", over);
  zone.addEventListener("drop", (event) => {
    over(event);
    openFile(event.dataTransfer?.files[0]);
  });
  return zone;
}

function languages() {
  const choice = h("select", { id: "language", "aria-label": t("page.language") },
    LANGUAGES.map((tag) => h("option", { value: tag, lang: tag, selected: tag === currentLanguage() }, languageName(tag))));
  choice.addEventListener("change", async () => {
    await loadLanguage(choice.value);
    storage.set("language", choice.value);
    draw();
    document.getElementById("language")?.focus();
    check();
  });
  return choice;
}

function draw() {
  document.title = t("page.title");
  put(root,
    h("header", { class: "verify-head" }, h("h1", {}, t("page.title")), languages()),
    h("p", { class: "verify-intro" }, t("page.intro")),
    dropZone(),
    h("p", { class: "verify-key" }, h("label", { for: "key" }, t("page.key")), keyField, h("small", {}, t("page.key.why"))),
    errorLine, steps,
    h("footer", { class: "verify-foot" }, h("p", {}, t("page.alone"), " ", h("a", { href: "verifier.py", download: "verifier.py" }, "verifier.py"),
      " · ", h("a", { href: "specification" }, "specification.md"), " · ", h("a", { href: "vectors.json" }, "vectors.json")),
      h("p", {}, h("a", { href: "../" }, t("page.back")))));
}

new Preferences().apply();
await loadLanguage();
draw();
const round = new URLSearchParams(location.search).get("round");
if (round) openRound(round);
