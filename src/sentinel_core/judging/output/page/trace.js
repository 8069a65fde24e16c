// The view of one trace: the verdict and the worst of it, what is wrong, the timeline, and the figures beside it.
const showTrace = (held, base) => {
  const { report } = held.trace;
  const findings = findingsOf(held);
  const about = { findings, ledger: report.ledger ?? [], base, filter: { tool: null, rule: null } };
  const timeline = new Timeline(held.trace, [], about);
  const finder = new Finder(timeline, held.trace, about);
  const page = make("div", { class: "trace" },
    hero(report, findings, held, base),
    stripOf(held.trace.messages, findings, base),
    make("div", { class: "beside" }, ledgerOf(report, base), filesOf(held.trace, base)),
    make("div", { class: "columns" },
      make("div", { class: "story" },
        wrongOf(findings, base),
        make("section", { class: "timeline", "aria-labelledby": "timeline" }, make("h2", { id: "timeline" }, "Timeline", make("span", { class: "tally" }, count(held.trace.messages.length, "message"))),
          finder.section(), timeline.list)),
      make("aside", { class: "figures", tabindex: "0", "aria-label": "Signals and figures" },
        listOf(findings, base), signalsOf(report), factsOf(held, report), uncheckedOf(report))));
  byId("main").replaceChildren(page);
  document.title = `${report.verdict ?? "NO VERDICT"}: ${held.trace.request ?? report.trace_id}`;
  timeline.drawTo(SLICE);
  setTimeout(() => timeline.drawOn(), 0);
  return { timeline, finder, findings, ordered: inOrder(findings, held.trace), positionOf: (key) => positionOf(held.trace, placeOfKey(key)), base };
};

const MOST_CARDS = 3;
const wrongOf = (findings, base) => {
  const wrong = findings.filter(isWrong);
  const cards = byCall(wrong);
  const rest = cards.slice(MOST_CARDS);
  return wrong.length > 0 && make("section", { "aria-labelledby": "wrong" }, make("h2", { id: "wrong" }, "What is wrong", make("span", { class: "tally" }, figure(wrong.length))),
    cards.slice(0, MOST_CARDS).map((same) => card(same, base)),
    rest.length > 0 && make("details", null, make("summary", null, count(rest.flat().length, "more finding")), rest.map((same) => card(same, base))),
    make("p", { class: "faint" }, make("code", null, `sentinel explain ${wrong[0].rule}`), " says why a rule matters and what to do."));
};

// The request is the title; without one, what is wrong is.
const hero = (report, findings, held, base) => {
  const verdict = report.verdict ?? "NO VERDICT";
  const worst = findings.find(isWrong);
  const isLie = worst && isClaim(worst) && worst.quote;
  const told = worst ? worst.text : verdict === "PASS" ? "No defect was found." : report.reasoning;
  const { request } = held.trace;
  return make("section", { class: `hero ${kindOf(report.verdict)}`, "aria-label": "Verdict" },
    make("p", { class: "line" }, pill(verdict), make("span", { class: "id" }, report.trace_id), make("span", { class: "faint" }, `${held.source}, record ${held.record}`),
      filesLine(held.trace, base), requestLink(held.trace, base)),
    make("h1", request ? { class: "request" } : null, request ?? plain(told)),
    held.trace.asks && make("p", { class: "asks" }, held.trace.asks.map((ask, place) => [place > 0 && " · ", make("span", null, ask)])),
    gistOf(report, findings, held.trace, base, !request),
    isLie && [facing(worst, base), alsoSaid(findings, worst, base)],
    isByRisk(report) && gauge(report),
    make("p", { class: "reason" }, whereToBegin(report, findings, held, base), becauseOf(report, worst), " ", report.scope));
};

// Every claim of the agent, and beside it what the record shows; the gravest answers first.
const ANSWERS = { contradicted: ["fail", "✗", "contradicted"], absent: ["warn", "–", "not on record"], not_checkable: ["none", "?", "not checkable"], backed: ["pass", "✓", "backed"] };
const MOST_CLAIMS = 12;
const ledgerOf = ({ ledger }, base) => {
  if (!ledger?.length) return null;
  const grave = Object.keys(ANSWERS);
  // What was done and checked comes before values that some result has: of these there are many, and they are worth less.
  const isPlain = (entry) => entry.answer === "backed" && entry.kind === "value";
  const ordered = ledger.filter((entry) => !isPlain(entry)).sort((a, b) => grave.indexOf(a.answer) - grave.indexOf(b.answer));
  const values = ledger.filter(isPlain);
  const [shown, held] = ordered.length ? [ordered, values] : [values, []];
  const tally = grave.map((answer) => [ledger.filter((entry) => entry.answer === answer).length, ANSWERS[answer][2]]).filter(([number]) => number).map(([number, words]) => `${figure(number)} ${words}`).join(", ");
  const rows = (entries) => make("ul", { class: "ledger" }, entries.map((entry) => claimRow(entry, base)));
  const rest = shown.slice(MOST_CLAIMS);
  const folded = (entries, ...words) => entries.length > 0 && make("details", null, make("summary", null, count(entries.length, ...words)), rows(entries));
  return make("section", { class: "claims", "aria-labelledby": "claims" }, make("h2", { id: "claims" }, "What it claims, beside the record", make("span", { class: "tally" }, tally)),
    rows(shown.slice(0, MOST_CLAIMS)), folded(rest, "more claim"), folded(held, "value on record", "values on record"));
};

const claimRow = (entry, base) => {
  const [kind, mark, words] = ANSWERS[entry.answer];
  const key = (place) => [...entry.trace_path, place].join(".");
  return make("li", { class: kind },
    make("p", { class: "claim" }, make("q", null, entry.claim), " ", make("a", { class: "faint", href: `${base}m${key(entry.message_index)}` }, `message ${key(entry.message_index)}`)),
    make("p", { class: "answer", title: entry.record }, make("b", null, make("span", { "aria-hidden": "true", class: "sign" }, mark), ` ${words}`),
      entry.record_index !== null && [" in ", make("a", { class: "faint", href: `${base}m${key(entry.record_index)}` }, `message ${key(entry.record_index)}`)], `: ${entry.record}`));
};

// What else the agent says that the record does not bear out; of the same sentence, what speaks against its other claims.
const MOST_ALSO = 3;
const alsoSaid = (findings, worst, base) => {
  const others = findings.filter((one) => one !== worst && one.severity !== "note" && isClaim(one) && one.quote);
  const said = [...new Set(others.map((one) => one.quote))].filter((quote) => quote !== worst.quote);
  const places = (quote) => others.filter((one, at) => one.quote === quote && others.findIndex((other) => other.quote === quote && other.key === one.key) === at);
  const link = (one) => [" (", make("a", { href: `${base}f${one.number}` }, `message ${one.key}`), ")"];
  return [
    ...others.filter((one) => one.quote === worst.quote).slice(0, MOST_ALSO).map((one) => make("p", { class: "summary" }, plain(one.text).replace(/\.$/, ""), link(one), ".")),
    said.length > 0 && make("p", { class: "summary also" }, "It also says ",
      said.slice(0, MOST_ALSO).map((quote, place) => [place > 0 && ", ", make("q", null, plain(quote)), places(quote).map(link)]),
      said.length > MOST_ALSO && `, and ${figure(said.length - MOST_ALSO)} more`, "."),
  ];
};

// The step that broke, where no finding says where to begin. Its number counts in the messages of its own agent, which a finding or the agent's name leads to.
const whereToBegin = ({ attribution }, findings, held, base) => {
  if (!attribution || findings.some((one) => isWrong(one) && one.key !== null)) return null;
  const { message_index: place, agent, basis } = attribution;
  const shown = findings.filter((one) => one.rule === basis && one.message_index === place).sort((a, b) => (a.key < b.key ? -1 : 1))[0];
  const child = (held.trace.children ?? []).findIndex((one) => one.id === agent);
  const key = shown ? shown.key : child < 0 ? String(place) : `${child}.${place}`;
  return make("span", { class: "begin" }, "Where to begin: ", make("a", { href: `${base}${shown ? `f${shown.number}` : `m${key}`}` }, `message ${key}`),
    agent && ` of ${agent}`, ` (${basis}). `);
};

// The claim, and beside it what contradicts it.
const facing = (finding, base) => {
  const { call, shown, before, number } = finding.evidence;
  const told = shown
    ? [make("p", { class: "shown mono" }, shown), make("p", { class: "faint" }, "from ", make("b", null, call.name), ` ${oneLine(call.arguments)}`)]
    : [make("p", { class: "shown" }, absenceOf(finding) ?? `${count(number, "call")} up to here; the last:`),
      number > 0 && make("ul", { "aria-label": "The last calls" }, before.map((one) => make("li", null, make("b", { class: "mono" }, one.name), one.ok === false && make("span", { class: "chip fail" }, "failed"))))];
  return make("div", { class: "facing" },
    make("div", { class: "says" }, make("span", { class: "lead" }, "The agent says, in ", make("a", { href: `${base}f${finding.number}` }, `message ${finding.key}`)), make("p", { class: "said" }, make("q", null, plain(finding.quote)))),
    make("div", { class: "shows" }, make("span", { class: "lead" }, "The record shows", shown && [", in ", make("a", { href: `${base}m${keyAt(finding, call.at)}` }, `message ${keyAt(finding, call.at)}`)]), told));
};

// Whether the risk alone gives the verdict. Where findings decide, a PASS rests on what was not found.
const isByRisk = ({ overall_score: risk, verdict, profile: { warn_at: warn, fail_at: fail, findings_decide: isFindings } }) => {
  if (risk === null || warn === undefined) return false;
  return verdict === (risk >= fail ? "FAIL" : risk >= warn ? "WARN" : "PASS") && !(isFindings && verdict === "PASS");
};

const gauge = ({ overall_score: risk, profile: { warn_at: warn, fail_at: fail } }) => {
  const at = (value) => ({ "--at": String(value) });
  return make("div", { class: "gauge", role: "img", "aria-label": `Risk ${score(risk)} of 1; WARN from ${warn}, FAIL from ${fail}` },
    make("span", { class: "label" }, "risk ", make("b", null, score(risk))),
    make("span", { class: "track" }, make("span", { class: "fill", css: at(risk) }),
      make("span", { class: "stop", css: at(warn) }, make("i", null, `WARN ${warn}`)), make("span", { class: "stop", css: at(fail) }, make("i", null, `FAIL ${fail}`))));
};

const limitsOf = (report, name) => (report.profile.critical ?? []).filter((rule) => rule.signal_name === name).sort((a, b) => a.threshold - b.threshold);

// Where findings decide, the score of a signal whose findings are all notes fires no rule.
const isOnNotes = (report, name) => {
  const own = report.findings.filter((finding) => finding.rule.startsWith(`${name}.`));
  return report.profile.findings_decide && own.length > 0 && own.every((finding) => finding.severity === "note");
};

const signalsOf = (report) => make("section", { "aria-labelledby": "signals" }, make("h2", { id: "signals" }, "Signals"),
  make("ul", { class: "signals" }, [...report.signal_scores].sort((a, b) => b.contribution - a.contribution).map((entry) => {
    const limits = isOnNotes(report, entry.signal_name) ? [] : limitsOf(report, entry.signal_name);
    const isCritical = entry.score !== null && limits.some((rule) => entry.score >= rule.threshold);
    return make("li", { class: isCritical ? "critical" : null },
      make("p", null, make("b", null, entry.signal_name.replaceAll("_", " ")), make("span", { class: "value" }, entry.score === null ? "not measured" : entry.score.toFixed(2))),
      make("span", { class: "track", "aria-hidden": "true" }, make("span", { class: "fill", css: { "--at": String(entry.score ?? 0) } }),
        limits.map((rule) => make("span", { class: "stop", css: { "--at": String(rule.threshold) } }))),
      make("p", { class: "faint" }, entry.details),
      make("p", { class: "faint small" }, entry.advisory ? "advisory: not counted" : `weight ${entry.weight}, adds ${score(entry.contribution)}`,
        limits.length > 0 && `; ${limits.map((rule) => `${rule.verdict} at ${rule.threshold}`).join(", ")}`));
  }), report.failures.map((failure) => make("li", { class: "critical" }, make("p", null, make("b", null, failure.signal_name)), make("p", null, failure.error)))));

const MOST_LISTED = 16;
const listOf = (findings, base) => {
  const items = (part) => make("ol", { class: "list" }, part.map((finding) => make("li", { class: finding.kind },
    make("a", { href: `${base}f${finding.number}` }, sign(finding.severity), make("span", { class: "unseen" }, `${finding.severity}: `), ` ${ruleWords(finding.rule)}`,
      finding.key !== null && make("span", { class: "faint" }, ` · message ${finding.key}`), askedOf(finding) && [" ", make("code", { class: "faint" }, askedOf(finding))]))));
  const rest = findings.slice(MOST_LISTED, 200);
  return findings.length > 0 && make("nav", { "aria-labelledby": "list" }, make("h2", { id: "list" }, "Findings", make("span", { class: "tally" }, figure(findings.length))), items(findings.slice(0, MOST_LISTED)),
    rest.length > 0 && make("details", null, make("summary", null, `${figure(rest.length)} more`), items(rest)),
    findings.length > 200 && make("p", { class: "faint" }, `and ${figure(findings.length - 200)} more, in the timeline`));
};

const factsOf = (held, report) => {
  const { messages } = held.trace;
  const times = messages.map((message) => Date.parse(message.time ?? "")).filter(Number.isFinite);
  const models = [...new Set(messages.map((message) => message.model).filter(Boolean))];
  const cost = messages.reduce((sum, message) => sum + (message.cost ?? 0), 0);
  const facts = [
    ["Messages", figure(report.metadata.total_messages)],
    ["Calls", figure(report.metadata.total_tool_calls)],
    ["Tokens", report.metadata.total_tokens === null ? "not recorded" : figure(report.metadata.total_tokens)],
    times.length > 1 && ["Time", duration(Math.max(...times.slice(-1)) - times[0])],
    cost > 0 && ["Cost", `$${cost.toFixed(4)}`],
    models.length > 0 && ["Model", models.slice(0, 4).join(", ")],
    held.trace.outcome && ["Ended", held.trace.outcome],
    ["Profile", report.profile.name],
    report.overall_score !== null && ["Risk, for sorting", score(report.overall_score)],
    report.triage_score !== null && ["Triage, for sorting", score(report.triage_score)],
  ];
  return make("section", { "aria-labelledby": "facts" }, make("h2", { id: "facts" }, "The run"),
    make("dl", { class: "facts" }, facts.filter(Boolean).map(([name, value]) => [make("dt", null, name), make("dd", null, value)])));
};

const uncheckedOf = (report) => {
  const told = [...report.coverage.flatMap((entry) => [entry.state !== "checked" && `${entry.signal_name}: ${entry.state.replaceAll("_", " ")}${entry.reason ? `, ${entry.reason}` : ""}`, ...entry.gaps]), ...report.unread].filter(Boolean);
  return told.length > 0 && make("section", { "aria-labelledby": "unchecked" }, make("h2", { id: "unchecked" }, "Not checked"),
    make("ul", { class: "plain" }, told.map((text) => make("li", null, text))));
};
