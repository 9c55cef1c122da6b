// Opens five screens in Firefox by WebDriver BiDi, and prints what was seen and what went wrong, as JSON.
// usage: node firefox.js FIREFOX BASE_URL TOKEN TABLE

import process from "node:process";
import puppeteer from "puppeteer-core";

const [executablePath, base, token, table] = process.argv.slice(2);
const SCREENS = [
  ["door", "play/", ".door-players, .door"],
  ["lobby", `play/#token=${token}`, ".lobby"],
  ["table", `play/#token=${token}&table=${table}`, `.game[data-table="${table}"] .board`],
  ["help", `play/#token=${token}&table=${table}`, ".pays .return"],
  ["verify", "play/verify/", "#verify h1"],
];

/**
 * @param {import("puppeteer-core").Browser} browser
 * @param {string} path
 * @param {string} selector
 * @param {boolean} help whether to open the help first
 */
async function look(browser, path, selector, help) {
  const page = await browser.newPage();
  /** @type {string[]} */
  const errors = [];
  page.on("pageerror", (error) => errors.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error") errors.push(message.text());
  });
  await page.goto(new URL(path, base).href);
  if (help) {
    const button = await page.waitForSelector('[data-panel="help"]', { visible: true });
    await button?.click();
  }
  const shown = await page.waitForSelector(selector, { visible: true });
  const text = await shown?.evaluate((element) => element.textContent ?? "");
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
  await page.close();
  return { shown: shown !== null, text, overflow, errors };
}

const browser = await puppeteer.launch({ browser: "firefox", executablePath, headless: true, defaultViewport: { width: 1280, height: 800 } });
try {
  /** @type {Record<string, Awaited<ReturnType<typeof look>>>} */
  const seen = {};
  for (const [name, path, selector] of SCREENS) seen[name] = await look(browser, path, selector, name === "help");
  process.stdout.write(`${JSON.stringify({ version: await browser.version(), seen })}\n`);
} finally {
  await browser.close();
}
