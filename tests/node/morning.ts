// A stranger's morning with the typed client: a webhook, a launch, a bet, the signature, and the round by filter.

import { createHmac, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";

import createClient from "openapi-fetch";

import type { paths } from "./api.js";

const [url, key, site] = process.argv.slice(2) as [string, string, string];
const connect = (token?: string) =>
  createClient<paths>({ baseUrl: url, headers: token ? { Authorization: `Bearer ${token}` } : {} });
const keyed = () => ({ "Idempotency-Key": crypto.randomUUID() });

function answer<Data, Problem extends { code: string }>(result: { data?: Data; error?: Problem }): Data {
  if (result.data === undefined) throw new Error(`refused: ${result.error?.code ?? "no body"}`);
  return result.data;
}

type Message = { headers: IncomingHttpHeaders; body: string };
const messages: Message[] = [];
const server = createServer((request, response) => {
  let body = "";
  request.setEncoding("utf8");
  request.on("data", (chunk: string) => (body += chunk));
  request.on("end", () => {
    messages.push({ headers: request.headers, body });
    response.writeHead(204).end();
  });
});
server.listen(0, "127.0.0.1");
await once(server, "listening");
const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

function isSigned(secret: string, { headers, body }: Message): boolean {
  const signed = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`;
  const shared = Buffer.from(secret.replace("whsec_", ""), "base64");
  const expected = Buffer.from(`v1,${createHmac("sha256", shared).update(signed).digest("base64")}`);
  const signatures = String(headers["webhook-signature"]).split(" ").map((each) => Buffer.from(each));
  return signatures.some((each) => each.length === expected.length && timingSafeEqual(each, expected));
}

async function until<Found>(look: () => Promise<Found | undefined>): Promise<Found> {
  for (let attempt = 0; attempt < 600; attempt += 1) {
    const found = await look();
    if (found !== undefined) return found;
    await new Promise((done) => setTimeout(done, 100));
  }
  throw new Error("it did not come");
}

const operator = connect(key);
const webhook = answer(
  await operator.POST("/api/v1/webhooks", {
    params: { header: keyed() },
    body: { url: address, types: ["round.settled"] },
  }),
);
answer(await operator.PUT("/api/v1/operator/origins", { body: { origins: [site] } }));
answer(
  await operator.POST("/api/v1/tables", {
    params: { header: keyed() },
    body: { name: "Morning", preset: "mini", currency: "EUR", money_types: ["play"] },
  }),
);
const launch = answer(
  await operator.POST("/api/v1/launches", {
    body: {
      player: { reference: crypto.randomUUID(), nickname: "Ann" },
      preset: "mini",
      money_type: "play",
      parent_origin: site,
    },
  }),
);
const page = await fetch(launch.url);
const framed = page.headers.get("content-security-policy")?.includes(site) ?? false;
const code = new URL(launch.url).searchParams.get("launch") ?? "";
const session = answer(await connect().POST("/api/v1/sessions/launch", { body: { code } }));
const table = session.launch.table;
if (table === null) throw new Error("no table was opened");
answer(
  await operator.POST("/api/v1/players/{player}/sandbox-credits", {
    params: { path: { player: session.player }, header: keyed() },
    body: { amount: "100.00", currency: "EUR", money_type: "play" },
  }),
);
const ann = connect(session.token);
const atTable = () => ({ path: { table }, header: keyed() });
answer(
  await ann.POST("/api/v1/tables/{table}/seat", {
    params: atTable(),
    body: { seat: 1, buy_in: "50.00", currency: "EUR", money_type: "play" },
  }),
);
answer(
  await ann.POST("/api/v1/tables/{table}/deal", {
    params: atTable(),
    body: { stakes: [{ spot: "banker", amount: "10.00" }], currency: "EUR" },
  }),
);
const query = { player: session.player, table, status: "settled" } as const;
const round = await until(async () => answer(await operator.GET("/api/v1/rounds", { params: { query } })).items[0]);
const message = await until(async () => messages.find((each) => each.body.includes(round.id)));
if (!isSigned(webhook.secret, message)) throw new Error("the signature is wrong");
await operator.DELETE("/api/v1/webhooks/{webhook}", { params: { path: { webhook: webhook.id } } });
const { type, subject } = JSON.parse(message.body) as { type: string; subject: string };
console.log(JSON.stringify({ type, subject, round: round.id, framed }));
process.exit(0);
