// Sliders that move readings, and the prediction that the device would make.

import { element, short } from "dom";

/** The share of the range of an input that its slider goes beyond it. */
const BEYOND = 0.1;

/** The steps of a slider. */
const STEPS = 400;

/** The largest number of inputs with sliders of their own at once. */
const SHOWN = 24;

/** The sliders of a model. */
export class Sliders {
  /** @param {(readings: number[]) => Promise<object>} predict asks the model. */
  constructor(host, output, predict) {
    Object.assign(this, { host, output, predict, asked: 0 });
  }

  /** Shows the inputs of a model. */
  show(model, categories) {
    this.model = model;
    this.readings = model.inputs.map(({ median }) => median ?? 0);
    const ofCategories = new Map();
    const parts = [];
    model.inputs.forEach((input, place) => {
      const column = categories.find((name) => input.name.startsWith(`${name} = `));
      if (!column) {
        parts.push(this.slider(input, place));
      } else if (ofCategories.has(column)) {
        ofCategories.get(column).push([input, place]);
      } else {
        ofCategories.set(column, [[input, place]]);
        parts.push(column);
      }
    });
    const made = parts.map((part) => (typeof part === "string" ? this.choice(part, ofCategories.get(part)) : part));
    const [first, rest] = [made.slice(0, SHOWN), made.slice(SHOWN)];
    const more = rest.length > 0 ? element("details", {}, element("summary", {}, "More readings"), rest) : [];
    this.host.replaceChildren(...first, ...[more].flat());
    return this.update();
  }

  slider({ name, low, high, whole }, place) {
    const margin = BEYOND * (high - low);
    const [from, to] = low < high ? [low >= 0 ? Math.max(0, low - margin) : low - margin, high + margin] : [low, low];
    const step = whole ? 1 : (to - from) / STEPS || 1;
    const id = `reading${place}`;
    const number = element("input", { type: "number", step: "any", value: this.readings[place], "aria-label": name });
    const range = element("input", { type: "range", id, min: from, max: to, step, disabled: low === high });
    range.value = this.readings[place];
    const move = (value, other) => {
      if (Number.isFinite(value)) {
        this.readings[place] = value;
        other.value = value;
        this.update();
      }
    };
    range.addEventListener("input", () => move(Number(Number(range.value).toPrecision(6)), number));
    number.addEventListener("input", () => move(number.valueAsNumber, range));
    const limits = element("small", {}, `fitted ${short(low)} … ${short(high)}`);
    return element("div", { class: "reading" }, element("label", { for: id }, name), range, number, limits);
  }

  choice(column, inputs) {
    const id = `reading-of-${inputs[0][1]}`;
    const start = `${column} = `.length;
    const options = inputs.map(([{ name }, place]) => element("option", { value: place }, name.slice(start)));
    const select = element("select", { id }, options);
    const set = () => {
      inputs.forEach(([, place]) => (this.readings[place] = place === Number(select.value) ? 1 : 0));
    };
    set();
    select.addEventListener("change", () => {
      set();
      this.update();
    });
    return element("div", { class: "reading" }, element("label", { for: id }, column), select);
  }

  /** Shows the prediction of the readings. */
  async update() {
    const asked = ++this.asked;
    const readings = [...this.readings];
    const answer = await this.predict(readings);
    if (asked !== this.asked) {
      return;
    }
    const { outputs, bits, outside, probabilities } = answer;
    const { classes, model } = this.model;
    this.output.dataset.bits = bits.join(" ");
    this.output.dataset.readings = JSON.stringify(readings);
    const lines = [];
    if (classes.length > 0) {
      lines.push(element("strong", {}, answer.class ?? "no class"));
      const share = (name, place) => element("span", {}, `${name} ${(100 * probabilities[place]).toFixed(1)} %`);
      lines.push(...classes.map(share));
    } else {
      this.model.outputs.forEach((name, place) => {
        const half = model.half_widths[place];
        const width = half === undefined ? "" : ` ± ${short(half)}`;
        lines.push(element("span", {}, `${name} `, element("strong", {}, short(outputs[place])), width));
      });
    }
    if (outside) {
      lines.push(element("small", {}, "A reading is outside of the range of the fitted rows."));
    }
    this.output.replaceChildren(...lines);
  }
}
