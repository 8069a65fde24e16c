// The table of traces. It draws the rows that can be seen and no others, so that ten thousand cost what fifty do.
const ROW = 58;
const BEYOND = 12;
const PRINTED = 1000;
const COLUMNS = [
  ["verdict", "Verdict"], ["text", "What is wrong"], ["messages", "Msgs"], ["calls", "Calls"], ["tokens", "Tokens"], ["risk", "Risk"], ["triage", "Triage"],
];

class Table {
  constructor(run) {
    this.all = run.rows;
    this.fields = COLUMNS.filter(([field]) => field === "text" || run.rows.some((row) => row[field] !== null));
    this.words = run.rows.map((row) => [row.verdict, row.id, row.source, row.quote, row.text, ...row.rules].join("\n").toLowerCase());
    this.order = { field: "worst", down: false };
    this.chosen = { verdict: null, rule: null, text: "" };
    this.listeners = [];
    this.rows = run.rows;
    this.extra = 0;
  }

  onChange(listener) { this.listeners.push(listener); }

  section() {
    this.listeners.push(() => this.tellCount());
    this.search = make("input", { type: "search", id: "search", placeholder: "Filter: text, rule, file, trace", "aria-label": "Filter the traces", value: this.chosen.text,
      on: { input: () => { this.chosen.text = this.search.value; this.refresh(); } } });
    this.told = make("p", { class: "faint", role: "status" });
    this.body = make("tbody");
    this.box = make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Rows of the table", on: { scroll: () => this.draw() } },
      make("table", { "aria-rowcount": String(this.all.length + 1) }, make("thead", null, make("tr", null, this.fields.map(([field, title]) => this.head(field, title)))), this.body));
    return make("section", { class: "traces", "aria-labelledby": "traces" },
      make("div", { class: "tools" }, make("h2", { id: "traces" }, "Traces"), this.search, this.told), this.box);
  }

  head(field, title) {
    const isWide = field === "verdict" && this.all.some((row) => row.verdict.length > 4);
    const cell = make("th", { scope: "col", class: `c-${field}${isWide ? " wide" : ""}`, "aria-sort": "none" }, make("button", { type: "button", on: { click: () => this.sortBy(field) } }, title, make("span", { class: "arrow", "aria-hidden": "true" })));
    this.listeners.push(() => cell.setAttribute("aria-sort", this.order.field !== field ? "none" : this.order.down ? "descending" : "ascending"));
    return cell;
  }

  toggle(filter, value) {
    this.chosen[filter] = this.chosen[filter] === value ? null : value;
    this.refresh();
  }

  sortBy(field) {
    const isText = field === "text" || field === "verdict";
    if (this.order.field !== field) this.order = { field, down: !isText };
    else if (this.order.down === !isText) this.order = { field, down: isText };
    else this.order = { field: "worst", down: false };
    this.refresh();
  }

  refresh() {
    const text = this.chosen.text.trim().toLowerCase();
    const { verdict, rule } = this.chosen;
    const rows = this.all.filter((row) => (!verdict || row.verdict === verdict) && (!rule || row.rules.includes(rule)) && (!text || this.words[row.number].includes(text)));
    const { field, down } = this.order;
    const valueOf = (row) => (field === "text" ? row.quote || row.text : field === "verdict" ? VERDICTS.indexOf(row.verdict) : row[field]);
    const compare = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
    const missing = (value) => value === null || value === undefined;
    rows.sort((a, b) => {
      const [left, right] = [valueOf(a), valueOf(b)];
      if (missing(left) || missing(right)) return Number(missing(left)) - Number(missing(right)) || a.worst - b.worst;
      return (down ? -1 : 1) * compare(left, right) || a.worst - b.worst;
    });
    this.rows = rows;
    for (const listener of this.listeners) listener();
    if (this.box) { this.box.scrollTop = 0; this.last = null; this.draw(); }
  }

  tellCount() {
    const number = this.rows.length;
    const first = this.order.field === "worst" ? "most worth reading first" : `by ${this.order.field}`;
    this.told.textContent = number === this.all.length ? `${count(number, "trace")}, ${first}` : `${figure(number)} of ${count(this.all.length, "trace")}, ${first}`;
  }

  draw() {
    const top = Math.max(0, Math.floor(this.box.scrollTop / ROW) - BEYOND);
    const end = Math.min(this.rows.length, top + Math.ceil((this.box.clientHeight || 800) / ROW) + 2 * BEYOND + this.extra);
    if (this.last === `${top} ${end}`) return;
    this.last = `${top} ${end}`;
    const space = (rows) => rows > 0 && make("tr", { class: "space", "aria-hidden": "true" }, make("td", { css: { height: `${rows * ROW}px` } }));
    const drawn = this.rows.slice(top, end).map((row, place) => this.row(row, top + place));
    this.body.replaceChildren(...[space(top), ...drawn, space(this.rows.length - end)].filter(Boolean));
    if (!this.rows.length) this.body.append(make("tr", null, make("td", { colspan: String(this.shownColumns()), class: "faint" }, "No trace matches this filter.")));
  }

  // A cell that spans columns which a narrow screen hides would bring them back, empty.
  shownColumns() { return [...this.box.querySelectorAll("th")].filter((cell) => cell.offsetWidth > 0).length; }

  row(row, place) {
    const words = row.claim ? [make("q", null, row.quote), " ", make("span", { class: "faint" }, row.text)]
      : [make("span", { class: row.severities[0] + row.severities[1] ? null : "faint" }, row.text), row.quote && make("span", { class: "faint" }, ` ${row.quote}`)];
    const name = make("span", { class: "line" }, row.full ? make("a", { href: `#t${row.number + 1}`, class: "open" }, words) : words);
    const cells = {
      verdict: () => pill(row.verdict),
      text: () => make("div", { class: "what" }, name, make("span", { class: "line small faint" }, row.rule && `${ruleWords(row.rule)} · `, row.id && `${row.id} · `, row.source, row.record ? `, record ${row.record}` : "")),
      risk: () => score(row.risk), triage: () => score(row.triage),
    };
    return make("tr", { "aria-rowindex": String(place + 2), class: row.full ? "full" : null,
      on: row.full && { click: (event) => { if (!event.target.closest("a") && !String(getSelection())) location.hash = `#t${row.number + 1}`; } } },
    this.fields.map(([field]) => make("td", { class: `c-${field}` }, cells[field] ? cells[field]() : row[field] === null ? "–" : short(row[field]))));
  }

  // On paper there is nothing to scroll.
  print(isOn) {
    if (!this.box?.isConnected) return;
    this.extra = isOn ? PRINTED : 0;
    this.last = null;
    this.draw();
  }
}
