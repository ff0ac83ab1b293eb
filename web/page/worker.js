// The worker: runs the module of WebAssembly, and gives it the few functions of a system that it asks for.

"use strict";

/** The number of the error of WASI for a function that is missing here. */
const NOT_SUPPORTED = 58;
/** The number of the error of WASI for a file that is not open, which ends the list of open folders. */
const BAD_FILE = 8;

let module = null;
/** What the module said of a failure, and its largest length. */
let said = "";
const LONGEST = 600;

const text = new TextDecoder();

function memory() {
  return new DataView(module.memory.buffer);
}

function bytes(start, length) {
  return new Uint8Array(module.memory.buffer, start, length);
}

const PAGE = {
  tell(start, length) {
    self.postMessage({ event: JSON.parse(text.decode(bytes(start, length).slice())) });
  },
};

const SYSTEM = {
  clock_time_get(_clock, _precision, result) {
    memory().setBigUint64(result, BigInt(Math.round(1e6 * performance.now())), true);
    return 0;
  },
  random_get(start, length) {
    crypto.getRandomValues(bytes(start, length));
    return 0;
  },
  environ_sizes_get(count, size) {
    memory().setUint32(count, 0, true);
    memory().setUint32(size, 0, true);
    return 0;
  },
  environ_get() {
    return 0;
  },
  fd_prestat_get() {
    return BAD_FILE;
  },
  fd_write(_file, parts, count, result) {
    let written = 0;
    let line = "";
    for (let part = 0; part < count; part++) {
      const start = memory().getUint32(parts + 8 * part, true);
      const length = memory().getUint32(parts + 8 * part + 4, true);
      line += text.decode(bytes(start, length).slice());
      written += length;
    }
    said = (said + line).slice(-LONGEST);
    memory().setUint32(result, written, true);
    return 0;
  },
  proc_exit(code) {
    throw new Error(`the module ended with code ${code}`);
  },
  sched_yield() {
    return 0;
  },
};

/** Starts the module. */
async function start(compressed) {
  const stream = new Blob([compressed]).stream().pipeThrough(new DecompressionStream("gzip"));
  const compiled = await WebAssembly.compile(await new Response(stream).arrayBuffer());
  const imports = { page: PAGE, wasi_snapshot_preview1: { ...SYSTEM } };
  for (const { module: from, name } of WebAssembly.Module.imports(compiled)) {
    imports[from][name] ??= () => NOT_SUPPORTED;
  }
  module = (await WebAssembly.instantiate(compiled, imports)).exports;
}

/** Writes bytes where the module reads them. */
function hand(data) {
  const place = module.srfm_reserve(data.length) >>> 0;
  bytes(place, data.length).set(data);
}

/** Asks the module and returns its answer. */
function ask(call) {
  hand(new TextEncoder().encode(JSON.stringify(call)));
  const length = module.srfm_answer() >>> 0;
  return JSON.parse(text.decode(bytes(module.srfm_result() >>> 0, length).slice()));
}

/** Answers a message of the page. */
async function answered({ id, wasm, file, call }) {
  said = "";
  try {
    if (wasm) {
      await start(wasm);
    }
    if (file) {
      hand(new Uint8Array(file));
      module.srfm_open();
    }
    const answer = ask(call);
    const used = module.memory.buffer.byteLength;
    self.postMessage({ id, answer, memory: used });
  } catch (problem) {
    self.postMessage({ id, answer: { error: `The program failed: ${said.trim() || problem.message}` }, failed: true });
  }
}

/** The answers so far: a message waits for those before it. */
let answers = Promise.resolve();

self.onmessage = ({ data }) => {
  answers = answers.then(() => answered(data));
};
