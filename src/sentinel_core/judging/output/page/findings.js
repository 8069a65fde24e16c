// What is wrong: the claim on one side, what the record shows on the other.
const SEVERITIES = ["error", "warning", "note"];

// Findings as the page uses them, worst first; "number" is the place in this order, in links.
const findingsOf = ({ trace: view, known }) => view.report.findings
  .map((finding, place) => ({
    ...finding,
    known: known.includes(place),
    kind: severityKind(finding.severity),
    evidence: view.evidence[place] ?? {},
    key: finding.message_index === null ? null : [...finding.trace_path, finding.message_index].join("."),
  }))
  .sort((a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity)
    || Number(!isContradicted(a)) - Number(!isContradicted(b)))
  .map((finding, place) => ({ ...finding, number: place + 1 }));

// Where a message is in the order of the whole trace: a sub-agent's come after the call that started it.
const positionOf = (agent, [first, ...rest]) => {
  if (!rest.length) return [first];
  const child = agent.children?.[first];
  if (!child) return [Infinity];
  const at = agent.messages.findIndex((message) => (message.calls ?? []).some((call) => call.id === child.call));
  return [at < 0 ? Infinity : at, first, ...positionOf(child, rest)];
};
const byPosition = (a, b) => {
  const apart = a.findIndex((step, depth) => step !== b[depth]);
  return apart < 0 ? a.length - b.length : a[apart] - (b[apart] ?? -1);
};
const placeOfKey = (key) => key.split(".").map(Number);

// Findings in the order of the trace; those about all of it come first.
const inOrder = (findings, trace) => findings.map((finding) => ({ ...finding, position: finding.key === null ? [-1] : positionOf(trace, placeOfKey(finding.key)) }))
  .sort((a, b) => byPosition(a.position, b.position));

const isContradicted = (finding) => Boolean(finding.evidence.shown);
const isClaim = (finding) => isContradicted(finding) || Boolean(finding.evidence.before);

const keyAt = (finding, message) => [...finding.trace_path, message].join(".");
const messageLink = (base, key) => make("a", { class: "place", href: `${base}m${key}` }, `message ${key}`);
const placeOfFinding = (base, finding) =>
  finding.key === null ? null : make("a", { class: "place", href: `${base}f${finding.number}` },
    finding.trace_path.length ? `sub-agent, message ${finding.key}` : `message ${finding.key}`,
    finding.origin ? ` (${finding.origin})` : null);

const callLine = (call, ok) => make("span", { class: "callname" },
  make("b", null, call.name), ok === false && make("span", { class: "chip fail" }, "failed"),
  " ", make("span", { class: "faint" }, oneLine(call.arguments)));

const side = (title, place, ...content) =>
  make("div", { class: "side" }, make("h4", null, title, place && " · ", place), ...content);

// The two sides of a finding.
const sidesOf = (finding, base) => {
  const { call, shown, before, number } = finding.evidence;
  const quote = finding.quote && make("blockquote", null, isClaim(finding) ? make("q", null, finding.quote) : finding.quote);
  const place = placeOfFinding(base, finding);
  if (call && shown) {
    return [side("The agent says", place, quote), shownSide(finding, call, [{ quote: shown, kind: "proof" }], base)];
  }
  if (before) return [side("The agent says", place, quote), absence(finding, before, number, base)];
  if (call) {
    return [
      side("The agent calls", call.asked === undefined ? place : messageLink(base, keyAt(finding, call.asked)), make("p", null, callLine(call, call.ok)), argumentList(call.arguments)),
      shownSide(finding, call, [{ quote: finding.quote, kind: finding.kind }], base),
    ];
  }
  return quote || place ? [side("Where", place, quote)] : [];
};

const shownSide = (finding, call, marks, base) => {
  const key = call.at === undefined ? null : keyAt(finding, call.at);
  const body = call.result ? textBlock(call.result, marks, { mono: true }) : make("p", { class: "faint" }, "no result");
  const isClaimed = isContradicted(finding);
  return side(isClaimed ? "The record shows" : "What came back", key && messageLink(base, key),
    isClaimed && make("p", null, callLine(call, call.ok)), body);
};

// What the record shows where a claim rests on no result: that nothing did what is said, or what the rule says of the calls that did.
const UNDONE = ["claim_without_call", "partial_claim", "left_one", "checks_not_run"];
const SHOWN = { stale_checks: "The last run was before the last edit.", identifier: "No result up to here has it.", figure: "No result up to here has it." };
const absenceOf = ({ rule, evidence: { number } }) => {
  const name = rule.slice(rule.indexOf(".") + 1);
  if (!number) return "No call was made up to here.";
  if (!UNDONE.includes(name)) return SHOWN[name];
  return number === 1 ? "The only call up to here did not do this." : `None of the ${count(number, "call")} up to here did this.`;
};

const absence = (finding, before, number, base) => {
  const shown = absenceOf(finding);
  if (!number) return side("The record shows", null, make("p", { class: "strong" }, shown));
  const title = number > before.length ? `The last ${before.length} of ${count(number, "call")} up to here:` : `${number > 1 ? `All ${count(number, "call")}` : "The call"} up to here:`;
  return side("The record shows", null,
    shown && make("p", { class: "strong" }, shown),
    title && make("p", { class: "faint" }, title),
    make("ol", { class: "calls" }, before.map((call) => make("li", null, callLine(call, call.ok), " ",
      make("a", { class: "place", href: `${base}m${keyAt(finding, call.asked)}` }, `message ${keyAt(finding, call.asked)}`)))));
};

const knownChip = (finding) => finding.known && make("span", { class: "chip note" }, "known");

// Findings about one call are together; a finding about no call is alone.
const callOf = ({ call_id: id, evidence, trace_path: path, number }) => (id !== null && evidence.call ? `${path.join(".")}/${evidence.call.asked}/${id}` : number);
const byCall = (findings) => {
  const groups = new Map();
  for (const one of findings) groups.set(callOf(one), [...(groups.get(callOf(one)) ?? []), one]);
  return [...groups.values()];
};

const card = ([finding, ...others], base) => make("article", { class: `card ${finding.kind}`, "aria-labelledby": `h${finding.number}` },
  make("header", null,
    make("span", { class: `chip ${finding.kind}` }, sign(finding.severity), " ", finding.severity),
    make("code", { class: "rule" }, finding.rule), knownChip(finding),
    make("span", { class: "permalink" }, copyButton(`${base}f${finding.number}`, `finding ${finding.number}`), " ",
      finding.key !== null && make("a", { href: `${base}f${finding.number}`, "aria-label": `Finding ${finding.number} in the timeline` }, "in the timeline ↓"))),
  make("h3", { id: `h${finding.number}`, tabindex: "-1" }, finding.text),
  others.map((other) => make("p", { class: "others small" }, make("code", { class: "rule" }, other.rule), ": ", other.text, " ", knownChip(other), placeOfFinding(base, other))),
  make("div", { class: "sides" }, sidesOf(finding, base)));

// A finding at its message in the timeline.
const callout = (finding, base) => make("div", { class: `callout ${finding.kind}`, id: `f${finding.number}`, tabindex: "-1", role: "note" },
  make("p", null, make("span", { class: `chip ${finding.kind}` }, sign(finding.severity), " ", finding.severity), " ",
    make("code", { class: "rule" }, finding.rule), " ", knownChip(finding), copyButton(`${base}f${finding.number}`, `finding ${finding.number}`)),
  make("p", { class: "told" }, finding.text), recordOf(finding, base));

// Its evidence, in a line with links.
const recordOf = (finding, base) => {
  const { call, shown, before } = finding.evidence;
  if (shown && call.at !== undefined) return make("p", { class: "small" }, "The record shows it in ", messageLink(base, keyAt(finding, call.at)), ".");
  if (!before?.length) return null;
  return make("p", { class: "small" }, finding.evidence.number > before.length ? "The last calls up to here: " : "The calls up to here: ",
    before.map((one, place) => [place > 0 && ", ", make("b", { class: "mono" }, one.name), " ", messageLink(base, keyAt(finding, one.asked))]), ".");
};
