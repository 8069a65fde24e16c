// The strip: all messages in a row, coloured by what they do, with the findings named above it and the colours below.
const WIDEST_STRIP = 240;
const APART = 0.67; // of the strip: findings closer than this share a label, which is up to 0.4 wide
const MOST_NAMED = 2;
const MOST_TOOLS = 3;
// What a cell shows of its messages: what most of them do; of equals the first of these.
const DOINGS = { user: "user", edit: "edits", command: "commands", other: "other calls", look: "reads and searches", said: "agent's text", system: "instructions" };
const LOOKS = ["read", "search"];

const doingOfTool = (name) => {
  const [kind] = kindOfTool(name);
  return LOOKS.includes(kind) ? "look" : kind in DOINGS ? kind : "other";
};

const toolsOf = (message) => [...(message.calls ?? []), ...(message.results ?? [])].map((one) => one.name).filter(Boolean);
const doingsOf = (message) => {
  const doings = toolsOf(message).map(doingOfTool);
  if (message.role === "user" && !doings.length) return ["user"];
  return doings.length ? doings : [message.role === "system" ? "system" : "said"];
};

const stripOf = (messages, findings, base) => {
  if (messages.length < 2) return null;
  const own = findings.filter((finding) => finding.key !== null && !finding.trace_path.length);
  const cells = cellsOf(messages, own);
  return [labelsOf(own.filter(isWrong), messages.length, base),
    make("div", { class: "map", "aria-hidden": "true" }, cells.map(({ at, doing, finding, title }) => make("a", { href: `${base}m${at}`, tabindex: "-1", title, class: `${doing} ${finding?.kind ?? ""}` }))),
    legendOf(messages, new Set(cells.map(({ doing, finding }) => finding?.kind ?? doing)))];
};

// One cell a message, or for as many as make the row no wider than the page.
const cellsOf = (messages, findings) => {
  const size = Math.max(1, Math.ceil(messages.length / WIDEST_STRIP));
  const found = new Map();
  for (const finding of [...findings].reverse()) found.set(Math.floor(finding.message_index / size), finding);
  const cells = [];
  for (let from = 0; from < messages.length; from += size) {
    const part = messages.slice(from, from + size);
    const finding = found.get(from / size);
    cells.push({ at: finding ? finding.message_index : from, doing: mostOf(part.flatMap(doingsOf)), finding, title: titleOf(part, from, finding) });
  }
  return cells;
};

const mostOf = (doings) => {
  const counts = Object.keys(DOINGS).map((doing) => [doing, doings.filter((one) => one === doing).length]);
  return counts.reduce((most, one) => (one[1] > most[1] ? one : most))[0];
};

const titleOf = (part, from, finding) => {
  const tools = [...new Set(part.flatMap(toolsOf))].slice(0, MOST_TOOLS).join(", ");
  const last = from + part.length - 1;
  return `${from === last ? `message ${from}` : `messages ${from} to ${last}`}: ${tools || ROLES[part[0].role] || part[0].role}${finding ? `. ${finding.text}` : ""}`;
};

// The worst finding of each message; what is close to each other shares a label, so that no two labels overlap.
const labelsOf = (wrong, length, base) => {
  const groups = [];
  for (const finding of wrong.filter((one) => wrong.find((other) => other.key === one.key) === one)) {
    const at = Math.min(1, finding.message_index / (length - 1));
    const near = groups.find((group) => Math.abs(group.at - at) < APART);
    if (near) near.members.push(finding);
    else groups.push({ at, members: [finding] });
  }
  return groups.length > 0 && make("nav", { class: "labels", "aria-label": "Findings along the messages" }, groups.map(({ at, members }) => make("p", { css: { "--at": String(at) } },
    members.slice(0, MOST_NAMED).sort((a, b) => a.message_index - b.message_index).map((one) => [make("a", { class: one.kind, href: `${base}f${one.number}` }, sign(one.severity), ` #${one.key} ${ruleWords(one.rule)}`), " "]),
    members.length > MOST_NAMED && make("span", { class: "faint" }, count(members.length - MOST_NAMED, "more finding")))));
};

const legendOf = (messages, shown) => {
  const names = new Map();
  for (const message of messages) {
    for (const name of (message.calls ?? []).map((call) => call.name)) {
      const counts = names.get(doingOfTool(name)) ?? new Map();
      names.set(doingOfTool(name), counts.set(name, (counts.get(name) ?? 0) + 1));
    }
  }
  const tools = (doing) => {
    const ordered = [...(names.get(doing) ?? [])].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
    const told = ordered.slice(0, MOST_TOOLS).map(([name, number]) => `${name} ${figure(number)}`).join(", ");
    return told && ` (${told}${ordered.length > MOST_TOOLS ? ", …" : ""})`;
  };
  const entry = (kind, words) => make("li", null, make("i", { class: kind, "aria-hidden": "true" }), words);
  return make("ul", { class: "legend", "aria-label": "Colours of the strip of messages" },
    Object.entries(DOINGS).filter(([doing]) => shown.has(doing)).map(([doing, words]) => entry(doing, words + tools(doing))),
    SEVERITIES.filter((severity) => shown.has(severityKind(severity))).map((severity) => entry(severityKind(severity), severity)));
};
