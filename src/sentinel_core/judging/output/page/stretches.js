// Which messages of a timeline are worth a look. What lies between them is folded, and says what it holds.
const SHORTEST_STRETCH = 3;
const MOST_KINDS = 4;
// The first kind that has a word of the tool's name; a tool of no kind goes by its name.
const KINDS = [
  ["search", "searches", ["search", "grep", "glob", "find", "list", "ls", "rg"]],
  ["read", "reads", ["read", "view", "open", "cat", "get", "fetch", "show", "lookup"]],
  ["edit", "edits", ["edit", "write", "patch", "replace", "insert"]],
  ["command", "commands", ["bash", "shell", "exec", "execute", "command", "terminal"]],
];
const OWN_NOTES = ["todo", "task", "plan", "memory"];

const kindOfTool = (name) => {
  const words = name.replace(/([a-z])([A-Z])/g, "$1 $2").toLowerCase().split(/[^a-z]+/);
  const known = !words.some((word) => OWN_NOTES.includes(word)) && KINDS.find(([, , names]) => words.some((word) => names.includes(word)));
  return known || [`call to ${name}`, `calls to ${name}`];
};

// "14 reads, 3 searches": the calls of a stretch by kind, the most frequent first, or its texts where it calls nothing.
const contentsOf = (messages) => {
  const kinds = new Map();
  for (const call of messages.flatMap((message) => message.calls ?? [])) {
    const [one, many] = kindOfTool(call.name);
    kinds.set(one, { one, many, number: (kinds.get(one)?.number ?? 0) + 1 });
  }
  const ordered = [...kinds.values()].sort((a, b) => b.number - a.number);
  const others = ordered.slice(MOST_KINDS).reduce((sum, kind) => sum + kind.number, 0);
  const told = ordered.slice(0, MOST_KINDS).map(({ one, many, number }) => count(number, one, many));
  if (others) told.push(count(others, "other call"));
  return told.join(", ") || count(messages.length, "message");
};

const isUnder = (path, place) => path.every((step, depth) => place[depth] === step);

// The sub-agents that a call started, by their place.
const childrenOf = (agent, call) => [...(agent.children ?? []).keys()].filter((place) => agent.children[place].call !== null && agent.children[place].call === call.id);

// The last edit before each call that failed, and its result: what was tried there.
const editsBefore = (messages) => {
  const before = new Set();
  let edit = null;
  messages.forEach((message, number) => {
    if (edit !== null && (message.results ?? []).some((result) => result.ok === false)) before.add(edit).add(edit + 1);
    if ((message.calls ?? []).some((call) => kindOfTool(call.name)[0] === "edit")) edit = number;
  });
  return before;
};

// What needs no filter to be seen: requests and the answers to them, findings, doubtful claims, failures, and what these rest on.
const eventful = (agent, path, { findings, ledger }) => {
  const { messages } = agent;
  const own = findings.filter((finding) => finding.key !== null && finding.trace_path.join() === path.join());
  const seen = new Set([0, messages.length - 1, ...own.map((finding) => finding.message_index)]);
  for (const { evidence } of own) if (evidence.shown && evidence.call.at !== undefined) seen.add(evidence.call.at);
  for (const entry of ledger) {
    if (entry.answer === "backed" || entry.trace_path.join() !== path.join()) continue;
    seen.add(entry.message_index);
    if (entry.record_index !== null) seen.add(entry.record_index);
  }
  let answer = null;
  messages.forEach((message, number) => {
    const hasFound = (call) => childrenOf(agent, call).some((place) => findings.some((finding) => finding.severity !== "note" && isUnder([...path, place], finding.trace_path)));
    if (message.role === "user" && answer !== null) seen.add(answer);
    if (message.role === "assistant" && message.content) answer = number;
    if ((message.role === "user" && !message.copied) || (message.results ?? []).some((result) => result.ok === false || result.refused) || (message.calls ?? []).some(hasFound)) seen.add(number);
  });
  if (answer !== null) seen.add(answer);
  for (const number of [...seen]) for (const result of messages[number]?.results ?? []) if (result.asked !== undefined) seen.add(result.asked);
  for (const number of editsBefore(messages)) seen.add(number);
  return seen;
};

// The messages that a filter leaves: of a tool, of a rule ("" is any finding) with the results of the calls it is about, or with a
// sub-agent that has some.
const matching = (agent, path, about) => {
  const { findings, filter: { tool, rule } } = about;
  const found = findings.filter((finding) => finding.trace_path.join() === path.join() && (!rule || finding.rule === rule));
  const places = new Set(found.map((finding) => finding.message_index));
  const seen = new Set();
  agent.messages.forEach((message, number) => {
    const calls = message.calls ?? [];
    const isOfTool = tool === null || [...calls, ...(message.results ?? [])].some((one) => one.name === tool);
    const isAnswer = (result) => found.some((finding) => finding.call_id === result.id && finding.message_index === result.asked);
    const isInside = (call) => childrenOf(agent, call).some((place) => matching(agent.children[place], [...path, place], about).size);
    if ((isOfTool && (rule === null || places.has(number) || (message.results ?? []).some(isAnswer))) || calls.some(isInside)) seen.add(number);
  });
  return seen;
};

// The timeline as items {from, to, isFolded}: a message each, or a stretch.
const stretchesOf = (agent, path, about) => {
  const isFiltered = about.filter.tool !== null || about.filter.rule !== null;
  const seen = isFiltered ? matching(agent, path, about) : eventful(agent, path, about);
  const shortest = isFiltered ? 1 : SHORTEST_STRETCH;
  const items = [];
  for (let from = 0; from < agent.messages.length;) {
    let to = from;
    while (to < agent.messages.length && !seen.has(to)) to += 1;
    if (to - from >= shortest) items.push({ from, to: to - 1, isFolded: true });
    else for (let number = from; number < to; number += 1) items.push({ from: number, to: number, isFolded: false });
    if (to < agent.messages.length) items.push({ from: to, to, isFolded: false });
    from = to + 1;
  }
  return items;
};
