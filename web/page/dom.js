// Elements, and numbers as text.

const SVG = "http://www.w3.org/2000/svg";

function fill(created, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) {
      created.addEventListener(name.slice(2), value);
    } else if (value === true) {
      created.setAttribute(name, "");
    } else if (value !== false && value !== null && value !== undefined) {
      created.setAttribute(name, value);
    }
  }
  created.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return created;
}

/** Returns an element. Attributes that begin with `on` are listeners. */
export function element(name, attributes = {}, ...children) {
  return fill(document.createElement(name), attributes, children);
}

/** Returns an element of SVG. */
export function drawn(name, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, name), attributes, children);
}

/** Returns the element with an identifier. */
export function byId(id) {
  return document.getElementById(id);
}

/** Returns a number with about four digits. */
export function short(value) {
  if (value === null || value === undefined || !Number.isFinite(value)) {
    return "–";
  }
  if (Number.isInteger(value) && Math.abs(value) < 1e6) {
    return String(value);
  }
  const magnitude = Math.abs(value);
  return magnitude >= 1e6 || magnitude < 1e-4 ? value.toExponential(2) : String(Number(value.toPrecision(4)));
}

/** Returns a number of things, such as "1 row". */
export function counted(number, thing) {
  return `${number.toLocaleString("en")} ${thing}${number === 1 ? "" : "s"}`;
}

/** Returns round numbers from `low` to `high`, about `count` of them. */
export function ticks(low, high, count) {
  const rough = (high - low) / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((found) => found >= rough);
  const found = [];
  for (let place = Math.ceil(low / step); place * step <= high + 1e-9 * step; place++) {
    found.push(Number((place * step).toPrecision(12)));
  }
  return found;
}
