// Long texts: folded to what matters, with the words of a finding marked.
const FOLD_CHARACTERS = 900;
const FOLD_LINES = 12;
const MARKS = ["proof", "fail", "warn", "note"];

const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

// Where a quote stands: a quote may have its white space folded, and its middle left out.
const placeOf = (text, quote) => {
  for (const piece of (quote ?? "").split(/\s*…\s*/).sort((a, b) => b.length - a.length)) {
    const words = piece.trim().split(/\s+/).filter(Boolean);
    if (piece.trim().length < 3 || words.length > 400) continue;
    const found = new RegExp(words.map(escaped).join("\\s+")).exec(text);
    if (found) return [found.index, found.index + found[0].length];
  }
  return null;
};

// Where two overlap, the one of the kind that matters more stays.
const placesOf = (text, marks) => {
  const places = [];
  for (const { quote, kind } of [...marks].sort((a, b) => MARKS.indexOf(a.kind) - MARKS.indexOf(b.kind))) {
    const [from, to] = placeOf(text, quote) ?? [0, 0];
    if (to && places.every((place) => to <= place.from || from >= place.to)) places.push({ from, to, kind });
  }
  return places.sort((a, b) => a.from - b.from);
};

// The nodes of text[from:to], with the marked places in <mark>.
const marked = (text, places, from, to) => {
  const nodes = [];
  let at = from;
  for (const place of places) {
    const start = Math.max(place.from, from);
    const end = Math.min(place.to, to);
    if (start >= end) continue;
    nodes.push(text.slice(at, start), make("mark", { class: place.kind }, text.slice(start, end)));
    at = end;
  }
  nodes.push(text.slice(at, to));
  return nodes;
};

const lineEnd = (text, lines) => {
  let at = -1;
  for (let line = 0; line < lines; line += 1) {
    at = text.indexOf("\n", at + 1);
    if (at < 0) return text.length;
  }
  return at;
};

// The part of a long text that is shown while it is folded: its start, or what is around the first mark.
const excerpt = (text, places) => {
  const end = Math.min(lineEnd(text, FOLD_LINES), FOLD_CHARACTERS);
  if (!places.length || places[0].to <= end) return [0, end];
  const from = Math.max(0, places[0].from - 320);
  const line = text.indexOf("\n", from);
  const start = line >= 0 && line < places[0].from ? line + 1 : from;
  return [start, Math.min(text.length, places[0].to + 320, start + 2 * FOLD_CHARACTERS)];
};

// A sentence without the marks of its markup; a pattern such as "src/**" stays.
const plain = (text) => text.replace(/^\s*(?:#{1,6}|>|[-*+])\s+/, "").replaceAll("`", "").replace(/(?<![^\s("'“])\*\*(?=[^\s*/])|(?<=[^\s*/])\*\*(?![^\s.,:;!?)"'”])/g, "");

// All that the page has of a text {text, tail, left}.
const wholeText = (part) => part.text + (part.left ? `\n\n[${count(part.left, "character")} left out of this page]\n\n${part.tail ?? ""}` : "");

// A text as an element; marks are [{quote, kind}].
const textBlock = (part, marks = [], { mono = false, fold = true } = {}) => {
  const text = wholeText(part);
  const places = placesOf(text, marks);
  const body = make("div", { class: mono ? "text mono" : "text" });
  const [from, to] = excerpt(text, places);
  if (!fold || to - from >= text.length || text.length - to < 80) {
    body.append(...marked(text, places, 0, text.length));
    return body;
  }
  let open = false;
  const button = make("button", { type: "button", class: "more", "aria-expanded": "false" });
  const draw = () => {
    const nodes = open
      ? marked(text, places, 0, text.length)
      : [from > 0 && "… ", ...marked(text, places, from, to), to < text.length && " …"];
    body.replaceChildren(...nodes.filter(Boolean));
    button.textContent = open ? "Fold" : `Show all ${figure(text.length)} characters`;
    button.setAttribute("aria-expanded", String(open));
  };
  button.addEventListener("click", () => { open = !open; draw(); });
  button.text = text;
  button.unfold = (isOpen = true) => { if (open !== isOpen) { open = isOpen; draw(); } };
  draw();
  return make("div", { class: "folding" }, body, button);
};

// What an edit takes away, and what it puts there.
const CHANGES = [[/^old_?(str|text|code|content|lines)/i, "removed"], [/^new_?(str|text|code|content|lines|source)/i, "added"]];
const sideOfChange = (name) => CHANGES.find(([pattern]) => pattern.test(name))?.[1];

// Arguments as the name and the text of each.
const argumentList = (entries, marks = [], options = {}) => {
  if (!entries?.length) return make("p", { class: "faint" }, "no arguments");
  return make("dl", { class: "arguments" }, entries.map((entry) => [
    make("dt", null, entry.name),
    make("dd", { class: sideOfChange(entry.name) }, textBlock(entry, marks, { mono: true, ...options })),
  ]));
};

const oneLine = (entries) => (entries ?? []).map((entry) => entry.text).join(", ").replace(/\s+/g, " ").slice(0, 140);
