"""Growth of the time and the memory of a fit: the measurement, the exponents and the picture."""

import math
import os
import random
import struct
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

import tables
from picture import FONT, INK, OURS, PEERS, canvas, line, text

#: Quantities: the letter, what it counts, and the values of the picture; `None` stands for those of the method.
QUANTITIES = [
    ("n", "rows", [1000, 2000, 4000, 8000, 16000, 32000, 64000]),
    ("d", "inputs", [10, 20, 40, 80, 160]),
    ("N", "features", None),
    ("s", "inputs per feature", [1, 2, 4, 8, 16]),
    ("k", "targets", [1, 2, 4, 8, 16]),
]

#: The values of the other quantities. Features are those of the method.
USUAL = {"n": 4000, "d": 20, "s": 4, "k": 1}

#: Methods: the usual number of features, the other numbers, and a colour.
METHODS = {
    "compact": (24, [6, 12, 24, 48, 96, 192], OURS),
    "fourier": (200, [50, 100, 200, 400, 800, 1600], PEERS),
    "sgd": (16, [4, 8, 16, 32, 64, 128], "#1f7a3f"),
}

#: Every fit is made so often; the least time counts.
REPEATS = 3

WIDTH, HEIGHT, LEFT, TOP = 1000, 490, 74, 54
PANEL, COLUMN, ROW = (150, 150), 184, 222
ROWS = [("seconds", "seconds of processor time"), ("megabytes", "memory, MB")]


def measured(command):
    """The columns and lines of docs/data/growth.csv."""
    lines = []
    with TemporaryDirectory() as folder:
        for method, (usual, features, _) in METHODS.items():
            for quantity, _, values in QUANTITIES:
                for value in values or features:
                    shape = USUAL | {"N": usual} | {quantity: value}
                    seconds, megabytes = fitted(command, method, shape, Path(folder))
                    lines.append([method, quantity, value, f"{seconds:.3g}", f"{megabytes:.0f}"])
    return ["method", "quantity", "value", "seconds", "megabytes"], lines


def fitted(command, method, shape, folder):
    """The least processor time and the largest memory of a fit."""
    table, model = folder / "table.npy", folder / "model.srfm"
    write(table, shape["n"], shape["d"], shape["k"])
    targets = [word for target in range(shape["k"]) for word in ("--target", f"column {shape['d'] + target + 1}")]
    options = ["--method", method, "--max-features", shape["N"], "--order", shape["s"], "--lambda", "1e-3"]
    words = [command, "fit", table, *targets, *options, "--threads", 1, "--quiet", "-o", model]
    times, memories = [], []
    for _ in range(REPEATS):
        process = subprocess.Popen([str(word) for word in words], stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        if status:
            raise SystemExit(f"docs/measure: {' '.join(str(word) for word in words)} fails")
        times.append(usage.ru_utime + usage.ru_stime)
        memories.append(usage.ru_maxrss / 1024)
    return min(times), max(memories)


def write(path, rows, inputs, targets):
    """Writes readings and targets as an array of numpy."""
    normal = random.Random(1).gauss
    header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({rows}, {inputs + targets}), }}"
    header += " " * (63 - (len(header) + 10) % 64) + "\n"
    row = struct.Struct(f"<{inputs + targets}d")
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        for _ in range(rows):
            x = [normal(0, 1) for _ in range(inputs)]
            y = (math.sin(x[0] + x[1] + target) + x[2] * x[3] + normal(0, 0.3) for target in range(targets))
            file.write(row.pack(*x, *y))


def of(method, quantity):
    """The measured rows of a line of the picture."""
    return [row for row in tables.read("growth") if (row["method"], row["quantity"]) == (method, quantity)]


def exponent(rows, figure):
    """The slope of the logarithm of a figure over that of the value, by least squares over the larger half."""
    rows = rows[len(rows) // 2 :]
    points = [(math.log(float(row["value"])), math.log(float(row[figure]))) for row in rows]
    x, y = (sum(values) / len(points) for values in zip(*points))
    return sum((a - x) * (b - y) for a, b in points) / sum((a - x) ** 2 for a, _ in points)


def table(_):
    """Exponents of time and memory: a line a method, a column a quantity."""
    columns = [f"{letter}, {name}" for letter, name, _ in QUANTITIES]
    lines = []
    for method in METHODS:
        for figure, name in (("seconds", "time"), ("megabytes", "memory")):
            exponents = (exponent(of(method, letter), figure) for letter, _, _ in QUANTITIES)
            lines.append([f"`{method}`", name, *(f"{value:.2f}" for value in exponents)])
    return ["method", "exponent of", *columns], lines


class Panel:
    """A figure against a quantity, both logarithmic."""

    def __init__(self, column, row):
        self.letter, self.name, _ = QUANTITIES[column]
        self.figure, self.label = ROWS[row]
        self.left, self.top = LEFT + COLUMN * column, TOP + ROW * row
        self.lines = {method: of(method, self.letter) for method in METHODS}
        rows = [row for rows in self.lines.values() for row in rows]
        self.x_range = span(float(row["value"]) for row in rows)
        self.y_range = span(float(row[self.figure]) for row in tables.read("growth"))

    def place(self, x, y):
        across, up = log_share(x, self.x_range), log_share(y, self.y_range)
        return self.left + PANEL[0] * across, self.top + PANEL[1] * (1 - up)

    def drawn(self):
        right, bottom = self.left + PANEL[0], self.top + PANEL[1]
        for tick in ticks_of(self.y_range, (1, 3)):
            y = self.place(self.x_range[0], tick)[1]
            yield line(self.left, y, right, y)
            if self.left == LEFT:
                yield text(self.left - 6, y + 4, f"{tick:g}", "end", 12, INK)
        for tick in ticks_of(self.x_range, (1,)):
            x = self.place(tick, self.y_range[0])[0]
            yield line(x, self.top, x, bottom)
            yield text(x, bottom + 16, f"{tick:g}", "middle", 12, INK)
        yield text((self.left + right) / 2, bottom + 33, f"{self.letter}, {self.name}", "middle", 12, INK)
        if self.left == LEFT:
            middle = (self.top + bottom) / 2
            yield f"<g transform='rotate(-90 {self.left - 52} {middle})'>"
            yield text(self.left - 52, middle, self.label, "middle", 12, INK) + "</g>"
        for method, rows in self.lines.items():
            points = [self.place(float(row["value"]), float(row[self.figure])) for row in rows]
            path = "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
            yield f"<path d='M{path}' fill='none' stroke='{METHODS[method][2]}' stroke-width='2'/>"
            for x, y in points:
                yield f"<circle cx='{x:.1f}' cy='{y:.1f}' r='3' fill='{METHODS[method][2]}'/>"


def span(values):
    values = list(values)
    return min(values) / 1.15, max(values) * 1.15


def log_share(value, between):
    low, high, value = (math.log(number) for number in (*between, value))
    return (value - low) / (high - low)


def ticks_of(between, digits):
    """The numbers of these first digits and zeros that lie in a range."""
    powers = range(math.floor(math.log10(between[0])), math.ceil(math.log10(between[1])) + 1)
    ticks = (digit * 10.0**power for power in powers for digit in digits)
    return [tick for tick in ticks if between[0] <= tick <= between[1]]


tables.VIEWS["growth"] = table


def drawn():
    """The picture as SVG."""
    title = "Growth of the time and the memory of a fit"
    parts = [*canvas(WIDTH, HEIGHT, title), text(LEFT, 24, title, "start", 15, INK, "bold")]
    for place, (method, (_, _, colour)) in enumerate(METHODS.items()):
        x = LEFT + 480 + 110 * place
        parts.append(f"<path d='M{x} 20h22' stroke='{colour}' stroke-width='2'/>")
        parts.append(f"<circle cx='{x + 11}' cy='20' r='3' fill='{colour}'/>")
        parts.append(f"<text x='{x + 30}' y='24' font-size='13' fill='{INK}' {FONT}>{method}</text>")
    for row in range(len(ROWS)):
        for column in range(len(QUANTITIES)):
            parts += Panel(column, row).drawn()
    return "\n".join([*parts, "</svg>", ""])
