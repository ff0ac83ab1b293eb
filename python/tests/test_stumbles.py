"""What a newcomer does first, and what the answers say."""

import json
from pathlib import Path

import numpy as np
import pandas
import pytest
import srfm_mcu
from sklearn.datasets import load_iris, make_friedman1
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from srfm_mcu import SrfmClassifier, SrfmNovelty, SrfmRegressor
from srfm_mcu._base import _Progress


@pytest.fixture(scope="module")
def rows():
    X, y = make_friedman1(300, noise=0.5, random_state=0)
    return pandas.DataFrame(X, columns=[f"reading{i}" for i in range(10)]), y


def test_a_program_keeps_the_budget_that_its_first_fit_exceeds():
    X, y = make_friedman1(1000, noise=0.5, random_state=0)
    for flash in (700, 1000):
        model = SrfmRegressor("harfe", flash=flash, deploy="c").fit(X, y)
        assert model.flash_bytes_ == model.program_["flash_bytes"] <= flash
        assert model.flash_bytes_ > 0.8 * flash
        assert model.program_["code_bytes"] + model.program_["parameter_bytes"] <= model.flash_bytes_
    file = SrfmRegressor("harfe", flash=1000).fit(X, y)
    assert file.flash_bytes_ == len(file.to_bytes()) and file.program_["flash_bytes"] != file.flash_bytes_
    assert SrfmRegressor("harfe", core="riscv32imac").fit(X, y).program_ is None


def test_a_search_that_ends_at_once_says_so(rows):
    X, y = rows
    with pytest.warns(UserWarning, match="time was over before a model with features was tried; raise time"):
        SrfmRegressor(time=1e-3).fit(X, y)


def test_a_method_is_not_replaced_by_a_search(rows):
    X, y = rows
    for limit in ({"time": 1}, {"effort": 1}):
        with pytest.raises(ValueError, match="are those of a search, but method='harfe'; leave one"):
            SrfmRegressor("harfe", **limit).fit(X, y)
    assert SrfmRegressor()._settings() == SrfmRegressor("auto")._settings()
    assert SrfmRegressor()._settings()["method"] is None and "harfe" in SrfmRegressor("harfe")._settings()["method"]
    assert SrfmRegressor(effort=0.1).fit(X, y).to_bytes() == SrfmRegressor("auto", effort=0.1).fit(X, y).to_bytes()


def test_columns_that_are_no_numbers_are_named(rows):
    X, y = rows
    wrong = [
        ("site", ["a", "b"] * 150, "has text, such as 'a'; leave it out, or turn"),
        ("time", pandas.date_range("2026-01-01", periods=300), "has dates or times; leave it out.*cv='forward'"),
        ("kind", pandas.Categorical(["x", "y"] * 150), "has text, such as 'x'"),
    ]
    wrong.append(("level", pandas.Categorical([3, 7] * 150), "has categories, such as 3; turn them into columns"))
    for name, values, sentence in wrong:
        with pytest.raises(ValueError, match=f"the column '{name}' of X {sentence}"):
            SrfmRegressor("harfe").fit(X.assign(**{name: values}), y)
    model = SrfmRegressor("harfe").fit(X, y)
    with pytest.raises(ValueError, match="the column 'reading3' of X has text, such as 'low'"):
        model.predict(X.assign(reading3="low"))
    rows = X.to_numpy().astype(object)
    rows[7, 3] = "low"
    for ask in (model.predict, lambda rows: SrfmRegressor("linear").fit(rows, y)):
        for given in (rows, rows.astype(str), rows.tolist()):
            with pytest.raises(ValueError, match="the column 'x3' of X has text, such as 'low'"):
                ask(given)
    with pytest.raises(ValueError, match=r"such as 'low'; .* pandas.get_dummies\(X, dtype=int\) or OneHotEncoder"):
        model.predict(rows.astype(str))
    as_text = X.assign(reading3=X.reading3.map(str))
    assert np.array_equal(model.predict(as_text), model.predict(X))


def test_notebooks_show_what_a_fit_found(rows):
    model = SrfmRegressor("linear")
    assert not model._repr_mimebundle_()["text/html"].startswith("<p>")
    validation = model.fit(*rows).report_["validation"]
    said = f"<p>linear, RMSE {validation['rmse']:.3g} in cross-validation, {model.flash_bytes_} bytes</p>"
    assert model._repr_mimebundle_()["text/html"].startswith(said) and model._repr_html_().startswith(said)
    X, labels = load_iris(return_X_y=True)
    classes = SrfmClassifier("linear").fit(X, labels)
    wrong = 100 * classes.report_["validation"]["error_rate"]
    said = f"<p>linear, {wrong:.1f} % wrong in cross-validation, {classes.flash_bytes_} bytes</p>"
    assert 2 < wrong < 30 and classes._repr_html_().startswith(said)


def test_models_without_intervals_lack_the_attribute(rows):
    X, y = rows
    fits = [
        (SrfmRegressor("harfe", lambdas=[1e-3]), X, y, "one λ leaves nothing to cross-validate; leave lambdas out"),
        (SrfmRegressor("shrimp"), X, y, "nothing was cross-validated; take a method with settings to choose"),
        (SrfmRegressor("min-norm"), X, y, "nothing was cross-validated"),
        (SrfmRegressor("linear"), X[:8], y[:8], "cross-validation tested too few rows; fit more rows"),
        (SrfmRegressor("linear"), X[["reading0"]][:40], np.outer(y[:40], range(1, 21)), "those of 20 outputs take too"),
    ]
    for model, X, y, cause in fits:
        model.fit(X, y)
        assert not hasattr(model, "half_width_") and model._repr_html_()
        assert make_pipeline(model)._repr_html_()
        with pytest.raises(ValueError, match=f"the model has no intervals: {cause}"):
            model.predict_interval(X)
        with pytest.raises(AttributeError, match="the model has no intervals"):
            model.half_width_


def test_messages_show_plain_values_and_classes_that_users_know(rows):
    X, y = rows
    for label, shown in ((0.0, "0.0"), ("a", "'a'")):
        with pytest.raises(ValueError, match=f"y has one class, {shown}; a classifier needs"):
            SrfmClassifier("harfe").fit(X, np.full(300, label))
    for kind in (SrfmRegressor, SrfmClassifier, SrfmNovelty):
        with pytest.raises(TypeError, match=rf"^{kind.__name__}.__init__\(\) got an unexpected .*'flash_bytes'"):
            kind(flash_bytes=3)


def test_progress_never_goes_back(capfd):
    progress = _Progress()
    for done, total in ((1, 4), (4, 4), (1, 8), (8, 8)):
        progress(done, total, "")
    progress.end()
    assert capfd.readouterr().err == "\rfitting  25 %\rfitting 100 %\n"


def test_progress_names_the_best_candidates(capfd):
    progress = _Progress()
    progress(1, 4, "error 0.5 in 90 bytes")
    progress(1, 4, "error 0.5 in 90 bytes")
    progress(1, 4, "error 0.4 in 9 bytes")
    progress.end()
    # The shorter line covers the longer one.
    lines = ["fitting  25 %, error 0.5 in 90 bytes", "fitting  25 %, error 0.4 in 9 bytes "]
    assert capfd.readouterr().err == "".join(f"\r{line}" for line in lines) + "\n"


def test_values_that_no_device_holds_are_refused(rows):
    X, y = rows
    beyond = "X has values beyond ±3.4e38, the range of float32, in reading3; scale such columns"
    model = SrfmRegressor("harfe").fit(X, y)
    for ask in (lambda X: SrfmRegressor("linear").fit(X, y), model.predict):
        with pytest.raises(ValueError, match=beyond):
            ask(X.assign(reading3=X.reading3 * 1e39))
    with pytest.raises(ValueError, match="float32, in x0, x1, "):
        SrfmRegressor("linear").fit(X.to_numpy() * 1e39, y)
    days = pandas.date_range("2026-01-01", periods=300)
    for target, name in ((pandas.Series(days, name="day"), "day"), (days.date, "y"), (days.to_numpy(), "y")):
        with pytest.raises(ValueError, match=f"the target '{name}' has dates or times; give numbers"):
            SrfmRegressor("linear").fit(X, target)


def test_groups_are_numbers_or_text(rows):
    with pytest.raises(ValueError, match="groups has values that have no order, such as None"):
        SrfmRegressor("harfe").fit(*rows, groups=["a", None] * 150)
    with pytest.raises(ValueError, match="there are 299 groups for 300 rows"):
        SrfmRegressor("harfe").fit(*rows, groups=range(299))


def test_gaps(rows):
    X, y = rows
    gaps = X.mask(np.random.default_rng(0).random(X.shape) < 0.02)
    with pytest.raises(ValueError, match="contains NaN; fill the gaps, or give .* missing='mean' or missing='drop'"):
        SrfmRegressor("harfe").fit(gaps, y)
    model = SrfmRegressor("harfe", missing="drop").fit(gaps, y)
    complete = gaps.notna().all(axis=1)
    assert 0.5 < complete.mean() < 0.9
    assert model.score(gaps, y) == model.score(gaps[complete], y[complete]) > 0.9
    weights = np.where(np.arange(300) < 150, 1.0, 0.0)
    first = complete & (np.arange(300) < 150)
    assert np.isclose(model.score(gaps, y, weights), model.score(gaps[first], y[first]))
    assert cross_val_score(SrfmRegressor("harfe", missing="drop"), gaps, y, cv=3).min() > 0.8


def test_nothing_is_told_before_the_fit(rows):
    X, _ = rows
    for model in (SrfmRegressor("harfe"), SrfmClassifier("harfe")):
        for ask in (
            lambda: model.outside(X), lambda: model.importance_, lambda: model.cost_, lambda: model.flash_bytes_,
            lambda: model.program_, lambda: model.to_bytes(), lambda: SrfmRegressor("harfe").half_width_,
        ):
            with pytest.raises(NotFittedError, match="is not fitted yet"):
                ask()


def test_a_folder_is_no_file(rows, tmp_path):
    model = SrfmRegressor("harfe", features=4).fit(*rows)
    (tmp_path / "folder").mkdir()
    for write in (model.save, model.to_c):
        with pytest.raises(IsADirectoryError, match="is a folder; name a file in it.*folder"):
            write(tmp_path / "folder")
    with pytest.raises(FileNotFoundError, match="model.srfm"):
        model.save(tmp_path / "none" / "model.srfm")
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


def test_only_models_are_replaced(rows, tmp_path):
    model = SrfmRegressor("harfe", features=4).fit(*rows)
    (tmp_path / "data.csv").write_text("a,y\n1,2\n")
    with pytest.raises(FileExistsError, match="is not an srfm model; name another file.*data.csv"):
        model.save(tmp_path / "data.csv")
    assert (tmp_path / "data.csv").read_text() == "a,y\n1,2\n" and len(list(tmp_path.iterdir())) == 1
    # A link stays a link, a file keeps its permissions, and files of similar names stay.
    (tmp_path / "m.srfm").touch()
    (tmp_path / "m.srfm").chmod(0o640)
    (tmp_path / "m.srfm.part").write_text("mine")
    (tmp_path / "link.srfm").symlink_to("m.srfm")
    model.save(tmp_path / "link.srfm")
    assert (tmp_path / "link.srfm").is_symlink() and (tmp_path / "m.srfm").read_bytes() == model.to_bytes()
    assert (tmp_path / "m.srfm").stat().st_mode & 0o777 == 0o640
    assert (tmp_path / "m.srfm.part").read_text() == "mine"
    # Its description lies beside both names, and takes the place of no other file.
    model.save(tmp_path / "link.srfm")
    assert srfm_mcu.load(tmp_path / "m.srfm").to_bytes() == srfm_mcu.load(tmp_path / "link.srfm").to_bytes()
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(FileExistsError, match="is not the description of a model.*config.json"):
        model.save(tmp_path / "config")
    assert (tmp_path / "config.json").read_text() == "{}" and not (tmp_path / "config").exists()
    # A special file takes the model alone.
    model.save("/dev/null")
    assert Path("/dev/null").is_char_device() and not Path("/dev/null.json").exists()


def test_a_description_is_that_of_its_model(rows, tmp_path):
    X, y = rows
    model, place = SrfmRegressor("harfe", features=4).fit(X, y), tmp_path / "m.srfm"
    description = tmp_path / "m.srfm.json"
    model.save(place)
    of_other = json.loads(description.read_text())
    of_other["crc32"] ^= 1
    for text, problem in (
        (b"{", "is no description of a model"), (b"\xff\xfe", "is no text in UTF-8"),
        (json.dumps(of_other).encode(), "belongs to another model file"),
    ):
        description.write_bytes(text)
        with pytest.raises(ValueError, match=f"m.srfm.json: {problem}.*; remove this file to load the model"):
            srfm_mcu.load(place)
    description.unlink()
    alone = srfm_mcu.load(place)
    SrfmRegressor("harfe", features=5).fit(X, y).save(place)
    assert description.exists()
    alone.save(place)
    assert not description.exists() and srfm_mcu.load(place).to_bytes() == model.to_bytes()


def test_settings_are_checked(rows):
    wrong = [
        ({"settings": 3}, "settings=3 is no dictionary"),
        ({"n_jobs": 0}, "n_jobs=0 is no number of threads"),
        ({"cv": 1}, "cv=1 is too small; give at least 2 folds"),
        ({"settings": {"iterations": 20}}, "settings are those of a method, but method=None searches; name a method"),
    ]
    for settings, sentence in wrong:
        with pytest.raises(ValueError, match=sentence):
            SrfmRegressor(**settings).fit(*rows)
    few, one = (SrfmRegressor("harfe", n_jobs=jobs).fit(*rows) for jobs in (-2, 1))
    assert few.to_bytes() == one.to_bytes()


def test_files_give_estimators(rows, tmp_path):
    X, y = rows
    model = SrfmRegressor("harfe", features=8, missing="mean").fit(X, np.column_stack([y, -y]))
    model.save(tmp_path / "two.srfm")
    read = srfm_mcu.load(tmp_path / "two.srfm")
    assert isinstance(read, SrfmRegressor) and list(read.feature_names_in_) == list(X.columns)
    assert np.array_equal(read.predict_interval(X), model.predict_interval(X))
    assert read.score(X, np.column_stack([y, -y])) == model.score(X, np.column_stack([y, -y]))
    assert read.cost_ == model.cost_ and read.program_ == model.program_
    assert np.allclose(read.importance_, model.importance_, atol=1 / 255)
    for place, estimator in enumerate((model, read)):
        (tmp_path / str(place)).mkdir()
        estimator.save(tmp_path / str(place) / "m.srfm")
        estimator.to_c(tmp_path / str(place) / "m.h")
        estimator.to_report(tmp_path / str(place) / "m.html", X, np.column_stack([y, -y]))
    for file in ("m.srfm", "m.srfm.json", "m.h", "m.html"):
        assert (tmp_path / "0" / file).read_bytes() == (tmp_path / "1" / file).read_bytes(), file
    flowers, species = load_iris(return_X_y=True)
    for labels in (species - 1, np.array(["a", "b", "c"])[species], (species > 0).astype(int)):
        classifier = SrfmClassifier("harfe", features=20).fit(flowers, labels)
        classifier.save(tmp_path / "iris.srfm")
        read = srfm_mcu.load(tmp_path / "iris.srfm")
        assert read.classes_.dtype.kind == labels.dtype.kind
        assert np.array_equal(read.predict(flowers), classifier.predict(flowers))
    (tmp_path / "iris.srfm.json").unlink()
    alone = srfm_mcu.load(tmp_path / "iris.srfm")
    assert np.array_equal(alone.predict(flowers), classifier.predict(flowers))
    alone.save(tmp_path / "again.srfm")
    assert (tmp_path / "again.srfm").read_bytes() == classifier.to_bytes()
    assert not (tmp_path / "again.srfm.json").exists()
