"""An interrupted measurement goes on after its finished parts: python3 -m unittest discover -s docs/tools"""

import json
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import parts


class Parts(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        for name, value in {"FOLDER": Path(folder.name), "fresh": False, "sources": lambda: self.version}.items():
            patch = mock.patch.object(parts, name, value)
            patch.start()
            self.addCleanup(patch.stop)
        self.version = "first"
        self.measured = []

    def run_parts(self, interrupted_at=None):
        """Measures three parts; returns their results."""

        def measure(number):
            if number == interrupted_at:
                raise KeyboardInterrupt
            self.measured.append(number)
            return [number, 10 * number]

        return [parts.part(lambda: measure(number), "table", "a task, 2 KB", number) for number in range(3)]

    def test_finished_parts_are_kept(self):
        with self.assertRaises(KeyboardInterrupt):
            self.run_parts(interrupted_at=2)
        self.assertEqual(self.measured, [0, 1])
        self.assertEqual(self.run_parts(), [[0, 0], [1, 10], [2, 20]])
        self.assertEqual(self.measured, [0, 1, 2])

    def test_other_sources_and_fresh_runs_measure_anew(self):
        self.run_parts()
        self.version = "second"
        self.run_parts()
        self.assertEqual(self.measured, 2 * [0, 1, 2])
        with mock.patch.object(parts, "fresh", True):
            self.run_parts()
        self.assertEqual(self.measured, 3 * [0, 1, 2])

    def test_a_part_says_where_it_comes_from(self):
        self.run_parts()
        kept = json.loads(parts.path_of("table", "a task, 2 KB", 1).read_text())
        self.assertEqual((kept["result"], kept["sources"]), ([1, 10], "first"))
        self.assertRegex(kept["commit"], "^[0-9a-f]{40}$")
        self.assertRegex(kept["date"], r"^\d{4}-\d\d-\d\dT")
        self.assertRegex(kept["machine"], r", \d+ cores$")


if __name__ == "__main__":
    unittest.main()
