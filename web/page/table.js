// The columns of a file, their previews and their roles.

import { drawn, element, short } from "dom";

const ROLES = [
  ["input", "input"],
  ["category", "category"],
  ["time", "time stamps"],
  ["group", "group"],
  ["ignored", "not used"],
];

/** The roles that columns get by what they hold. */
const USUAL = { number: "input", category: "category", time: "time", text: "ignored", empty: "ignored" };

/** Returns a small drawing of a column. */
function preview({ course, range, kind, first }) {
  const values = course.filter((value) => value !== null);
  if (!range || values.length < 2) {
    return element("span", { class: "sample" }, kind === "empty" ? "no values" : first.slice(0, 2).join(", "));
  }
  const [low, high] = range;
  const at = (value) => 26 - (24 * (value - low)) / (high - low || 1);
  const x = (place) => (120 * place) / (course.length - 1);
  const runs = [];
  let run = [];
  course.forEach((value, place) => {
    if (value === null) {
      runs.push(run);
      run = [];
    } else {
      run.push(`${x(place).toFixed(1)},${at(value).toFixed(1)}`);
    }
  });
  const lines = [...runs, run].filter((points) => points.length > 1);
  const line = (points) => drawn("polyline", { points: points.join(" ") });
  return drawn("svg", { class: "spark", viewBox: "0 0 120 28", "aria-hidden": "true" }, lines.map(line));
}

/** The table of the columns. */
export class Columns {
  /**
   * @param {HTMLElement} host holds the table.
   * @param {(what: string) => void} onChange is called after a choice of "target" or "use".
   */
  constructor(host, onChange) {
    this.host = host;
    this.onChange = onChange;
    this.columns = [];
  }

  /** Shows the columns of a file. The last column that can be one is the target. */
  show(columns) {
    this.columns = columns.map((column) => ({ ...column, role: USUAL[column.kind] }));
    const able = this.columns.filter(({ kind }) => kind === "number" || kind === "category");
    this.target = able.at(-1)?.name ?? columns.at(-1).name;
    const times = this.columns.filter(({ role }) => role === "time");
    times.slice(1).forEach((column) => (column.role = "ignored"));
    this.draw();
  }

  draw() {
    const heads = ["Target", "Column", "Use", "Preview", "Range", "Missing"];
    const row = element("tr", {}, heads.map((head) => element("th", { scope: "col" }, head)));
    const rows = this.columns.map((column) => this.row(column));
    const caption = element("caption", { class: "hidden" }, "Columns of the file");
    this.host.replaceChildren(element("table", {}, caption, element("thead", {}, row), element("tbody", {}, rows)));
  }

  row(column) {
    const isTarget = column.name === this.target;
    const radio = element("input", {
      type: "radio",
      name: "target",
      checked: isTarget,
      "aria-label": `${column.name} is the target`,
      onchange: () => this.setTarget(column.name),
    });
    const onchange = (event) => this.setRole(column, event.target);
    const options = ROLES.map(([value, label]) => element("option", { value, selected: column.role === value }, label));
    const use = isTarget
      ? element("span", { class: "badge" }, "target")
      : element("select", { "aria-label": `Use of ${column.name}`, "data-column": column.name, onchange }, options);
    const range = column.range ? column.range.map(short).join(" … ") : column.kind;
    return element(
      "tr",
      { class: isTarget ? "target" : null },
      element("td", {}, radio),
      element("th", { scope: "row" }, column.name),
      element("td", {}, use),
      element("td", {}, preview(column)),
      element("td", { class: "number" }, range),
      element("td", { class: "number" }, column.missing ? String(column.missing) : "–"),
    );
  }

  /** Sets the role of a column. One column alone has time stamps, and one the groups. */
  setRole(column, { value }) {
    if (value === "time" || value === "group") {
      this.columns.filter(({ role }) => role === value).forEach((other) => (other.role = "ignored"));
    }
    column.role = value;
    this.draw();
    this.host.querySelector(`select[data-column="${CSS.escape(column.name)}"]`)?.focus();
    this.onChange("use");
  }

  setTarget(name) {
    this.target = name;
    this.draw();
    this.host.querySelector("input:checked")?.focus();
    this.onChange("target");
  }

  /** Returns the names of the columns with a role, without the target. */
  named(role) {
    return this.columns.filter((column) => column.role === role && column.name !== this.target).map(({ name }) => name);
  }

  /** Returns the target. */
  targetColumn() {
    return this.columns.find(({ name }) => name === this.target);
  }

  /** Returns whether a column in use has missing values. */
  hasMissing() {
    const used = (column) => column.role === "input" || column.role === "category" || column.name === this.target;
    return this.columns.some((column) => used(column) && column.missing > 0);
  }

  /** Returns whether numbers have a decimal comma. */
  hasCommas() {
    return this.columns.some((column) => column.decimal_comma);
  }
}
