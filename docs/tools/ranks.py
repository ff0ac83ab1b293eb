"""SRBench: the mean rank of every method, and the picture of rank against size, from docs/data/srbench.csv."""

import math
import re

import tables
from growth import log_share, ticks_of
from picture import INK, OURS, PEERS, canvas, line, overlap, text

#: Methods that search for formulas; the others are regressors of machine learning.
SYMBOLIC = {"AFP", "AFP_FE", "AIFeynman", "BSR", "DSR", "EPLEX", "FEAT", "FFX", "GP-GOMEA", "ITEA", "MRGP", "Operon",
            "SBP-GP", "gplearn"}

WIDTH, HEIGHT, LEFT, TOP, PANEL = 880, 470, 60, 46, (790, 350)
SIZES, RANKS = (5, 200_000), (0, 22)


def methods():
    """Figures of every method by name: ranks over all sets and over those not by Friedman, and size."""
    figures = {}
    for row in tables.read("srbench"):
        match = re.fullmatch(r"(mean rank over \d+ sets(?: not by Friedman)?|median size), (.*)", row["row"])
        if match:
            key = "size" if match[1] == "median size" else "others" if match[1].endswith("Friedman") else "all"
            figures.setdefault(match[2], {})[key] = float(row["paper"])
            figures.setdefault("srfm", {})[key] = float(row["ours"])
    return dict(sorted(figures.items(), key=lambda item: item[1]["all"]))


def table(_):
    """A line a method, best first."""
    columns = ["method", "kind", "mean rank", "mean rank on sets not by Friedman", "median size in numbers"]
    lines = []
    for name, of in methods().items():
        kind = "features" if name == "srfm" else "formulas" if name in SYMBOLIC else "machine learning"
        shown = f"**{name}**" if name == "srfm" else name
        lines.append([shown, kind, f"{of['all']:.1f}", f"{of['others']:.1f}", f"{of['size']:.0f}"])
    return columns, lines


def place(size, rank):
    across, down = log_share(size, SIZES), (rank - RANKS[0]) / (RANKS[1] - RANKS[0])
    return LEFT + PANEL[0] * across, TOP + PANEL[1] * down


def label(name, x, y, taken):
    """The name at the first free place around a point."""
    width = 6.4 * len(name) + 4
    aside = width / 2 + 10
    for dx, dy in [(aside, 0), (-aside, 0), (0, -15), (0, 15), (aside, 11), (-aside, 11), (aside, -11), (-aside, -11)]:
        box = (x + dx - width / 2, y + dy - 6.5, x + dx + width / 2, y + dy + 6.5)
        if box[2] <= LEFT + PANEL[0] + 24 and not any(overlap(box, other) for other in taken):
            break
    taken.append(box)
    ours = name == "srfm"
    weight = "bold" if ours else "normal"
    return text((box[0] + box[2]) / 2, box[3] - 2.5, name, "middle", 12, OURS if ours else INK, weight)


def axes():
    right, bottom = LEFT + PANEL[0], TOP + PANEL[1]
    for rank in range(0, RANKS[1] + 1, 5):
        y = place(SIZES[0], rank)[1]
        yield line(LEFT, y, right, y)
        yield text(LEFT - 8, y + 4, f"{rank}", "end", 12, INK)
    for size in ticks_of(SIZES, (1,)):
        x = place(size, 0)[0]
        yield line(x, TOP, x, bottom)
        yield text(x, bottom + 17, f"{size:,.0f}", "middle", 12, INK)
    yield text(LEFT + PANEL[0] / 2, bottom + 36, "median size: numbers and nodes of a model", "middle", 12, INK)
    yield f"<g transform='rotate(-90 {LEFT - 38} {TOP + PANEL[1] / 2})'>"
    yield text(LEFT - 38, TOP + PANEL[1] / 2, "mean rank of R²", "middle", 12, INK) + "</g>"


def drawn():
    """The picture as SVG."""
    figures = methods()
    title = "Mean rank among 22 methods on 57 sets of SRBench, against the size of the models"
    parts = [*canvas(WIDTH, HEIGHT, title), text(LEFT, 24, title, "start", 14, INK, "bold"), *axes()]
    points = {name: place(of["size"], of["all"]) for name, of in figures.items()}
    taken = [(x - 7, y - 7, x + 7, y + 7) for x, y in points.values()]
    for name, (x, y) in points.items():
        if name == "srfm":
            parts.append(f"<circle cx='{x:.1f}' cy='{y:.1f}' r='6' fill='{OURS}'/>")
        elif name in SYMBOLIC:
            shape = f"x='{x - 4:.1f}' y='{y - 4:.1f}' width='8' height='8'"
            parts.append(f"<rect {shape} fill='none' stroke='{PEERS}' stroke-width='2'/>")
        else:
            parts.append(f"<circle cx='{x:.1f}' cy='{y:.1f}' r='4' fill='none' stroke='{INK}' stroke-width='2'/>")
    parts += [label(name, *point, taken) for name, point in points.items()]
    note = "Upper left is better. Squares search for formulas, rings are regressors of machine learning."
    parts.append(text(WIDTH / 2, HEIGHT - 12, note, "middle", 13, INK))
    return "\n".join([*parts, "</svg>", ""])


tables.VIEWS["ranks"] = table


def honest(_):
    """What was stated against what was reached, and the sets on which srfm is ahead."""
    shown = [row for row in tables.read("srbench") if row["row"].startswith(("stated", "rows within", "sets "))]
    return ["", "figure"], [[row["row"], row["ours"] + (" %" if row["unit"] == "%" else "")] for row in shown]


tables.VIEWS["honest"] = honest
