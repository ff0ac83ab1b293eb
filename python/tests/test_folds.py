"""Folds of scikit-learn: the library takes them as they are, for the choice of settings and for intervals."""

import numpy as np
import pytest
from sklearn.datasets import load_iris, make_friedman1
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    LeaveOneOut,
    PredefinedSplit,
    RepeatedKFold,
    StratifiedKFold,
    TimeSeriesSplit,
)

import srfm_mcu
from srfm_mcu import SrfmClassifier, SrfmRegressor


@pytest.fixture(scope="module")
def rows():
    X, y = make_friedman1(160, noise=1, random_state=0)
    y[80:] += 6 * X[80:, 0]  # So that folds in the order of time differ from others.
    return X, y, np.random.default_rng(0).permutation(np.arange(160) // 10)


def half_width(residuals, tested):
    """The quantile of 90 % over the tested rows and one more."""
    rank = int(np.ceil(0.9 * (tested + 1)))
    return np.sort(residuals)[int(np.ceil(rank * len(residuals) / tested)) - 1]


SPLITTERS = {
    "blocks": KFold(4),
    "random": KFold(3, shuffle=True, random_state=3),
    "repeated": RepeatedKFold(n_splits=4, n_repeats=3, random_state=0),
    "groups": GroupKFold(4),
    "time": TimeSeriesSplit(5, gap=6, max_train_size=60),
    "pairs": [(np.arange(60), np.arange(60, 160)), (list(range(100, 160)), range(100))],
    "mask": [(np.arange(160) % 3 > 0, np.arange(160) % 3 == 0)],
    "once": PredefinedSplit(np.where(np.arange(160) < 40, 0, -1)),
    "each": LeaveOneOut(),
}


@pytest.mark.parametrize("name", SPLITTERS)
def test_errors_and_intervals_are_those_of_the_folds(rows, name):
    X, y, groups = rows
    cv, groups = SPLITTERS[name], groups if name == "groups" else None
    model = SrfmRegressor(method="linear", lambdas=[1e-3], cv=cv).fit(X, y, groups=groups)
    pairs = cv if isinstance(cv, list) else cv.split(X, y, groups)
    folds = [(np.arange(160)[train], np.arange(160)[test]) for train, test in pairs]
    errors, residuals, tested = [], [], []
    for train, test in folds:
        predicted = SrfmRegressor(method="linear", lambdas=[1e-3], cv=2).fit(X[train], y[train]).predict(X[test])
        errors.append(np.mean((predicted - y[test]) ** 2))
        residuals.append(np.abs(predicted - y[test]))
        tested.append(test)
    # Predictions are float32 with 24 bits; means over a hundred rows differ by a few of them.
    assert model.report_["validation"]["rmse"] == pytest.approx(np.sqrt(np.mean(errors)), rel=1e-5)
    residuals, tested = np.concatenate(residuals), np.concatenate(tested)
    if name == "time":
        # The widest of nine periods, as the rows that follow are one more.
        count = len(residuals)
        parts = [residuals[part * count // 9 : (part + 1) * count // 9] for part in range(9)]
        expected = max(half_width(part, len(part)) for part in parts)
    else:
        expected = half_width(residuals, len(np.unique(tested)))
    assert model.half_width_ == pytest.approx(expected, rel=1e-5)


def test_settings_are_chosen_on_the_folds(rows):
    X, y, groups = rows
    chosen = {}
    for cv in (5, TimeSeriesSplit(5), GroupKFold(5)):
        of_cv = groups if isinstance(cv, GroupKFold) else None
        model = SrfmRegressor("harfe", features=40, cv=cv).fit(X, y, groups=of_cv)
        chosen[str(cv)] = (model.report_["lambda"], model.report_["validation"]["rmse"])
    assert len(set(chosen.values())) == 3
    # The second half does not follow from the first, and only folds in the order of time see it.
    assert chosen[str(TimeSeriesSplit(5))][1] > 1.1 * chosen["5"][1]


def test_a_search_on_some_rows_keeps_their_folds():
    # The search compares on 2,000 rows. The first fold's training rows say nothing of its test rows: only a search that
    # keeps the folds finds an error as large as the shift.
    X, y = make_friedman1(2500, noise=1, random_state=0)
    y[1250:] += 100
    halves = [(np.arange(1250), np.arange(1250, 2500)), (np.arange(1250, 2500), np.arange(1250))]
    settings = {"time": "1s", "flash": 200}
    assert SrfmRegressor(cv=halves, **settings).fit(X, y).report_["validation"]["rmse"] > 60
    assert SrfmRegressor(**settings).fit(X, y).report_["validation"]["rmse"] < 60
    with pytest.raises(ValueError, match="fold 1 of cv has row 2500, but the last row is 2499"):
        SrfmRegressor(cv=[*halves[:1], ([0, 1], [2, 2500])], **settings).fit(X, y)


def test_classifiers_take_folds_by_class():
    X, y = load_iris(return_X_y=True)
    labels = np.array(["a", "b", "c"])[y]
    by_class = SrfmClassifier("harfe", features=10, cv=StratifiedKFold(3)).fit(X, labels).report_["validation"]
    # Blocks of the sorted rows are the classes themselves: no fold has seen the class that it tests.
    sorted_rows = SrfmClassifier("harfe", features=10, cv=KFold(3)).fit(X, labels).report_["validation"]
    assert by_class["error_rate"] < 0.1 and sorted_rows["error_rate"] == 1


@pytest.mark.parametrize(
    ("cv", "said"),
    [
        ([], "gives no folds"),
        ([(range(10), range(10, 20)), (range(10), [])], "fold 1 has no test rows"),
        ([(range(10), range(9, 20))], "fold 0 has row 9 among its training rows and among its test rows"),
        ([(range(10), [160])], "fold 0 of cv has row 160, but the last row is 159"),
        ([(range(10), [-1])], "fold 0 of cv has row -1"),
        ([(range(10), [0.5])], "no integers"),
        ([1, 2], "no pairs"),
        (GroupKFold(20), "20"),
        (True, "cv=True is not known"),
    ],
)
def test_bad_folds_get_one_sentence(rows, cv, said):
    X, y, groups = rows
    with pytest.raises(ValueError) as error:
        SrfmRegressor("harfe", cv=cv).fit(X, y, groups=groups)
    assert said in str(error.value) and "\n" not in str(error.value), str(error.value)


def test_named_divisions_are_those_of_the_command():
    numbers = [srfm_mcu._values.folds(cv, None, None, None)[:2] for cv in (4, None, "blocked")]
    assert numbers == [(4, "random"), (5, "random"), (5, "blocked")]
