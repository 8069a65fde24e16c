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

const absence = (finding, before, number, base) => {
  if (!number) return side("The record shows", null, make("p", { class: "strong" }, "No call was made up to here."));
  const title = number > before.length ? `The last ${before.length} of ${count(number, "call")}:` : number > 1 && `All ${count(number, "call")}:`;
  return side("The record shows", null,
    make("p", { class: "strong" }, number === 1 ? "The only call up to here did not do this." : "None of the calls up to here did this."),
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
