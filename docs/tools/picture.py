"""The picture of the README: error against size of the program, drawn from docs/data: programs, c-source, peers."""

import math
from html import escape

import tables

WIDTH, HEIGHT = 880, 560
PANEL = (330, 180)
LEFT, TOP, COLUMN, ROW = 70, 50, 430, 255
BYTES = (256, 32_768)
TICKS = [(512, "512 B"), (1024, "1 KB"), (2048, "2 KB"), (4096, "4 KB"), (8192, "8 KB"), (16384, "16 KB")]
UNITS = {"airfoil": "dB"}

# The contrast of each with white is 5 or more.
INK, OURS, PEERS = "#57606a", "#0b62c4", "#a84e00"
FONT = "font-family='system-ui, sans-serif'"


class Panel:
    """The axes of one task. Sizes are logarithmic, errors linear from zero."""

    def __init__(self, place, task, rows):
        self.left, self.top = LEFT + COLUMN * (place % 2), TOP + ROW * (place // 2)
        self.task, self.rows = task, sorted(rows, key=lambda row: -int(row["bytes"]))
        self.step, self.most = axis(max(float(row["rmse"]) for row in rows))
        self.taken = [self.box(row, 9, 9) for row in rows]

    def x(self, size):
        low, high = map(math.log, BYTES)
        return self.left + PANEL[0] * (math.log(size) - low) / (high - low)

    def y(self, error):
        return self.top + PANEL[1] * (1 - error / self.most)

    def box(self, row, width, height, dx=0, dy=0):
        """A rectangle around the point of a row: left, top, right, bottom."""
        x, y = self.x(int(row["bytes"])) + dx, self.y(float(row["rmse"])) + dy
        return x - width / 2, y - height / 2, x + width / 2, y + height / 2

    def label(self, row):
        """The tool's name, at the first place around the point that is free."""
        name = row["tool"].removeprefix("srfm, ")
        width = 6.2 * len(name) + 3.5
        aside = width / 2 + 8
        for dx, dy in [(0, -13), (0, 14), (aside, 0), (aside, 10), (-aside, 0), (-aside, 10), (0, 28)]:
            box = self.box(row, width, 13, dx, dy)
            if self.inside(box) and not any(overlap(box, other) for other in self.taken):
                break
        self.taken.append(box)
        return text((box[0] + box[2]) / 2, box[3] - 3, name, "middle", 12, colour(row))

    def inside(self, box):
        right, bottom = self.left + PANEL[0], self.top + PANEL[1]
        return box[0] >= self.left and box[1] >= self.top - 6 and box[2] <= right and box[3] <= bottom

    def drawn(self):
        right, bottom = self.left + PANEL[0], self.top + PANEL[1]
        yield text(self.left, self.top - 14, self.task, "start", 14, INK, "bold")
        for tick in range(round(self.most / self.step) + 1):
            y = self.y(tick * self.step)
            yield line(self.left, y, right, y)
            yield text(self.left - 8, y + 4, f"{tick * self.step:g}", "end", 12, INK)
        for size, name in TICKS:
            yield line(self.x(size), self.top, self.x(size), bottom)
            yield text(self.x(size), bottom + 17, name, "middle", 12, INK)
        yield text(self.left + PANEL[0] / 2, bottom + 34, "flash with code", "middle", 12, INK)
        middle = self.top + PANEL[1] / 2
        unit = f", {UNITS[self.task]}" if self.task in UNITS else ""
        yield f"<g transform='rotate(-90 {self.left - 46} {middle})'>"
        yield text(self.left - 46, middle, f"RMSE{unit}", "middle", 12, INK) + "</g>"
        yield from (point(self, row) for row in self.rows)
        yield from (self.label(row) for row in self.rows)


def axis(most):
    """The step between ticks and the end of an axis from 0 that holds `most`."""
    power = 10 ** math.floor(math.log10(most))
    step = next(power * part for part in (0.1, 0.2, 0.5, 1, 2) if most * 1.12 <= 5 * power * part)
    return step, step * math.ceil(most * 1.12 / step)


def overlap(a, b):
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def colour(row):
    return OURS if row["tool"].startswith("srfm") else PEERS


def point(panel, row):
    x, y = panel.x(int(row["bytes"])), panel.y(float(row["rmse"]))
    if row["tool"].startswith("srfm"):
        return f"<circle cx='{x:.1f}' cy='{y:.1f}' r='5' fill='{OURS}'/>"
    return f"<rect x='{x - 4:.1f}' y='{y - 4:.1f}' width='8' height='8' fill='none' stroke='{PEERS}' stroke-width='2'/>"


def line(x1, y1, x2, y2):
    return f"<path d='M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}' stroke='{INK}' stroke-opacity='0.3'/>"


def text(x, y, content, anchor, size, fill, weight="normal"):
    style = f"text-anchor='{anchor}' font-size='{size}' font-weight='{weight}' fill='{fill}' {FONT}"
    return f"<text x='{x:.1f}' y='{y:.1f}' {style}>{escape(content)}</text>"


def canvas(width, height, title):
    """The start of a picture: white ground, so that it reads on a dark page, too."""
    return [f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {width} {height}' role='img'>",
            f"<title>{title}</title>", f"<rect width='{width}' height='{height}' rx='8' fill='#ffffff'/>"]


def drawn():
    """The picture as SVG."""
    rows = tables.own_programs("programs") + tables.read("peers")
    title = "Error against flash with code on a Cortex-M4F: srfm (dots) in Rust and C, other tools (squares)"
    parts = canvas(WIDTH, HEIGHT, title)
    for place, task in enumerate(dict.fromkeys(row["task"] for row in rows)):
        parts += Panel(place, task, [row for row in rows if row["task"] == task]).drawn()
    parts.append(text(WIDTH / 2, HEIGHT - 14, f"{title}. Lower left is better.", "middle", 13, INK))
    return "\n".join([*parts, "</svg>", ""])
