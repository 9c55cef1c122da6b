// The HTTP API, relative to this page: it works under any path prefix. A command is sent again under the same key.

import { token } from "./session.js";
import { signals, wait } from "./signals.js";

const ROOT = new URL("../api/v1/", document.baseURI);
const PATIENCE = 45_000;
const OVER = new Set(["not_authenticated", "invalid_credentials", "token_expired", "session_taken_over", "session_timed_out", "session_ended_by_ban"]);

export const news = signals();

/** What the service refused, in its own words: `code` is stable, `title` and `remedy` are for people. */
export class Problem extends Error {
  constructor(document, status) {
    super(document.title ?? "The service refused.");
    this.code = document.code ?? "unknown";
    this.status = status;
    this.document = document;
  }
}

/** Nobody answered. */
export class NoAnswer extends Error {}

function random() {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

async function send(method, path, { body, key, root = ROOT, signal } = {}) {
  const headers = { Accept: "application/json" };
  if (token()) headers.Authorization = `Bearer ${token()}`;
  if (body !== undefined) headers["Content-Type"] = "application/json";
  if (key) headers["Idempotency-Key"] = key;
  let answer;
  try {
    answer = await fetch(new URL(path, root), {
      method,
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
      signal: signal ?? AbortSignal.timeout(12_000),
      cache: "no-store",
      credentials: "omit",
    });
    const text = await answer.text();
    news.emit("answered");
    return read(answer, text);
  } catch (error) {
    if (error instanceof Problem) throw error;
    news.emit("silent");
    throw new NoAnswer(String(error));
  }
}

function read(answer, text) {
  let document = {};
  try {
    document = text ? JSON.parse(text) : {};
  } catch {
    document = { code: "unreadable", title: `The service answered ${answer.status}.` };
  }
  if (answer.ok) return document;
  const problem = new Problem(document, answer.status);
  if (OVER.has(problem.code) && answer.status === 401) news.emit("over", problem);
  throw problem;
}

export const get = (path, options) => send("GET", path, options);
export const put = (path, body) => send("PUT", path, { body });
export const plainPost = (path, body, options) => send("POST", path, { body, ...options });

/** Act once, however often it has to be sent: while nobody answers it waits, and keeps its key. */
export async function command(path, body = {}) {
  const key = random();
  const until = Date.now() + PATIENCE;
  for (let pause = 300; ; pause = Math.min(pause * 1.6, 3000)) {
    try {
      return await send("POST", path, { body, key });
    } catch (error) {
      const passing = error instanceof NoAnswer || [502, 503, 504].includes(error.status);
      if (!passing || Date.now() > until) throw error;
    }
    await Promise.race([wait(pause), new Promise((done) => addEventListener("online", done, { once: true }))]);
  }
}

/** Where the demo's door is. */
export const demo = {
  list: () => send("GET", "demo", { root: new URL("./", document.baseURI) }),
  enter: (player) => send("POST", "demo", { root: new URL("./", document.baseURI), body: { player } }),
};

export const streamAddress = (query) => new URL(`stream?${new URLSearchParams(query)}`, ROOT);
