"""What a release decides without a build: python3 -B -m unittest discover -s tests/release"""

import contextlib
import io
import json
import runpy
import struct
import subprocess
import tarfile
import tempfile
import tomllib
import unittest
import zipfile
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = runpy.run_path(str(ROOT / "release"))
COMMAND = ROOT / "target/release/srfm"
RELEASE = SimpleNamespace(url="https://example.com/x", version="2.3.4")


def refusal(*arguments, **changed):
    """Returns the exit code of the script and what it says, with other globals."""
    with contextlib.ExitStack() as stack:
        said = stack.enter_context(contextlib.redirect_stderr(io.StringIO()))
        stack.enter_context(mock.patch("sys.argv", ["release", *arguments]))
        stack.enter_context(mock.patch.dict(SCRIPT["main"].__globals__, changed))
        try:
            code = SCRIPT["main"]()
        except SystemExit as ended:
            code = ended.code
        return code, said.getvalue()


class Arguments(unittest.TestCase):
    def test_a_missing_tool_is_named_with_its_installation(self):
        nothing = SimpleNamespace(which=lambda tool: None if tool == "maturin" else tool)
        code, said = refusal("wheels", shutil=nothing)
        self.assertEqual((code, said), (2, "release: maturin is missing: run `pip install maturin`\n"))

    def test_a_missing_target_is_named_with_its_installation(self):
        anything = SimpleNamespace(which=lambda tool: tool)
        code, said = refusal("page", shutil=anything, printed=lambda *command: "x86_64-unknown-linux-gnu\n")
        expected = "the Rust targets wasm32-wasip1 are missing: run `rustup target add wasm32-wasip1`"
        self.assertEqual((code, said), (2, f"release: {expected}\n"))

    def test_changes_that_are_not_committed_are_refused(self):
        code, said = refusal("sources", printed=lambda *command: " M README.md\n")
        self.assertEqual(code, 2)
        self.assertIn("--allow-dirty", said)

    def test_other_systems_and_unknown_parts_are_refused(self):
        linux = SimpleNamespace(system=lambda: "Linux")
        self.assertEqual(refusal("command", "--platform", "macos-aarch64", platform=linux)[0], 2)
        code, said = refusal("command", "pages")
        self.assertEqual(code, 2)
        self.assertIn("pages: no part", said)


class Archives(unittest.TestCase):
    FILES = {"a/srfm": b"program", "a/text": b"text"}

    def test_the_same_files_give_the_same_archive(self):
        for pack in ("tarred", "zipped"):
            first, second = (SCRIPT[pack](self.FILES, 1_700_000_001) for _ in range(2))
            self.assertEqual(first, second)

    def test_programs_may_be_run(self):
        with tarfile.open(fileobj=io.BytesIO(SCRIPT["tarred"](self.FILES, 1_700_000_001))) as archive:
            self.assertEqual([entry.mode for entry in archive], [0o755, 0o644])
            self.assertEqual({entry.mtime for entry in archive}, {1_700_000_001})
        with zipfile.ZipFile(io.BytesIO(SCRIPT["zipped"](self.FILES, 1_700_000_001))) as archive:
            self.assertEqual([entry.external_attr >> 16 & 0o777 for entry in archive.infolist()], [0o755, 0o644])
            self.assertEqual(archive.read("a/text"), b"text")

    def test_checksums_are_those_that_sha256sum_reads(self):
        with tempfile.TemporaryDirectory() as folder:
            release = object.__new__(SCRIPT["Release"])
            release.output = Path(folder)
            with contextlib.redirect_stdout(io.StringIO()):
                release.write("first", b"1")
                release.write("second", b"2")
                SCRIPT["sum_files"](release)
            said = subprocess.check_output(["sha256sum", "-c", "SHA256SUMS"], cwd=folder, text=True)
            self.assertEqual(said, "first: OK\nsecond: OK\n")
            self.assertEqual({path.name for path in release.output.iterdir()}, {"SHA256SUMS", "first", "second"})


class Names(unittest.TestCase):
    def test_cargo_binstall_finds_the_names_of_the_archives(self):
        package = tomllib.loads((ROOT / "cli/Cargo.toml").read_text())["package"]["metadata"]["binstall"]
        named = "srfm-{ version }-{ target }"
        self.assertTrue(package["pkg-url"].replace("{ name }", "srfm").endswith(named + "{ archive-suffix }"))
        self.assertEqual(package["bin-dir"].replace("{ name }", "srfm"), named + "/{ bin }{ binary-ext }")
        suffixes = {"tgz": ".tar.gz", "zip": ".zip"}
        for platform in SCRIPT["PLATFORMS"].values():
            of_target = package["overrides"].get(platform.command, package)
            expected = SCRIPT["program_of"](platform.command)[1]
            self.assertEqual(suffixes[of_target["pkg-fmt"]], expected)

    def test_crates_are_those_that_may_be_published(self):
        metadata = subprocess.check_output(["cargo", "metadata", "--no-deps", "--format-version", "1"], cwd=ROOT)
        packages = json.loads(metadata)["packages"]
        published = {package["name"] for package in packages if package["publish"] is None}
        self.assertEqual(published, set(SCRIPT["CRATES"]))

    def test_a_template_is_filled(self):
        for include, _, others in SCRIPT["LIBRARIES"].values():
            for path, text in others.items():
                filled = SCRIPT["filled"](text, RELEASE)
                self.assertNotRegex(filled, r"@|1\.0\.0|[Tt]he model srfm|example\.org", path)
        properties = SCRIPT["filled"]("library.properties", RELEASE)
        self.assertIn("\nversion=2.3.4\n", properties)
        self.assertIn("\nurl=https://example.com/x\n", properties)
        self.assertEqual(json.loads(SCRIPT["filled"]("library.json", RELEASE))["version"], "2.3.4")

    def test_dependencies_are_those_of_programs(self):
        def node(name, *edges):
            deps = [{"pkg": other, "dep_kinds": [{"kind": kind}]} for other, kind in edges]
            return {"id": name, "deps": deps}

        nodes = [node("a", ("b", None), ("c", "dev")), node("b", ("d", "build")), node("c"), node("d")]
        metadata = {"resolve": {"nodes": nodes}, "packages": [{"id": node["id"], "name": node["id"]} for node in nodes]}
        self.assertEqual(SCRIPT["dependencies"](metadata, ["a"]), {"a": ["b"], "b": ["d"], "d": []})


#: What a sketch needs of the Arduino core.
ARDUINO = """#pragma once
#include <stdint.h>
#include <stddef.h>
struct Port { void begin(long) {} void println(float) {} };
static Port Serial;
static inline void delay(unsigned long) {}
"""


@unittest.skipUnless(COMMAND.exists(), "the command is not built")
class Libraries(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.libraries = SCRIPT["library_files"](RELEASE, COMMAND)

    def compiled(self, library, compiler, source, *options):
        """Compiles a file of a library beside the others; returns what the program prints."""
        with tempfile.TemporaryDirectory() as folder:
            folder = Path(folder)
            for path, content in self.libraries[library].items():
                (folder / path).parent.mkdir(parents=True, exist_ok=True)
                (folder / path).write_bytes(content)
            (folder / "Arduino.h").write_text(ARDUINO)
            include = SCRIPT["LIBRARIES"][library][0]
            paths = [f"-I{folder}", f"-I{folder / include}", "-o", folder / "program"]
            warnings = ["-Wall", "-Wextra", "-Werror"]
            subprocess.run([compiler, *warnings, *options, *paths, folder / source], check=True)
            return subprocess.check_output([folder / "program"], text=True)

    def test_an_example_predicts(self):
        model = ROOT / "runtime/golden" / f"{SCRIPT['READERS']['srfm_cosine']}.srfm"
        inputs = json.loads(subprocess.check_output([COMMAND, "inspect", model, "--json"]))["inputs"]
        with tempfile.TemporaryDirectory() as folder:
            table = Path(folder) / "zeros.csv"
            table.write_text(",".join("0" * inputs) + "\n")
            expected = subprocess.check_output([COMMAND, "predict", model, table, "--quiet"], text=True)
        printed = self.compiled("zephyr", "gcc", "samples/predict/src/main.c", "-std=c99")
        bits = [struct.pack("f", float(text)) for text in (printed, expected.split()[-1])]
        self.assertEqual(*bits)

    def test_other_examples_compile(self):
        main = "-Dsetup()=setup(); void loop(); int main() { setup(); loop(); } void setup()"
        sources = {"arduino": "examples/predict/predict.ino", "platformio": "examples/predict/main.cpp"}
        for library, source in sources.items():
            self.compiled(library, "g++", source, "-x", "c++", "-include", "Arduino.h", main)
        main = "-Dapp_main(none)=app_main(none); int main(none) { app_main(); return 0; } void app_main(none)"
        self.compiled("esp-idf", "gcc", "examples/predict/main/main.c", main)

    def test_a_program_may_include_all_readers(self):
        files = self.libraries["arduino"]
        files["all.c"] = "".join(f'#include "{name}.h"\n' for name in SCRIPT["READERS"]).encode()
        files["all.c"] += b"int main(void) { return 0; }\n"
        self.assertEqual(self.compiled("arduino", "gcc", "all.c", "-Wno-unused-function"), "")

    def test_metadata_name_files_that_exist(self):
        properties = dict(
            line.split("=", 1) for line in self.libraries["arduino"]["library.properties"].decode().splitlines()[1:]
        )
        self.assertIn(f"src/{properties['includes']}", self.libraries["arduino"])
        described = json.loads(self.libraries["platformio"]["library.json"])
        self.assertIn(f"include/{described['headers']}", self.libraries["platformio"])
        for example in described["examples"]:
            for name in example["files"]:
                self.assertIn(f"{example['base']}/{name}", self.libraries["platformio"])


if __name__ == "__main__":
    unittest.main()
