// The page that checks a round from files: the round, its receipt, the keys. It needs no session and asks nobody.

import { h, put, say } from "../js/core/dom.js";
import { Preferences } from "../js/core/preferences.js";
import { storage } from "../js/core/session.js";
import { currentLanguage, languageName, LANGUAGES, loadLanguage } from "../js/messages/index.js";
import { verify } from "./checks.js";
import { isCosigner } from "./checkpoint.js";
import { read } from "./read.js";
import { Steps } from "./steps.js";
import { t } from "./messages.js";

/** @import { Values } from "./proof.js" */
/** @import { AnyReceipt } from "./receipt.js" */

const HEX64 = /^[0-9a-f]{64}$/;
const MAX_FILE_BYTES = 8 * 1024 * 1024;
const root = /** @type {HTMLElement} */ (document.getElementById("verify"));
/** @type {{bytes: Uint8Array | null, name: string, receipts: AnyReceipt[]}} */
const state = { bytes: null, name: "", receipts: [] };
let checkNumber = 0;

const keyField = h("input", { id: "key", type: "text", autocomplete: "off", spellcheck: "false", inputmode: "text", maxlength: "999" });
const witnessField = h("input", { id: "witness-key", type: "text", autocomplete: "off", spellcheck: "false", inputmode: "text", maxlength: "999" });
const signedField = h("input", { id: "require-signed", type: "checkbox" });
const fileField = h("input", { id: "file", type: "file", accept: ".json,application/json", multiple: true, class: "unseen" });
const steps = h("section", { class: "verify-steps", hidden: true });
const errorLine = h("p", { class: "verify-fault", role: "alert" });
for (const field of [keyField, witnessField, signedField]) field.addEventListener("change", () => check());
fileField.addEventListener("change", () => openFiles(fileField.files));

/** Check the file that was read last, step by step; cancels an earlier check. */
async function check() {
  if (!state.bytes) return;
  if (!globalThis.crypto?.subtle) return showError("page.insecure");
  checkNumber += 1;
  const number = checkNumber;
  const list = new Steps(state.name);
  put(steps, list.element);
  steps.hidden = false;
  const [trusted, witnessKeys] = [keyField, witnessField].map(keysIn);
  const result = await verify(state.bytes, { trusted, witnessKeys, requireSigned: signedField.checked, receipts: state.receipts, onCheck: (done) => number === checkNumber && list.add(done) });
  if (number !== checkNumber) return;
  list.end(result);
}

/** @param {HTMLInputElement} field */
function keysIn({ value }) {
  const keys = value.trim().split(/[\s,]+/).map((each) => (isCosigner(each) ? each : each.toLowerCase()));
  return keys.filter((each) => isCosigner(each) || HEX64.test(each));
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

/**
 * Open files: an exported round, its receipts, keys to check it by.
 * @param {FileList | null | undefined} files
 */
async function openFiles(files) {
  if (!files?.length) return;
  say(errorLine, "");
  for (const file of files) {
    if (file.size > MAX_FILE_BYTES) return showError("page.large");
    const bytes = new Uint8Array(await file.arrayBuffer());
    const document = documentIn(bytes);
    if (Array.isArray(document) || "kind" in document) state.receipts = [document].flat();
    else if (!("events" in document) && Array.isArray(document.keys)) keyField.value = document.keys.map((/** @type {{key: string}} */ each) => each.key).join(" ");
    else [state.bytes, state.name] = [bytes, file.name];
  }
  if (!state.bytes) return say(errorLine, t("page.receipt"));
  await check();
}

/**
 * Return the object in a file; an empty one if there is none, which the check of the file says.
 * @param {Uint8Array<ArrayBuffer>} bytes
 */
function documentIn(bytes) {
  try {
    return /** @type {any} */ (Object(read(bytes)));
  } catch {
    return {};
  }
}

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
    openFiles(event.dataTransfer?.files);
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
    h("p", { class: "verify-key" }, h("label", { for: "witness-key" }, t("page.witness")), witnessField, h("small", {}, t("page.witness.why"))),
    h("p", { class: "verify-key" }, h("label", { for: "require-signed" }, signedField, " ", t("page.signed"))),
    errorLine, steps,
    h("footer", { class: "verify-foot" }, h("p", {}, t("page.alone"), " ", h("a", { href: "verifier.py", download: "verifier.py" }, "verifier.py"),
      " · ", h("a", { href: "specification" }, "specification.md"), " · ", h("a", { href: "vectors.json" }, "vectors.json")),
      h("p", {}, h("a", { href: "../" }, t("page.back")))));
}

new Preferences().apply();
await loadLanguage();
draw();
