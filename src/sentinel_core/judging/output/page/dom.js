// Elements out of text. Text reaches the page as text nodes alone: nothing in it is ever read as markup.
const make = (tag, attributes, ...children) => {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "on") for (const [event, handler] of Object.entries(value)) element.addEventListener(event, handler);
    else if (name === "css") for (const [key, text] of Object.entries(value)) element.style.setProperty(key, text);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
};

const byId = (id) => document.getElementById(id);
const read = (id) => JSON.parse(byId(id).textContent);
const count = (number, one, many) => `${number.toLocaleString("en")} ${number === 1 ? one : (many ?? `${one}s`)}`;
const figure = (number) => number.toLocaleString("en");
const score = (number) => (number === null || number === undefined ? "–" : number.toFixed(3));
const announce = (text) => { byId("live").textContent = text; };

const SIGNS = { FAIL: "✗", WARN: "!", PASS: "✓", error: "✗", warning: "!", note: "·" };
const sign = (kind) => make("span", { "aria-hidden": "true", class: "sign" }, SIGNS[kind] ?? "?");
const kindOf = (verdict) => ({ FAIL: "fail", WARN: "warn", PASS: "pass" })[verdict] ?? "none";
const severityKind = (severity) => ({ error: "fail", warning: "warn", note: "note" })[severity];
const pill = (verdict) => make("span", { class: `pill ${kindOf(verdict)}` }, sign(verdict), " ", verdict);

// A rule's id in words: "hallucination.claim_without_call" becomes "claim without call".
const ruleWords = (rule) => rule.slice(rule.indexOf(".") + 1).replaceAll("_", " ");

const short = (number) => {
  if (number < 1000) return String(number);
  if (number < 1e6) return `${(number / 1000).toFixed(number < 1e4 ? 1 : 0)}k`;
  return `${(number / 1e6).toFixed(1)}M`;
};

const duration = (ms) => {
  const seconds = ms / 1000;
  if (seconds < 60) return `${seconds.toFixed(seconds < 10 ? 1 : 0)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}:${String(Math.floor(seconds % 60)).padStart(2, "0")} min`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
};
