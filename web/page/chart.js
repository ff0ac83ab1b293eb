// The chart of error against bytes, which grows during a search.

import { drawn, element, short, ticks } from "dom";

/** The width in pixels is that of the page, between these. */
const NARROWEST = 300;
const WIDEST = 760;
const HEIGHT = 340;
const LEFT = 74;
const RIGHT = 16;
const TOP = 14;
const BOTTOM = 46;

/** The number of methods with a colour of their own. */
const COLOURS = 6;

/** The least distance of two labels of the axis of bytes, in pixels. */
const APART = 52;

/** The ratio of the largest and the least error from which on their axis is logarithmic. */
const APART_ERRORS = 8;

/** The largest number of labels of a logarithmic axis with three labels in every power of ten. */
const LABELS = 8;

/** Returns the labels of a logarithmic axis. */
function decades(low, high) {
  const found = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.log10(high); power++) {
    found.push(...[1, 2, 5].map((factor) => Number(`${factor}e${power}`)));
  }
  const inside = found.filter((size) => size >= low && size <= high);
  const whole = inside.filter((size) => /^10*$|^0.0*1$/.test(String(size)));
  return inside.length > LABELS && whole.length > 1 ? whole : inside;
}

/** The chart of candidates. */
export class Frontier {
  /** @param {HTMLElement} host holds the chart. @param {(point: object) => void} onChoose receives a clicked point. */
  constructor(host, onChoose) {
    this.host = host;
    this.onChoose = onChoose;
    this.clear("");
    addEventListener("resize", () => this.draw());
  }

  /** Removes all candidates. `unit` is that of the errors, `budget` the bytes of the budget. */
  clear(unit, budget) {
    Object.assign(this, { unit, budget, tried: [], front: null, chosen: null, selected: null, waits: false });
    this.draw();
  }

  /** Adds a candidate, and draws the chart a little later. */
  add(candidate) {
    this.tried.push(candidate);
    if (!this.waits) {
      this.waits = true;
      setTimeout(() => {
        this.waits = false;
        this.draw();
      }, 200);
    }
  }

  /** Shows the result of the search. */
  finish({ front, chosen }, bytes) {
    Object.assign(this, { front, chosen: { ...chosen, bytes } });
    this.draw();
  }

  /** Returns the candidates that no smaller one beats, smallest first. */
  best() {
    if (this.front) {
      return this.front;
    }
    const sorted = this.tried.filter((point) => point.allowed).sort((a, b) => a.bytes - b.bytes || a.error - b.error);
    let least = Infinity;
    return sorted.filter((point) => point.error < least && (least = point.error) !== null);
  }

  /** Sets the axes for the candidates: logarithms where errors differ much. Sizes far beyond the budget are cut off. */
  scale(best) {
    const all = this.tried.concat(best);
    const errors = all.map((point) => point.error);
    const bytes = all.concat(this.chosen ?? []).map((point) => point.bytes);
    const [least, most] = [Math.min(...errors), Math.max(...errors, 1e-9)];
    this.logarithmic = least > 0 && most > APART_ERRORS * least;
    this.high = this.logarithmic ? 1.15 * most : 1.05 * most;
    this.low = this.logarithmic ? 0.85 * least : 0;
    this.small = Math.max(1, 0.9 * Math.min(...bytes));
    this.large = 1.1 * Math.max(...bytes.filter((size) => size <= 4 * (this.budget ?? Infinity)), this.small);
  }

  x(size) {
    const share = Math.log(size / this.small) / Math.log(this.large / this.small);
    return LEFT + share * (this.width - LEFT - RIGHT);
  }

  y(error) {
    const { low, high } = this;
    const share = this.logarithmic ? Math.log(error / low) / Math.log(high / low) : (error - low) / (high - low);
    return HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM);
  }

  draw() {
    const best = this.best();
    if (best.length === 0 && this.tried.length === 0) {
      this.host.replaceChildren(element("p", { class: "hint" }, "Candidates appear here during the search."));
      return;
    }
    this.scale(best);
    this.width = Math.min(Math.max(this.host.clientWidth || WIDEST, NARROWEST), WIDEST);
    const chart = drawn(
      "svg",
      { viewBox: `0 0 ${this.width} ${HEIGHT}`, role: "group", "aria-label": "Error of candidates against bytes" },
      this.axes(),
      this.dots(),
      this.line(best),
      this.marks(best),
    );
    const focused = [...this.host.querySelectorAll(".mark")].indexOf(document.activeElement);
    this.host.replaceChildren(chart, this.legend());
    this.host.querySelectorAll(".mark")[focused]?.focus();
  }

  axes() {
    const parts = [];
    const bottom = HEIGHT - BOTTOM;
    const errors = this.logarithmic ? decades(this.low, this.high) : ticks(this.low, this.high, 5);
    for (const tick of errors) {
      const y = this.y(tick);
      parts.push(drawn("line", { class: "grid", x1: LEFT, x2: this.width - RIGHT, y1: y, y2: y }));
      parts.push(drawn("text", { x: LEFT - 8, y: y + 4, "text-anchor": "end" }, short(tick)));
    }
    let last = -Infinity;
    for (const tick of decades(this.small, this.large)) {
      const x = this.x(tick);
      if (x - last < APART) {
        continue;
      }
      last = x;
      parts.push(drawn("line", { class: "grid", x1: x, x2: x, y1: TOP, y2: bottom }));
      parts.push(drawn("text", { x, y: bottom + 18, "text-anchor": "middle" }, short(tick)));
    }
    if (this.budget && this.budget >= this.small && this.budget <= this.large) {
      const x = this.x(this.budget);
      parts.push(drawn("line", { class: "budget", x1: x, x2: x, y1: TOP, y2: bottom }));
    }
    const middle = (TOP + bottom) / 2;
    const below = { x: (LEFT + this.width) / 2, y: HEIGHT - 8, "text-anchor": "middle" };
    parts.push(drawn("text", below, "bytes of flash, at most"));
    const turned = `rotate(-90 14 ${middle})`;
    parts.push(drawn("text", { x: 14, y: middle, "text-anchor": "middle", transform: turned }, this.unit));
    return parts;
  }

  /** Returns the colour of a method: a number from 0. */
  colour(method) {
    const known = [...new Set(this.tried.map((point) => point.method))];
    const place = known.indexOf(method);
    return place < 0 ? COLOURS : Math.min(place, COLOURS);
  }

  dots() {
    const inside = this.tried.filter((point) => point.error <= this.high && point.bytes <= this.large);
    const dot = ({ method, bytes, error, allowed }) =>
      drawn("circle", {
        class: `dot colour${this.colour(method)}${allowed ? "" : " beyond"}`,
        cx: this.x(bytes),
        cy: this.y(error),
        r: 3,
      });
    return drawn("g", { "aria-hidden": "true" }, inside.map(dot));
  }

  line(best) {
    const inside = best.filter((point) => point.error <= this.high);
    const points = inside.map((point, place) => {
      const before = inside[place - 1];
      const step = before ? `${this.x(point.bytes)},${this.y(before.error)} ` : "";
      return `${step}${this.x(point.bytes)},${this.y(point.error)}`;
    });
    return drawn("polyline", { class: "front", points: points.join(" ") });
  }

  /** Returns the points that can be chosen, and the ring of the model. */
  marks(best) {
    const inside = best.filter((point) => point.error <= this.high);
    const marks = inside.map((point) => {
      const choose = () => this.choose(point);
      const onkeydown = (event) => {
        if (event.key === "Enter" || event.key === " ") {
          event.preventDefault();
          choose();
        }
      };
      const label = `${point.method}: error ${short(point.error)} with at most ${point.bytes} bytes`;
      const circle = drawn("circle", {
        class: point === this.selected ? "mark selected" : "mark",
        cx: this.x(point.bytes),
        cy: this.y(point.error),
        r: 6,
        tabindex: 0,
        role: "button",
        "aria-label": label,
        onclick: choose,
        onkeydown,
      });
      circle.append(drawn("title", {}, label));
      return circle;
    });
    if (this.chosen) {
      const { bytes, error } = this.chosen;
      const place = { cx: this.x(bytes), cy: this.y(Math.min(error, this.high)) };
      marks.push(drawn("circle", { class: "ring", r: 10, ...place }));
    }
    return marks;
  }

  choose(point) {
    this.selected = point;
    this.draw();
    this.host.querySelector(".selected")?.focus();
    this.onChoose(point);
  }

  legend() {
    const methods = [...new Set(this.tried.map((point) => point.method))];
    const entry = (name, colour) => element("li", {}, element("i", { class: `colour${colour}` }), name);
    const shown = methods.slice(0, COLOURS).map((name, place) => entry(name, place));
    if (methods.length > COLOURS) {
      shown.push(entry("other methods", COLOURS));
    }
    return element("ul", { class: "legend", "aria-label": "Methods" }, shown);
  }
}
