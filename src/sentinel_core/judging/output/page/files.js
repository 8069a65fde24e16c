// Which files the calls changed, the one that changed last first, each a link to its last change; a long list is folded.
const MOST_FILES = 6;
const filesOf = ({ files }, base) => {
  if (!files) return null;
  const { rows, unnamed } = files;
  const rest = rows.slice(MOST_FILES);
  const left = files.files - rows.length;
  const folder = commonFolder(rows);
  const list = (shown) => make("ul", null, shown.map((row) => fileRow(row, folder, base)));
  return make("section", { class: "files", "aria-labelledby": "files" },
    make("h2", { id: "files", tabindex: "-1" }, "Files changed", make("span", { class: "tally" }, `${count(files.files, "file")}, by ${count(files.calls, "call")}`)),
    rows.length > 1 && make("p", { class: "faint small" }, "the last change first", folder && [", in ", make("span", { class: "mono" }, folder)]),
    list(rows.slice(0, MOST_FILES)),
    rest.length > 0 && make("details", null, make("summary", null, count(rest.length + left, "more file")), list(rest),
      left > 0 && make("p", { class: "faint" }, `and ${figure(left)} that changed earlier, left out of this page`)),
    unnamed && make("p", { class: "faint small" }, `${count(unnamed.calls, "call")} that changed files and named none (a formatter, a checkout, an edit without its arguments), the last in `, messageLink(base, unnamed.last)));
};

// The folder that all paths have in common, with its slash.
const commonFolder = (rows) => {
  if (rows.length < 2) return "";
  const [first, ...others] = rows.map(({ path }) => path.split("/").slice(0, -1));
  const apart = first.findIndex((name, depth) => others.some((folders) => folders[depth] !== name));
  const folder = first.slice(0, apart < 0 ? first.length : apart).map((name) => `${name}/`).join("");
  return folder === "/" ? "" : folder;
};

const lastChange = ({ last, call }, base) => `${base}m${last}${call ? `c${call}` : ""}`;

const fileRow = (row, folder, base) => {
  const { path, how, changes, first, last, open } = row;
  const at = path.lastIndexOf("/") + 1;
  return make("li", null,
    make("p", { class: "mono" }, make("a", { href: lastChange(row, base), "aria-label": `message ${last}, last change of ${path}` },
      make("span", null, path.slice(folder.length, at)), make("b", null, path.slice(at)))), " ",
    make("p", { class: "faint small" }, `${how} in message ${last}`, open && ", no result on record",
      changes > 1 && [` · ${count(changes, "change")}, the first in `, make("a", { href: `${base}m${first}`, "aria-label": `message ${first}, first change of ${path}` }, `message ${first}`)]));
};

// For the first screen: how many files, and which one changed last.
const filesLine = ({ files }, base) => {
  if (!files) return null;
  const [row] = files.rows;
  const words = row ? `${count(files.files, "file")} changed` : `${count(files.unnamed.calls, "call")} changed files`;
  return [make("a", { href: `${base}files` }, words),
    row && make("span", { class: "faint" }, "last: ", make("a", { href: lastChange(row, base), title: row.path }, row.path.slice(row.path.lastIndexOf("/") + 1)), ` in message ${row.last}`)];
};
