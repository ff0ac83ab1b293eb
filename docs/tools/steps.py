"""Steps that rules follow and cosines ring at: the measurement and the picture."""

import csv
import random
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

import tables
from picture import INK, OURS, PEERS, canvas, line, text

#: Rows, noise, and bytes of each model.
ROWS, NOISE, FLASH = 600, 0.05, 256

#: Methods, what the picture calls them, and a colour.
METHODS = {"compact": ("cosines", PEERS), "rules": ("rules", OURS)}

#: Speeds of the picture, and the axis of the pressure.
GRID = [60 * step / 400 for step in range(401)]
TOP_PRESSURE = 4

WIDTH, HEIGHT, LEFT, TOP = 880, 330, 70, 60
PANEL = (780, 210)


def pressure(speed):
    """The pressure in bar behind a pump at a speed in Hz: a bypass closes at 23.5 Hz, a second valve opens at 41 Hz."""
    if speed <= 23.5:
        return 0.8 + 0.01 * speed
    return 2.2 + 0.025 * (speed - 23.5) - (1.1 if speed > 41 else 0)


def measured(command):
    """The columns and lines of docs/data/steps.csv."""
    draw = random.Random(1)
    speeds = [draw.uniform(0, 60) for _ in range(ROWS)]
    rows = [(speed, pressure(speed) + draw.gauss(0, NOISE)) for speed in speeds]
    with TemporaryDirectory() as folder:
        table, grid, model = (Path(folder) / name for name in ("pump.csv", "grid.csv", "pump.srfm"))
        write(table, ["speed", "pressure"], rows)
        write(grid, ["speed"], [[speed] for speed in GRID])
        columns = {}
        for method in METHODS:
            run(command, "fit", table, "--method", method, "--flash", FLASH, "--quiet", "-o", model)
            columns[method] = [row[-1] for row in csv.reader(run(command, "predict", model, grid).splitlines()[1:])]
    lines = zip((f"{speed:g}" for speed in GRID), *columns.values())
    return ["speed", *METHODS], [[row[0], *(f"{float(cell):.4g}" for cell in row[1:])] for row in lines]


def write(path, head, rows):
    with open(path, "w", newline="") as file:
        csv.writer(file).writerows([head, *rows])


def run(*words):
    return subprocess.run([str(word) for word in words], check=True, text=True, stdout=subprocess.PIPE).stdout


def table(_):
    """The error of each model away from the noise, over the speeds of the picture."""
    rows = tables.read("steps")
    lines = []
    for method, (name, _) in METHODS.items():
        errors = [float(row[method]) - pressure(float(row["speed"])) for row in rows]
        rms = (sum(error**2 for error in errors) / len(errors)) ** 0.5
        lines.append([name, FLASH, f"{rms:.3f}", f"{max(map(abs, errors)):.2f}"])
    return ["features", "at most bytes", "RMS error, bar", "largest error, bar"], lines


tables.VIEWS["steps"] = table


def place(speed, bar):
    return LEFT + PANEL[0] * speed / 60, TOP + PANEL[1] * (1 - bar / TOP_PRESSURE)


def path(points, colour, style):
    drawn = "L".join("{:.1f} {:.1f}".format(*place(*point)) for point in points)
    return f"<path d='M{drawn}' fill='none' stroke='{colour}' {style}/>"


def drawn():
    """The picture as SVG."""
    rows = tables.read("steps")
    title = f"Pressure against the speed of a pump with two valves: models of at most {FLASH} bytes"
    parts = [*canvas(WIDTH, HEIGHT, title), text(LEFT, 24, title, "start", 15, INK, "bold")]
    for bar in range(TOP_PRESSURE + 1):
        x, y = place(0, bar)
        parts += [line(x, y, LEFT + PANEL[0], y), text(x - 8, y + 4, f"{bar}", "end", 12, INK)]
    for speed in range(0, 61, 10):
        x, y = place(speed, 0)
        parts += [line(x, TOP, x, y), text(x, y + 17, f"{speed}", "middle", 12, INK)]
    parts.append(text(LEFT + PANEL[0] / 2, HEIGHT - 14, "speed, Hz", "middle", 13, INK))
    middle = TOP + PANEL[1] / 2
    parts.append(f"<g transform='rotate(-90 {LEFT - 40} {middle})'>")
    parts.append(text(LEFT - 40, middle, "pressure, bar", "middle", 13, INK) + "</g>")
    truth = [(float(row["speed"]), pressure(float(row["speed"]))) for row in rows]
    parts.append(path(truth, INK, "stroke-width='6' stroke-opacity='0.25'"))
    for number, (method, (name, colour)) in enumerate(METHODS.items()):
        points = [(float(row["speed"]), float(row[method])) for row in rows]
        parts.append(path(points, colour, "stroke-width='2'"))
        x = LEFT + 90 * number
        parts += [f"<path d='M{x} 42h22' stroke='{colour}' stroke-width='2'/>"]
        parts += [text(x + 28, 46, name, "start", 13, INK)]
    parts += [f"<path d='M{LEFT + 180} 42h22' stroke='{INK}' stroke-width='6' stroke-opacity='0.25'/>"]
    parts += [text(LEFT + 208, 46, "without noise", "start", 13, INK)]
    return "\n".join([*parts, "</svg>", ""])
