"""How the files of docs/data are measured.

A name without a function here is a table of `srfm-papers`. `peers` has no recipe: the other tools are not part of
this repository.
"""

import csv
import json
import math
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from time import monotonic

import growth
import parts
import steps
import tables

ROOT = Path(__file__).resolve().parents[2]
PROBES = ROOT / "firmware-example" / "measure"
TARGETS = {"cortex-m4f": "thumbv7em-none-eabihf", "cortex-m0": "thumbv6m-none-eabi"}
ALL_TARGETS = {**TARGETS, "cortex-m3": "thumbv7m-none-eabi"}
REPRODUCED = ["row", "paper", "ours", "at most", "unit", "seeds"]

# Task, generated task and rows or none for a file, and budgets of the model file: bytes, instructions.
PROGRAMS = [
    ("Friedman 1, 200 rows", ("friedman1", 200), [(400, 450)]),
    ("Friedman 1, 2000 rows", ("friedman1", 2000), [(600, 700)]),
    ("Friedman 2, 200 rows", ("friedman2", 200), [(400, 500)]),
    ("airfoil", None, [(1100, None), (1536, 2500), (3072, 6000)]),
]
PROGRAM_SEEDS = 5

# Plain functions: what they are called in the programs, and in the documents.
FORMULAS = [
    ("nist-inverse", "nist-inverse", "thermocouple, inverse polynomials of NIST"),
    ("nist-hot-junction", "nist-hot-junction", "thermocouple, with the cold junction"),
    ("bme280-temperature", "bme280-temperature", "BME280, temperature in integers"),
    ("bme280-pressure", "bme280-pressure", "BME280, pressure in integers"),
    ("bme280-humidity", "bme280-humidity", "BME280, humidity in integers"),
    ("polynomial", "polynomial-4-70", "polynomial of degree 4 of four inputs, 70 terms"),
    ("table-1", "table-1", "table of one input, 17 values"),
    ("table-2", "table-2", "table of two inputs, 9 × 9 values"),
]

# Generated sensors, and budgets of flash.
SENSORS = [
    ("thermocouple-k", "1k"),
    ("thermocouple-k", "2k"),
    ("bme280-temperature", "256"),
    ("bme280-humidity", "512"),
    ("bme280-pressure", "1k"),
]


# Programs of generated C: task, generated task and rows, cores with budgets of the program, seeds.
C_PROGRAMS = [
    ("Friedman 1, 200 rows", ("friedman1", 200),
     [("cortex-m4f", 445), ("cortex-m3", 445), ("cortex-m0", 445)], 5),
    ("Friedman 1, 2000 rows", ("friedman1", 2000), [("cortex-m4f", 590)], 5),
    ("Friedman 2, 200 rows", ("friedman2", 200), [("cortex-m4f", 490)], 5),
    ("airfoil", None, [("cortex-m4f", 1950)], 5),
]

# Number formats, ways of deployment, and the cosine that each has.
AVR_PROGRAMS = [
    ("f32", "c", "series"),
    ("int", "c", "polynomial"),
    ("int", "file", "table of 1 KB"),
    ("int16", "c", "polynomial"),
]

# Options of GCC and boards of the emulator.
C_CORES = {
    "cortex-m4f": (["-mcpu=cortex-m4", "-mfloat-abi=hard", "-mfpu=fpv4-sp-d16"], "mps2-an386"),
    "cortex-m3": (["-mcpu=cortex-m3"], "mps2-an385"),
    "cortex-m0": (["-mcpu=cortex-m0"], "mps2-an385"),
}


class Skipped(Exception):
    """A measurement that cannot be made here."""


def run(*command, folder=ROOT, codes=(0,), **variables):
    """The output of a command."""
    words = [str(word) for word in command]
    print("$", *words, file=sys.stderr)
    environment = os.environ | {name: str(value) for name, value in variables.items()}
    done = subprocess.run(words, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True)
    if done.returncode not in codes:
        raise SystemExit(f"docs/measure: {' '.join(words)} fails with {done.returncode}")
    return done.stdout


def command():
    """The command srfm, built from the present sources."""
    run("cargo", "build", "--quiet", "--release", "-p", "srfm")
    return ROOT / "target" / "release" / "srfm"


def papers():
    """The program of the papers' tables, built."""
    run("cargo", "build", "--quiet", "--release", "-p", "srfm-papers")
    return ROOT / "target" / "release" / "srfm-papers"


def srfm(*arguments, codes=(0,)):
    """The JSON document that srfm prints."""
    return json.loads(run(command(), *arguments, "--json", codes=codes))


def data(name=""):
    """A file of the real data sets, or their folder."""
    path = Path(os.environ.get("SRFM_DATA", "")) / name
    if "SRFM_DATA" not in os.environ or not path.exists():
        raise Skipped(f"set SRFM_DATA to a folder with {name or 'the data sets'}")
    return path


def significant(value, digits=4):
    return "" if value is None else f"{value:.{digits}g}"


def reproduced(name):
    """The rows of a table of `srfm-papers`; thresholds that fail are rows, too."""
    folder = ["--data", data()] if "SRFM_DATA" in os.environ else []
    kept = finished_searches(name) if name.startswith("srbench") else []
    rows = json.loads(run(papers(), name, *folder, *kept, "--json", codes=(0, 1)))["rows"]
    if any(row["seeds"] == 0 for row in rows):
        raise Skipped("set SRFM_DATA to the folder of the data sets")
    figures = [[significant(row[key]) for key in ("paper", "ours", "threshold")] for row in rows]
    return REPRODUCED, [[row["row"], *three, row["unit"], row["seeds"]] for row, three in zip(rows, figures)]


def finished_searches(name):
    """The option that keeps the searches of srbench, so that a later run goes on after them."""
    path = parts.path_of(name, "searches", parts.sources()).with_suffix(".csv")
    path.parent.mkdir(parents=True, exist_ok=True)
    if parts.fresh:
        path.unlink(missing_ok=True)
    return ["--results", path]


def costs(name):
    """Both tables of the benchmark `costs`: instructions, and memory."""
    text = run("cargo", "bench", "--quiet", "-p", "srfm-tests", "--bench", "costs")
    instructions, memory = (table for table in text.split("\n\n") if table.startswith("|"))
    lines = (memory if name == "costs-memory" else instructions).strip().splitlines()
    cells = [[re.sub(r"(?<=\d),(?=\d{3})", "", cell.strip()) for cell in line.strip("|").split("|")] for line in lines]
    return cells[0], cells[2:]


def flash(program, target):
    """Bytes that a program of firmware-example takes of flash."""
    path = PROBES / "target" / target / "release" / program
    code, initialised = run("arm-none-eabi-size", path).splitlines()[1].split()[:2]
    return int(code) + int(initialised)


def build(target, programs, **variables):
    bins = [word for program in programs for word in ("--bin", program)]
    run("cargo", "build", "--quiet", "--release", "--target", target, *bins, folder=PROBES, **variables)


def code(_):
    """Code and constants of the runtime beside the example's model."""
    model, lines = (ROOT / "firmware-example" / "models" / "pressure.srfm").stat().st_size, []
    for core, target in TARGETS.items():
        programs = ["fixed", "footprint", "everything"]
        build(target, [*programs, "empty"])
        beside = flash("empty", target) + model
        lines.append([core, *(flash(program, target) - beside for program in programs)])
    kinds = ["known to the compiler: static_model!", "read by the program for one kernel: parse_only"]
    return ["core", *kinds, "for all kernels: parse"], lines


def formulas(_):
    """Flash with code, and instructions, of plain functions on two cores."""
    lines = [[title] for _, _, title in FORMULAS]
    for core, target in TARGETS.items():
        run_it = ["cargo", "run", "--quiet", "--release", "--target", target, "--bin", "counted-formulas"]
        counted = dict(line.split() for line in run(*run_it, folder=PROBES).splitlines())
        for line, (name, of_readings, _) in zip(lines, FORMULAS):
            build(target, ["sized-formula", "empty"], SRFM_FORMULA=name)
            line += [flash("sized-formula", target) - flash("empty", target), counted[of_readings]]
    columns = [f"{what}, {core}" for core in TARGETS for what in ("bytes", "instructions")]
    return ["function", *columns], lines


def sensors(_):
    """Models of generated sensors within budgets of flash, and their errors on fresh rows."""
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        train, test, model = (Path(folder) / name for name in ("train.csv", "test.csv", "model.srfm"))
        for task, size in SENSORS:
            lines.append(parts.part(lambda: sensor(task, size, train, test, model), "sensors", task, size))
    return ["task", "budget of the file", "model file, bytes", "instructions, cortex-m4f", "RMSE"], lines


def sensor(task, size, train, test, model):
    srfm("generate", task, "--rows", 3000, "--noise", 0, "--seed", 1, "-o", train)
    srfm("generate", task, "--rows", 3000, "--noise", 0, "--seed", 2, "-o", test)
    fit = srfm("fit", train, "--flash", size, "-o", model)
    rmse = significant(srfm("evaluate", model, test)["rmse"], 3)
    bounds = {bound["core"]: bound["at_most"] for bound in fit["model"]["instructions"]}
    return [task, size, fit["model"]["flash_bytes"], bounds.get("cortex-m4f", ""), rmse]


def program(model, level, core="cortex-m4f"):
    """Flash with code and instructions of a model that is compiled in by static_model!."""
    target, variables = ALL_TARGETS[core], {"SRFM_MODEL": model, "CARGO_PROFILE_RELEASE_OPT_LEVEL": level}
    build(target, ["fixed", "empty"], **variables)
    command = ["cargo", "run", "--quiet", "--release", "--target", target, "--bin", "counted"]
    counted = run(*command, folder=PROBES, **variables)
    return [flash("fixed", target) - flash("empty", target), int(counted.split()[0])]


def as_counts(table):
    """Turns inputs from 0 to 1 into the counts of a 12-bit converter, which integer programs take as they are."""
    head, *rows = table.read_text().splitlines()
    cells = [row.split(",") for row in rows]
    counts = [[*(str(round(4095 * float(cell))) for cell in row[:-1]), row[-1]] for row in cells]
    table.write_text("\n".join([head, *(",".join(row) for row in counts)]) + "\n")


def fitted(folder, generated, seed, *options, counts=False):
    """Fits a model to generated rows, or to airfoil; its error on noise-free rows, or on held-out ones."""
    train, test = Path(folder) / "train.csv", Path(folder) / "test.csv"
    options += ("--seed", seed, "-o", Path(folder) / "model.srfm")
    if not generated:
        return srfm("fit", data("airfoil.csv"), "--holdout", 0.1, *options)["holdout"]["rmse"]
    source, rows = generated
    srfm("generate", source, "--rows", rows, "--seed", seed, "-o", train)
    srfm("generate", source, "--rows", 4000, "--noise", 0, "--seed", 1000, "-o", test)
    if counts:
        as_counts(train)
        as_counts(test)
    srfm("fit", train, *options)
    return srfm("evaluate", Path(folder) / "model.srfm", test)["rmse"]


def programs(_):
    """srfm's programs of the picture: means over seeds, of the rows or of the held-out rows."""
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        model = Path(folder) / "model.srfm"
        for task, generated, budgets in PROGRAMS:
            for size, instructions in budgets:
                options = ["--flash", size] + (["--instructions", instructions] if instructions else [])
                figures = []
                for seed in range(PROGRAM_SEEDS):
                    measured = lambda: [fitted(folder, generated, seed, *options), *program(model, 2),
                                        *program(model, "s")]
                    figures.append(parts.part(measured, "programs", task, size, seed))
                mean = [sum(column) / PROGRAM_SEEDS for column in zip(*figures)]
                name = f"{size} bytes" + (f", {instructions} instructions" if instructions else "")
                lines.append([task, "srfm", name, significant(mean[0], 3), *(round(value) for value in mean[1:])])
    return list(tables.read("programs")[0]), lines


def c_program(folder, core, level, *options):
    """Compiles the program around `model.h` in a folder; the path of the image."""
    flags, _ = C_CORES[core]
    source, image = PROBES / "c", Path(folder) / "program.elf"
    bare = ["-mthumb", "-ffreestanding", "-nostdlib", "-fno-tree-loop-distribute-patterns", "-ffunction-sections"]
    link = ["-fdata-sections", "-Wl,--gc-sections", "-Wl,--no-warn-rwx-segments", "-T", source / "board.ld"]
    run("arm-none-eabi-gcc", *flags, level, *options, *bare, *link, "-I", folder, source / "program.c", "-lgcc",
        "-o", image)
    return image


def instructions_of(folder, core, level, *options):
    """Instructions of the call of a program in C, in the emulator."""
    # Interprocedural constants would take readings that a board cannot know.
    image = c_program(folder, core, level, "-DMODEL", "-DCOUNTED", *options, "-fno-ipa-cp", "-fno-ipa-pure-const")
    silent = ["-display", "none", "-monitor", "none", "-serial", "none", "-icount", "shift=6,sleep=off"]
    printed = ["-chardev", "stdio,id=out", "-semihosting-config", "enable=on,target=native,chardev=out"]
    return int(run("qemu-system-arm", "-M", C_CORES[core][1], *silent, *printed, "-kernel", image))


def text_bytes(image):
    """Bytes of code and constants of a program."""
    return int(run("arm-none-eabi-size", image).splitlines()[1].split()[0])


def c_figures(folder, core, model, row, integers):
    """Flash and instructions of a model in both styles."""
    integers = ["-DINTEGERS"] if integers else []
    figures = []
    for style, level in (("small", "-Os"), ("fast", "-O2")):
        srfm("export", model, "--c", Path(folder) / "model.h", "--style", style)
        sizes = []
        for options in ([], ["-DMODEL", *integers]):
            image = c_program(folder, core, level, *options)
            sizes.append(text_bytes(image))
        figures += [sizes[1] - sizes[0], instructions_of(folder, core, level, *integers, f"-DREADINGS={{{row}}}")]
    return figures


def c_source(_):
    """Programs of generated C: means over seeds."""
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        for task, generated, budgets, seeds in C_PROGRAMS:
            for core, size in budgets:
                figures = []
                for seed in range(seeds):
                    measured = lambda: c_seed(folder, generated, core, size, seed)
                    figures.append(parts.part(measured, "c-source", task, core, size, seed))
                mean = [sum(column) / seeds for column in zip(*figures)]
                lines.append([task, core, size, significant(mean[0], 3), *(round(value) for value in mean[1:])])
    columns = ["task", "core", "budget of the program", "RMSE", "bytes, small", "instructions, small"]
    return [*columns, "bytes, fast", "instructions, fast"], lines


def c_seed(folder, generated, core, size, seed):
    """The error of a fit, and the figures of its programs."""
    budget = ["--deploy", "c", "--flash", size, "--core", core, "--effort", 20]
    rmse = fitted(folder, generated, seed, *budget, counts=core != "cortex-m4f")
    table = Path(folder) / "test.csv" if generated else data("airfoil.csv")
    row = table.read_text().splitlines()[1].rpartition(",")[0]
    return [rmse, *c_figures(folder, core, Path(folder) / "model.srfm", row, core != "cortex-m4f")]


def c_and_rust(_):
    """The same models as C and by static_model!."""
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        train = Path(folder) / "train.csv"
        for task, generated, budgets, _ in C_PROGRAMS:
            if generated:
                source, rows = generated
                srfm("generate", source, "--rows", rows, "--seed", 0, "-o", train)
            table = train if generated else data("airfoil.csv")
            for core, size in budgets:
                if core != "cortex-m4f":
                    srfm("generate", source, "--rows", rows, "--seed", 0, "-o", train)
                    as_counts(train)
                row = table.read_text().splitlines()[1].rpartition(",")[0]
                measured = lambda: c_beside_rust(folder, table, core, size, row)
                lines.append([task, core, *parts.part(measured, "c-and-rust", task, core)])
    ways = ["C, -Os", "static_model!, s", "C, -O2", "static_model!, 2"]
    columns = [f"{what}, {way}" for way in ways for what in ("bytes", "instructions")]
    return ["task", "core", "features", *columns], lines


def c_beside_rust(folder, table, core, size, row):
    """The number of features, and the figures of the ways to build one model."""
    model = Path(folder) / "model.srfm"
    srfm("fit", table, "--deploy", "c", "--flash", size, "--core", core, "--effort", 20, "-o", model)
    small, fast = (pair for pair in zip(*[iter(c_figures(folder, core, model, row, core != "cortex-m4f"))] * 2))
    columns = [small, program(model, "s", core), fast, program(model, 2, core)]
    return [srfm("inspect", model)["features"], *(figure for pair in columns for figure in pair)]


# Compilers whose time is measured, with their options, and levels of optimisation.
C_COMPILERS = [("gcc", []), ("clang", []), ("arm-none-eabi-gcc", C_CORES["cortex-m4f"][0] + ["-mthumb"])]
C_LEVELS = ("-O0", "-Os", "-O2", "-O3")


def c_times(_):
    """Seconds that compilers take for sources of many features, the least of three runs."""
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        rows, model, main = (Path(folder) / name for name in ("rows.csv", "model.srfm", "main.c"))
        main.write_text('#include "model.h"\n'
                        "float (*predict)(const float[]) = model_predict;\n")
        srfm("generate", "friedman1", "--rows", 2000, "-o", rows)
        for features, style in ((10, "small"), (60, "fast"), (1000, "small")):
            srfm("fit", rows, "--method", "fourier", "--max-features", features, "--number", "f32", "-o", model)
            srfm("export", model, "--c", Path(folder) / "model.h", "--style", style)
            for compiler, options in C_COMPILERS:
                compile_it = [compiler, *options, "-c", main, "-o", model.with_suffix(".o")]
                least = [min(seconds_of(*compile_it, level) for _ in range(3)) for level in C_LEVELS]
                lines.append([features, style, compiler, *(f"{seconds:.2f}" for seconds in least)])
    return ["features", "style", "compiler", *C_LEVELS], lines


def micropython(_):
    """Microseconds of a prediction under MicroPython for WebAssembly and CPython, and of the C of the same model."""
    package = ROOT / "target" / "npm" / "node_modules" / "@micropython" / "micropython-webassembly-pyscript"
    if not package.exists():
        raise Skipped(f"there is no {package}; run npm install --prefix target/npm @micropython/{package.name}")
    lines, tools = [], ROOT / "docs" / "tools" / "micropython"
    with tempfile.TemporaryDirectory() as folder:
        rows, model, source = (Path(folder) / name for name in ("rows.csv", "model.srfm", "model.py"))
        (Path(folder) / "time_model.py").write_text((tools / "time_model.py").read_text())
        srfm("generate", "pressure", "--rows", 500, "-o", rows)
        for features in (6, 16):
            srfm("fit", rows, "--method", "harfe", "--max-features", features, "--number", "int", "-o", model)
            for style in ("small", "fast"):
                srfm("export", model, "--micropython", source, "--style", style)
                script = ["node", tools / "run.mjs", package / "micropython.mjs", folder]
                # Of a busy machine, some runs are slow from start to end.
                runs = [[run(*script).split() for _ in range(5)],
                        [run("python3", "-B", "time_model.py", folder=folder).split() for _ in range(5)]]
                times = [significant(min(float(printed[0]) for printed in of_one), 2) for of_one in runs]
                memory = [round(float(bytes)) for bytes in runs[0][0][1:]]
                lines.append([features, style, *times, c_microseconds(folder, model, style), *memory])
    times = ["µs, MicroPython", "µs, CPython", "µs, C at -Os"]
    return ["features", "style", *times, "bytes allocated by a prediction", "bytes of RAM of the model"], lines


def c_microseconds(folder, model, style):
    """Microseconds of a prediction of a model of two inputs from integers, in C on this machine."""
    srfm("export", model, "--c", Path(folder) / "model.h", "--style", style)
    main = Path(folder) / "main.c"
    main.write_text('#include <stdio.h>\n#include <time.h>\n#include "model.h"\n\nint main(void) {\n'
                    "    volatile int32_t last;\n    int16_t z[2] = {2289, 2048};\n    int32_t y = 0;\n"
                    "    const clock_t start = clock();\n    for (int32_t i = 0; i < 4000000; i++) {\n"
                    "        z[0] = (int16_t)(500 + (i & 2047));\n"
                    "        if (model_predict_integers(z, &y) == MODEL_OK) {\n            last = y;\n        }\n"
                    '    }\n    (void)last;\n    printf("%g\\n", (double)(clock() - start) / CLOCKS_PER_SEC / 4);\n'
                    "    return 0;\n}\n")
    run("gcc", "-Os", main, "-o", Path(folder) / "main")
    return significant(min(float(run(Path(folder) / "main")) for _ in range(5)), 2)


def seconds_of(*command):
    """Seconds that a command takes."""
    start = monotonic()
    run(*command)
    return monotonic() - start


def avr_figures(model, rows):
    """Bytes and clock cycles of a prediction in C on an ATmega328P; no cycles beyond what its timers count."""
    found = srfm("device", model, rows, "--core", "atmega328p")
    cycles = found.get("cycles")
    return found["flash_bytes"], round(cycles["mean"]) if cycles else None


def c_avr(_):
    """Programs of generated C on an ATmega328P."""
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        rows, few, model = (Path(folder) / name for name in ("rows.csv", "few.csv", "model.srfm"))
        srfm("generate", "pressure", "--rows", 500, "-o", rows)
        few.write_text("".join(rows.read_text().splitlines(keepends=True)[:21]))
        for method, features in (("compact", 6), ("harfe", 16)):
            for number, deploy, cosine in AVR_PROGRAMS:
                srfm("fit", rows, "--method", method, "--max-features", features, "--number", number,
                     "--deploy", deploy, "-o", model)
                found = srfm("inspect", model)["features"]
                lines.append([found, number, cosine, *avr_figures(model, few)])
    return ["features", "number", "cosine", "bytes", "clock cycles"], lines


# Kinds of features, and the options of a fit.
RULES = [("rules", ["--method", "rules"]), ("cosines of two inputs", ["--method", "fourier", "--order", 2])]
RULES_FEATURES = [20, 60, 200]
RULES_CORES = ["cortex-m0", "cortex-m4f"]


def costs_of_rules(name):
    """Bytes, or instructions, of rules and of cosines in every way of deployment."""
    what = "bytes" if name == "costs-rules-bytes" else "instructions"
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        train, test, few = (Path(folder) / file for file in ("train.csv", "test.csv", "few.csv"))
        srfm("generate", "friedman1", "--rows", 2000, "--seed", 1, "-o", train)
        srfm("generate", "friedman1", "--rows", 4000, "--noise", 0, "--seed", 1000, "-o", test)
        as_counts(train)
        as_counts(test)
        few.write_text("".join(train.read_text().splitlines(keepends=True)[:21]))
        for kind, options in RULES:
            for number in ("f32", "int"):
                for features in RULES_FEATURES:
                    chosen = [*options, "--number", number, "--max-features", features]
                    measured = lambda: costs_of_model(folder, chosen, number == "int")
                    found = parts.part(measured, "costs-rules", kind, number, features)
                    lines.append({"features": f"{found['features']} {kind}", "number": number,
                                  "RMSE": found["RMSE"], **found[what]})
    return list(lines[0]), [list(line.values()) for line in lines]


def costs_of_model(folder, options, integers):
    """The features of a fit, its error, and its bytes and instructions (on an AVR cycles) by the way of deployment."""
    model, few = Path(folder) / "model.srfm", Path(folder) / "few.csv"
    srfm("fit", Path(folder) / "train.csv", *options, "-o", model)
    found = srfm("inspect", model)
    row = few.read_text().splitlines()[1].rpartition(",")[0]
    size, count = {"file": model.stat().st_size}, {}
    for core in [*RULES_CORES, "riscv32imac"]:
        count[f"file, {core}"] = round(srfm("device", model, few, "--core", core)["instructions_mean"])
    for core in RULES_CORES:
        way = f"static_model!, {core}"
        size[way], count[way] = program(model, "s", core)
    for core in [*RULES_CORES, "riscv32imac"]:
        in_c = srfm("device", model, few, "--core", core, "--deploy", "c")
        size[f"C, {core}"], count[f"C, {core}"] = in_c["flash_bytes"], round(in_c["instructions_mean"])
    for core in RULES_CORES:
        way = f"fast C, {core}"
        size[way], count[way] = c_figures(folder, core, model, row, integers)[2:]
    size["C, ATmega328P"], count["C, ATmega328P, cycles"] = avr_figures(model, few)
    rmse = srfm("evaluate", model, Path(folder) / "test.csv")["rmse"]
    features = found["features"] + (found.get("rules") or 0)
    return {"features": features, "RMSE": significant(rmse, 3), "bytes": size, "instructions": count}


# Names of models, and their numbers of inputs, whose adaptations in C are measured with these regressors.
ADAPTED = [("bme280-temperature", 3, "inputs"), ("bme280-temperature", 3, "products"), ("friedman1", 10, "inputs")]


def adaptation_c(_):
    """Bytes and instructions of adaptations in generated C, without those of the model."""
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        rows, model, header = (Path(folder) / name for name in ("rows.csv", "model.srfm", "model.h"))
        (Path(folder) / "probe.h").write_text('#include "model_adaptation.h"\nstatic model_adaptation adaptation;\n'
                                              "static uint8_t state[MODEL_ADAPT_STATE_BYTES];\n")
        for task, inputs, regressors in ADAPTED:
            srfm("generate", task, "--rows", 500, "-o", rows)
            srfm("fit", rows, "--method", "harfe", "--max-features", 8, "--number", "f32", "-o", model)
            srfm("export", model, "--c", header, "--adaptation", regressors)
            count = 2 * inputs + 3 if regressors == "products" else inputs + 2
            state = 4 * (28 + count * (count + 1) // 2 + 2 * count)
            line = [count, state - 16]
            for core in ("cortex-m4f", "cortex-m0"):
                line += adaptation_figures(folder, core, ",".join(["0.5f"] * inputs))
            lines.append([*line, state])
    kinds = ("bytes of code", "instructions to learn", "instructions to correct")
    columns = [f"{what}, {core}" for core in ("cortex-m4f", "cortex-m0") for what in kinds]
    return ["coefficients", "bytes of RAM", *columns, "bytes of a saved state"], lines


# Numbers of classes, and cores with the number format of their models.
CLASS_COUNTS = [2, 3, 10]
CLASS_CORES = [("cortex-m4f", "f32"), ("cortex-m3", "int"), ("cortex-m0", "int")]


def costs_of_classes(_):
    """Bytes and instructions of decisions and of probabilities in generated C, beside those of the scores."""
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        rows, model = Path(folder) / "rows.csv", Path(folder) / "model.srfm"
        for count in CLASS_COUNTS:
            # Classes are sectors of a circle.
            angles = [0.1 + 0.37 * row for row in range(400)]
            labels = [int(count * (angle % (2 * math.pi)) / (2 * math.pi)) for angle in angles]
            points = [f"{math.cos(angle)},{math.sin(angle)},c{label}" for angle, label in zip(angles, labels)]
            rows.write_text("\n".join(["x,y,class", *points]) + "\n")
            for core, number in CLASS_CORES:
                srfm("fit", rows, "--task", "classification", "--method", "linear", "--number", number, "-o", model)
                srfm("export", model, "--c", Path(folder) / "model.h")
                lines.append([count, number, core, *class_figures(folder, core, count, number == "int")])
    return ["classes", "number", "core", *(f"{what} of {kind}" for kind in ("a decision", "probabilities")
                                           for what in ("bytes", "instructions"))], lines


def class_figures(folder, core, count, integers):
    """Bytes and instructions that a decision and probabilities add to the scores of a model."""
    if integers:
        scores = "status = (int)model_predict_integers(VALUES, RESULTS)"
        shares = f"model_probabilities_of_integers({'outputs[0]' if count == 2 else 'RESULTS'}, SHARES)"
    else:
        scores = "scores[0] = model_predict(FLOATS)" if count == 2 else "model_predict(FLOATS, SCORES)"
        shares = f"model_probabilities({'scores[0]' if count == 2 else 'SCORES'}, (float *)(uintptr_t)results)"
    calls = [scores, "status = (int)model_classify(VALUES, NUMBER)", f"{scores}; {shares}"]
    if integers:
        calls[1] = calls[1].replace("classify", "classify_integers")
    of_numbers, row = ["-DINTEGERS"] if integers else [], "-DREADINGS={0.5f,0.25f}"
    figures = []
    for call in calls:
        options = [*of_numbers, f"-DCALL={call}"]
        size = text_bytes(c_program(folder, core, "-Os", "-DMODEL", *options))
        figures.append((size, instructions_of(folder, core, "-Os", *options, row)))
    return [figure - without for of_call in figures[1:] for figure, without in zip(of_call, figures[0])]


# Samples of windows.
WINDOWS = [32, 64, 128]


def costs_of_windows(_):
    """RAM, and instructions at the sample that completes a window, of a line of all statistics of three readings."""
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        log, model = Path(folder) / "log.csv", Path(folder) / "model.srfm"
        srfm("generate", "gestures", "--rows", 6000, "-o", log)
        for window in WINDOWS:
            for core, number in CLASS_CORES:
                srfm("fit", log, "--task", "classification", "--group", "recording", "--window", window,
                     "--method", "linear", "--number", number, "-o", model)
                found = srfm("inspect", model)
                line = [window, found["inputs"], number, core]
                for way in ("file", "c"):
                    run_it = srfm("device", model, log, "--core", core, "--deploy", way)
                    line += [run_it["history_bytes"],
                             round(run_it["instructions_mean"]) + run_it["history_instructions_max"]]
                lines.append(line)
    kinds = [f"{what}, {way}" for way in ("file", "C") for what in ("bytes of RAM", "instructions")]
    return ["samples", "statistics", "number", "core", *kinds], lines


def adaptation_figures(folder, core, row):
    """Code of an adaptation with its saved states, and instructions of a reference and of a correction."""
    probe = ["-include", Path(folder) / "probe.h"]
    calls = {"predict": "scores[0] = model_predict(FLOATS)",
             "correct": "scores[0] = model_adapt_predict(&adaptation, FLOATS)",
             "learn": "model_adapt_learn(&adaptation, FLOATS, scores[0])"}
    everything = (f"{calls['correct']}; {calls['learn']}; model_adapt_store(&adaptation, state); "
                  "status = (int)model_adapt_restore(&adaptation, state); model_adapt_start(&adaptation)")
    sizes = [text_bytes(c_program(folder, core, "-Os", "-DMODEL", *probe, f"-DCALL={call}"))
             for call in (calls["predict"], everything)]
    counts = {}
    for name, call in calls.items():
        # The state is that of a model in use.
        start = "if (adaptation.usual < 1.0f) { model_adapt_start(&adaptation); adaptation.share[4] = 0.5f; } "
        counts[name] = instructions_of(folder, core, "-Os", *probe, f"-DCALL={start}{call}", f"-DREADINGS={{{row}}}")
    return [sizes[1] - sizes[0], counts["learn"] - counts["predict"], counts["correct"] - counts["predict"]]


def adaptation_costs(_):
    """RAM and instructions of recalibration, intervals and alarms."""
    lines = {}
    for core, target in ALL_TARGETS.items():
        command = ["cargo", "run", "--quiet", "--release", "--target", target, "--bin", "counted-adaptation"]
        for line in run(*command, folder=PROBES).splitlines():
            what, size, learned, corrected = line.split()
            what = f"{what} coefficients" if what.isdigit() else what
            lines.setdefault(what, {"bytes": size})[core] = f"{learned} / {corrected}" if corrected != "0" else learned
    columns = ["bytes", "cortex-m4f", "cortex-m3", "cortex-m0"]
    return ["what", *columns], [[what, *(cells[column] for column in columns)] for what, cells in lines.items()]


# Variants of the programs that are updated: what they take, and their feature.
UPDATES = [("store", "store"), ("store and link", "link"), ("store, link and signatures", "signature")]


def update_costs(_):
    """Flash with code, RAM, stack and instructions of an update of a model of a kilobyte."""
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        rows, model = Path(folder) / "rows.csv", Path(folder) / "model.srfm"
        srfm("generate", "pressure", "--rows", 500, "-o", rows)
        srfm("fit", rows, "--method", "harfe", "--max-features", 49, "--number", "f32", "-o", model)
        for core, target in ALL_TARGETS.items():
            build(target, ["sized-update"])
            without = flash("sized-update", target)
            for what, feature in UPDATES:
                command = ["cargo", "run", "--quiet", "--release", "--target", target, "-p", "updates"]
                command += ["--features", feature, "--bin", "counted-update"]
                memory, stack, instructions = run(*command, folder=PROBES, SRFM_MODEL=model).split()
                command[1] = "build"
                run(*command[:-1], "sized-update", folder=PROBES)
                lines.append([core, what, flash("sized-update", target) - without, memory, stack, instructions])
    return ["core", "what", "bytes of code", "bytes of RAM", "bytes of stack", "instructions of an update"], lines


def adapted(replays):
    """Means over replays: errors and shares within the interval, frozen and adapted, and the change of the error."""
    mean = lambda kind, key: sum(replay[kind][key] for replay in replays) / len(replays)
    rmse = {kind: mean(kind, "rmse") for kind in ("frozen", "adapted")}
    cells = [[significant(rmse[kind], 3), f"{100 * mean(kind, 'coverage'):.1f} %"] for kind in rmse]
    change = f"{100 * (rmse['adapted'] / rmse['frozen'] - 1):+.1f} %".replace("-", "−")
    return [*cells[0], *cells[1], change]


def adaptation(_):
    """Nitrogen oxides of a gas turbine: fitted to 2011, replayed through 2012 and 2013, means over five choices."""
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        model, log = Path(folder) / "model.srfm", Path(folder) / "log.csv"
        years = [data(f"sensors/gas_turbine_{year}.csv").read_text().splitlines() for year in (2012, 2013)]
        log.write_text("\n".join(years[0] + years[1][1:]) + "\n")
        for split in ("random", "blocked", "forward"):
            lines += parts.part(lambda: replayed(split, model, log), "adaptation", split)
    return ["folds", "stated RMSE", "references", "frozen RMSE", "frozen, within",
            "adapted RMSE", "adapted, within", "change", "change without products"], lines


def replayed(split, model, log):
    """The lines of a kind of folds: one a share of references."""
    lines = []
    columns = ["--target", "NOX", "--ignore", "CO"]
    fit = srfm("fit", data("sensors/gas_turbine_2011.csv"), *columns, "--split", split, "--flash", "2k", "-o", model)
    for share in ("2%", "10%"):
        replays = {regressors: [srfm("adapt", model, log, "--references", share, "--seed", seed,
                                     "--regressors", regressors) for seed in range(1, 6)]
                   for regressors in ("products", "inputs")}
        lines.append([split, significant(fit["validation"]["rmse"], 3), share.replace("%", " %"),
                      *adapted(replays["products"]), adapted(replays["inputs"])[-1]])
    return lines


def quantisation(_):
    """Errors of `f64` and integer models, which a test prints."""
    data()
    test = ["--lib", "integers_predict_as_well_as_floating_point", "--", "--nocapture"]
    text = run("cargo", "test", "--quiet", "--release", "-p", "srfm-trainer", *test)
    lines = re.findall(r"(\w+), seed 0: RMSE (\S+) in f64, (\S+) in integers", text)
    return ["data", "f64", "integers"], [[name, *(significant(float(e), 5) for e in errors)] for name, *errors in lines]


def digits(_):
    """The digits of MNIST within 64 KB."""
    part = lambda half, what: data(f"mnist/{half}-{what}-idx{3 if what == 'images' else 1}-ubyte.gz")
    train = [part("train", "images"), "--labels", part("train", "labels"), "--task", "classification"]
    test = ["--test", part("t10k", "images"), "--test-labels", part("t10k", "labels")]
    method = ["--method", "fourier", "--order", 6, "--scale", 0.4, "--lambda", 30, "--terms", "intercept"]
    budget, cores, lines = ["--flash", "64k", "--max-features", 2000], ["cortex-m4f", "cortex-m3"], []
    with tempfile.TemporaryDirectory() as folder:
        model = Path(folder) / "digits.srfm"
        for number in ("f32", "int16"):
            def measured():
                fit = srfm("fit", *train, *test, *method, *budget, "--number", number, "-o", model)
                runs = [srfm("device", model, test[1], "--rows", 20, "--core", core) for core in cores]
                wrong = significant(100 * (1 - fit["holdout"]["accuracy"]), 3)
                return [number, fit["model"]["features"], wrong, *(round(run["instructions_mean"]) for run in runs)]

            lines.append(parts.part(measured, "digits", number))
    return list(tables.read("digits")[0]), lines


def growth_of_fits(_):
    """Time and memory of fits against the size of their tables and models."""
    return growth.measured(command())


def steps_of_a_pump(_):
    """A function with steps, by cosines and by rules."""
    return steps.measured(command())


def python():
    """The interpreter of the environment in which ./check tests the package."""
    path = ROOT / "target" / "python" / "environment" / "bin" / "python"
    if not path.exists():
        raise Skipped("run ./check, which makes the environment of Python")
    return path


# What scripts of python/benches print.
SCRIPTS = {"regressors": "compare.py", "novelty": "novelty.py"}


def of_script(name):
    """srfm beside scikit-learn's regressors or detectors of outliers, on real data sets."""
    data()
    rows = list(csv.reader(run(python(), ROOT / "python" / "benches" / SCRIPTS[name]).splitlines()))
    return rows[0], rows[1:]


def require_lightgbm():
    """Skips a measurement without LightGBM, which the package does not need."""
    if subprocess.run([python(), "-c", "import lightgbm"], stderr=subprocess.DEVNULL).returncode:
        raise Skipped(f"{python()} has no lightgbm; install it with pip")


def classes(name):
    """srfm beside classifiers: all of them, or its models of 1 KB and those with weights of the classes."""
    data()
    require_lightgbm()
    script = ROOT / "python" / "benches" / "classes.py"
    text = parts.part(lambda: run(python(), script), "classes", "figures")
    first, second = text.split("\n\n")
    rows = list(csv.reader((second if name == "classes-small" else first).splitlines()))
    return rows[0], rows[1:]


def beside_peers(flash, *models):
    """Mean errors, bytes and seconds of models on ten data sets: the table of `peers.py`."""
    data()
    require_lightgbm()
    script = ROOT / "trainer" / "benches" / "peers.py"
    with tempfile.TemporaryDirectory() as folder:
        results = Path(folder) / "results.csv"
        text = run(python(), script, results, "--flash", flash, "--models", ",".join(models))
    return list(csv.reader(text.splitlines()))


# Regressors of any size.
TUNED = ["LightGBM", "HistGradientBoosting", "Gaussian process"]


def tuned(_):
    """srfm beside tuned regressors on ten data sets."""
    rows = parts.part(lambda: beside_peers("8k", "srfm"), "tuned", "srfm")
    others = parts.part(lambda: beside_peers("8k", *TUNED), "tuned", "others")
    return rows[0], sorted([*rows[1:], *others[1:]], key=lambda row: [own[0] for own in rows].index(row[0]))


def reached(_):
    """Searches within 2 KB and 8 KB beside rules and boosted trees of 2 KB, and the best regressor of any size."""
    rows = parts.part(lambda: beside_peers("2k", "srfm", "rules", "trees"), "reached", "2k")
    small = {tuple(row[:2]): row for row in rows[1:]}
    large = {(row["set"], row["model"]): row for row in tables.read("tuned")}
    lines = []
    for name in dict.fromkeys(name for name, _ in small):
        errors = [small[name, model][2] for model in ("rules", "trees")]
        searches = [*small[name, "srfm"][2::2], large[name, "srfm"]["error"], large[name, "srfm"]["seconds"]]
        best = min((large[name, model]["error"] for model in TUNED), key=float)
        lines.append([name, *searches, *errors, best])
    kinds = [f"{what}, {size}" for size in ("2 KB", "8 KB") for what in ("search", "seconds")]
    return ["set", *kinds, "rules, 2 KB", "trees of 2 KB", "trees or process of any size"], lines


def large(_):
    """srfm beside scikit-learn and LightGBM on a table of 515,345 rows."""
    require_lightgbm()
    with tempfile.TemporaryDirectory() as folder:
        script = ROOT / "python" / "benches" / "large.py"
        rows = list(csv.reader(run(python(), script, command(), folder).splitlines()))
    return rows[0], rows[1:]


def machines(_):
    """Fits to Dask collections on workers of this machine."""
    with tempfile.TemporaryDirectory() as folder:
        rows = list(csv.reader(run(python(), ROOT / "python" / "benches" / "machines.py", folder).splitlines()))
    return rows[0], rows[1:]


SPECIAL = {"costs": costs, "costs-memory": costs, "code": code, "programs": programs, "quantisation": quantisation,
           "digits": digits, "formulas": formulas, "sensors": sensors, "c-source": c_source, "c-avr": c_avr,
           "c-and-rust": c_and_rust, "c-times": c_times,
           "adaptation": adaptation, "adaptation-costs": adaptation_costs, "adaptation-c": adaptation_c,
           "micropython": micropython,
           "update-costs": update_costs, "machines": machines, "large": large, "tuned": tuned, "reached": reached,
           "growth": growth_of_fits,
           "regressors": of_script, "novelty": of_script, "classes": classes, "classes-small": classes,
           "steps": steps_of_a_pump,
           "costs-classes": costs_of_classes,
           "costs-windows": costs_of_windows, "costs-rules": costs_of_rules, "costs-rules-bytes": costs_of_rules}


def names():
    """Everything that can be measured and has been."""
    rows = [path.stem for path in sorted(tables.DATA.glob("*.csv")) if list(tables.read(path.stem)[0]) == REPRODUCED]
    return [*SPECIAL, *rows]


def measure(name):
    """Measures a file of docs/data and writes it."""
    try:
        columns, lines = parts.part(lambda: SPECIAL.get(name, reproduced)(name), name)
    except Skipped as reason:
        print(f"SKIPPED: {name}: {reason}", file=sys.stderr)
        return
    with open(tables.DATA / f"{name}.csv", "w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([columns, *lines])
