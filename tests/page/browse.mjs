// Opens pages in one Chromium without a network and tells what happened there. Reads what to do as JSON, a line a page, and
// answers each with a line of JSON. Each page has a context of its own: nothing is left for the next one.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { performance } from "node:perf_hooks";
import { createInterface } from "node:readline";

const [, , modules, executablePath] = process.argv;
const require = createRequire(`${modules}/`);
const { chromium } = require("playwright-core");

const browser = await chromium.launch({
  executablePath,
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
});

async function look(context, wish) {
  const page = await context.newPage();
  const told = { console: [], requests: [], dialogs: [], values: [] };
  page.on("console", (message) => told.console.push(`${message.type()}: ${message.text()}`));
  page.on("pageerror", (error) => told.console.push(`error: ${error}`));
  page.on("request", (request) => told.requests.push(request.url().slice(0, 100)));
  page.on("dialog", (dialog) => { told.dialogs.push(dialog.message()); dialog.dismiss(); });

  const start = performance.now();
  await page.goto(`file://${wish.page}${wish.hash ?? ""}`);
  await page.waitForSelector(wish.ready ?? "main h1");
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 0))));
  told.milliseconds = performance.now() - start;

  for (const [kind, what] of wish.steps ?? []) {
    if (kind === "press") await page.keyboard.press(what);
    if (kind === "click") await page.click(what);
    if (kind === "type") await page.keyboard.type(what);
    if (kind === "select") await page.selectOption(...what);
    if (kind === "wait") await page.waitForSelector(what);
    if (kind === "eval") told.values.push(await page.evaluate(what));
    if (kind === "print") await page.emulateMedia({ media: "print" });
  }
  if (wish.axe) {
    await page.evaluate(readFileSync(require.resolve("axe-core/axe.min.js"), "utf-8"));
    const found = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
    told.axe = found.violations.map(({ id, impact, help, nodes }) => ({ id, impact, help, nodes: nodes.slice(0, 5).map((node) => `${node.html.slice(0, 160)} ${node.any[0]?.message ?? ""}`) }));
  }
  if (wish.shot) await page.screenshot({ path: wish.shot, fullPage: wish.whole ?? false });
  if (wish.pdf) await page.pdf({ path: wish.pdf });
  return told;
}

for await (const line of createInterface({ input: process.stdin })) {
  const wish = JSON.parse(line);
  const context = await browser.newContext({
    viewport: { width: wish.width ?? 1280, height: wish.height ?? 900 },
    colorScheme: wish.theme ?? "light",
    offline: true,
    permissions: wish.permissions ?? [],
  });
  const answer = await look(context, wish).catch((error) => ({ error: `${error.stack}` }));
  await context.close();
  console.log(JSON.stringify(answer));
}
await browser.close();
