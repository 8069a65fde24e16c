// The timeline: messages, calls and results in order, each with its time and tokens, findings where they belong.
const ROLES = { user: "User", assistant: "Agent", tool: "Tool", system: "System" };
const SLICE = 120;

const LONGEST = 6000; // of a request and an answer that are not folded

class Timeline {
  // "agent" is a view with messages; "path" leads to a sub-agent; "about" has the findings, the ledger, the filter and the base of links of the whole trace.
  constructor(agent, path, about) {
    Object.assign(this, { agent, path, about, findings: about.findings, base: about.base });
    this.list = make("div", { class: "messages", role: "group", "aria-label": path.length ? "Sub-agent's messages" : "Messages" });
    this.start = startOf(agent.messages);
    this.request = agent.messages.find((message) => message.role === "user" && message.content && !message.copied);
    this.answer = agent.messages.findLast((message) => message.role === "assistant" && message.content);
    this.mostTokens = Math.max(1, ...agent.messages.slice(0, 50000).map((message) => message.tokens ?? 0));
    this.byMessage = grouped(this.own());
    this.failed = new Set(this.own().filter((finding) => finding.rule.endsWith(".failed_call")).map((finding) => finding.call_id));
    this.fates = new Map(agent.messages.flatMap((message) => (message.results ?? []).map((result) => [`${result.asked} ${result.id}`, this.fateOf(result)])));
    this.plan();
  }

  own() {
    return this.findings.filter((finding) => finding.trace_path.join() === this.path.join() && finding.key !== null);
  }

  // What its chip says of a call: it failed, or it never ran.
  fateOf(result) { return result.refused ? "not run" : result.ok === false || this.failed.has(result.id) ? "failed" : null; }

  key(number) { return [...this.path, number].join("."); }

  // Folds anew, by the filter as it is.
  plan() {
    Object.assign(this, { drawn: 0, nested: new Map(), boxes: new Map(), isFinished: false, items: stretchesOf(this.agent, this.path, this.about) });
    this.list.replaceChildren();
  }

  // Draws on until the item at "place" is there.
  drawTo(place) {
    const end = Math.min(this.items.length, place + 1);
    const part = document.createDocumentFragment();
    for (; this.drawn < end; this.drawn += 1) {
      const item = this.items[this.drawn];
      part.append(item.isFolded ? this.stretch(item) : this.message(this.agent.messages[item.from], item.from));
    }
    this.list.append(part);
    if (this.drawn === this.items.length) this.finish();
  }

  // Draws all that is left, a slice at a time, so that the page answers meanwhile.
  drawOn() {
    if (this.drawn >= this.items.length || !this.list.isConnected) return;
    this.drawTo(this.drawn + SLICE);
    setTimeout(() => this.drawOn(), 0);
  }

  finish() {
    if (this.isFinished) return;
    this.isFinished = true;
    for (const place of (this.agent.children ?? []).keys()) if (!this.nested.has(place) && !this.isStarted(place)) this.list.append(this.child(place));
    const lost = this.own().filter((finding) => finding.message_index >= this.agent.messages.length);
    this.list.append(...lost.map((finding) => callout(finding, this.base)));
  }

  // Whether a call started this sub-agent, which may be in a stretch that is not drawn yet.
  isStarted(place) {
    const { call } = this.agent.children[place];
    this.calls ??= new Set(this.agent.messages.flatMap((message) => (message.calls ?? []).map((one) => one.id)));
    return call !== null && this.calls.has(call);
  }

  // A folded stretch; its messages are drawn when it is opened.
  stretch({ from, to }) {
    const inside = make("div", { class: "messages" });
    const box = make("details", { class: "stretch" },
      make("summary", { "data-key": this.key(from) }, make("span", { class: "holds" }, contentsOf(this.agent.messages.slice(from, to + 1))),
        make("span", { class: "faint" }, from === to ? ` · message ${this.key(from)}` : ` · messages ${this.key(from)} to ${this.key(to)}`)), inside);
    let at = from;
    box.drawTo = (number) => {
      const part = document.createDocumentFragment();
      for (; at <= Math.min(number, to); at += 1) part.append(this.message(this.agent.messages[at], at));
      inside.append(part);
    };
    const drawOn = () => { if (box.open && at <= to) { box.drawTo(at + SLICE); setTimeout(drawOn, 0); } };
    box.addEventListener("toggle", drawOn);
    this.boxes.set(from, box);
    return box;
  }

  // Unfolds every stretch and every sub-agent.
  unfold(isOpen = true) {
    if (isOpen) this.drawTo(Infinity);
    for (const box of this.boxes.values()) { box.open = isOpen; if (isOpen) box.drawTo(Infinity); }
    for (const inner of this.nested.values()) { if (isOpen) inner.box.open = true; inner.unfold(isOpen); }
  }

  message(message, number) {
    const key = this.key(number);
    const found = this.byMessage.get(number) ?? [];
    const marks = found.filter((finding) => finding.quote).map(({ quote, kind }) => ({ quote, kind }));
    const role = ROLES[message.role] ?? message.role;
    // That a call failed stands at the call itself, unless it is more than a note and no other finding says it.
    const isTold = (one) => one.rule.endsWith(".failed_call") && (one.severity === "note" || this.findings.some((other) => other !== one && other.severity !== "note" && callOf(one) === callOf(other)));
    const told = (message.calls ?? []).map((call) => found.find((one) => one.call_id === call.id && isTold(one)));
    return make("article", { class: `message ${message.role}${found.length ? " found" : ""}${message.copied ? " copied" : ""}`, id: `m${key}`,
      tabindex: "-1", "aria-label": `Message ${key}, ${role}` },
    this.rail(message, key),
    make("div", { class: "body" },
      make("p", { class: "who" }, make("span", { class: "role" }, role), message.name && ` ${message.name}`,
        message.model && make("span", { class: "faint" }, ` ${message.model}`), message.copied && make("span", { class: "chip note" }, "repeated context")),
      message.reasoning && make("details", { class: "reasoning" }, make("summary", null, "Reasoning"), textBlock(message.reasoning, marks)),
      message.content && this.content(message, marks),
      (message.calls ?? []).map((call, place) => this.call(call, number, marks, told.indexOf(told[place]) === place && told[place])),
      (message.results ?? []).map((result) => this.result(result, number)),
      found.filter((finding) => !told.includes(finding)).map((finding) => callout(finding, this.base))));
  }

  content(message, marks) {
    if (message.role !== "system") return textBlock(message.content, marks, { fold: ![this.request, this.answer].includes(message) || message.content.text.length > LONGEST });
    const first = message.content.text.trim().split("\n")[0].slice(0, 90);
    return make("details", { class: "instructions" }, make("summary", null, "Instructions: ", make("span", { class: "faint" }, first)), textBlock(message.content, marks, { fold: false }));
  }

  rail(message, key) {
    const at = message.time && this.start !== null ? Date.parse(message.time) - this.start : NaN;
    return make("div", { class: "rail" },
      make("a", { class: "number", href: `${this.base}m${key}`, "aria-label": `Link to message ${key}` }, key),
      Number.isFinite(at) && make("span", { class: "at", title: message.time }, `+${duration(Math.max(0, at))}`),
      message.ms && make("span", { class: "at" }, `took ${duration(message.ms)}`),
      message.tokens && make("span", { class: "tokens", title: `${figure(message.tokens)} tokens` }, `${short(message.tokens)} tok`),
      message.tokens && make("span", { class: "meter", "aria-hidden": "true", css: { "--share": String(message.tokens / this.mostTokens) } }),
      message.cost && make("span", { class: "at" }, `$${message.cost.toFixed(4)}`),
      copyButton(`${this.base}m${key}`, `message ${key}`));
  }

  call(call, number, marks, finding) {
    const children = childrenOf(this.agent, call).filter((place) => !this.nested.has(place));
    const fate = this.fates.get(`${number} ${call.id}`) ?? (finding && "failed");
    return make("div", { class: `call${fate === "failed" ? " failed" : ""}`, tabindex: "-1", ...(finding && { id: `f${finding.number}`, role: "note" }) },
      make("p", { class: "head" }, make("span", { "aria-hidden": "true" }, "→ "), "calls ", make("b", null, call.name), fateChip(fate),
        finding && [" ", make("code", { class: "rule" }, finding.rule), " ", knownChip(finding), copyButton(`${this.base}f${finding.number}`, `finding ${finding.number}`)]),
      finding && finding.text !== `"${call.name}" failed.` && make("p", { class: "small" }, finding.text),
      argumentList(call.arguments, marks),
      children.map((place) => this.child(place)));
  }

  result(result, number) {
    const asked = this.byMessage.get(result.asked) ?? [];
    const about = [...asked, ...(this.byMessage.get(number) ?? [])].filter((finding) => finding.call_id === result.id);
    const shown = this.own().filter((finding) => finding.evidence.shown && finding.evidence.call.at === number);
    const marks = [...about.map(({ quote, kind }) => ({ quote, kind })), ...shown.map(({ evidence }) => ({ quote: evidence.shown, kind: "proof" }))];
    const fate = this.fateOf(result);
    return make("div", { class: `result${fate === "failed" ? " failed" : ""}` },
      make("p", { class: "head" }, make("span", { "aria-hidden": "true" }, "← "), make("b", null, result.name ?? "result of no call"),
        fate ? fateChip(fate) : result.ok === true && make("span", { class: "chip pass" }, "ok")),
      result.text ? textBlock(result, marks, { mono: true }) : make("p", { class: "faint" }, "empty"),
      shown.map((finding) => make("p", { class: "against" }, "This is the evidence against ",
        make("a", { href: `${this.base}f${finding.number}` }, `message ${finding.key}`), ".")));
  }

  child(place) {
    const agent = this.agent.children[place];
    const inner = new Timeline(agent, [...this.path, place], this.about);
    this.nested.set(place, inner);
    const found = this.findings.filter((finding) => isUnder([...this.path, place], finding.trace_path) && finding.severity !== "note").length;
    const box = make("details", { class: "child", open: found > 0 },
      make("summary", null, make("b", null, "Sub-agent "), agent.id, make("span", { class: "faint" }, ` · ${count(agent.messages.length, "message")}`),
        found > 0 && make("span", { class: "chip fail" }, count(found, "finding"))), inner.list);
    const draw = () => { if (box.open) { inner.drawTo(SLICE); setTimeout(() => inner.drawOn(), 0); } };
    box.addEventListener("toggle", draw);
    if (box.open) inner.drawTo(SLICE);
    inner.box = box;
    return box;
  }

  // Makes the message with this key be there, unfolded, and gives its element, or that of one of its calls.
  reach(key, call = 0) {
    const [first, ...rest] = key.split(".").map(Number);
    if (rest.length) {
      const call = this.agent.children?.[first]?.call;
      const at = this.agent.messages.findIndex((message) => (message.calls ?? []).some((one) => one.id === call));
      if (at >= 0) this.reach(String(at));
      this.drawTo(Infinity);
      const inner = this.nested.get(first);
      if (!inner) return null;
      inner.box.open = true;
      return inner.reach(rest.join("."), call);
    }
    const place = this.items.findIndex((item) => item.to >= first);
    this.drawTo(place < 0 ? Infinity : place);
    const box = this.boxes.get(this.items[place]?.from);
    if (box) { box.drawTo(first); box.open = true; }
    const message = byId(`m${this.key(first)}`);
    return (call && message?.querySelectorAll(":scope > .body > .call")[call]) || message;
  }
}

const fateChip = (fate) => fate && make("span", { class: `chip ${fate === "failed" ? "fail" : "warn"}` }, fate);

const grouped = (findings) => {
  const groups = new Map();
  for (const finding of findings) groups.set(finding.message_index, [...(groups.get(finding.message_index) ?? []), finding]);
  return groups;
};

const startOf = (messages) => {
  const first = messages.find((message) => message.time && Number.isFinite(Date.parse(message.time)));
  return first ? Date.parse(first.time) : null;
};
