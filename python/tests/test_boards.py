"""Fits for a board: the model of the command, its folder, and its time."""

import os
import subprocess
from pathlib import Path

import numpy as np
import pandas
import pytest
import srfm_mcu
from srfm_mcu import SrfmRegressor

SENSOR = Path(__file__).parents[2] / "cli" / "tests" / "requests" / "sensor.csv"


def rows():
    table = pandas.read_csv(SENSOR)
    return table[["a", "b", "c"]], table["y"]


def test_a_fit_for_a_board_gives_the_folder_of_the_command(tmp_path):
    fit = [os.environ.get("SRFM_COMMAND", "srfm"), "fit", SENSOR, "--inputs", "a,b,c", "--target", "y", "--quiet"]
    options = ["--method", "harfe", "--max-features", "6", "--board", "uno", "--latency", "2ms"]
    subprocess.run([*fit, *options, "-o", tmp_path / "command"], check=True)

    model = SrfmRegressor("harfe", features=6, board="uno", latency="2 ms").fit(*rows())
    model.to_folder(tmp_path / "python", name="command")
    names = sorted(path.relative_to(tmp_path / "python") for path in (tmp_path / "python").rglob("*.*"))
    assert names == sorted(path.relative_to(tmp_path / "command") for path in (tmp_path / "command").rglob("*.*"))
    assert model.to_bytes() == (tmp_path / "command" / "command.srfm").read_bytes()
    header = (tmp_path / "python" / "src" / "command.h").read_text()
    assert "cycles on atmega328p" in " ".join(header.split())

    program = model.program_
    assert program["core"] == "atmega328p" and program["instructions"] is None
    assert model.flash_bytes_ == program["flash_bytes"] <= 4096
    assert model.latency_ == pytest.approx(program["cycles"] / 16e6) and model.latency_ <= 2e-3
    # A second fit replaces the folder, and another one stays as it is.
    model.to_folder(tmp_path / "python", name="command")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "notes.txt").write_text("mine")
    with pytest.raises(OSError, match="other"):
        model.to_folder(tmp_path / "other")


def test_keywords_say_more_than_the_board():
    model = SrfmRegressor("linear", board="pico", core="cortex-m3", deploy="file").fit(*rows())
    assert model.program_["core"] == "cortex-m3" and model.flash_bytes_ == len(model.to_bytes())
    assert model.model_.shape()[1] == "int"
    assert model.latency_ == pytest.approx(model.program_["cycles"] / 125e6)
    usual = SrfmRegressor("linear").fit(*rows())
    assert (usual.program_["core"], usual.latency_) == ("cortex-m4f", None)
    assert usual.flash_bytes_ == len(usual.to_bytes())
    clock = SrfmRegressor("linear", config={"device": {"clock": 84e6}}, latency=1e-3).fit(*rows())
    assert clock.latency_ == pytest.approx(clock.program_["cycles"] / 84e6)


@pytest.mark.parametrize(
    ("keywords", "said"),
    [
        ({"board": "due"}, "board='due' is not known; choose one of uno, "),
        ({"board": 3}, "board=3 is no text; give one of srfm_mcu.boards()"),
        ({"latency": "2 min"}, "latency='2 min' is no time; give one such as 2e-4, \"200us\" or \"1.5ms\""),
        ({"latency": "200µs"}, "clock"),
        ({"latency": "200μs"}, "clock"),
        ({"board": "uno", "config": {"device": {"board": "uno"}}}, "'board', which has a keyword of its own"),
    ],
)
def test_what_is_no_board_is_refused(keywords, said):
    with pytest.raises(ValueError, match=said):
        SrfmRegressor("linear", **keywords).fit(np.arange(20.0).reshape(-1, 1), np.arange(20.0))


def test_boards_are_those_of_the_command():
    assert srfm_mcu.boards()[0] == "uno" and "pico" in srfm_mcu.boards()
    with pytest.raises(ValueError, match="a folder is for a board; fit with board="):
        SrfmRegressor("linear").fit(*rows()).to_folder("nowhere")
    with pytest.raises(ValueError, match="1 bad"):
        SrfmRegressor("linear", board="uno").fit(*rows()).to_folder("nowhere", name="1 bad")
