// Finds in one trace: a search in all its messages, folded ones too, and filters by tool and by finding.
const MOST_HITS = 9999;

// The texts of a message in the order in which the timeline draws them.
const textsOf = (message) => [
  ...[message.reasoning, message.content].filter(Boolean).map(wholeText),
  ...(message.calls ?? []).flatMap((call) => [call.name, ...(call.arguments ?? []).flatMap((entry) => [entry.name, wholeText(entry)])]),
  ...(message.results ?? []).flatMap((result) => [result.name ?? "", wholeText(result)]),
];
const NUMBER = /^\s*#?(\d+(?:\.\d+)*)\s*$/;
const DRAWN_TEXTS = ".text, .head b, .arguments dt";

// Each message of a trace and of its sub-agents, by its key in links.
const keyed = (agent, path = []) => [
  ...agent.messages.map((message, number) => ({ key: [...path, number].join("."), message })),
  ...(agent.children ?? []).flatMap((child, place) => keyed(child, [...path, place])),
];

// The places of a pattern in an element's text, which may be split among several nodes.
const rangesOf = (element, pattern) => {
  const nodes = [];
  const walk = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  for (let at = 0; walk.nextNode(); at += walk.currentNode.data.length) nodes.push({ node: walk.currentNode, at });
  const locate = (range, edge, offset, isEnd) => {
    const { node, at } = nodes.findLast((one) => (isEnd ? one.at < offset : one.at <= offset));
    range[edge](node, offset - at);
  };
  return [...element.textContent.matchAll(pattern)].map((hit) => {
    const range = document.createRange();
    locate(range, "setStart", hit.index, false);
    locate(range, "setEnd", hit.index + hit[0].length, true);
    return range;
  });
};

class Finder {
  constructor(timeline, trace, about) {
    Object.assign(this, { timeline, trace, about, hits: [], at: -1 });
  }

  section() {
    this.input = make("input", { type: "search", id: "search", placeholder: "Search, or #number (key /)", "aria-label": "Search the messages, or go to one by its number", "aria-describedby": "hits",
      on: { input: () => this.look(), keydown: (event) => { if (event.key === "Enter") { event.preventDefault(); this.step(event.shiftKey ? -1 : 1); } } } });
    this.told = make("span", { class: "faint", id: "hits" });
    this.messages = keyed(this.trace);
    const tools = this.messages.flatMap(({ message }) => (message.calls ?? []).map((call) => call.name));
    // On a narrow screen the first of these alone stays in sight.
    this.seek = make("div", { class: "seek tools" }, this.input, this.told,
      make("button", { type: "button", class: "quiet", "aria-label": "Previous hit", on: { click: () => this.step(-1) } }, "↑"),
      make("button", { type: "button", class: "quiet", "aria-label": "Next hit", on: { click: () => this.step(1) } }, "↓"));
    const filters = make("div", { class: "filters tools" },
      this.choice("tool", "Only this tool", "All tools", tools), this.choice("rule", "Only this finding", "All messages", this.about.findings.map((finding) => finding.rule)),
      this.unfolder = make("button", { type: "button", class: "quiet", "aria-pressed": "false", on: { click: () => this.unfoldAll() } }, "Unfold all"));
    return make("div", { class: "finder tools", role: "search", hidden: !this.messages.length }, this.seek, filters);
  }

  // A list to filter by: each name with how often it occurs, the most frequent first.
  choice(field, label, all, names) {
    const counts = new Map();
    for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
    const ordered = [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
    const option = (value, text) => make("option", { value }, text);
    return ordered.length > 0 && make("select", { "aria-label": label, on: { change: (event) => this.filter(field, event.target.value) } },
      option("", all), field === "rule" && option("*", "All findings"), ordered.map(([name, number]) => option(`=${name}`, `${field === "rule" ? ruleWords(name) : name} (${figure(number)})`)));
  }

  filter(field, value) {
    this.about.filter[field] = value === "" ? null : value === "*" ? "" : value.slice(1);
    this.timeline.plan();
    this.timeline.drawTo(SLICE);
    setTimeout(() => this.timeline.drawOn(), 0);
    this.setUnfolded(false);
    if (this.pattern) this.look();
    const shown = this.timeline.items.filter((item) => !item.isFolded).length;
    announce(`${count(shown, "message")} shown, the others are folded`);
  }

  setUnfolded(isOpen) {
    this.isUnfolded = isOpen;
    this.unfolder.setAttribute("aria-pressed", String(isOpen));
    this.unfolder.textContent = isOpen ? "Fold" : "Unfold all";
  }

  unfoldAll(isOpen = !this.isUnfolded) {
    this.setUnfolded(isOpen);
    keepPlace(this.timeline.list, this.seek, () => {
      this.timeline.unfold(isOpen);
      this.timeline.list.querySelectorAll("button.more").forEach((button) => button.unfold(isOpen));
    });
  }

  focus() { this.input.focus(); this.input.select(); }

  // What the filter by tool leaves: the calls of the tool, and their results.
  isWanted(message) {
    const { tool } = this.about.filter;
    return tool === null || [...(message.calls ?? []), ...(message.results ?? [])].some((one) => one.name === tool);
  }

  // Each occurrence is a hit: in which message, and the how-many-eth there. A message that is meant by its number comes before these.
  look() {
    const words = this.input.value;
    this.pattern = words.trim() ? new RegExp(escaped(words), "giu") : null;
    const named = NUMBER.exec(words)?.[1];
    const isThere = this.messages.some((one) => one.key === named);
    this.hits = isThere ? [{ key: named, nth: null }] : [];
    this.at = -1;
    this.setCurrent(null);
    for (const { key, message } of this.pattern ? this.messages.filter((one) => this.isWanted(one.message)) : []) {
      let nth = 0;
      for (const text of textsOf(message)) for (const _ of text.matchAll(this.pattern)) { this.hits.push({ key, nth }); nth += 1; }
      if (this.hits.length > MOST_HITS) break;
    }
    this.mark([]);
    this.told.textContent = this.pattern ? this.tellHits(isThere && named) : "";
    if (this.pattern) announce(this.told.textContent);
  }

  tellHits(named) {
    const number = this.hits.length - (named ? 1 : 0);
    const hits = number > MOST_HITS ? `over ${figure(MOST_HITS)} hits` : count(number, "hit");
    if (named) return `Enter: message ${named}${number ? `, then ${hits}` : ""}`;
    return number && number <= MOST_HITS ? `${hits}, Enter shows it` : hits;
  }

  step(by) {
    if (!this.hits.length) return;
    this.at = this.at < 0 && by < 0 ? this.hits.length - 1 : (this.at + by + this.hits.length) % this.hits.length;
    const { key, nth } = this.hits[this.at];
    const place = `${figure(this.at + 1)} of ${figure(this.hits.length)}`;
    this.told.textContent = nth === null ? `message ${key}` : place;
    announce(nth === null ? `Message ${key}` : `Hit ${place}, message ${key}`);
    const message = this.timeline.reach(key);
    this.setCurrent(message);
    if (!message) return;
    if (nth === null) { this.mark([]); setPlace(`${this.about.base}m${key}`); focusOn(message); return; }
    const isOwn = (element) => element.closest(".message") === message;
    for (const button of message.querySelectorAll("button.more")) if (button.text.search(this.pattern) >= 0) button.unfold();
    const found = [...message.querySelectorAll(DRAWN_TEXTS)].filter(isOwn).flatMap((element) => rangesOf(element, this.pattern));
    const hit = found[Math.min(nth, found.length - 1)];
    if (!hit) { message.scrollIntoView({ block: "center" }); return; }
    for (let box = hit.startContainer.parentElement; box !== message; box = box.parentElement) if (box.matches("details")) box.open = true;
    this.mark(found, hit);
    message.scrollIntoView({ block: "nearest" });
    settle(() => { if (hit.startContainer.isConnected) scrollBy(0, hit.getBoundingClientRect().top - innerHeight / 2); });
  }

  // The message of the hit that is shown.
  setCurrent(message) {
    this.current?.classList.remove("current");
    this.current = message;
    message?.classList.add("current");
  }

  mark(found, hit) {
    if (!globalThis.CSS?.highlights) return;
    CSS.highlights.set("hits", new Highlight(...found));
    CSS.highlights.set("hit", hit ? new Highlight(hit) : new Highlight());
  }
}
