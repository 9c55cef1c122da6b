// A wallet server for the funding `seamless`, to read and to begin with: its money is in memory and in a journal.
//
//     tsc --strict --target es2022 --module nodenext --types node wallet.ts
//     CASINO_KEYS=... WALLET_KEY=... node wallet.js 8300 wallet.journal PLAYER:EUR:500.00
//
// CASINO_KEYS are the service's public keys, WALLET_KEY is the seed of your own, all Ed25519 in hex; 64 digits each.
// It prints your public key, as the service takes it. One process alone may have the journal.

import { createHash, createPrivateKey, createPublicKey, sign, verify, type KeyObject } from "node:crypto";
import { appendFileSync, fsyncSync, openSync, readFileSync, truncateSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { dirname } from "node:path";

type Item = Record<string, unknown>;
type Kind = "debit" | "credit" | "correction";
type Account = { kind: "account"; player: string; currency: string; amount: string };
type Movement = { kind: Kind; transaction: string; player: string; currency: string; amount: string; at: string };
type Rollback = { kind: "rollback"; debit: string; reference: string; found: boolean };
type Fact = Account | Movement | Rollback;

const DECIMALS = new Map([["EUR", 2], ["JPY", 0], ["KWD", 3]]);
const SIGNS = { debit: -1n, credit: 1n, correction: 1n };
const PAGE = 100;
const balances = new Map<string, bigint>(); // in minor units, by player and currency
const movements = new Map<string, Movement & { number: number }>(); // by transaction, in order
const rollbacks = new Map<string, Rollback>(); // by debit, for ever

/** A definite no; its message is the code. */
class Refused extends Error {}

/** Return members of a message that are texts. Throws TypeError, as for all that is malformed. */
function texts(item: Item, ...names: string[]): string[] {
  const values = names.map((name) => item[name]);
  if (!values.every((value) => typeof value === "string")) throw new TypeError(`${names} are not all texts`);
  return values;
}

/** Return an amount in minor units. It must have exactly the currency's decimals. */
function toMinor(amount: string, currency: string): bigint {
  const decimals = DECIMALS.get(currency);
  if (decimals === undefined) throw new Refused("currency_differs");
  const form = new RegExp(`^-?\\d{1,15}${decimals ? `\\.\\d{${decimals}}` : ""}$`);
  if (!form.test(amount)) throw new TypeError("a malformed amount");
  return BigInt(amount.replace(".", ""));
}

function toText(minor: bigint, currency: string): string {
  const digits = String(minor).padStart(4, "0"); // nothing is below zero
  const end = digits.length - (DECIMALS.get(currency) ?? 0);
  return `${BigInt(digits.slice(0, end))}${end < digits.length ? "." : ""}${digits.slice(end)}`;
}

/** Facts on disk, a line of JSON each. */
class Journal {
  readonly #file: number;
  #behind = true; // also what an earlier process wrote may not be on the disk yet

  constructor(path: string) {
    this.#file = openSync(path, "a+");
    fsyncSync(openSync(dirname(path), "r")); // so that a new file is found after a power failure
    const bytes = readFileSync(path);
    const end = bytes.lastIndexOf("\n") + 1; // what follows was cut off by a crash, before it was answered
    truncateSync(path, end);
    for (const line of bytes.toString("utf8", 0, end).split("\n").slice(0, -1)) apply(JSON.parse(line) as Fact);
  }

  record(fact: Fact): void {
    appendFileSync(this.#file, `${JSON.stringify(fact)}\n`);
    this.#behind = true;
    apply(fact);
  }

  sync(): void {
    if (this.#behind) fsyncSync(this.#file);
    this.#behind = false;
  }
}

function apply(fact: Fact): void {
  if (fact.kind === "account") {
    balances.set(`${fact.player} ${fact.currency}`, toMinor(fact.amount, fact.currency));
  } else if (fact.kind === "rollback") {
    rollbacks.set(fact.debit, fact);
    if (fact.found) add(movements.get(fact.debit)!, 1n);
  } else {
    movements.set(fact.transaction, { ...fact, number: movements.size + 1 });
    add(fact, SIGNS[fact.kind]);
  }
}

function add({ player, currency, amount }: Movement, sign: bigint): void {
  balances.set(`${player} ${currency}`, held(player, currency) + sign * toMinor(amount, currency));
}

function held(player: string, currency: string): bigint {
  const balance = balances.get(`${player} ${currency}`);
  if (balance === undefined) throw new Refused("player_unknown");
  return balance;
}

const isDebit = (transaction: string) => movements.get(transaction)?.kind === "debit";

/**
 * Move money once for each id; the same again gets the first answer. Messages are handled one after the other, each
 * without a pause, so nothing comes between a question and its change. A credit is paid whatever became of its player.
 */
function move(kind: Kind, item: Item): Item {
  const [transaction, player, currency, amount] = texts(item, "transaction", "player", "currency", "amount");
  const change = SIGNS[kind] * toMinor(amount, currency);
  if (kind === "debit" && rollbacks.has(transaction)) throw new Refused("transaction_cancelled");
  if (kind === "debit" && change > 0n) throw new TypeError("a debit below zero");
  if (kind === "credit" && !isDebit(texts(item, "debit")[0])) throw new Refused("other");
  const known = movements.get(transaction);
  if (!known) {
    const left = held(player, currency) + change;
    if (change < 0n && left < 0n) throw new Refused("insufficient_funds");
    journal.record({ kind, transaction, player, currency, amount, at: new Date().toISOString() });
  } else if (`${[known.kind, known.player, known.currency, known.amount]}` !== `${[kind, player, currency, amount]}`) {
    throw new Refused("reference_differs");
  }
  return { reference: `T-${movements.get(transaction)!.number}`, ...balance(item) };
}

/** Take a debit back once, and leave a mark for ever: it must not be made any more. */
function rollback(item: Item): Item {
  const [debit, transaction] = texts(item, "debit", "transaction");
  if (!rollbacks.has(debit))
    journal.record({ kind: "rollback", debit, reference: `R-${transaction}`, found: isDebit(debit) });
  const { reference, found } = rollbacks.get(debit)!;
  return { reference, found };
}

function balance(item: Item): Item {
  const [player, currency] = texts(item, "player", "currency");
  return { balance: { amount: toText(held(player, currency), currency), currency } };
}

/** List movements, one of them or a page of a period; a rollback shows as the status of its debit. */
function transactions(query: Item): Item {
  const [from, to, cursor] = [Date.parse(`${query.from}`), Date.parse(`${query.to}`), Number(query.cursor ?? 0)];
  const isIn = (at: number) => from <= at && at < to;
  const found = [...movements.values()].filter(({ transaction, number, at }) =>
    query.transaction ? transaction === query.transaction : number > cursor && isIn(Date.parse(at)));
  const items = found.slice(0, PAGE).map(({ number, player, ...shown }) =>
    ({ ...shown, reference: `T-${number}`, status: rollbacks.has(shown.transaction) ? "rolled_back" : "accepted" }));
  return { items, next: found.length > PAGE ? String(found[PAGE - 1].number) : null };
}

const CALLS = new Map<string, (item: Item) => Item>([["balance", balance], ["rollback", rollback],
  ...(["debit", "credit", "correction"] as const).map((kind) => [kind, (item: Item) => move(kind, item)] as const)]);

/** Do what one item says, and return what is answered about it. */
function answer(call: string, item: Item): Item {
  try {
    return { transaction: item.transaction, status: "accepted", ...CALLS.get(call)!(item) };
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return { transaction: item.transaction, status: "refused", code: error.message };
  }
}

function reply(url: string, body: Buffer): Item {
  const { pathname, searchParams } = new URL(url, "http://wallet");
  const call = pathname.slice(pathname.lastIndexOf("/") + 1);
  if (call === "transactions") return transactions(Object.fromEntries(searchParams));
  const document = JSON.parse(body.toString()) as Item;
  const [request] = texts(document, "request");
  if (call === "credits") return { request, items: (document.items as Item[]).map((item) => answer("credit", item)) };
  return { request, ...answer(call, document) }; // CALLS has no unknown call: a TypeError
}

/** Return a key's name: its thumbprint by RFC 7638. */
function keyid(key: KeyObject): string {
  const { x } = key.export({ format: "jwk" });
  return createHash("sha256").update(JSON.stringify({ crv: "Ed25519", kty: "OKP", x })).digest("base64url");
}

function digest(body: Buffer): string {
  return `sha-256=:${createHash("sha256").update(body).digest("base64")}:`;
}

/** Return what is signed by RFC 9421: a line for each component, then the parameters. */
function signatureBase(components: [string, unknown][], parameters: string): Buffer {
  const lines = components.map(([name, value]) => `"${name}": ${value}`);
  return Buffer.from([...lines, `"@signature-params": ${parameters}`].join("\n"));
}

/** Verify by the address under which the service knows us; behind a proxy that is not the Host header. */
function isSigned({ method, url, headers }: IncomingMessage, body: Buffer): boolean {
  const input = /^([a-z]+)=(\(("[@a-z-]+"(?: "[@a-z-]+")*)\)(;.+))$/.exec(String(headers["signature-input"]));
  if (!input) return false;
  const [, label, parameters, covered, settings] = input;
  const setting = (name: string) => new RegExp(`;${name}="?([^";]*)`).exec(settings)?.[1] ?? "";
  const signature = new RegExp(`^${label}=:([A-Za-z0-9+/=]+):$`).exec(String(headers.signature));
  const key = casinoKeys.get(setting("keyid"));
  const now = Date.now() / 1000;
  if (!signature || !key || headers["content-digest"] !== digest(body)) return false;
  if (Number(setting("created")) > now + 60 || Number(setting("expires")) < now) return false;
  const names = covered.slice(1, -1).split('" "');
  if (!["@method", "@target-uri", "content-digest"].every((name) => names.includes(name))) return false;
  const derived: Item = { "@method": method, "@target-uri": `http://${headers.host}${url}` };
  const base = signatureBase(names.map((name) => [name, derived[name] ?? headers[name]]), parameters);
  return verify(null, base, key, Buffer.from(signature[1], "base64"));
}

function signedHeaders(status: number, body: Buffer): Record<string, string> {
  const created = Math.floor(Date.now() / 1000);
  const parameters = `("@status" "content-digest");created=${created};keyid="${keyid(publicKey)}";alg="ed25519"`;
  const base = signatureBase([["@status", status], ["content-digest", digest(body)]], parameters);
  return {
    "Content-Type": "application/json",
    "Content-Digest": digest(body),
    "Signature-Input": `wallet=${parameters}`,
    Signature: `wallet=:${sign(null, base, privateKey).toString("base64")}:`,
  };
}

function serve(request: IncomingMessage, body: Buffer, response: ServerResponse): void {
  let [status, document]: [number, Item] = [200, {}];
  try {
    if (isSigned(request, body)) document = reply(request.url ?? "", body);
    else status = 401;
  } catch (error) {
    // Anything else, such as a full disk, ends the process: the next one begins with what the journal has.
    if (!(error instanceof TypeError || error instanceof SyntaxError)) throw error;
    status = 400;
  }
  journal.sync(); // also before a balance: no answer may tell what a power failure would take back
  const payload = Buffer.from(JSON.stringify(document));
  response.writeHead(status, signedHeaders(status, payload)).end(payload);
}

const [port, path, ...players] = process.argv.slice(2);
const { CASINO_KEYS = "", WALLET_KEY = "" } = process.env;
const points = CASINO_KEYS.split(",").map((key) => Buffer.from(key, "hex").toString("base64url"));
const published = points.map((x) => createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" }));
const casinoKeys = new Map(published.map((key) => [keyid(key), key]));
const pkcs8 = Buffer.from(`302e020100300506032b657004220420${WALLET_KEY}`, "hex");
const privateKey = createPrivateKey({ key: pkcs8, format: "der", type: "pkcs8" });
const publicKey = createPublicKey(privateKey);
const journal = new Journal(path);
for (const [player, currency, amount] of players.map((each) => each.split(":")))
  if (!balances.has(`${player} ${currency}`)) journal.record({ kind: "account", player, currency, amount });
console.log(JSON.stringify(publicKey.export({ format: "jwk" })));

createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => serve(request, Buffer.concat(chunks), response)); // one that breaks off has no end
}).listen(Number(port), "127.0.0.1");
