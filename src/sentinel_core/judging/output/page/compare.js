// Two runs beside each other, a row for each step; rows that are the same are folded.
const showCompare = (run) => {
  const sides = run.rows.map((row) => {
    const held = read(`r${row.number}`);
    const base = `#t${row.number + 1}/`;
    const about = { findings: findingsOf(held), ledger: [], base, filter: { tool: null, rule: null } };
    return { row, held, base, timeline: new Timeline(held.trace, [], about) };
  });
  const compared = new Comparison(run.compare.pairs.map(([left, right, differs], place) => ({ place, at: [left, right], differs })), run.compare.first, sides);
  byId("main").replaceChildren(make("div", { class: "compare" },
    make("section", { class: "hero", "aria-label": "Both runs" }, make("h1", null, compared.headline()),
      make("div", { class: "pair" }, sides.map(({ row, held, base }) => make("div", { class: kindOf(row.verdict) },
        make("p", { class: "line" }, pill(row.verdict), make("a", { class: "id", href: base.slice(0, -1) }, row.id)),
        held.trace.request && make("p", { class: "request" }, held.trace.request),
        make("p", { class: "faint" }, held.trace.report.reasoning),
        make("p", { class: "faint small" }, `${row.source}, record ${row.record} · ${count(row.messages, "message")}, ${count(row.calls, "call")}`))))),
    compared.list));
  document.title = `${run.rows.map((row) => row.verdict).join(" and ")}: two runs beside each other`;
  compared.draw();
  return compared;
};

class Comparison {
  constructor(pairs, first, sides) {
    Object.assign(this, { pairs, first, sides, at: -1, boxes: [] });
    this.list = make("div", { class: "pairs", role: "group", "aria-label": "Steps of both runs" });
    this.apart = pairs.filter((pair) => pair.differs.length);
  }

  headline() {
    if (this.first === null) return "Both runs do and say the same.";
    return [`${figure(this.apart.length)} of ${count(this.pairs.length, "step")} ${this.apart.length === 1 ? "differs" : "differ"}. `, make("a", { href: `#s${this.first}` }, `First divergence: step ${this.first}`)];
  }

  draw(from = 0) {
    if (from && !this.list.isConnected) return;
    let place = from;
    for (let drawn = 0; place < this.pairs.length && drawn < SLICE; drawn += 1) {
      let end = place;
      while (end < this.pairs.length && !this.pairs[end].differs.length) end += 1;
      this.list.append(end > place ? this.stretch(place, end) : this.row(this.pairs[place]));
      place = Math.max(end, place + 1);
    }
    this.next = place;
    if (place < this.pairs.length) setTimeout(() => { if (this.next === place) this.draw(place); }, 0);
  }

  stretch(from, end) {
    const [{ held }] = this.sides;
    const pairs = this.pairs.slice(from, end);
    const box = make("details", { class: "stretch" }, make("summary", null, make("span", { class: "holds" }, `The same: ${contentsOf(pairs.map((pair) => held.trace.messages[pair.at[0]]))}`),
      make("span", { class: "faint" }, ` · ${end - from === 1 ? `step ${from}` : `steps ${from} to ${end - 1}`}`)));
    box.fill = () => { if (box.children.length === 1) box.append(make("div", null, pairs.map((pair) => this.row(pair)))); };
    box.addEventListener("toggle", box.fill);
    this.boxes.push({ from, end, box });
    return box;
  }

  row({ place, at, differs }) {
    const told = !differs.length ? "the same" : at.includes(null) ? `only in the ${at[0] === null ? "second" : "first"} run` : `other ${differs.join(" and ")}`;
    const isFirst = place === this.first;
    return make("section", { class: `step${isFirst ? " first" : ""}`, id: `s${place}`, tabindex: "-1", "aria-label": `Step ${place}, ${told}` },
      make("p", { class: "small faint" }, make("a", { href: `#s${place}` }, `step ${place}`), ` · ${told} `, isFirst && make("b", { class: "chip warn" }, "first divergence"), " ", copyButton(`#s${place}`, `step ${place}`)),
      make("div", { class: "pair" }, at.map((number, side) => (number === null ? make("div", { class: "faint nothing" }, "no such step") : this.cell(this.sides[side], number)))));
  }

  // A message without the anchors that it has in its own timeline.
  cell({ timeline, held }, number) {
    const message = timeline.message(held.trace.messages[number], number);
    for (const element of [message, ...message.querySelectorAll("[id]")]) element.removeAttribute("id");
    message.querySelectorAll(".rail .copy, .callout .copy").forEach((button) => button.remove());
    return message;
  }

  reach(place) {
    while (this.next < this.pairs.length && this.next <= place) this.draw(this.next);
    const stretch = this.boxes.find(({ from, end }) => from <= place && place < end);
    if (stretch) { stretch.box.fill(); stretch.box.open = true; }
    const row = byId(`s${place}`);
    row?.focus({ preventScroll: true });
    row?.scrollIntoView({ block: row.clientHeight > innerHeight / 2 ? "start" : "center" });
  }

  step(by) {
    if (!this.apart.length) return;
    this.at = this.at < 0 && by < 0 ? this.apart.length - 1 : (this.at + by + this.apart.length) % this.apart.length;
    setPlace(`#s${this.apart[this.at].place}`);
    this.reach(this.apart[this.at].place);
    byId("at").textContent = `${figure(this.at + 1)} of ${figure(this.apart.length)}`;
    announce(`Difference ${this.at + 1} of ${this.apart.length}`);
  }

  drawAll() { while (this.next < this.pairs.length) this.draw(this.next); }

  unfold(isOpen) {
    this.drawAll();
    for (const { box } of this.boxes) { if (isOpen) box.fill(); box.open = isOpen; }
  }
}
