// The engine: a worker that holds the file and the model, called by name.

/** Returns the bytes of a text in base64. */
function decoded(base64) {
  const characters = atob(base64.trim());
  return Uint8Array.from(characters, (character) => character.charCodeAt(0));
}

function content(id) {
  return document.getElementById(id).textContent;
}

/** A failure that the page shows as a sentence. */
export class Problem extends Error {}

/** The worker and its calls. */
export class Engine {
  /** @param {(event: object) => void} onEvent receives progress and candidates of a search. */
  constructor(onEvent) {
    this.onEvent = onEvent;
    /** The states of the search, from which another worker goes on. */
    this.kept = [];
    this.wasm = decoded(content("wasm"));
    this.source = URL.createObjectURL(new Blob([content("worker")], { type: "text/javascript" }));
    this.start();
  }

  /** Starts a worker. */
  start() {
    this.waiting = new Map();
    this.last = 0;
    this.begun = false;
    this.memory = 0;
    this.worker = new Worker(this.source);
    this.worker.onmessage = ({ data }) => this.receive(data);
    this.worker.onerror = (event) => this.fail(event.message);
  }

  receive({ id, event, answer, memory, failed }) {
    if (event?.event === "kept") {
      this.kept.push(event.state);
      return;
    }
    if (event) {
      this.onEvent(event);
      return;
    }
    const { name, done, fail } = this.waiting.get(id);
    this.waiting.delete(id);
    if (failed) {
      // The memory of a module that failed is in no order. A file that fails would fail again.
      this.file = name === "columns" ? null : this.file;
      this.end();
    }
    this.memory = memory ?? this.memory;
    if ("ok" in answer) {
      done(answer.ok);
    } else {
      fail(new Problem(answer.error));
    }
  }

  fail(message) {
    const waiting = [...this.waiting.values()];
    this.waiting.clear();
    waiting.forEach(({ fail }) => fail(new Problem(message)));
  }

  /** Calls the module. The bytes of `file` become the file of the session. */
  call(name, settings = {}, file = undefined) {
    const id = ++this.last;
    const wasm = this.begun ? undefined : this.wasm;
    this.begun = true;
    const answer = new Promise((done, fail) => this.waiting.set(id, { name, done, fail }));
    this.worker.postMessage({ id, wasm, file, call: { call: name, ...settings } });
    return answer;
  }

  /** Reads a file. */
  open(name, bytes) {
    this.file = { name, bytes };
    return this.call("columns", { file: name }, bytes);
  }

  /** Ends the worker at once, with its model. Another worker takes the file. */
  async end() {
    this.worker.terminate();
    this.fail("The search was given up.");
    this.start();
    if (this.file) {
      const { name, bytes } = this.file;
      await this.call("columns", { file: name }, bytes);
    }
  }

  /** Searches. */
  search(wanted) {
    this.kept = [];
    return new Promise((done, fail) => {
      this.searched = { wanted, done, fail };
      this.call("search", { wanted }).then(done, fail);
    });
  }

  /**
   * Stops the search. A worker that works hears nothing: another one takes its place, goes through the candidates that
   * were tried and fits the best of them.
   */
  async stop() {
    const { wanted, done, fail } = this.searched;
    const { name, bytes } = this.file;
    this.worker.terminate();
    this.start();
    try {
      await this.call("columns", { file: name }, bytes);
      done(await this.call("search", { wanted, kept: this.kept }));
    } catch (problem) {
      fail(problem);
    }
  }
}
