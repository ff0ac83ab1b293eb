"""Parts of measurements, kept so that an interrupted measurement goes on after those that are finished.

A part is a file of docs/data/parts, which git ignores: the result, the commit, the date, the machine and the seconds.
It counts as long as the sources that it was measured with are the same.
"""

import hashlib
import json
import os
import platform
import re
import subprocess
import sys
from datetime import datetime
from functools import cache
from pathlib import Path
from time import monotonic

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "docs" / "data" / "parts"

# What results depend on.
SOURCES = ["Cargo.lock", "Cargo.toml", "cli/src", "docs/tools", "firmware-example", "papers/src", "python", "runtime",
           "tests", "trainer"]

# Whether parts are measured anew though they are there; `docs/measure --fresh` sets it.
fresh = False


def git(*arguments):
    return subprocess.run(["git", *arguments], cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout


@cache
def sources():
    """A hash of the sources, with the changes that are not committed."""
    return hashlib.sha256(git("ls-files", "-s", "--", *SOURCES) + git("diff", "HEAD", "--", *SOURCES)).hexdigest()[:16]


def machine():
    """The processor and the number of cores that this process may use."""
    found = re.search(r"^model name\s*: (.*)$", cpu_information(), re.MULTILINE)
    return f"{found[1] if found else platform.machine()}, {len(os.sched_getaffinity(0))} cores"


def cpu_information():
    path = Path("/proc/cpuinfo")
    return path.read_text() if path.exists() else ""


def path_of(name, *key):
    """The file of a part: the name of the measurement, then what tells its parts apart."""
    return FOLDER / name / ("-".join(re.sub(r"[^\w.]+", "_", str(word)) for word in key or ("all",)) + ".json")


def part(measure, name, *key):
    """The result of `measure`, as JSON has it: a kept one, or one that is measured and kept."""
    path = path_of(name, *key)
    if path.exists() and not fresh:
        kept = json.loads(path.read_text())
        if kept["sources"] == sources():
            print(f"{path.relative_to(FOLDER)}: kept from {kept['date']}", file=sys.stderr)
            return kept["result"]
    start = monotonic()
    result = measure()
    commit = git("rev-parse", "HEAD").decode().strip()
    kept = {"result": result, "commit": commit, "sources": sources(), "machine": machine(),
            "date": datetime.now().astimezone().isoformat(timespec="seconds"), "seconds": round(monotonic() - start, 1)}
    path.parent.mkdir(parents=True, exist_ok=True)
    # A whole file or none, however the measurement ends.
    unfinished = path.with_suffix(".unfinished")
    unfinished.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n")
    unfinished.replace(path)
    return json.loads(path.read_text())["result"]
