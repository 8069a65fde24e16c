// Which files the calls changed, the one that changed last first; a long list is folded.
const MOST_FILES = 6;
const filesOf = ({ files }, base) => {
  if (!files) return null;
  const { rows, unnamed } = files;
  const rest = rows.slice(MOST_FILES);
  const left = files.files - rows.length;
  return make("section", { class: "files", "aria-labelledby": "files" },
    make("h2", { id: "files", tabindex: "-1" }, "Files changed", make("span", { class: "tally" }, `${count(files.files, "file")}, by ${count(files.calls, "call")}`)),
    make("ul", null, rows.slice(0, MOST_FILES).map((row) => fileRow(row, base))),
    rest.length > 0 && make("details", null, make("summary", null, count(rest.length + left, "more file")), make("ul", null, rest.map((row) => fileRow(row, base))),
      left > 0 && make("p", { class: "faint" }, `and ${figure(left)} that changed earlier, left out of this page`)),
    unnamed && make("p", { class: "faint small" }, `${count(unnamed.calls, "call")} that changed files and named none (a formatter, a checkout, an edit without its arguments), the last in `, messageLink(base, unnamed.last)));
};

const fileRow = ({ path, how, changes, first, last, open }, base) => {
  const at = path.lastIndexOf("/") + 1;
  const link = (key, what) => make("a", { href: `${base}m${key}`, "aria-label": `message ${key}, ${what} change of ${path}` }, `message ${key}`);
  return make("li", null, make("p", { class: "mono" }, make("span", { class: "faint" }, path.slice(0, at)), make("b", null, path.slice(at))),
    make("p", { class: "faint small" }, `${how} in `, link(last, "last"), open && ", no result on record",
      changes > 1 && [` · ${count(changes, "change")}, the first in `, link(first, "first")]));
};
