// Which view is shown, by the address behind "#", and the keys.
// The keys, what each does on the page of one trace, and on a page of several if that is more.
const SHORTCUTS = [
  ["j  k", "next, previous finding", "next, previous finding or difference"], ["/", "search the messages; a number goes to its message", "search the messages, or filter the traces"],
  ["n  p", "next, previous hit"], ["e", "unfold or fold everything"], ["c", "copy the link to this place"], ["u  Esc", null, "back to all traces"],
  ["t", "dark or light"], ["?", "this list"],
];

const loaded = read("run");
const run = {
  ...loaded,
  rows: loaded.rows.map((values, number) => ({ number, ...Object.fromEntries(loaded.columns.map((column, place) => [column, values[place]])) })),
};
[...run.order].forEach((number, place) => { run.rows[number].worst = place; });
const isSingle = run.rows.length === 1 && run.rows[0].full;
const table = new Table(run);
const state = { number: undefined, shown: null, both: null, finding: null };

// A finding without a trace's number is one of the worst trace.
const parseHash = () => {
  const found = /^#(?:t(\d+))?\/?(?:(f)(\d+)|m?([\d.]+)(?:c(\d+))?|s(\d+)|(files))?$/.exec(location.hash) ?? [];
  return { step: found[6] ? Number(found[6]) : null, isOfFiles: Boolean(found[7]), number: isSingle ? 0 : found[1] ? Number(found[1]) - 1 : found[2] ? run.order[0] ?? null : null, finding: found[2] ? Number(found[3]) : null, message: found[4] ?? null, call: Number(found[5] ?? 0) };
};

const go = () => {
  const wanted = parseHash();
  if (wanted.number !== null && !run.rows[wanted.number]?.full) wanted.number = null;
  if (wanted.number !== state.number) show(wanted.number);
  if (state.shown && wanted.finding !== null) reachFinding(wanted.finding);
  else if (state.shown && wanted.message !== null) { setCurrent(null); focusOn(state.shown.timeline.reach(wanted.message, wanted.call)); }
  else if (state.shown && wanted.isOfFiles) focusOn(byId("files"));
  else if (state.both && wanted.step !== null) state.both.reach(wanted.step);
};

const show = (number) => {
  Object.assign(state, { number, shown: null, both: null, finding: null });
  scrollTo(0, 0);
  if (number === null && run.compare) state.both = showCompare(run);
  else if (number === null) { showOverview(run, table); table.refresh(); }
  else state.shown = showTrace(read(`r${number}`), isSingle ? "#" : `#t${number + 1}/`);
  drawBar();
};

const drawBar = () => {
  const trail = byId("trail");
  trail.replaceChildren(...(isSingle || state.number === null ? [] : [make("a", { href: "#" }, run.compare ? "Both runs" : `All ${figure(run.rows.length)} traces`), make("span", { class: "faint", "aria-current": "page" }, ` / ${run.rows[state.number].id}`)]));
  const [found, what] = state.both ? [state.both.apart.length, "difference"] : [state.shown?.findings.length ?? 0, "finding"];
  const button = (by, told, arrow, key) => make("button", { type: "button", class: "quiet", on: { click: () => (state.both ?? { step }).step(by) } },
    make("span", { class: "unseen" }, `${told} ${what}, key `), make("span", { "aria-hidden": "true" }, arrow), make("kbd", null, key));
  byId("steps").setAttribute("aria-label", state.both ? "Differences" : "Findings");
  byId("steps").replaceChildren(...(found ? [button(-1, "Previous", "↑ ", "k"), make("span", { id: "at", class: "faint" }, count(found, what)), button(1, "Next", "↓ ", "j")] : []),
    ...(state.shown ? [make("button", { type: "button", class: "quiet wide", on: { click: focusSearch } }, "Search ", make("kbd", null, "/"))] : []));
};

// From the finding in sight to the next of the list; from elsewhere in the timeline to the next of the trace, and from above it to the worst.
const step = (by) => {
  const { ordered = [], findings, base } = state.shown ?? {};
  if (!ordered.length) return;
  const place = placeInSight();
  const next = (list, at) => list[(at + list.length) % list.length];
  const from = ordered.findIndex((one) => byPosition(one.position, place.position ?? []) >= 0);
  const { number } = place.number ? next(findings, place.number - 1 + by) : place.isAbove ? next(findings, by < 0 ? -1 : 0)
    : next(ordered, (from < 0 ? ordered.length : from) - (by < 0 ? 1 : 0));
  setPlace(`${base}f${number}`);
  reachFinding(number);
};

// The current finding while it is in sight, or else the message there.
const placeInSight = () => {
  const { timeline: { list }, finder } = state.shown;
  const under = finder.seek.getBoundingClientRect().bottom;
  const element = state.finding && elementOf(state.finding);
  if (element && isInSight(element, list.contains(element) ? under : 0)) return { number: state.finding };
  const focused = document.activeElement;
  const isAbove = list.getBoundingClientRect().top > under + STEP / 2 && !(list.contains(focused) && isInSight(focused, under));
  const seen = isAbove ? null : inSight(list, under, finder.current);
  return seen ? { position: state.shown.positionOf(seen.dataset.key ?? seen.id.slice(1)) } : { position: [-1], isAbove: true };
};

const reachFinding = (number) => {
  const { ordered, timeline } = state.shown;
  const at = ordered.findIndex((finding) => finding.number === number);
  if (at < 0) return;
  const { key, severity, text } = ordered[at];
  if (key !== null) timeline.reach(key);
  const element = elementOf(number);
  const folded = key === null && element?.closest("details");
  if (folded) folded.open = true;
  focusOn(element);
  setCurrent(number);
  byId("at").textContent = `${number} of ${ordered.length}`;
  announce(`Finding ${number} of ${ordered.length}, ${severity}: ${text}`);
};

// A finding about the whole trace is at no message, and a note has no card.
const linkTo = (number) => document.querySelector(`.list a[href$="f${number}"]`);
const elementOf = (number) => byId(`f${number}`) ?? byId(`h${number}`) ?? linkTo(number);

// Marks the current finding in the list, and scrolls the list to it.
const setCurrent = (number) => {
  state.finding = number;
  document.querySelector(".list [aria-current]")?.removeAttribute("aria-current");
  if (number === null) { if (byId("at")) byId("at").textContent = count(state.shown.findings.length, "finding"); return; }
  const link = linkTo(number);
  if (!link) return;
  link.setAttribute("aria-current", "true");
  const folded = link.closest("details");
  if (folded) folded.open = true;
  const list = link.closest(".figures");
  const [box, at] = [list, link].map((one) => one.getBoundingClientRect());
  if (at.top < box.top || at.bottom > box.bottom) list.scrollTop += (at.top + at.bottom - box.top - box.bottom) / 2;
};

const switchTheme = () => {
  const root = document.documentElement;
  const isDark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = isDark ? "light" : "dark";
};

const showKeys = () => {
  const dialog = byId("keys");
  dialog.replaceChildren(make("h2", { id: "keys-title" }, "Keys"),
    make("dl", { class: "shortcuts" }, SHORTCUTS.map(([keys, ofOne, ofMany = ofOne]) => [keys, isSingle ? ofOne : ofMany]).filter(([, what]) => what)
      .map(([keys, what]) => [make("dt", null, keys.split(/\s+/).map((key) => [make("kbd", null, key), " "])), make("dd", null, what)])),
    make("button", { type: "button", on: { click: () => dialog.close() } }, "Close"));
  dialog.showModal();
};

const toAll = () => { if (!isSingle) location.hash = "#"; };

const focusSearch = (event) => {
  const box = byId("search");
  if (!box) return;
  event.preventDefault();
  if (state.shown) state.shown.finder.focus();
  else box.focus();
};

// The link to the finding or the message that has the focus, to the hit of the search, to the place in the address, or to the worst finding.
const copyHere = () => {
  const base = state.shown?.base ?? "#";
  const { activeElement: focused } = document;
  const place = (focused.closest(".callout[id], .call[id], .message[id], .step[id]") ?? state.shown?.finder.current)?.id;
  const ofCard = focused.closest(".card")?.querySelector("button.copy").dataset.place;
  const worst = state.shown?.findings[0];
  const link = place ? `${base}${place}` : ofCard ?? (location.hash || (worst ? `${base}f${worst.number}` : ""));
  if (link) copyLink(link);
};

const KEYS = {
  j: () => (state.both ?? { step }).step(1), k: () => (state.both ?? { step }).step(-1), t: switchTheme, "?": showKeys, u: toAll, Escape: toAll, "/": focusSearch, c: copyHere,
  n: () => state.shown?.finder.step(1), p: () => state.shown?.finder.step(-1),
  e: () => { if (state.shown) state.shown.finder.unfoldAll(); else state.both?.unfold(state.both.boxes.some(({ box }) => !box.open)); },
};

addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || byId("keys").open) return;
  if (event.target.matches?.("input, select") && !(event.key === "/" && event.target.matches("select"))) { if (event.key === "Escape") event.target.blur(); return; }
  KEYS[event.key]?.(event);
});
addEventListener("hashchange", go);
// On paper only what two runs have in common is folded; of long texts there is what the screen shows. Afterwards all is as it was.
addEventListener("beforeprint", () => {
  table.print(true);
  const wasOpen = new Set(document.querySelectorAll("details[open]"));
  state.shown?.timeline.unfold();
  state.both?.drawAll();
  for (const box of document.querySelectorAll("details:not(.instructions, .reasoning, .compare .stretch)")) box.open = true;
  state.closed = [...document.querySelectorAll("details[open]")].filter((box) => !wasOpen.has(box));
});
addEventListener("afterprint", () => {
  table.print(false);
  for (const box of state.closed ?? []) box.open = false;
});
byId("theme").addEventListener("click", switchTheme);
byId("help").addEventListener("click", showKeys);
go();
