// The page that checks a round: from a dropped or chosen file, or the round in the address.

import { h, put, say } from "../js/core/dom.js";
import { receiptOf } from "../js/core/kept_receipts.js";
import { Preferences } from "../js/core/preferences.js";
import { storage, takeOfferedToken, token } from "../js/core/session.js";
import { currentLanguage, languageName, LANGUAGES, loadLanguage } from "../js/messages/index.js";
import { verify } from "./checks.js";
import { isCosigner } from "./cosignatures.js";
import { keysOf } from "./public_reads.js";
import { read } from "./read.js";
import { Steps } from "./steps.js";
import { t } from "./messages.js";

/** @import { Values } from "./proof.js" */
/** @import { WitnessAddress } from "./public_reads.js" */

const API = new URL("../../api/v1/", document.baseURI);
const HEX64 = /^[0-9a-f]{64}$/;
const MAX_FILE_BYTES = 8 * 1024 * 1024;
const root = /** @type {HTMLElement} */ (document.getElementById("verify"));
/** @type {{bytes: Uint8Array | null, name: string, publishedKeys: string[], receipt: Api["Receipt"] | null, witnesses: WitnessAddress[] | null}} */
const state = { bytes: null, name: "", publishedKeys: [], receipt: null, witnesses: null };
let checkNumber = 0;
/** The token in the address serves this page only: it signs nobody in. */
const session = takeOfferedToken() ?? token();

const keyField = h("input", { id: "key", type: "text", autocomplete: "off", spellcheck: "false", inputmode: "text", maxlength: "999" });
const fileField = h("input", { id: "file", type: "file", accept: ".json,application/json", multiple: true, class: "unseen" });
const steps = h("section", { class: "verify-steps", hidden: true });
const errorLine = h("p", { class: "verify-fault", role: "alert" });
keyField.addEventListener("change", () => check());
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
  const keys = keyField.value.trim().split(/[\s,]+/).map((each) => (isCosigner(each) ? each : each.toLowerCase())).filter((each) => isCosigner(each) || HEX64.test(each));
  const trusted = keys.length ? keys : state.publishedKeys;
  const { receipt, witnesses } = state;
  const result = await verify(state.bytes, { trusted, receipt, witnesses, onCheck: (done) => number === checkNumber && list.add(done) });
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

/**
 * Open an exported round, a receipt, or both.
 * @param {FileList | null | undefined} files
 */
async function openFiles(files) {
  if (!files?.length) return;
  say(errorLine, "");
  for (const file of files) {
    if (file.size > MAX_FILE_BYTES) return showError("page.large");
    const bytes = new Uint8Array(await file.arrayBuffer());
    const receipt = asReceipt(bytes);
    if (receipt) state.receipt = receipt;
    else [state.bytes, state.name] = [bytes, file.name];
  }
  if (!state.bytes) return say(errorLine, t("page.receipt"));
  await check();
}

/**
 * Return the receipt in a file; null if it is none.
 * @param {Uint8Array<ArrayBuffer>} bytes
 * @returns {Api["Receipt"] | null}
 */
function asReceipt(bytes) {
  try {
    const document = /** @type {any} */ (read(bytes));
    return "wager_signature" in document ? document : null;
  } catch {
    return null; // said by the check of the file
  }
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
    const [keys, ofReceipts, named] = await Promise.all([get("log/keys"), get("../../.well-known/jwks.json"), get("log/witnesses")]);
    if (keys.ok) state.publishedKeys = publicKeys(await keys.json());
    if (ofReceipts.ok) state.publishedKeys.push(...receiptKeys(await ofReceipts.json()));
    if (named.ok) {
      const listed = state.witnesses = /** @type {Api["LogWitnessList"]} */ (await named.json()).items;
      state.publishedKeys.push(...(await Promise.all(listed.map(keysOf))).flat());
    }
    state.receipt = receiptOf(round)?.receipt ?? null;
    const response = await get(`rounds/${encodeURIComponent(round)}/proof`);
    if (!response.ok) return showError("page.refused", { why: (await response.json()).title ?? response.status });
    [state.bytes, state.name] = [new Uint8Array(await response.arrayBuffer()), ""];
  } catch {
    return showError("page.silent");
  }
  await check();
}

/** @param {{keys: {name: string}[]}} document */
const receiptKeys = (document) => document.keys.map((key) => key.name).filter((name) => HEX64.test(name));
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
