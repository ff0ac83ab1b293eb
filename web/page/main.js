// The page: a file, settings, a search, and its model.

import { Columns } from "table";
import { byId, counted, element, short } from "dom";
import { Engine } from "engine";
import { Frontier } from "chart";
import { Sliders } from "sliders";
import { downloads, pointText, show } from "result";
import { save } from "zip";
import { suggest, suggestKind, wanted } from "settings";

/** The largest file, in bytes: more would not fit into the memory of a page. */
const LARGEST = 1 << 29;

const state = { file: null, search: null, found: null, started: 0, asked: null };
const engine = new Engine(hear);
const columns = new Columns(byId("columns"), changed);
const frontier = new Frontier(byId("frontier"), choose);
const sliders = new Sliders(byId("readings"), byId("prediction"), (readings) => engine.call("predict", { readings }));

function tell(text) {
  byId("status").textContent = text;
}

/** Shows a problem as a sentence; none for an empty one. */
function complain(text) {
  const problem = byId("problem");
  problem.textContent = text;
  problem.hidden = !text;
}

/** Does something that may fail with a sentence. */
async function attempt(work) {
  complain("");
  try {
    return await work();
  } catch (problem) {
    complain(problem.message);
    return null;
  }
}

/** Opens the bytes of a file with a name. */
async function open(name, bytes) {
  if (bytes.byteLength > LARGEST) {
    throw new Error(`${name} has more than 512 MB; use the command srfm fit --memory for such a file`);
  }
  tell(`Reading ${name} …`);
  const { rows, columns: found, remark } = await engine.open(name, bytes);
  state.file = name;
  state.found = null;
  byId("file").textContent = `${name}: ${counted(rows, "row")}, ${counted(found.length, "column")}`;
  byId("remark").textContent = remark ?? "";
  columns.show(found);
  suggest(columns);
  for (const id of ["table", "settings"]) {
    byId(id).hidden = false;
  }
  byId("result").hidden = true;
  byId("chart").hidden = true;
  preview();
  tell("The file is read. Choose the target and start the search.");
}

/** Follows a choice in the table of columns. */
function changed(what) {
  if (what === "target") {
    suggestKind(columns);
  }
  byId("missing").value ||= columns.hasMissing() ? "drop" : "";
  preview();
}

/** Shows the command line of the settings. */
async function preview() {
  if (!state.file || state.search) {
    return;
  }
  await attempt(async () => {
    const { command } = await engine.call("commands", { wanted: wanted(state.file, columns) });
    byId("preview").textContent = command;
  });
}

/** Hears of the search. */
function hear(event) {
  if (state.search?.isStopping) {
    return;
  }
  if (event.event === "progress") {
    byId("progress").value = event.share;
  } else if (event.event === "tried" && state.search) {
    frontier.add(event);
    if (event.allowed && event.error < state.least) {
      state.least = event.error;
      tell(`Searching: error ${short(event.error)} with at most ${counted(event.bytes, "byte")} so far.`);
    }
  }
}

function unit() {
  return byId("kind").value === "classes" ? "error rate" : "RMSE, standard deviations of the target";
}

function searching(is) {
  byId("start").disabled = is;
  byId("stop").disabled = !is;
  byId("progress").hidden = !is;
  byId("progress").value = 0;
  byId("model").toggleAttribute("inert", is);
  byId("open").disabled = is;
  byId("example").disabled = is;
  document.body.toggleAttribute("data-searching", is);
}

/** Searches with the settings of the form. */
async function search() {
  const asked = wanted(state.file, columns);
  Object.assign(state, { least: Infinity, started: performance.now(), asked });
  state.search = { answer: engine.search(asked), isStopping: false };
  frontier.clear(unit(), asked.program ? null : asked.flash);
  byId("chart").hidden = false;
  byId("point").replaceChildren();
  byId("result").hidden = true;
  searching(true);
  tell("Searching …");
  try {
    const found = await state.search.answer;
    const seconds = (performance.now() - state.started) / 1000;
    state.found = found;
    frontier.finish(found.search, asked.program ? found.search.chosen.bytes : found.model.flash_bytes);
    show(found, asked.core, state.search.isStopping);
    state.search = null;
    await sliders.show(found, asked.categories);
    tell(`Finished after ${seconds.toFixed(1)} s: a model of ${counted(found.model.flash_bytes, "byte")}.`);
    byId("result").focus({ preventScroll: true });
    byId("chart").scrollIntoView({ behavior: reduced() ? "auto" : "smooth", block: "start" });
  } catch (problem) {
    tell("The search ended without a model.");
    complain(problem.message);
  } finally {
    state.search = null;
    searching(false);
  }
}

function reduced() {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}

/** Shows a chosen point of the chart, and offers a search within its bytes. */
function choose(point) {
  const within = () => {
    byId("flash").value = point.bytes;
    preview();
    search();
  };
  const label = `Search within ${point.bytes} bytes`;
  const button = element("button", { type: "button", id: "within", onclick: within }, label);
  byId("point").replaceChildren(...pointText({ ...point, unit: unit() }), state.search ? "" : button);
}

/** Sets the choices that the module knows. */
async function choices() {
  const { version, cores, core, splits, layouts } = await engine.call("choices");
  const options = (names) => names.map(([value, label]) => element("option", { value }, label));
  byId("core").replaceChildren(...options(cores.map((name) => [name, name])));
  byId("core").value = core;
  byId("split").replaceChildren(...options(splits.map((name) => [name, name])));
  byId("layout").replaceChildren(...options(layouts.slice(1)));
  byId("version").textContent = version;
}

async function example() {
  const { file, text } = await engine.call("example");
  await open(file, new TextEncoder().encode(text).buffer);
  await search();
}

function openFile(file) {
  if (file && !state.search) {
    attempt(async () => open(file.name, await file.arrayBuffer()));
  }
}

/** Lets files be dropped anywhere. */
function takeDrops() {
  const zone = byId("drop");
  const over = (is) => (event) => {
    event.preventDefault();
    zone.classList.toggle("over", is);
  };
  addEventListener("dragover", over(true));
  addEventListener("dragleave", over(false));
  addEventListener("drop", (event) => {
    over(false)(event);
    openFile(event.dataTransfer.files[0]);
  });
}

/** Stops the search: the first time for the best model so far, the second time at once. */
function stop() {
  if (state.search.isStopping) {
    engine.searched.fail(new Error("The search was given up."));
    engine.end();
    return;
  }
  state.search.isStopping = true;
  engine.stop();
  tell("Stopping: the best candidate so far is fitted to all rows. Press Stop again to give it up.");
}

function copy(id) {
  return () => navigator.clipboard.writeText(byId(id).textContent).then(() => tell("Copied."));
}

function listen() {
  const on = (id, act) => byId(id).addEventListener("click", act);
  on("example", () => attempt(example));
  on("open", () => byId("chosen").click());
  byId("chosen").addEventListener("change", (event) => openFile(event.target.files[0]));
  byId("form").addEventListener("submit", (event) => {
    event.preventDefault();
    attempt(search);
  });
  byId("form").addEventListener("change", preview);
  on("stop", stop);
  const file = (name, argument) => () => attempt(() => downloads(engine, state.found)[name](argument?.()));
  on("save-header", file("exported", () => "header"));
  on("save-folder", file("exported", () => byId("layout").value));
  on("save-model", file("model"));
  on("save-description", file("description"));
  on("save-report", file("report"));
  on("save-example", () => attempt(async () => {
    const { file: name, text } = await engine.call("example");
    save(name, text, "text/csv");
  }));
  on("copy-command", copy("command"));
  on("copy-python", copy("python"));
}

listen();
takeDrops();
attempt(choices).then(() => document.body.setAttribute("data-ready", ""));
// For tests, and for people with a console.
window.srfm = { engine, state };
