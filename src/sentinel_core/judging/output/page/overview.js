// Many traces: how the verdicts, the scores and the rules are distributed.
const VERDICTS = ["FAIL", "WARN", "PASS", "NO VERDICT", "UNREADABLE"];
const BINS = 20;

const showOverview = (run, table) => {
  const counts = new Map(VERDICTS.map((verdict) => [verdict, run.rows.filter((row) => row.verdict === verdict).length]));
  const present = VERDICTS.filter((verdict) => counts.get(verdict) || (verdict === "FAIL" && run.rows.length > 1));
  byId("main").replaceChildren(make("div", { class: "overview" },
    make("section", { class: "hero", "aria-label": "Verdicts" },
      make("h1", null, headlineOf(run, counts)),
      make("div", { class: "verdicts", role: "group", "aria-label": "Show only these verdicts" }, present.map((verdict) => verdictButton(verdict, counts.get(verdict), run.rows.length, table))),
      make("div", { class: "stack", "aria-hidden": "true" }, present.map((verdict) => make("span", { class: kindOf(verdict), css: { "flex-grow": String(counts.get(verdict)) } })))),
    make("div", { class: "charts" },
      histogram("Risk", "risk", run), histogram("Triage", "triage", run), topRules(run, table)),
    table.section()));
  document.title = `Sentinel: ${count(run.rows.length, "trace")}`;
  table.draw();
};

const headlineOf = (run, counts) => {
  const total = count(run.rows.length, "trace");
  const [fail, warn] = [counts.get("FAIL"), counts.get("WARN")];
  if (!run.rows.length) return "No trace was judged.";
  const look = warn ? `, ${figure(warn)}${fail ? " more" : ""} ${warn === 1 ? "deserves" : "deserve"} a look` : "";
  if (fail) return `${figure(fail)} of ${total} ${fail === 1 ? "fails" : "fail"}${look}.`;
  if (warn) return `${figure(warn)} of ${total} ${warn === 1 ? "deserves" : "deserve"} a look.`;
  if (run.rows.length === 1 && !counts.get("PASS")) return "The trace could not be judged.";
  return counts.get("PASS") === run.rows.length ? `No defect was found in ${total}.` : `${total}: not all could be judged.`;
};

const verdictButton = (verdict, number, total, table) => {
  const button = make("button", { type: "button", class: `verdict ${kindOf(verdict)}`, "aria-pressed": "false",
    on: { click: () => { table.toggle("verdict", verdict); } } },
  make("span", { class: "big" }, figure(number)), make("span", { class: "word" }, sign(verdict), ` ${verdict}`),
  make("span", { class: "faint" }, `${(100 * number / Math.max(1, total)).toFixed(1)}%`));
  table.onChange(() => button.setAttribute("aria-pressed", String(table.chosen.verdict === verdict)));
  return button;
};

const histogram = (title, field, run) => {
  const values = run.rows.map((row) => row[field]).filter((value) => value !== null && value !== undefined);
  if (!values.length) return null;
  const bins = Array(BINS).fill(0);
  for (const value of values) bins[Math.min(BINS - 1, Math.floor(value * BINS))] += 1;
  const most = Math.max(...bins);
  const { warn_at: warn = 2, fail_at: fail = 2 } = field === "risk" && !run.profile?.findings_decide ? run.profile ?? {} : {};
  const kindAt = (place) => (field === "triage" ? "note" : (place + 0.5) / BINS >= fail ? "fail" : (place + 0.5) / BINS >= warn ? "warn" : "note");
  const sorted = [...values].sort((a, b) => a - b);
  const quantile = (share) => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)];
  const told = `median ${score(quantile(0.5))}, 95th percentile ${score(quantile(0.95))}, highest ${score(quantile(1))}`;
  return make("section", { class: "chart" }, make("h2", null, title),
    make("div", { class: "bars", role: "img", "aria-label": `${title}: ${told}` },
      bins.map((number, place) => make("span", { class: `column ${kindAt(place)}`, title: `${(place / BINS).toFixed(2)} to ${((place + 1) / BINS).toFixed(2)}: ${figure(number)}`,
        // The root keeps a single trace visible beside thousands.
        css: { "--height": String(number ? Math.max(0.03, Math.sqrt(number / most)) : 0) } }))),
    make("p", { class: "axis faint", "aria-hidden": "true" }, make("span", null, "0"), make("span", null, "0.5"), make("span", null, "1")),
    make("p", { class: "faint" }, told));
};

const topRules = (run, table) => {
  const rules = new Map();
  for (const row of run.rows) for (const rule of row.rules) rules.set(rule, (rules.get(rule) ?? 0) + 1);
  const top = [...rules].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).slice(0, 8);
  if (!top.length) return null;
  return make("section", { class: "chart" }, make("h2", null, "Most common findings"),
    make("ul", { class: "rules" }, top.map(([rule, number]) => {
      const button = make("button", { type: "button", "aria-pressed": "false", title: rule, on: { click: () => table.toggle("rule", rule) } },
        make("span", { class: "name" }, ruleWords(rule)), make("span", { class: "value" }, figure(number)),
        make("span", { class: "track", "aria-hidden": "true" }, make("span", { class: "fill", css: { "--at": String(number / top[0][1]) } })));
      table.onChange(() => button.setAttribute("aria-pressed", String(table.chosen.rule === rule)));
      return make("li", null, button);
    })),
    make("p", { class: "faint" }, "traces with an error or a warning from this rule"));
};
