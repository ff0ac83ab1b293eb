"""Tables of the documents, generated from docs/data.

A document marks the place of a table by the lines `<!-- table VIEW NAME -->` and `<!-- end -->`. NAME is a file of
docs/data without `.csv`; VIEW says how it is shown:

    all       the file as it is
    paper     the rows of a table of `srfm-papers`
    sets      the same with a line a data set: row names are split at the first blank or comma
    budgets   the same with a line a budget: row names are split at the last comma
    results   srfm beside the most accurate and the smallest peer of every task
    ranks     the methods of SRBench, see ranks.py
    growth    exponents of time and memory, see growth.py
    steps     errors at the steps of a function, see steps.py
    least     the file with the least error of every set in bold
"""

import csv
import math
import re
from pathlib import Path

DATA = Path(__file__).resolve().parent.parent / "data"
REGION = re.compile(r"^(<!-- table (\S+) (\S+) -->\n)((?!<!-- table ).*\n)*?(<!-- end -->)$", re.MULTILINE)
MARK = re.compile(r"^<!-- (table .*|end) -->$", re.MULTILINE)


def read(name):
    """The rows of a file of docs/data, as dictionaries."""
    with open(DATA / f"{name}.csv", newline="") as file:
        return list(csv.DictReader(file))


def filled(text):
    """`text` with every marked table generated anew."""

    def region(match):
        start, view, name, _, end = match.groups()
        return f"{start}\n{markdown(*VIEWS[view](name))}\n{end}"

    filled_text, regions = REGION.subn(region, text)
    if len(MARK.findall(text)) != 2 * regions:
        raise SystemExit("docs/measure: a table without its end, or an end without its table")
    return filled_text


def markdown(columns, lines):
    """A table in Markdown; whole numbers of at least 1,000 get commas."""
    cells = [columns, ["---"] * len(columns), *lines]
    return "".join(f"| {' | '.join(grouped(str(cell)) for cell in line)} |\n" for line in cells)


def grouped(cell):
    return f"{int(cell):,}" if re.fullmatch(r"\d{4,}", cell) else cell


def whole(name):
    rows = read(name)
    return list(rows[0]), [list(row.values()) for row in rows]


def paper(name):
    return ["row", "paper", "ours", "at most", "unit", "seeds"], [list(row.values()) for row in read(name)]


def wide(name, split, other):
    """One line for every first part of the row names and one column for every second part.

    `other` names the figures of the column `paper`.
    """
    parts = [(*split(row["row"]), row) for row in read(name)]
    lines = list(dict.fromkeys(first for first, _, _ in parts))
    columns, cells = [], {}
    for first, second, row in parts:
        unit = {"1": "", "count": "", "instr.": ", instructions"}.get(row["unit"], f", {row['unit']}")
        for source in ("paper", "ours"):
            if row[source]:
                column = f"{second}{unit}" + (f", {other}" if source == "paper" else "")
                columns += [column] if column not in columns else []
                cells[first, column] = row[source]
    return [name, *columns], [[line, *(cells.get((line, column), "") for column in columns)] for line in lines]


def sets(name):
    return wide(name, lambda row: re.split(r", | ", row, maxsplit=1), "paper")


def budgets(name):
    return wide(name, lambda row: row.rsplit(", ", 1), "best other tool")


def own_programs(name):
    """srfm's programs on a Cortex-M4F: by static_model!, then in C."""
    rust = [row | {"tool": "srfm, Rust"} for row in read(name)]
    c = [{"task": row["task"], "tool": "srfm, C", "rmse": row["RMSE"], "bytes": row["bytes, small"],
          "cortex-m4f": row["instructions, small"]} for row in read("c-source") if row["core"] == "cortex-m4f"]
    return rust + c


def results(name):
    """srfm's programs, then the most accurate peer and the smallest one."""
    peers, lines = read("peers"), []
    programs = own_programs(name)
    for task in dict.fromkeys(row["task"] for row in programs):
        of_task = [row for row in peers if row["task"] == task]
        accurate = min(of_task, key=lambda row: (float(row["rmse"]), int(row["bytes"])))
        small = min(of_task, key=lambda row: int(row["bytes"]))
        others = [accurate] + ([small] if small is not accurate else [])
        for row in [row for row in programs if row["task"] == task] + others:
            is_own = row["tool"].startswith("srfm")
            tool = row["tool"].replace("srfm", "**srfm**") if is_own else f"{row['tool']}: {row['model']}"
            size = f"{int(row['bytes']):,}" + (" or more" if row.get("at least") else "")
            lines.append([task, tool, row["rmse"], size, row["cortex-m4f"]])
    return ["task", "tool", "RMSE", "flash with code, bytes", "instructions"], lines


def least(name):
    """All rows; the least error of a set is bold."""
    rows = read(name)
    errors = {}
    for row in rows:
        errors[row["set"]] = min(float(row["error"]), errors.get(row["set"], math.inf))
    bold = lambda row: row | {"error": f"**{row['error']}**"} if float(row["error"]) == errors[row["set"]] else row
    return list(rows[0]), [list(bold(row).values()) for row in rows]


VIEWS = {"all": whole, "paper": paper, "sets": sets, "budgets": budgets, "results": results, "least": least}
