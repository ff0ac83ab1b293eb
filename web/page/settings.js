// The settings of the form, as the module takes them.

import { byId } from "dom";

function value(id) {
  return byId(id).value.trim();
}

function number(id) {
  const field = byId(id);
  return field.value.trim() === "" || !Number.isFinite(field.valueAsNumber) ? null : field.valueAsNumber;
}

/** Reads lines such as `flow=0,1,2` or `flow=0..4`. */
function lags(text) {
  const lines = text.split("\n").map((line) => line.trim()).filter(Boolean);
  return lines.map((line) => {
    const at = line.lastIndexOf("=");
    const list = line.slice(at + 1).split(",").flatMap((part) => {
      const [first, last] = part.split("..").map(Number);
      return last === undefined ? [first] : Array.from({ length: last - first + 1 }, (_, step) => first + step);
    });
    if (at < 1 || list.length === 0 || list.some((lag) => !Number.isInteger(lag) || lag < 0 || lag > 255)) {
      throw new Error(`“Earlier samples”: “${line}” is not of the form column=0,1,2`);
    }
    return [line.slice(0, at).trim(), list];
  });
}

/** Returns what the user wants of a file. */
export function wanted(file, columns) {
  const holdout = number("holdout");
  return {
    file,
    target: columns.target,
    classes: value("kind") === "classes",
    ignored: columns.named("ignored"),
    categories: columns.named("category"),
    time: columns.named("time")[0] ?? null,
    group: columns.named("group")[0] ?? null,
    lags: lags(value("lags")),
    window: number("window"),
    step: number("step"),
    missing: value("missing"),
    comma: byId("comma").checked,
    core: value("core"),
    program: value("counts-what") === "program",
    flash: number("flash"),
    instructions: number("instructions"),
    effort: number("effort"),
    holdout: holdout ? holdout : null,
    split: value("split") === "random" ? "" : value("split"),
    folds: number("folds"),
    smooth: byId("smooth").checked,
  };
}

/** Sets the settings that follow from the columns. */
export function suggest(columns) {
  suggestKind(columns);
  byId("comma").checked = columns.hasCommas();
  byId("missing").value = columns.hasMissing() ? "drop" : "";
}

/** Sets what the target is: words are classes. */
export function suggestKind(columns) {
  byId("kind").value = columns.targetColumn().kind === "number" ? "quantity" : "classes";
}
