// Which view is shown, by the address behind "#", and the keys.
const SHORTCUTS = [["j  k", "next, previous finding"], ["u  Esc", "all traces"], ["/", "filter the traces"], ["t", "dark or light"], ["?", "this list"]];

const OF_MANY = ["u  Esc", "/"];

const loaded = read("run");
const run = {
  ...loaded,
  rows: loaded.rows.map((values, number) => ({ number, ...Object.fromEntries(loaded.columns.map((column, place) => [column, values[place]])) })),
};
[...run.order].forEach((number, place) => { run.rows[number].worst = place; });
const isSingle = run.rows.length === 1 && run.rows[0].full;
const table = new Table(run);
const state = { number: undefined, shown: null, at: -1 };

const parseHash = () => {
  const found = /^#(?:t(\d+))?\/?(?:(f)(\d+)|m([\d.]+))?$/.exec(location.hash) ?? [];
  return { number: isSingle ? 0 : found[1] ? Number(found[1]) - 1 : null, finding: found[2] ? Number(found[3]) : null, message: found[4] ?? null };
};

const go = () => {
  const wanted = parseHash();
  if (wanted.number !== null && !run.rows[wanted.number]?.full) wanted.number = null;
  if (wanted.number !== state.number) show(wanted.number);
  if (state.shown && wanted.finding !== null) reachFinding(wanted.finding);
  else if (state.shown && wanted.message !== null) focusOn(state.shown.timeline.reach(wanted.message));
};

const show = (number) => {
  Object.assign(state, { number, shown: null, at: -1 });
  scrollTo(0, 0);
  if (number === null) { showOverview(run, table); table.refresh(); }
  else state.shown = showTrace(read(`r${number}`), isSingle ? "#" : `#t${number + 1}/`, run.rows[number]);
  drawBar();
};

const drawBar = () => {
  const trail = byId("trail");
  trail.replaceChildren(...(isSingle || state.number === null ? [] : [make("a", { href: "#" }, `All ${figure(run.rows.length)} traces`), make("span", { class: "faint", "aria-current": "page" }, ` / ${run.rows[state.number].id}`)]));
  const found = state.shown?.findings.length ?? 0;
  byId("steps").replaceChildren(...(found ? [
    make("button", { type: "button", class: "quiet", on: { click: () => step(-1) } }, make("span", { class: "unseen" }, "Previous finding, key "), make("span", { "aria-hidden": "true" }, "↑ "), make("kbd", null, "k")),
    make("span", { id: "at", class: "faint" }, count(found, "finding")),
    make("button", { type: "button", class: "quiet", on: { click: () => step(1) } }, make("span", { class: "unseen" }, "Next finding, key "), make("span", { "aria-hidden": "true" }, "↓ "), make("kbd", null, "j"))] : []));
};

// From one finding to the next, in the order of the list: the worst first.
const step = (by) => {
  const placed = state.shown?.findings.filter((finding) => finding.key !== null) ?? [];
  if (!placed.length) return;
  const at = state.at < 0 && by < 0 ? placed.length - 1 : (state.at + by + placed.length) % placed.length;
  history.replaceState(null, "", `${isSingle ? "#" : `#t${state.number + 1}/`}f${placed[at].number}`);
  reachFinding(placed[at].number);
};

const reachFinding = (number) => {
  const placed = state.shown.findings.filter((finding) => finding.key !== null);
  const at = placed.findIndex((finding) => finding.number === number);
  if (at < 0) return;
  state.at = at;
  state.shown.timeline.reach(placed[at].key);
  focusOn(byId(`f${number}`));
  byId("at").textContent = `${at + 1} of ${placed.length}`;
  announce(`Finding ${at + 1} of ${placed.length}, ${placed[at].severity}: ${placed[at].text}`);
};

const focusOn = (element) => {
  if (!element) return;
  element.focus({ preventScroll: true });
  (element.closest(".message") ?? element).scrollIntoView({ block: element.closest(".message")?.clientHeight > innerHeight ? "start" : "center" });
  element.scrollIntoView({ block: "nearest" });
};

const switchTheme = () => {
  const root = document.documentElement;
  const isDark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = isDark ? "light" : "dark";
};

const showKeys = () => {
  const dialog = byId("keys");
  dialog.replaceChildren(make("h2", { id: "keys-title" }, "Keys"),
    make("dl", { class: "shortcuts" }, SHORTCUTS.filter(([keys]) => !isSingle || !OF_MANY.includes(keys)).map(([keys, what]) => [make("dt", null, keys.split(/\s+/).map((key) => [make("kbd", null, key), " "])), make("dd", null, what)])),
    make("button", { type: "button", on: { click: () => dialog.close() } }, "Close"));
  dialog.showModal();
};

const KEYS = {
  j: () => step(1), k: () => step(-1), t: switchTheme, "?": showKeys,
  u: () => { if (!isSingle) location.hash = "#"; }, Escape: () => { if (!isSingle) location.hash = "#"; },
  "/": (event) => { if (state.number === null) { event.preventDefault(); byId("search").focus(); } },
};

addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || byId("keys").open) return;
  if (event.target.matches?.("input")) { if (event.key === "Escape") event.target.blur(); return; }
  KEYS[event.key]?.(event);
});
addEventListener("hashchange", go);
addEventListener("beforeprint", () => {
  table.print(true);
  state.shown?.timeline.drawTo(Infinity);
  document.querySelectorAll("details").forEach((box) => { box.open = true; });
  document.querySelectorAll("button.more").forEach((button) => button.unfold());
});
addEventListener("afterprint", () => table.print(false));
byId("theme").addEventListener("click", switchTheme);
byId("help").addEventListener("click", showKeys);
go();
