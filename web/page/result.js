// The figures, rules, report and files of a model.

import { byId, counted, element, short } from "dom";
import { save, zip } from "zip";

/** The number of sentences of rules that are shown before one asks for more. */
const RULES = 12;

function card(label, value, note) {
  const values = [element("dd", {}, value), element("dd", { class: "note" }, note)];
  return element("div", { class: "card" }, element("dt", {}, label), values);
}

/** Shows the most important figures. */
function showFigures({ model, headlines, counts }, core) {
  const cards = headlines.map(([rows, text]) => {
    // A value stays on its line.
    const [first, ...others] = text.replace(" %", "\u00a0%").replace("e-", "e\u2011").split(", ");
    return card(rows, first, [...others, "by the code of the device"].join(", "));
  });
  const bound = model.instructions.find((bound) => bound.core === core);
  const program = model.programs.find((program) => program.core === core);
  cards.push(card("model file", counted(model.flash_bytes, "byte"), `${model.number}, method ${model.method}`));
  if (program) {
    const note = `in C on ${core}: parameters and code`;
    cards.push(card("program", counted(program.flash_bytes, "byte"), note));
    cards.push(card("prediction in C", counted(program.instructions, "instruction"), `on ${core}`));
  } else if (bound) {
    cards.push(card("prediction", counted(bound.at_most, "instruction"), `at most, on ${core}`));
  }
  cards.push(card("inputs", `${model.active_inputs} of ${model.inputs}`, "used by the model"));
  byId("figures").replaceChildren(...cards);
  byId("counts").textContent = counts ?? "";
}

/** Shows the rules of a model as sentences. */
function showRules({ rules: { count, sentences }, classes, outputs }) {
  byId("rules").hidden = count === 0;
  const scores = classes.length > 2 ? `scores of ${outputs.join(", ")}` : `score of ${outputs[0]}`;
  const what = classes.length > 0 ? `the ${scores}` : outputs.join(", ");
  byId("rules-hint").textContent = `What a rule adds to ${what} where its conditions hold.`;
  const item = (sentence) => element("li", {}, sentence);
  const more = sentences.slice(RULES);
  const parts = [element("ol", {}, sentences.slice(0, RULES).map(item))];
  if (more.length > 0) {
    const list = element("ol", { start: RULES + 1 }, more.map(item));
    parts.push(element("details", {}, element("summary", {}, `${more.length} more of ${count} rules`), list));
  }
  byId("rule-list").replaceChildren(...parts);
}

/** Shows the report, whose style does not reach the page. */
function showReport({ style, content }) {
  const host = byId("report");
  const root = host.shadowRoot ?? host.attachShadow({ mode: "open" });
  root.innerHTML = `<style>${style}:host{display:block}a{color:inherit}</style>${content}`;
  const wide = [...root.querySelectorAll("pre, .wide")].filter((part) => part.scrollWidth > part.clientWidth);
  wide.forEach((part) => (part.tabIndex = 0));
}

/** Shows a model. */
export function show(found, core, isStopped) {
  byId("result").hidden = false;
  showFigures(found, core);
  showRules(found);
  showReport(found);
  byId("command").textContent = found.command;
  byId("python").textContent = found.python;
  const { tried, rows, complete } = found.search;
  const end = isStopped ? ", until you stopped" : complete ? "" : ", as many as the effort allows";
  byId("searched").textContent = `${counted(tried, "candidate")} on ${counted(rows, "row")}${end}.`;
}

/** Returns the sentence about a chosen point of the chart. */
export function pointText({ method, settings, bytes, error, instructions, unit }) {
  const list = [element("strong", {}, `${method}, at most ${counted(bytes, "byte")}`), `: error ${short(error)} (${unit}). `];
  if (settings?.length) {
    list.push(`${settings.join("; ")}. `);
  }
  if (instructions?.length) {
    list.push(`Instructions at most: ${instructions.map(([core, most]) => `${most} on ${core}`).join(", ")}.`);
  }
  return list;
}

/** Returns the saving of each file by the name of its button. */
export function downloads(engine, found) {
  const stem = found.file.replace(/\.srfm$/, "");
  const exported = async (layout) => {
    const { name, files } = await engine.call("export", { name: stem, layout });
    if (layout === "header") {
      save(files[0][0], files[0][1], "text/x-c");
    } else {
      save(`${name}-${layout}.zip`, zip(files.map(([path, text]) => [`${name}/${path}`, text])));
    }
  };
  const model = () => {
    save(found.file, new Blob([Uint8Array.from(found.bytes)], { type: "application/octet-stream" }));
  };
  return {
    exported,
    model,
    description: () => save(`${found.file}.json`, found.description, "application/json"),
    report: () => save(`${stem}.html`, found.report, "text/html"),
  };
}
