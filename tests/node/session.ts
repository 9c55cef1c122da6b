// A client of openapi-fetch, typed by what openapi-typescript generates, plays a session. Compiled with `tsc --strict`.

import createClient from "openapi-fetch";

import type { paths } from "./api.js";

const [url, key] = process.argv.slice(2) as [string, string];
const connect = (token: string) =>
  createClient<paths>({ baseUrl: url, headers: { Authorization: `Bearer ${token}` } });
const keyed = () => ({ "Idempotency-Key": crypto.randomUUID() });

function answer<Data, Problem extends { code: string }>(result: { data?: Data; error?: Problem }): Data {
  if (result.data === undefined) throw new Error(`refused: ${result.error?.code ?? "no body"}`);
  return result.data;
}

async function settled(stream: ReadableStream<Uint8Array>): Promise<void> {
  let text = "";
  for await (const chunk of stream.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>)) {
    text += chunk;
    if (text.includes('"RoundSettled"')) return;
  }
  throw new Error("the stream ended before the round did");
}

const operator = connect(key);
const player = answer(
  await operator.POST("/api/v1/players", {
    params: { header: keyed() },
    body: { reference: crypto.randomUUID(), nickname: "Ann" },
  }),
);
const credit = { amount: "100.00", currency: "EUR", money_type: "play" } as const;
const ofPlayer = { path: { player: player.id } };
answer(
  await operator.POST("/api/v1/players/{player}/sandbox-credits", {
    params: { ...ofPlayer, header: keyed() },
    body: credit,
  }),
);
const table = answer(
  await operator.POST("/api/v1/tables", {
    params: { header: keyed() },
    body: { name: "Typed", preset: "mini", currency: "EUR", money_types: ["play"] },
  }),
);
const session = answer(
  await operator.POST("/api/v1/players/{player}/sessions", { params: ofPlayer, body: { ttl_seconds: 600 } }),
);

const ann = connect(session.token);
const atTable = () => ({ path: { table: table.id }, header: keyed() });
answer(
  await ann.POST("/api/v1/tables/{table}/seat", {
    params: atTable(),
    body: { seat: 1, buy_in: "50.00", currency: "EUR", money_type: "play" },
  }),
);
const refused = await ann.POST("/api/v1/tables/{table}/place", {
  params: atTable(),
  body: { spot: "tie", amount: "60.00", currency: "EUR" },
});
if (refused.error?.code !== "insufficient_funds") throw new Error("a stake beyond the balance was taken");
if (!("needed" in refused.error)) throw new Error("a problem lacks its fact");
const missing: string = refused.error.needed; // a fact that only this code has

const stream = answer(await ann.GET("/api/v1/stream", { params: { query: { table: table.id } }, parseAs: "stream" }));
if (stream === null) throw new Error("no stream");
const end = settled(stream as ReadableStream<Uint8Array>);
answer(
  await ann.POST("/api/v1/tables/{table}/deal", {
    params: atTable(),
    body: { stakes: [{ spot: "banker", amount: "10.00" }], currency: "EUR" },
  }),
);
await end;
answer(await ann.POST("/api/v1/tables/{table}/leave", { params: atTable() }));
const balances = answer(await ann.GET("/api/v1/me/balances"));
const account = balances.items.find((each) => each.account === "account" && each.money_type === "play");
console.log(JSON.stringify({ needed: missing, balance: account?.balance.amount }));
process.exit(0);
