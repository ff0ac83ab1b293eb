"""The command that the package brings along, and its pages."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas
import polars
import pytest
from sklearn.datasets import load_iris, make_friedman1

import srfm_mcu
from srfm_mcu import SrfmClassifier, SrfmRegressor

#: The command of this environment.
INSTALLED = Path(sys.executable).parent / "srfm"


def run(*arguments, folder, code=0):
    done = subprocess.run([INSTALLED, *arguments], cwd=folder, capture_output=True, text=True)
    assert done.returncode == code, done.stderr
    return done


@pytest.fixture
def table(tmp_path):
    X, y = make_friedman1(200, noise=1, random_state=0)
    frame = pandas.DataFrame(X, columns=[f"sensor{i}" for i in range(10)])
    frame.assign(target=y).to_csv(tmp_path / "data.csv", index=False)
    return frame, pandas.Series(y, name="target")


def test_the_package_brings_the_command(table, tmp_path):
    options = "fit data.csv --method harfe --max-features 6 --flash 1k -o m.srfm --quiet".split()
    run(*options, folder=tmp_path)
    model = SrfmRegressor("harfe", features=6, flash="1k").fit(*table)
    assert (tmp_path / "m.srfm").read_bytes() == model.to_bytes()
    if command := os.environ.get("SRFM_COMMAND"):
        shown = [subprocess.run([program, "--version"], capture_output=True).stdout for program in (command, INSTALLED)]
        assert shown[0] == shown[1] != b""
        assert srfm_mcu.__version__ in shown[0].decode()
    assert "--flash" in run("fit", "data.csv", "--flash", "no", folder=tmp_path, code=2).stderr
    assert "absent.csv" in run("fit", "absent.csv", folder=tmp_path, code=1).stderr


def test_the_command_starts_without_scikit_learn():
    code = "import sys, srfm_mcu._command; sys.exit(any(name in sys.modules for name in ('numpy', 'sklearn')))"
    subprocess.run([sys.executable, "-c", code], check=True)
    assert {"SrfmRegressor", "scorer", "__version__"} <= set(dir(srfm_mcu))
    with pytest.raises(AttributeError, match="has no attribute 'SrfmForest'"):
        _ = srfm_mcu.SrfmForest


def test_the_defaults_are_those_of_the_command(tmp_path):
    x = np.linspace(0, 1, 24)
    frame, y = pandas.DataFrame({"a": x}), pandas.Series(np.sin(6 * x), name="y")
    frame.assign(y=y).to_csv(tmp_path / "data.csv", index=False)
    run("fit", "data.csv", "-o", "m.srfm", "--quiet", folder=tmp_path)
    assert (tmp_path / "m.srfm").read_bytes() == SrfmRegressor().fit(frame, y).to_bytes()


def test_terms_are_those_of_the_command(table, tmp_path):
    models = {terms: SrfmRegressor("harfe", features=5, terms=terms).fit(*table) for terms in ("linear", "ridge")}
    for terms, model in models.items():
        options = f"fit data.csv --method harfe --max-features 5 --terms {terms} -o {terms}.srfm --quiet"
        run(*options.split(), folder=tmp_path)
        assert (tmp_path / f"{terms}.srfm").read_bytes() == model.to_bytes()
    assert models["linear"].to_bytes() != models["ridge"].to_bytes()
    with pytest.raises(ValueError, match="'none', 'intercept', 'linear' or 'ridge'"):
        SrfmRegressor("harfe", terms="lasso").fit(*table)


def test_folds_of_groups_are_those_of_the_command(table, tmp_path):
    frame, y = table
    # The groups do not begin in their order, and the first row of a group has a gap.
    groups = pandas.Series(np.array(list("gebfcad"))[np.arange(200) // 13 % 7], name="device")
    frame = frame.mask(np.arange(200)[:, None] == [13] * 10)
    frame.assign(device=groups, target=y).to_csv(tmp_path / "data.csv", index=False)
    options = "fit data.csv --group device --method harfe --max-features 6 --missing drop -o m.srfm --quiet"
    run(*options.split(), folder=tmp_path)
    model = SrfmRegressor("harfe", features=6, missing="drop").fit(frame, y, groups=groups)
    assert (tmp_path / "m.srfm").read_bytes() == model.to_bytes()


@pytest.mark.parametrize("compression", ["zstd", "snappy", "gzip", "uncompressed"])
def test_parquet_of_polars_gives_the_model_of_the_frame(compression, tmp_path):
    X, y = make_friedman1(300, noise=1, random_state=0)
    frame = polars.DataFrame({
        "bridge": np.round(4095 * X[:, 3]).astype(np.int16),
        "level": X[:, 0].astype(np.float32),
        "temperature": 20 * X[:, 1],
        "valve": X[:, 2] > 0.5,
        "target": y,
    })
    frame.write_parquet(tmp_path / "data.parquet", compression=compression, row_group_size=70)
    options = "fit data.parquet --method harfe --max-features 6 --flash 1k -o m.srfm --quiet".split()
    run(*options, folder=tmp_path)
    read = polars.read_parquet(tmp_path / "data.parquet")
    model = SrfmRegressor("harfe", features=6, flash="1k").fit(read.drop("target"), read["target"])
    assert list(model.feature_names_in_) == ["bridge", "level", "temperature", "valve"]
    assert (tmp_path / "m.srfm").read_bytes() == model.to_bytes()
    # What the readings are is not lost on the way.
    assert model.score(read.drop("target"), read["target"]) > 0.7


def test_budgets_of_programs_are_those_of_the_command(table, tmp_path):
    options = "fit data.csv --method harfe --max-features 20 --deploy c --flash 1k -o m.srfm --quiet".split()
    run(*options, folder=tmp_path)
    model = SrfmRegressor("harfe", features=20, deploy="c", flash="1k").fit(*table)
    assert (tmp_path / "m.srfm").read_bytes() == model.to_bytes()
    with pytest.raises(ValueError, match="60 bytes"):
        SrfmRegressor("harfe", features=20, deploy="c", flash=60).fit(*table)
    with pytest.raises(ValueError, match='deploy="elf" is none of file, c'):
        SrfmRegressor("harfe", deploy="elf").fit(*table)
    with pytest.raises(ValueError, match="only in the command, srfm fit --deploy rust"):
        SrfmRegressor("harfe", deploy="rust").fit(*table)
    with pytest.raises(ValueError, match='deploy="c": what a program takes with floating point'):
        SrfmRegressor("harfe", deploy="c", core="cortex-m3", number="f32").fit(*table)


def test_the_page_is_that_of_the_command(table, tmp_path):
    frame, y = table
    model = SrfmRegressor("harfe", features=6).fit(frame, y)
    model.save(tmp_path / "sensor.srfm")
    run("report", "sensor.srfm", "data.csv", "-o", "command.html", folder=tmp_path)
    model.to_report(tmp_path / "sensor.html", frame, y)
    # The command knows the file of the rows.
    of_command = (tmp_path / "command.html").read_text().replace("given, data.csv", "given")
    assert (tmp_path / "sensor.html").read_text().replace("<h1>sensor<", "<h1>sensor.srfm<").replace(
        "<title>sensor<", "<title>sensor.srfm<"
    ) == of_command
    assert "sensor3" in of_command and "<svg" in of_command


def test_pages_of_classes_and_wrong_targets(tmp_path):
    X, y = load_iris(return_X_y=True)
    labels = np.array(["setosa", "versicolor", "virginica"])[y]
    model = SrfmClassifier("harfe", features=10).fit(X, labels)
    model.to_report(tmp_path / "iris.html", X, labels)
    assert "versicolor" in (tmp_path / "iris.html").read_text()
    with pytest.raises(ValueError, match="'rose'.*which the fit did not have"):
        model.to_report(tmp_path / "no.html", X, np.where(labels == "setosa", "rose", labels))
    regressor = SrfmRegressor("harfe", features=10).fit(X, X[:, 0] ** 2)
    with pytest.raises(ValueError, match="149 targets for 150 rows"):
        regressor.to_report(tmp_path / "no.html", X, y[1:])
    with pytest.raises(ValueError, match="do not suit"):
        regressor.to_report(tmp_path / "no.html", X, X)
    assert [path.name for path in tmp_path.iterdir()] == ["iris.html"]
