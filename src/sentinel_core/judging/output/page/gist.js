// What is wrong, or what was looked through, in a sentence or two out of the report.
const isWrong = (finding) => finding.severity !== "note";

// A call that failed is named by what it was asked, and by the first line of what came back that speaks of trouble.
const TROUBLE = /error|fail|reject|denied|refused|fatal|exception|panic|cannot|not found|no such|does not exist|invalid|unable|conflict/i;
const NO_TROUBLE = /^(exit code \d+|traceback.*)$|\b(0|no) (errors?|failed|failures?)\b/i;
const LONGEST_TROUBLE = 160;
const askedOf = (finding) => (finding.rule.endsWith(".failed_call") ? oneLine(finding.evidence.call?.arguments) : "");
const troubleOf = ({ evidence: { call }, quote }) => {
  const lines = (call.result?.text ?? "").split("\n").map((line) => line.replace(/<\/?\w+_error>/g, " ").replace(/\s+/g, " ").trim());
  return (lines.find((line) => TROUBLE.test(line) && !NO_TROUBLE.test(line)) ?? quote ?? "").slice(0, LONGEST_TROUBLE);
};
const toldOf = (finding) => {
  const asked = askedOf(finding);
  if (!asked) return plain(finding.text);
  const { name } = finding.evidence.call;
  const trouble = troubleOf(finding);
  return [make("code", null, kindOfTool(name)[0] === "command" ? asked : `${name} ${asked}`), finding.text === `"${name}" failed.` ? " failed" : `: ${finding.text.replace(/\.$/, "")}`, trouble ? `: ${trouble}` : "."];
};

// Where in the whole trace a finding is: one of a sub-agent where its call is.
const orderOf = ({ message_index: at, trace_path: [child] }, { messages, children }) => {
  if (child === undefined) return at;
  return messages.findIndex((message) => (message.calls ?? []).some((call) => call.id === children[child].call));
};

const firstOf = (findings, trace) => findings.filter((one) => one.key !== null)
  .map((finding) => ({ finding, at: orderOf(finding, trace) })).filter(({ at }) => at >= 0)
  .sort((a, b) => a.at - b.at)[0]?.finding;

// Where the request is too long for the title, the way to all of it.
const requestLink = ({ request, asks, messages }, base) => {
  const at = request?.endsWith(" …") || asks ? messages.findIndex((message) => message.role === "user" && message.content && !message.copied) : -1;
  return at >= 0 && make("a", { href: `${base}m${at}` }, "whole request");
};

// The agent of a path; of the session itself there is none to name.
const agentAt = (trace, path) => path.reduce((agent, place) => agent?.children?.[place], trace);
const placeLink = (base, { number, key, trace_path: path }, trace) => [make("a", { class: "jump", href: `${base}f${number}` }, `message ${key}`), path.length > 0 && ` of ${agentAt(trace, path)?.id}`];

// What a reader looks for in any session: tests that were weakened, and what failed on its way out.
const OUTWARD = /\b(git( -\S+ \S+)* push|gh (pr|release|issue)|glab (mr|release)|(npm|pnpm|yarn|uv|cargo|poetry) publish|twine upload|docker push|terraform apply|kubectl (apply|rollout)|helm (upgrade|install)|\S*deploy\S*|\S*migrate)\b/;
const MOST_TOLD = 3;
const LONGEST_REASON = 90;
const weakenedOf = ({ text }) => /^After the tests failed(?: \(".*?"\))?, (.+), and then/.exec(plain(text))?.[1].replace(/\S+\/(?=[^/\s]+ )/, "");
const outwardOf = (finding) => {
  const [part] = OUTWARD.exec(askedOf(finding)) ?? [];
  return part && [make("code", null, part), " failed"];
};
const reasonOf = (finding) => {
  const trouble = finding.rule.endsWith(".failed_call") ? troubleOf(finding).replace(/\.$/, "") : "";
  return trouble && `: ${trouble.slice(0, LONGEST_REASON)}${trouble.length > LONGEST_REASON ? " …" : ""}`;
};
const landmarksOf = (findings, known, trace, base) => {
  const told = findings.filter((one) => one.key !== null && !known.includes(one))
    .map((finding) => ({ finding, words: finding.rule.endsWith(".weakened_tests") ? weakenedOf(finding) : outwardOf(finding) }))
    .filter(({ words }) => words).sort((a, b) => orderOf(a.finding, trace) - orderOf(b.finding, trace));
  return told.slice(0, MOST_TOLD).map(({ finding, words }, place) => [place ? "; " : "", words, " in ", placeLink(base, finding, trace), reasonOf(finding)]);
};

// "isTitled": whether the title says already what is wrong.
const gistOf = (report, findings, trace, base, isTitled) => {
  const wrong = findings.filter(isWrong);
  const line = (...words) => make("p", { class: "gist" }, words);
  const landmarks = (known) => {
    const told = landmarksOf(findings, known, trace, base);
    return told.length > 0 && line(make("b", null, "On the way"), ": ", told, ".");
  };
  if (!wrong.length) return [line(report.verdict === "PASS" ? soundOf(report) : report.reasoning), landmarks([])];
  const [worst] = wrong;
  const first = firstOf(wrong, trace);
  const isApart = first && first !== worst && callOf(first) !== callOf(worst);
  const place = worst.key !== null && [", in ", placeLink(base, worst, trace)];
  return [
    isTitled ? place && line(make("b", null, "This is wrong"), place, ".") : line(make("b", null, "What is wrong"), place, ": ", toldOf(worst)),
    isApart && line(make("b", null, "What went wrong first"), ", in ", placeLink(base, first, trace), ": ", toldOf(first)),
    landmarks([worst, isApart && first]),
  ];
};

// Why the verdict is what it is, without the words that the title or the sentence below it has already.
const becauseOf = ({ reasoning }, worst) => (worst ? reasoning.replace(`: ${worst.text.replace(/\.$/, "")}`, "") : reasoning);

const soundOf = ({ metadata: { total_messages: messages, total_tool_calls: calls }, ledger }) => {
  const open = (ledger ?? []).filter((entry) => entry.answer === "not_checkable").length;
  const claims = ledger?.length ? ` and ${count(ledger.length, "claim")}${open ? ` (${figure(open)} not checkable)` : ""}` : "";
  return `No error or warning was found in ${count(messages, "message")} with ${count(calls, "call")}${claims}.`;
};
