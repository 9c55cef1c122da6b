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
type Account = { kind: "account"; account: string; balance: string };
type Movement = { kind: Kind; transaction: string; account: string; amount: string; currency: string; at: string };
type Rollback = { kind: "rollback"; debit: string; reference: string; found: boolean };
type Fact = Account | Movement | Rollback; // balances and amounts are in minor units

const DECIMALS = new Map([["EUR", 2], ["JPY", 0], ["KWD", 3]]);
const PAGE = 100;

/** A definite no; its message is the code. */
class Refused extends Error {}

/** Return a member of a message that is a text. Throws TypeError, as for all that is malformed. */
function text(item: Item, name: string): string {
  const value = item[name];
  if (typeof value !== "string") throw new TypeError(`${name} is not a text`);
  return value;
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
  const decimals = DECIMALS.get(currency) ?? 0;
  const digits = String(minor).replace("-", "").padStart(decimals + 1, "0");
  return (minor < 0n ? "-" : "") + (decimals ? `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}` : digits);
}

/** Facts on disk, a line of JSON each. */
class Journal {
  readonly facts: Fact[];
  readonly #file: number;
  #behind = true; // also what an earlier process wrote may not be on the disk yet

  constructor(path: string) {
    this.#file = openSync(path, "a+");
    fsyncSync(openSync(dirname(path), "r")); // so that a new file is found after a power failure
    const bytes = readFileSync(path);
    const end = bytes.lastIndexOf("\n") + 1; // what follows was cut off by a crash, before it was answered
    truncateSync(path, end);
    const lines = bytes.toString("utf8", 0, end).split("\n").slice(0, -1);
    this.facts = lines.map((line) => JSON.parse(line) as Fact);
  }

  append(fact: Fact): void {
    appendFileSync(this.#file, `${JSON.stringify(fact)}\n`);
    this.#behind = true;
  }

  sync(): void {
    if (this.#behind) fsyncSync(this.#file);
    this.#behind = false;
  }
}

/** Messages are handled one after the other, each without a pause: nothing comes between a question and its change. */
class Wallet {
  readonly #journal: Journal;
  readonly #balances = new Map<string, bigint>(); // by player and currency
  readonly #movements = new Map<string, Movement & { number: number }>(); // by transaction, in order
  readonly #rollbacks = new Map<string, Rollback>(); // by debit, for ever

  constructor(journal: Journal) {
    this.#journal = journal;
    for (const fact of journal.facts) this.#apply(fact);
  }

  open(player: string, currency: string, balance: string): void {
    const account = `${player} ${currency}`;
    if (this.#balances.has(account)) return;
    this.#record({ kind: "account", account, balance: String(toMinor(balance, currency)) });
  }

  /** Take stakes, unless a rollback was first. */
  debit(item: Item): Item {
    if (this.#rollbacks.has(text(item, "transaction"))) throw new Refused("transaction_cancelled");
    if (text(item, "amount").startsWith("-")) throw new TypeError("a debit below zero");
    return this.#move("debit", item, -1n);
  }

  /** Pay what a wager returned, whatever has become of session and player since its debit. */
  credit(item: Item): Item {
    if (!this.#hasDebit(text(item, "debit"))) throw new Refused("other");
    return this.#move("credit", item, 1n);
  }

  correction(item: Item): Item {
    return this.#move("correction", item, 1n);
  }

  /** Take a debit back once, and leave a mark for ever: it must not be made any more. */
  rollback(item: Item): Item {
    const [debit, reference] = [text(item, "debit"), `R-${text(item, "transaction")}`];
    if (!this.#rollbacks.has(debit)) this.#record({ kind: "rollback", debit, reference, found: this.#hasDebit(debit) });
    const first = this.#rollbacks.get(debit)!;
    return { reference: first.reference, found: first.found };
  }

  balance(item: Item): Item {
    const currency = text(item, "currency");
    return { balance: { amount: toText(this.#held(`${text(item, "player")} ${currency}`), currency), currency } };
  }

  /** List movements; a rollback shows as the status of its debit. */
  transactions(query: Item): Item {
    const one = query.transaction === undefined ? undefined : this.#movements.get(text(query, "transaction"));
    const found = query.transaction === undefined ? this.#period(query) : one ? [one] : [];
    const items = found.slice(0, PAGE).map(({ number, account, amount, ...shown }) => ({
      ...shown,
      amount: toText(BigInt(amount) * (shown.kind === "debit" ? -1n : 1n), shown.currency),
      reference: `T-${number}`,
      status: this.#rollbacks.has(shown.transaction) ? "rolled_back" : "accepted",
    }));
    return { items, next: found.length > PAGE ? String(found[PAGE - 1].number) : null };
  }

  #period(query: Item): (Movement & { number: number })[] {
    const [from, to] = ["from", "to"].map((name) => Date.parse(text(query, name)));
    const cursor = Number(query.cursor ?? 0);
    if (Number.isNaN(from + to + cursor)) throw new TypeError("a malformed period");
    const isIn = (at: number) => from <= at && at < to;
    return [...this.#movements.values()].filter(({ number, at }) => number > cursor && isIn(Date.parse(at)));
  }

  /** Move money once for each id; the same again gets the first answer. */
  #move(kind: Kind, item: Item, sign: bigint): Item {
    const [transaction, currency] = [text(item, "transaction"), text(item, "currency")];
    const [account, minor] = [`${text(item, "player")} ${currency}`, sign * toMinor(text(item, "amount"), currency)];
    const [known, amount] = [this.#movements.get(transaction), String(minor)];
    if (!known) {
      const left = this.#held(account) + minor;
      if (minor < 0n && left < 0n) throw new Refused("insufficient_funds");
      this.#record({ kind, transaction, account, amount, currency, at: new Date().toISOString() });
    } else if (known.kind !== kind || known.account !== account || known.amount !== amount) {
      throw new Refused("reference_differs");
    }
    return { reference: `T-${this.#movements.get(transaction)!.number}`, ...this.balance(item) };
  }

  #held(account: string): bigint {
    const held = this.#balances.get(account);
    if (held === undefined) throw new Refused("player_unknown");
    return held;
  }

  #hasDebit(transaction: string): boolean {
    return this.#movements.get(transaction)?.kind === "debit";
  }

  #record(fact: Fact): void {
    this.#journal.append(fact);
    this.#apply(fact);
  }

  #apply(fact: Fact): void {
    if (fact.kind === "account") {
      this.#balances.set(fact.account, BigInt(fact.balance));
    } else if (fact.kind === "rollback") {
      this.#rollbacks.set(fact.debit, fact);
      const debit = this.#movements.get(fact.debit);
      if (fact.found && debit) this.#add(debit.account, -BigInt(debit.amount));
    } else {
      this.#movements.set(fact.transaction, { ...fact, number: this.#movements.size + 1 });
      this.#add(fact.account, BigInt(fact.amount));
    }
  }

  #add(account: string, amount: bigint): void {
    this.#balances.set(account, this.#held(account) + amount);
  }
}

/** Do what one item says, and return what is answered about it. */
function answer(call: Kind | "rollback" | "balance", item: Item): Item {
  try {
    return { transaction: item.transaction, status: "accepted", ...wallet[call](item) };
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return { transaction: item.transaction, status: "refused", code: error.message };
  }
}

function reply(url: string, body: Buffer): Item {
  const { pathname, searchParams } = new URL(url, "http://wallet");
  const call = pathname.slice(pathname.lastIndexOf("/") + 1);
  if (call === "transactions") return wallet.transactions(Object.fromEntries(searchParams));
  const document = JSON.parse(body.toString()) as Item;
  const request = text(document, "request");
  if (call === "credits") return { request, items: (document.items as Item[]).map((item) => answer("credit", item)) };
  if (call !== "balance" && call !== "debit" && call !== "correction" && call !== "rollback")
    throw new TypeError("an unknown call");
  return { request, ...answer(call, document) };
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
const wallet = new Wallet(journal);
for (const each of players) wallet.open(...(each.split(":") as [string, string, string]));
console.log(JSON.stringify(publicKey.export({ format: "jwk" })));

createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => serve(request, Buffer.concat(chunks), response)); // one that breaks off has no end
}).listen(Number(port), "127.0.0.1");
