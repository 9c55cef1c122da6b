// HTTP API client, with the server's clock. Addresses are relative to the page, so any path prefix works.

import { token } from "./session.js";

/**
 * Resolve after this many milliseconds.
 * @param {number} milliseconds
 */
export const wait = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

let offset = 0;
let uncertainty = Infinity;

/**
 * Estimate the server's clock from a response's `server_time`; a fast response outweighs a slow one.
 * @param {string} serverTime
 * @param {number} sentAt
 * @param {number} [now]
 */
export function syncClock(serverTime, sentAt, now = Date.now()) {
  const doubt = (now - sentAt) / 2;
  const estimate = Date.parse(serverTime) - (sentAt + doubt);
  if (doubt > uncertainty + 200) return;
  offset = estimate;
  uncertainty = Math.min(doubt, uncertainty) + 20;
}

/** Return the server's time in milliseconds, as estimated. */
export const serverNow = () => Date.now() + offset;

const ROOT = new URL("../api/v1/", document.baseURI);
const RETRY_FOR = 45_000;
const SESSION_END_CODES = new Set(["not_authenticated", "invalid_credentials", "token_expired", "session_taken_over", "session_timed_out", "session_ended_by_ban"]);

/** @type {(problem: Problem) => void} */
let sessionEndHandler = () => undefined;

/**
 * Call a function with the problem when the session turns out to be over.
 * @param {typeof sessionEndHandler} handler
 */
export function onSessionEnd(handler) {
  sessionEndHandler = handler;
}

/**
 * Report that the session is over.
 * @param {Problem} problem
 */
export function endSession(problem) {
  sessionEndHandler(problem);
}

/** @type {() => Promise<void>} */
let prepareForProblem = async () => undefined;

/**
 * Wait for a function before a refusal is thrown: it fetches what the refusal is described with.
 * @param {typeof prepareForProblem} prepare
 */
export function prepareForProblems(prepare) {
  prepareForProblem = prepare;
}

/** @type {(problem: Problem) => void} */
let refusalHandler = () => undefined;

/**
 * Call a function with each refusal, whatever request it answers.
 * @param {typeof refusalHandler} handler
 */
export function onRefusal(handler) {
  refusalHandler = handler;
}

/** A refusal by the service (problem+json): `code` is stable, `title` and `remedy` are for people. */
export class Problem extends Error {
  /**
   * @param {Partial<Api["Problem"]>} document
   * @param {number} status
   */
  constructor(document, status) {
    super(document.title ?? "The service refused.");
    this.code = document.code ?? "unknown";
    this.status = status;
    this.document = document;
  }
}

/** The service did not respond. */
export class NoResponse extends Error {}

/** Return a random idempotency key. */
export function newKey() {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * @param {string} method
 * @param {string} path
 * @param {{body?: unknown, key?: string, root?: URL, signal?: AbortSignal, bearer?: string | null}} [options]
 * @returns {Promise<any>} The response's document: its shape is the caller's to name.
 */
export async function send(method, path, { body, key, root = ROOT, signal, bearer = token() } = {}) {
  /** @type {Record<string, string>} */
  const headers = { Accept: "application/json" };
  if (bearer) headers.Authorization = `Bearer ${bearer}`;
  if (body !== undefined) headers["Content-Type"] = "application/json";
  if (key) headers["Idempotency-Key"] = key;
  let response;
  try {
    response = await fetch(new URL(path, root), {
      method,
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
      signal: signal ?? AbortSignal.timeout(12_000),
      cache: "no-store",
      credentials: "omit",
    });
    const text = await response.text();
    return await read(response, text, { own: bearer === token() });
  } catch (error) {
    if (error instanceof Problem) throw error;
    throw new NoResponse(String(error));
  }
}

/**
 * @param {Response} response
 * @param {string} text
 * @param {{own: boolean}} session whether the request was sent in this page's session
 */
async function read(response, text, { own }) {
  let document;
  try {
    document = text ? JSON.parse(text) : {};
  } catch {
    document = { code: "unreadable", title: `The service answered ${response.status}.` };
  }
  if (document.status === "confirming") throw new NoResponse("The casino's own wallet has not answered yet.");
  if (response.ok) return document;
  await prepareForProblem();
  const problem = new Problem(document, response.status);
  refusalHandler(problem);
  if (own && SESSION_END_CODES.has(problem.code) && response.status === 401) endSession(problem);
  throw problem;
}

/**
 * @param {string} path
 * @param {{signal?: AbortSignal, bearer?: string}} [options]
 */
export const get = (path, options) => send("GET", path, options);
/**
 * @param {string} path
 * @param {object} body
 */
export const put = (path, body) => send("PUT", path, { body });
/**
 * @param {string} path
 * @param {object} body
 * @param {{signal?: AbortSignal, bearer?: string | null, key?: string}} [options]
 */
export const post = (path, body, options) => send("POST", path, { body, ...options });

/** @param {string} path */
export const del = (path) => send("DELETE", path);

/**
 * Return whether a request with this error may be sent again under its key.
 * @param {unknown} error
 */
export const isTemporary = (error) => error instanceof NoResponse || (error instanceof Problem && [502, 503, 504].includes(error.status) && !error.code.startsWith("wallet_"));

/**
 * Send a command, and again under the same idempotency key while the service does not respond.
 * @param {string} path
 * @param {object} [body]
 */
export async function command(path, body = {}) {
  const key = newKey();
  const deadline = Date.now() + RETRY_FOR;
  for (let pause = 300; ; pause = Math.min(pause * 1.6, 3000)) {
    try {
      return await send("POST", path, { body, key });
    } catch (error) {
      if (!isTemporary(error) || Date.now() > deadline) throw error;
    }
    await Promise.race([wait(pause), new Promise((done) => addEventListener("online", done, { once: true }))]);
  }
}

/** @param {Record<string, string>} query */
export const streamUrl = (query) => new URL(`stream?${new URLSearchParams(query)}`, ROOT);
